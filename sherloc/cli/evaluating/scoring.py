"""``sherloc eval score``: measures of one or more runs, side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import stdout_kept_clean, talk_of, talk_options, write_data, write_json
from sherloc.cli.evaluating.common import Asked, score_options, scored_runs
from sherloc.errors import UsageError

if TYPE_CHECKING:
    from sherloc.evaluation.scores import Scored


@click.command(short_help="Measures of runs and other systems' outputs, side by side.")
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option("--by", multiple=True, metavar="GROUPING", help="repo, language, files, cue, named or level.")
@click.option("--measure", "names", multiple=True, metavar="NAME", help="For --by; see docs/metrics.md.")
@click.option("--all", "every", is_flag=True, help="Every measure; otherwise what most papers report.")
@click.option("--no-intervals", is_flag=True, help="Without 95% intervals (they need the extra eval).")
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON document.")
@score_options
@talk_options
@click.pass_context
def score(
    ctx: click.Context, /, runs: tuple[str, ...], by: tuple[str, ...], names: tuple[str, ...], every: bool,
    no_intervals: bool, as_json: bool, **asked: Any,
) -> None:  # fmt: skip
    """Score each RUN: the folder of a run, or a file of LocAgent, Agentless, the SHERLOC paper or SWE-bench.

    All instances of the data set are the denominator: a missing or failed answer is a miss.
    """
    from sherloc.evaluation.measures import MEASURES
    from sherloc.evaluation.scores import GROUPINGS, scores_record
    from sherloc.evaluation.tables import MAIN, groups_table, runs_table

    check_known("grouping", by, GROUPINGS)
    check_known("measure", names, MEASURES)
    talk = talk_of(ctx)
    with stdout_kept_clean():
        scored, _ = scored_runs(runs, Asked(**asked), talk)
        if as_json:
            document = [scores_record(run, by=by or GROUPINGS, intervals=not no_intervals) for run in scored]
        else:
            lines = runs_table(scored, intervals=not no_intervals, every=every)
            for run in scored:
                lines += _extras(run)
                for grouping in by:
                    lines += ["", f"{run.name}, by {grouping}:", "", *groups_table(run, grouping, names or MAIN)]
    if as_json:
        write_json({"schema_version": "1.0", "runs": document})
    else:
        write_data("\n".join(lines))


def check_known(what: str, given: tuple[str, ...], known: Any) -> None:
    """Refuse unknown names, with near ones.

    Raises:
        UsageError: One is unknown.
    """
    from difflib import get_close_matches

    for name in given:
        if name not in known:
            near = get_close_matches(name, list(known), n=3, cutoff=0.4)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
            raise UsageError(f"The {what} {name!r} is unknown.", hint=hint)


def _extras(run: Scored) -> list[str]:
    from sherloc.evaluation.resolving import join
    from sherloc.evaluation.scores import confidence_of, relevance_auc

    lines = []
    for level in ("file", "function"):
        found = confidence_of(run, level)
        if found is not None:
            covered = ", ".join(f"{share:.0%} at {precision:.0%}" for precision, share in found.coverage_at)
            lines.append(
                f"{run.name}, confidence of the first {level}: ECE {found.ece:.3f}, Brier {found.brier:.3f} "
                f"({found.base_brier:.3f} for always stating the base rate), AUROC {_number(found.auroc)}; "
                f"answers at a precision: {covered}"
            )
    auc = relevance_auc(run)
    if auc == auc:
        lines.append(f"{run.name}, AUC of the relevance score: {auc:.3f}")
    if any("resolved" in row for row in run.rows.values()):
        joined = join(run.rows)
        found_n, missed_n = (len(joined.found_resolved) + len(joined.found_unresolved),
                             len(joined.missed_resolved) + len(joined.missed_unresolved))  # fmt: skip
        lines.append(
            f"{run.name}, resolved: {len(joined.found_resolved)} of {found_n} with the files found first, "
            f"{len(joined.missed_resolved)} of {missed_n} without"
        )
    return lines


def _number(value: float) -> str:
    """Two decimals; in words where all instances have one outcome, so that there is no such number."""
    return "undefined (one outcome only)" if math.isnan(value) else f"{value:.2f}"

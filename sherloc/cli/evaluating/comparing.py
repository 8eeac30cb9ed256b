"""``sherloc eval compare``: two runs on the same instances, paired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import stdout_kept_clean, talk_of, talk_options, write_data, write_json
from sherloc.cli.evaluating.common import Asked, named, score_options, scored_runs
from sherloc.cli.evaluating.scoring import check_known

if TYPE_CHECKING:
    from sherloc.evaluation.scores import Scored

_LISTED = 12


@click.command(short_help="Two runs paired: gained, lost, and whether it can be chance.")
@click.argument("first", metavar="[NAME=]FIRST")
@click.argument("second", metavar="[NAME=]SECOND")
@click.option("--measure", "names", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--context", is_flag=True, help="Compare two ways of giving context: tokens, cost, tests, names.")
@click.option("--all", "every", is_flag=True, help="Every measure; otherwise what most papers report.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, with all ids gained and lost.")
@score_options
@talk_options
@click.pass_context
def compare(
    ctx: click.Context, /, first: str, second: str, names: tuple[str, ...], context: bool, every: bool,
    as_json: bool, **asked: Any,
) -> None:  # fmt: skip
    """Compare SECOND with FIRST: McNemar's exact test for shares, sign and randomization tests for the rest.

    Needs the extra eval.
    """
    from sherloc.evaluation.comparing import CONTEXT_MEASURES, compare, comparison_record, comparison_table
    from sherloc.evaluation.measures import MEASURES
    from sherloc.evaluation.statistics import scipy_stats
    from sherloc.evaluation.tables import MAIN

    scipy_stats()
    check_known("measure", names, MEASURES)
    with stdout_kept_clean():
        (one, two), _ = scored_runs((first, second), Asked(**asked), talk_of(ctx))
        chosen = names or (CONTEXT_MEASURES if context else () if every else (*MAIN, *CONTEXT_MEASURES))
        pairs = compare(one, two, chosen)
        timed = any(pair.name == "seconds" for pair in pairs)
        notes = timing_notes((first, second), (one, two)) if timed else []
    if as_json:
        write_json(comparison_record(pairs, one.name, two.name, notes))
        return
    lines = comparison_table(pairs, one.name, two.name)
    lines += ["", *notes] if notes else []
    for name in names or MAIN[:1]:
        for pair in pairs:
            if pair.name == name:
                lines += ["", f"{name}, gained: {_listed(pair.gained)}", f"{name}, lost: {_listed(pair.lost)}"]
    write_data("\n".join(lines))


def timing_notes(places: tuple[str, str], runs: tuple[Scored, Scored]) -> list[str]:
    """Why the seconds of two runs say nothing, if they do."""
    from sherloc.evaluation.conditions import conditions_of, why_not_comparable
    from sherloc.evaluation.run_folder import RunFolder

    found = named(places)
    one, two = (conditions_of(RunFolder(found[run.name]).sessions(), run.predictions.values()) for run in runs)
    return [
        f"seconds: not comparable, {reason}." for reason in why_not_comparable(one, two, (runs[0].name, runs[1].name))
    ]


def _listed(ids: tuple[str, ...]) -> str:
    if not ids:
        return "none"
    more = f" and {len(ids) - _LISTED} more (--json has all)" if len(ids) > _LISTED else ""
    return ", ".join(ids[:_LISTED]) + more

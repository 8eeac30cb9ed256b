"""Scores and comparisons as Markdown tables, which people read as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sherloc.evaluation.measures import MEASURES
from sherloc.evaluation.scores import Estimate, Scored, groups, macro, summarise

MAIN = (
    "file Acc@1", "file Acc@3", "file Acc@5", "file Acc@10", "file Hit@1", "file Hit@5", "file MRR",
    "function Acc@1", "function Acc@5", "function Acc@10",
)  # fmt: skip
"""What most papers report."""


def formatted(name: str, value: float | None) -> str:
    """A measure as text: shares in percent with one decimal."""
    if value is None or value != value:
        return "-"
    if MEASURES[name].percent:
        return f"{100 * value:.1f}"
    if name.endswith(("MRR", "MAP")):
        return f"{value:.3f}"
    return f"{value:.4f}" if name == "cost" else f"{value:.2f}".rstrip("0").rstrip(".")


def with_interval(name: str, estimate: Estimate | None) -> str:
    """A measure with its interval: ``56.0 (51.1-60.7)``."""
    if estimate is None:
        return "-"
    text = formatted(name, estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({formatted(name, estimate.low)}-{formatted(name, estimate.high)})"


def markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table; pipes in cells are escaped."""
    rule = ["---"] * len(head)
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, rule, *body)]


USUAL = (
    *MAIN, "file Recall@5", "file MAP", "file nDCG@10", "function Hit@5", "function MRR", "class Acc@1", "class Acc@5",
    "line Hit@5", "line Recall@5", "lines in top 5", "set recall", "set precision", "set F1", "set exact", "places",
    "chunk recall", "chunk tightness", "chunk precision", "first within 5", "first lines", "context recall",
    "context density", "context lines", "context tokens", "seconds", "input tokens", "output tokens", "cost",
    "unknown names", "tests passed", "resolved",
)  # fmt: skip
"""What ``score`` shows unless everything is asked for."""


Cells = tuple[list[str], list[list[str]]]
"""The head of a table, and its rows."""


def runs_cells(
    runs: Sequence[Scored], *, intervals: bool, every: bool = True
) -> list[tuple[str, list[str], list[list[str]]]]:
    """Measures of some runs side by side: (group of measures, head, rows) of each table.

    Args:
        runs: Scored on the same instances.
        intervals: See ``summarise``.
        every: Whether all measures are shown, or only the usual ones.
    """
    names = tuple(MEASURES) if every else USUAL
    summaries = [summarise(run.rows.values(), intervals=intervals, names=names) for run in runs]
    several = len({instance.repo for run in runs for instance in run.instances}) > 1
    macros = [macro(run) if several else None for run in runs]
    found = []
    for group in dict.fromkeys(measure.group for measure in MEASURES.values()):
        shown = [n for n, m in MEASURES.items() if m.group == group and any(n in s for s in summaries)]
        if not shown:
            continue
        head = [group, "n"]
        for run in runs:
            head += [run.name, f"{run.name}, mean of repositories"] if several else [run.name]
        found.append((group, head, [_measure_row(name, summaries, macros) for name in shown]))
    return found


def runs_table(runs: Sequence[Scored], *, intervals: bool, every: bool = True) -> list[str]:
    """``runs_cells`` as Markdown."""
    found: list[str] = []
    for _, head, body in runs_cells(runs, intervals=intervals, every=every):
        found += [*markdown(head, body), ""]
    return found


def _measure_row(
    name: str, summaries: Sequence[Mapping[str, Estimate]], macros: Sequence[Mapping[str, float] | None]
) -> list[str]:
    n = max(summary[name].n for summary in summaries if name in summary)
    row = [name, str(n)]
    for summary, mean in zip(summaries, macros, strict=True):
        row.append(with_interval(name, summary.get(name)))
        row += [] if mean is None else [formatted(name, mean.get(name))]
    return row


def groups_table(run: Scored, by: str, names: Sequence[str]) -> list[str]:
    """``groups_cells`` as Markdown."""
    return markdown(*groups_cells(run, by, names))


def groups_cells(run: Scored, by: str, names: Sequence[str]) -> Cells:
    """Some measures of a run by group, then all, then the mean over groups."""
    parts = groups(run, by)
    body = [_group_row(group, len(ids), summarise(run.rows[i] for i in ids), names) for group, ids in parts.items()]
    body.append(_group_row("all", len(run.instances), summarise(run.rows.values()), names))
    mean = macro(run, by)
    body.append(["mean of groups", str(len(parts)), *(formatted(name, mean.get(name)) for name in names)])
    return [by, "n", *names], body


def _group_row(group: str, n: int, summary: Mapping[str, Estimate], names: Sequence[str]) -> list[str]:
    values = (summary[name].value if name in summary else None for name in names)
    return [group, str(n), *(formatted(name, value) for name, value in zip(names, values, strict=True))]

"""Two runs on the same instances: what one gains and loses against the other, and whether that can be chance."""

from __future__ import annotations

import statistics as plain
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sherloc.errors import DataError
from sherloc.evaluation import statistics
from sherloc.evaluation.measures import MEASURES
from sherloc.evaluation.scores import Scored
from sherloc.evaluation.tables import Cells, formatted, markdown

CONTEXT_MEASURES = (
    "context tokens", "context lines", "context recall", "context density", "input tokens", "output tokens", "cost",
    "seconds", "tests passed", "resolved", "unknown names",
)  # fmt: skip
"""What two ways of giving context are compared by."""


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure of two runs, over the instances where both have it.

    Attributes:
        name: Of the measure.
        n: Instances.
        first: The first run's value: a mean, or a median where the measure is one.
        second: The second run's.
        difference: Mean of second minus first.
        low: Lower end of its 95% bootstrap interval.
        high: Upper end.
        gained: Ids where the second run is better.
        lost: Ids where it is worse.
        p_sign: Two-sided: McNemar's exact test for shares, the sign test otherwise (the same test on gained and lost).
        p_mean: Two-sided: the paired randomization test of the mean difference.
        q: ``p_sign`` of shares or ``p_mean`` of the rest, adjusted for the number of measures compared (Benjamini and
            Hochberg).
    """

    name: str
    n: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_sign: float
    p_mean: float
    q: float = 1.0


def compare(first: Scored, second: Scored, names: Sequence[str] = ()) -> list[Paired]:
    """Compare two runs measure by measure.

    Args:
        first: The baseline.
        second: What is compared with it, scored on the same instances.
        names: Measures; empty is all that both runs have.

    Raises:
        DataError: The runs are scored on different instances, or have no measure in common.
        MissingExtraError: The extra ``eval`` is not installed.
    """
    if first.rows.keys() != second.rows.keys():
        raise DataError("The two runs are scored on different instances.", hint="Score both on one data set.")
    found = [pair for name in names or MEASURES if (pair := _pair(first, second, name)) is not None]
    if not found:
        raise DataError(f"The runs {first.name} and {second.name} have none of the measures in common.")
    tested = [pair.p_sign if MEASURES[pair.name].kind == "share" else pair.p_mean for pair in found]
    rates = statistics.false_discovery_rates(tested)
    return [replace(pair, q=rate) for pair, rate in zip(found, rates, strict=True)]


def _pair(first: Scored, second: Scored, name: str) -> Paired | None:
    kind = MEASURES[name]
    ids = [key for key in first.rows if name in first.rows[key] and name in second.rows[key]]
    if not ids:
        return None
    a, b = [first.rows[key][name] for key in ids], [second.rows[key][name] for key in ids]
    differences = [y - x for x, y in zip(a, b, strict=True)]
    sign = 1 if kind.higher_is_better else -1
    middle = plain.median if kind.kind == "median" else plain.fmean
    low, high = statistics.bootstrap(differences)
    return Paired(
        name=name, n=len(ids), first=middle(a), second=middle(b), difference=plain.fmean(differences), low=low,
        high=high, gained=tuple(key for key, d in zip(ids, differences, strict=True) if d * sign > 0),
        lost=tuple(key for key, d in zip(ids, differences, strict=True) if d * sign < 0),
        p_sign=statistics.sign_test(differences), p_mean=statistics.randomization_test(differences),
    )  # fmt: skip


def comparison_table(pairs: Sequence[Paired], first: str, second: str) -> list[str]:
    """The comparison as a Markdown table."""
    return markdown(*comparison_cells(pairs, first, second))


def comparison_cells(pairs: Sequence[Paired], first: str, second: str) -> Cells:
    """The comparison as cells."""
    head = ["", "n", first, second, "difference (95%)", "gained", "lost", "p (McNemar, sign)", "p (mean)", "q"]
    return head, [_row(pair) for pair in pairs]


def _row(pair: Paired) -> list[str]:
    return [
        pair.name, str(pair.n), formatted(pair.name, pair.first), formatted(pair.name, pair.second),
        f"{_signed(pair.name, pair.difference)} ({_signed(pair.name, pair.low)} to {_signed(pair.name, pair.high)})",
        str(len(pair.gained)), str(len(pair.lost)), f"{pair.p_sign:.2g}", f"{pair.p_mean:.2g}", f"{pair.q:.2g}",
    ]  # fmt: skip


def _signed(name: str, value: float) -> str:
    text = formatted(name, value)
    return text if text.startswith("-") else f"+{text}"


def comparison_record(pairs: Sequence[Paired], first: str, second: str, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The comparison as a JSON document, with the ids gained and lost.

    Args:
        pairs: From ``compare``.
        first: Name of the first run.
        second: Of the second.
        notes: What to know about them.
    """
    return {
        "schema_version": "1.0", "first": first, "second": second, "notes": list(notes),
        "measures": [asdict(pair) for pair in pairs],
    }  # fmt: skip

"""Plots of runs as SVG, by matplotlib (extra ``eval``). The same scores give the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sherloc.errors import MissingExtraError
from sherloc.evaluation.measures import KS
from sherloc.evaluation.scores import Scored, confidence_of, diagnosis_scores, groups, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "sherloc", "text.parse_math": False, "font.family": "sans-serif",
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3,
    "axes.prop_cycle": None,
}  # fmt: skip
# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_MOST_GROUPS = 30


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its heading, what it shows in a sentence (for who cannot see it), and the SVG."""

    heading: str
    words: str
    svg: bytes


def plots(runs: Sequence[Scored]) -> list[Plot]:
    """All plots that the runs have something for.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    made = [
        _accuracy(runs, "file"), _accuracy(runs, "function"), _by_group(runs, "cue", "Strongest cue in the issue"),
        _by_group(runs, "named", "What of the fix the issue names"), _by_group(runs, "repo", "Repository"),
        _reliability(runs), *(_relevance(run) for run in runs), _cost(runs),
    ]  # fmt: skip
    return [plot for plot in made if plot is not None]


def _draw(width: float, height: float, draw: Callable[[Axes], None]) -> bytes:
    try:
        import matplotlib
        from cycler import cycler
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "eval", "Plots") from error
    style = {**_STYLE, "axes.prop_cycle": cycler(color=_COLOURS)}
    buffer = io.BytesIO()
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # A name in a script that the measuring font lacks: the browser has a font for it.
        warnings.simplefilter("ignore", UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    return buffer.getvalue()


def _accuracy(runs: Sequence[Scored], level: str) -> Plot | None:
    names = [f"{level} Acc@{k}" for k in KS]
    found = [(run, summarise(run.rows.values(), intervals=True, names=names)) for run in runs]
    found = [(run, summary) for run, summary in found if summary]
    if not found:
        return None

    def draw(axes: Axes) -> None:
        for number, (run, summary) in enumerate(found):
            values = [100 * summary[name].value for name in names]
            low = [100 * (summary[name].low or 0) for name in names]
            high = [100 * (summary[name].high or 0) for name in names]
            axes.plot(KS, values, marker=_MARKERS[number % len(_MARKERS)], label=run.name)
            axes.fill_between(KS, low, high, alpha=0.12)
        axes.set(xlabel="k", ylabel=f"{level} Acc@k, % (95% interval)", ylim=(0, 102))
        axes.set_xticks(KS)
        axes.legend(loc="lower right")

    words = "; ".join(
        f"{run.name}: " + ", ".join(f"{100 * s[n].value:.1f} at {k}" for n, k in zip(names, KS, strict=True))
        for run, s in found
    )
    return Plot(f"{level.capitalize()} accuracy at k", words, _draw(5.2, 3.4, draw))


def _by_group(runs: Sequence[Scored], by: str, label: str) -> Plot | None:
    name = "file Acc@1"
    parts = groups(runs[0], by)
    if len(parts) < 2 or len(parts) > _MOST_GROUPS:
        return None
    values = {
        run.name: [summarise((run.rows[i] for i in ids), intervals=True, names=[name])[name] for ids in parts.values()]
        for run in runs
        if all(name in row for row in run.rows.values())
    }
    if not values:
        return None
    thick = 0.8 / len(values)

    def draw(axes: Axes) -> None:
        for number, (run, estimates) in enumerate(values.items()):
            at = [row + number * thick for row in range(len(parts))]
            middle = [100 * e.value for e in estimates]
            ends = [
                [100 * max(e.value - (e.low or 0), 0) for e in estimates],
                [100 * max((e.high or 0) - e.value, 0) for e in estimates],
            ]
            axes.barh(at, middle, thick * 0.9, xerr=ends, label=run, error_kw={"elinewidth": 0.8, "alpha": 0.7})
        axes.set_yticks([row + 0.4 - thick / 2 for row in range(len(parts))])
        axes.set_yticklabels([f"{group} ({len(ids)})" for group, ids in parts.items()])
        axes.set(xlabel=f"{name}, % (95% interval)", xlim=(0, 102))
        axes.invert_yaxis()
        axes.figure.legend(loc="outside lower center", ncols=3)

    words = "; ".join(
        f"{run}: " + ", ".join(f"{g} {100 * e.value:.0f}" for g, e in zip(parts, estimates, strict=True))
        for run, estimates in values.items()
    )
    height = 1.5 + 0.3 * len(parts) * max(1.0, len(values) * 0.6)
    return Plot(f"{name} by: {label[0].lower()}{label[1:]}", words, _draw(6.0, height, draw))


def _reliability(runs: Sequence[Scored]) -> Plot | None:
    found = [(run.name, made) for run in runs if (made := confidence_of(run)) is not None]
    if not found:
        return None

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, linestyle="--", label="as it says")
        for number, (name, made) in enumerate(found):
            axes.plot(
                [b.confidence for b in made.bins], [b.accuracy for b in made.bins],
                marker=_MARKERS[number % len(_MARKERS)], label=f"{name}, ECE {made.ece:.3f}",
            )  # fmt: skip
        axes.set(xlabel="stated chance that the first file must change", ylabel="share that must", xlim=(0, 1))
        axes.set_ylim(0, 1.02)
        axes.legend(loc="upper left")

    words = "; ".join(f"{name}: ECE {made.ece:.3f}, Brier {made.brier:.3f}" for name, made in found)
    return Plot("Reliability of the confidence", words, _draw(4.6, 3.8, draw))


def _relevance(run: Scored) -> Plot | None:
    scores, relevant = diagnosis_scores(run)
    if not scores:
        return None
    parts = [
        ("a line of it was changed", [s for s, is_gold in zip(scores, relevant, strict=True) if is_gold]),
        ("none was", [s for s, is_gold in zip(scores, relevant, strict=True) if not is_gold]),
    ]

    def draw(axes: Axes) -> None:
        for label, values in parts:
            if values:
                weights = [100 / len(values)] * len(values)
                axes.hist(values, bins=20, range=(0, 5), weights=weights, alpha=0.6, label=f"{label} ({len(values)})")
        axes.set(xlabel="relevance score", ylabel="% of its kind", xlim=(0, 5))
        axes.legend(loc="upper right")

    words = f"{len(parts[0][1])} diagnosed snippets were changed, {len(parts[1][1])} were not."
    return Plot(f"Distribution of the relevance score: {run.name}", words, _draw(5.2, 3.0, draw))


def _cost(runs: Sequence[Scored]) -> Plot | None:
    summaries = [(run.name, summarise(run.rows.values(), names=["file Acc@1", "cost", "seconds"])) for run in runs]
    x = "cost" if all("cost" in summary for _, summary in summaries) else "seconds"
    points = [(name, s[x].value, 100 * s["file Acc@1"].value) for name, s in summaries if x in s and "file Acc@1" in s]
    if not points:
        return None
    unit = "US dollars an issue (mean)" if x == "cost" else "seconds an issue (median)"

    def draw(axes: Axes) -> None:
        for number, (name, spent, right) in enumerate(points):
            axes.scatter([spent], [right], s=50, marker=_MARKERS[number % len(_MARKERS)], label=name)
        axes.set(xlabel=unit, ylabel="file Acc@1, %", ylim=(0, 102))
        axes.set_xlim(0, max(spent for _, spent, _ in points) * 1.15 or 1)
        axes.legend(loc="lower right")

    words = "; ".join(f"{name}: {right:.1f}% for {spent:.3g}" for name, spent, right in points)
    return Plot("Cost against accuracy", f"{words} ({unit})", _draw(4.6, 3.2, draw))

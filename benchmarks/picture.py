"""The picture in the README: accuracy of a run beside a baseline's, with intervals.

    python benchmarks/picture.py RUN BASELINE.jsonl.gz docs/images/accuracy.svg

RUN is a folder of ``sherloc eval run``, BASELINE predictions on the same issues. Needs the extra ``eval``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sherloc.evaluation import Scored, Source, read_predictions, score_runs
from sherloc.evaluation.run_folder import RunFolder
from sherloc.evaluation.statistics import wilson

MEASURES = ("file Acc@1", "file Acc@5", "file Acc@10", "function Acc@1", "function Acc@5", "function Acc@10")
COLOURS = ("#9aa5b1", "#2f6fab")


def shares(scored: Scored) -> list[tuple[float, float, float]]:
    """Share and interval of each measure, in percent."""
    rows = []
    for measure in MEASURES:
        values = [row[measure] for row in scored.rows.values() if measure in row]
        low, high = wilson(round(sum(values)), len(values))
        rows.append((100 * sum(values) / len(values), 100 * low, 100 * high))
    return rows


def draw(bars: dict[str, list[tuple[float, float, float]]], target: Path) -> None:
    """Grouped bars with whiskers; the same figures give the same bytes."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "sherloc"
    figure, axes = pyplot.subplots(figsize=(7.5, 3.2), layout="constrained")
    for number, ((name, rows), colour) in enumerate(zip(bars.items(), COLOURS, strict=True)):
        places = [at + 0.4 * (number - 0.5) for at in range(len(rows))]
        errors = [[value - low for value, low, _ in rows], [high - value for value, _, high in rows]]
        axes.bar(places, [value for value, _, _ in rows], 0.38, yerr=errors, label=name, color=colour, ecolor="#444",
                 capsize=3)  # fmt: skip
        for place, (value, _, _) in zip(places, rows, strict=True):
            axes.text(place, 2, f"{value:.1f}", ha="center", color="white", fontsize=9)
    axes.set_xticks(range(len(MEASURES)), [name.replace(" ", "\n") for name in MEASURES])
    axes.set_ylim(0, 100)
    axes.set_ylabel("% of issues")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper right", ncols=2, frameon=False, bbox_to_anchor=(1, 1.15))
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    """Score both and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("baseline", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    folder = RunFolder(args.run)
    runs = {"BM25 with issue cues": read_predictions(args.baseline), "sherloc, no model": folder.predictions()}
    draw({each.name: shares(each) for each in score_runs(runs, Source.of_run(folder.info()))}, args.out)


if __name__ == "__main__":
    main()

r"""How far the stated confidences can be trusted, and what would make them better, each repository left out in turn.

    python benchmarks/fit_confidence.py RUN ...

RUN are folders of ``sherloc eval run``. For the first file and the first function of each answer it prints calibration
as stated and refitted: ``logit(p) = a + b * logit(stated)`` (Platt, "Probabilistic Outputs for SVMs",
1999), fitted on the other repositories. The chances of ``sherloc/retriever/calibration.py`` are logistic models, so
that a refit that helps is put there by scaling all of a model's weights by b and adding a to the first.

A mean gap between confidence and truth never is 0 for few issues: *perfect* is the expected calibration error that
outcomes drawn from the stated confidences themselves would show.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sherloc.evaluation import Scored, Source, score_runs
from sherloc.evaluation.calibration import calibration
from sherloc.evaluation.run_folder import RunFolder

SEED = 5
RESAMPLES = 1000
PRECISION = 0.8
_ROUNDS = 25
_RIDGE = 1e-3
Vector = NDArray[np.float64]


def stated(scored: Scored, level: str) -> list[tuple[float, bool, str]]:
    """Confidence of the first file or function, whether it must change, and the repository; one an answer."""
    rows = []
    for instance in scored.instances:
        prediction, gold = scored.predictions.get(instance.instance_id), scored.golds[instance.instance_id]
        if prediction is None:
            continue
        ranking, said, wanted = (
            (prediction.files, prediction.file_confidence, gold.files)
            if level == "file"
            else (prediction.functions, prediction.function_confidence, gold.functions)
        )
        if ranking and said and wanted:
            rows.append((said[0], ranking[0] in wanted, instance.repo))
    return rows


def logit(chances: Vector) -> Vector:
    """The logarithm of the odds."""
    clipped = np.clip(chances, 1e-4, 1 - 1e-4)
    odds: Vector = np.log(clipped / (1 - clipped))
    return odds


def fit(chances: Vector, right: Vector) -> tuple[float, float]:
    """Fit a and b by Newton's method, held near 0 and 1 by a slight ridge."""
    x = np.stack([np.ones(len(chances)), logit(chances)], axis=1)
    start = np.array([0.0, 1.0])
    weights = start.copy()
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (right - p) - _RIDGE * (weights - start)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + _RIDGE * np.eye(2)
        weights = weights + np.linalg.solve(hessian, gradient)
    return float(weights[0]), float(weights[1])


def refitted(chances: Vector, right: Vector, repositories: Sequence[str]) -> Vector:
    """Each chance by the fit on the other repositories."""
    groups, found = np.array(repositories), chances.copy()
    for name in sorted(set(repositories)):
        inside = groups == name
        a, b = fit(chances[~inside], right[~inside])
        found[inside] = 1 / (1 + np.exp(-(a + b * logit(chances[inside]))))
    return found


def interval(measure: Callable[[Vector, Vector], float], chances: Vector, right: Vector) -> str:
    """The 95% percentile interval over resampled issues."""
    draw = np.random.default_rng(SEED)
    picks = [draw.integers(0, len(right), len(right)) for _ in range(RESAMPLES)]
    low, high = np.percentile([measure(chances[pick], right[pick]) for pick in picks], [2.5, 97.5])
    return f"{low:.3f} to {high:.3f}"


def expected_error(chances: Vector, right: Vector) -> float:
    """Expected calibration error in ten bins of equal mass."""
    found = calibration(chances.tolist(), right.astype(bool).tolist())
    return found.ece if found else float("nan")


def perfect_error(chances: Vector) -> float:
    """The error that these confidences would show on the average if they were the truth."""
    draw = np.random.default_rng(SEED)
    return float(np.mean([expected_error(chances, draw.random(len(chances)) < chances) for _ in range(RESAMPLES // 5)]))


def row(name: str, chances: Vector, right: Vector) -> str:
    """One line of the table."""
    found = calibration(chances.tolist(), right.astype(bool).tolist())
    if found is None:
        return f"| {name} | 0 |"
    covered = dict(found.coverage_at)[PRECISION]
    return (
        f"| {name} | {found.n} | {found.ece:.3f} ({interval(expected_error, chances, right)}) "
        f"| {perfect_error(chances):.3f} | {found.brier:.3f} ({found.base_brier:.3f}) "
        f"| {found.auroc:.2f} | {100 * covered:.0f}% |"
    )


def main() -> None:
    """Print calibration as stated and refitted, and the fit on all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    args = parser.parse_args()
    scored = []
    for path in args.runs:
        folder = RunFolder(path)
        scored += score_runs({path.name: folder.predictions()}, Source.of_run(folder.info()))
    print("| first | n | ECE (95%) | perfect | Brier (base rate) | AUROC | answered at 80% precision |")
    print("|---|---|---|---|---|---|---|")
    for level in ("file", "function"):
        rows = [each for run in scored for each in stated(run, level)]
        chances, right = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
        print(row(f"{level}, as stated", chances, right), flush=True)
        print(row(f"{level}, refitted", refitted(chances, right, [r[2] for r in rows]), right), flush=True)
        a, b = fit(chances, right)
        print(f"{level}: a = {a:.3f}, b = {b:.3f} on all {len(rows)}", flush=True)


if __name__ == "__main__":
    main()

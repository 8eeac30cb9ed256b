r"""Learned scores of sherloc.boundary: figures with each writer left out, and the weights.

    python benchmarks/train_boundary.py --negatives NAME=PATH ... --tune NAME=PATH ... --cache FOLDER --left-out
    python benchmarks/train_boundary.py --negatives NAME=PATH ... --tune NAME=PATH ... --cache FOLDER --write

Sentences that direct a reviewer, and ordinary ones that use the same words, are those of tests/boundary (all writers
but those held out) and of boundary_phrases, whose templates are filled in. Ordinary lines are those of the repositories
in --negatives and of every other file in --tune: a sample, and whatever a first fit takes for directions. The threshold
for a hit alone is what SHARE of the other files in --tune reach; a rule's hit is dropped below LOW.
Units of a repository are kept in the folder of --cache. Needs scikit-learn, which sherloc itself does not.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from boundary import SETS, read, wilson

from sherloc.boundary.folding import prose, simplified
from sherloc.boundary.learned import FORMAT, Model
from sherloc.boundary.matching import by_rules
from sherloc.boundary.rules import WEIGHTS
from sherloc.boundary.spans import BUCKETS, LANGUAGES, ORDERS, codes_of, edges_of, grams_of, languages_of, spans_of

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "boundary"
FRESH = ("a", "b", "c", "d", "e")
"""Sets of tests/boundary/fresh that are trained on; later ones are held out."""
LARGEST = 300_000
SEED = 20
SAMPLE = {"en": 120_000, "ja": 40_000, "zh": 40_000}
MOST_LINES = {"en": 500_000, "ja": 300_000, "zh": 300_000}
HARDEST = 15_000
FILLED = 10
STRENGTH = {"en": 80.0, "ja": 5.0, "zh": 5.0}
ITERATIONS = 60
SHARE = {"en": 0.001, "ja": 0.003, "zh": 0.005}
"""Of the files to tune, how many may be flagged by the score alone."""
MARGIN = {"en": 0.25, "ja": 0.0, "zh": 0.0}
LOW = {"en": -6.0, "ja": -2.5, "zh": -2.0}
"""Log odds below which a rule's match is taken back."""
WEIGHT = {"order": 5.0, "near": 3.0, "phrase_order": 1.0, "phrase_near": 1.0, "line": 3.0}
COMMON = 30
_PROSE = re.compile(r"(?<!\S)[a-z]{2,}(?!\S)")
_SLOT = re.compile(r"\{(\w+)\}")
Pair = tuple[list[str], list[str]]
Units = list[tuple[int, str]]


def writers(language: str) -> dict[str, Pair]:
    """Orders and ordinary sentences by writer."""
    own: list[str] = []
    for name in SETS:
        path = TESTS / "paraphrases" / name / f"{language}.txt"
        if path.exists():
            own += [line.split("\t")[1] for line in path.read_text("utf-8").splitlines()]
    found = {"own": (own, (TESTS / "ordinary" / f"{language}.txt").read_text("utf-8").splitlines())}
    paths = [TESTS / "fresh" / f"{name}.json" for name in FRESH] + sorted((TESTS / "writers").glob("*.json"))
    for path in paths:
        kinds = json.loads(path.read_text("utf-8"))[language]
        found[path.stem] = kinds["orders"], kinds["ordinary"]
    return found


def phrases(language: str) -> Pair:
    """The templates, each filled in several times."""
    parts: dict[str, list[str]] = {}
    for line in (HERE / "boundary_phrases" / f"{language}.txt").read_text("utf-8").split("\n"):
        if line.startswith("["):
            parts[line.strip("[]")] = []
        elif parts:
            parts[list(parts)[-1]].append(line)
    rng = random.Random(SEED)

    def filled(text: str) -> str:
        while slot := _SLOT.search(text):
            text = text[: slot.start()] + rng.choice(parts[slot[1]]) + text[slot.end() :]
        return re.sub(" +", " ", text).strip()

    def several(name: str) -> list[str]:
        return sorted({filled(text) for text in filter(None, parts[name]) for _ in range(FILLED)})

    return several("order"), several("ordinary")


def folded(text: str) -> str:
    """A sentence as the scan sees it, on one line."""
    return " ".join(simplified(prose(text.split("\n"))))


def units_of(text: str) -> Iterator[tuple[str, str]]:
    """Language and text of each span of a file, once each."""
    plain = "\n".join(simplified(prose(text.split("\n"))))
    codes = codes_of(plain)
    spans = spans_of(codes)
    spoken = languages_of(codes, spans.start, spans.end)
    seen = set()
    for start, end, number in zip(spans.start.tolist(), spans.end.tolist(), spoken.tolist(), strict=True):
        unit = plain[start:end].replace("\n", " ")
        # Lines of code without a phrase teach nothing.
        if number >= 0 and unit not in seen and (number or len(_PROSE.findall(unit)) >= 3):
            seen.add(unit)
            yield LANGUAGES[number], unit


def units_in(argument: str, cache: Path) -> dict[str, Units]:
    """By language, number of the file and text of each unit of a repository; kept in the folder."""
    name, _, path = argument.partition("=")
    kept = cache / f"{name}.pickle"
    if not kept.exists():
        found: dict[str, Units] = {language: [] for language in LANGUAGES}
        for number, (_, text) in enumerate(read(Path(path), (), "")):
            if len(text) <= LARGEST:
                for language, unit in units_of(text):
                    found[language].append((number, unit))
        kept.write_bytes(pickle.dumps(found))
    loaded: dict[str, Units] = pickle.loads(kept.read_bytes())  # noqa: S301
    return loaded


def matrix(texts: Sequence[str], language: str) -> Any:
    """Sparse rows of n-gram counts, and of those at the edges, over the square root of the number of n-grams."""
    from scipy import sparse

    parts = [sparse.csr_matrix((0, BUCKETS), dtype=np.float32)]
    for first in range(0, len(texts), 20_000):
        chosen = [text or "." for text in texts[first : first + 20_000]]
        codes = codes_of("\n".join(chosen))
        end = np.cumsum([len(text) + 1 for text in chosen]) - 1
        start = end - [len(text) for text in chosen]
        grams = grams_of(codes, language)
        low, high = np.searchsorted(grams.at, start), np.searchsorted(grams.at, end)
        rows, columns = [], []
        for order in ORDERS[language]:
            times = np.maximum(0, high - low - order + 1)
            nth = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            rows.append(np.repeat(np.arange(len(chosen)), times))
            columns.append(grams.buckets[order][np.repeat(low, times) + nth])
        for which, buckets in edges_of(codes, grams, low, high):
            rows.append(which)
            columns.append(buckets)
        row, column = np.concatenate(rows), np.concatenate(columns)
        counts = np.bincount(row, minlength=len(chosen))
        values = (1 / np.sqrt(np.maximum(counts, 1)))[row].astype(np.float32)
        part = sparse.csr_matrix((values, (row, column)), shape=(len(chosen), BUCKETS))
        part.sum_duplicates()
        parts.append(part)
    return sparse.vstack(parts).tocsr()


def _ordered(kind: str) -> int:
    return int("order" in kind)


class Training:
    """What one language learns from.

    Attributes:
        written: By writer, rows of orders and of ordinary sentences.
        lines: Rows of ordinary lines.
    """

    def __init__(self, language: str, negatives: Sequence[str], tune: Sequence[str], cache: Path) -> None:
        self.language = language
        self.texts = writers(language)
        self.written = {
            name: tuple(matrix([folded(text) for text in kind], language) for kind in pair)
            for name, pair in self.texts.items()
        }
        self.filled = tuple(matrix([folded(text) for text in kind], language) for kind in phrases(language))
        learned = {unit for name in negatives for _, unit in units_in(name, cache)[language]}
        self.tuned: list[str] = []
        files: list[str] = []
        for name in tune:
            for number, unit in units_in(name, cache)[language]:
                if number % 2:
                    self.tuned.append(unit)
                    files.append(f"{name}/{number}")
                else:
                    learned.add(unit)
        lines = sorted(learned)
        random.Random(SEED).shuffle(lines)
        self.line_texts = lines[: MOST_LINES[language]]
        self.files = np.unique(files, return_inverse=True)[1] if files else np.zeros(0, int)
        self.tune_rows = matrix(self.tuned, language) if self.tuned else None
        self.sample = matrix(lines[: SAMPLE[language]], language)
        self.hard: Any = None

    def columns(self, orders: Any, near: Any) -> Any:
        """The n-grams that are learned: twice in sentences, or once there and in lines, or common in lines."""
        written = np.diff(orders.tocsc().indptr) + np.diff(near.tocsc().indptr)
        lined = np.diff(self.sample.tocsc().indptr)
        return np.flatnonzero((written >= 2) | ((written >= 1) & (lined >= 1)) | (lined >= COMMON))

    def fit(self, left_out: str = "") -> tuple[Any, float]:
        """Weights by bucket and bias, without one writer."""
        from scipy import sparse
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        chosen = [pair for name, pair in self.written.items() if name != left_out]
        orders, near = (sparse.vstack([pair[kind] for pair in chosen]) for kind in (0, 1))
        parts = [orders, near, *self.filled, self.sample] + ([self.hard] if self.hard is not None else [])
        names = ("order", "near", "phrase_order", "phrase_near", "line", "line")
        columns = self.columns(orders, near)
        rows = sparse.vstack([part[:, columns] for part in parts]).tocsr()
        kinds = [name for part, name in zip(parts, names, strict=False) for _ in range(part.shape[0])]
        weight, label = (np.array([of(kind) for kind in kinds]) for of in (WEIGHT.__getitem__, _ordered))
        made = LogisticRegression(C=STRENGTH[self.language], max_iter=ITERATIONS, solver="lbfgs")
        with warnings.catch_warnings():
            # Stopped early on purpose.
            warnings.simplefilter("ignore", ConvergenceWarning)
            made.fit(rows, label, sample_weight=weight)
        weights = np.zeros(BUCKETS, np.float32)
        weights[columns] = made.coef_[0]
        return weights, float(made.intercept_[0])

    def mine(self, rounds: int = 1) -> None:
        """Add the ordinary lines that a fit takes most for directions."""
        for _ in range(rounds):
            weights, bias = self.fit()
            scores = np.concatenate(
                [np.zeros(0)]
                + [
                    matrix(self.line_texts[first : first + 100_000], self.language) @ weights + bias
                    for first in range(SAMPLE[self.language], len(self.line_texts), 100_000)
                ]
            )
            worst = np.sort(np.argsort(-scores, kind="stable")[:HARDEST]) + SAMPLE[self.language]
            self.hard = matrix([self.line_texts[at] for at in worst], self.language) if len(worst) else None

    def file_scores(self, weights: Any, bias: float) -> Any:
        """The best score of each file of --tune, highest first."""
        best = np.full(self.files.max(initial=-1) + 1, -np.inf)
        np.maximum.at(best, self.files, self.tune_rows @ weights + bias)
        return np.sort(best)[::-1]


def left_out(training: Training, share: float, low: float) -> None:
    """Print what a fit without each writer finds of theirs."""
    for name in (name for name, pair in training.texts.items() if name != "own" and pair[0]):
        weights, bias = training.fit(name)
        files = training.file_scores(weights, bias)
        high = float(files[int(share * len(files))])
        said = []
        for rows, texts in zip(training.written[name], training.texts[name], strict=True):
            scores = rows @ weights + bias
            ruled = np.array([bool(by_rules([text])) for text in texts])
            both = (scores > high) | (ruled & (scores >= low))
            bottom, top = wilson(int(both.sum()), len(both))
            said.append(
                f"of {len(texts)} rules {ruled.sum()}, score {(scores > high).sum()}, "
                f"both {both.sum()} ({both.mean():.0%}, {bottom:.0%} to {top:.0%})"
            )
        print(f"{training.language} without {name:<4} orders: {said[0]}; ordinary: {said[1]}", flush=True)


def quantised(weights: Any, bias: float, low: float, high: float) -> tuple[Any, Any, Model]:
    """Buckets and 8-bit weights, and the model with scores from low (0) to high (1)."""
    largest = np.quantile(np.abs(weights[weights != 0]), 0.999)
    small = np.clip(np.rint(weights * 127 / largest), -127, 127).astype(np.int8)
    (buckets,) = np.nonzero(small)
    model = Model(small, float(largest / 127 / (high - low)), (bias - low) / (high - low))
    return buckets, small[buckets], model


def write(buckets: Any, weights: Any, model: Model, target: Path) -> None:
    """The weights of one language, as gaps between buckets."""
    gaps = np.diff(buckets, prepend=0)
    np.savez_compressed(
        target, format=np.array(FORMAT), gaps=gaps.astype(np.uint16 if gaps.max() <= 0xFFFF else np.uint32),
        weights=weights, line=np.array([model.scale, model.bias]),
    )  # fmt: skip
    print(f"{len(buckets)} n-grams, scale {model.scale:.6f}, bias {model.bias:.4f}, {target.stat().st_size} bytes")


def main() -> None:
    """Figures, weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--negatives", nargs="+", required=True, metavar="NAME=PATH")
    parser.add_argument("--tune", nargs="+", required=True, metavar="NAME=PATH")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--left-out", action="store_true", help="figures with each writer left out")
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    parser.add_argument("--write", action="store_true", help="write the weights beside the rules")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    for language in args.languages:
        training = Training(language, args.negatives, args.tune, args.cache)
        training.mine()
        weights, bias = training.fit()
        files = training.file_scores(weights, bias)
        high = float(files[int(SHARE[language] * len(files))]) + MARGIN[language]
        print(f"{language}: a hit from {high:.2f} on, {len(files)} files to tune", flush=True)
        if args.write:
            write(*quantised(weights, bias, LOW[language], high), WEIGHTS / f"{language}.npz")
        if args.left_out:
            left_out(training, SHARE[language], LOW[language])


if __name__ == "__main__":
    main()

"""How much a line reads like those that direct a reviewer: a learned score beside the rules.

Logistic regression over n-grams of characters (Japanese, Chinese) or words (all else), trained by
``benchmarks/train_boundary.py`` on sentences written for this project and on ordinary lines of public repositories. A
score is the sum of the weights of a span's n-grams, those that it begins and ends with once more, over the square root
of their number, moved and stretched so that 1
is enough for a hit alone and below 0 it speaks against a rule's.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sherloc.boundary.rules import WEIGHTS
from sherloc.boundary.spans import (
    BUCKETS,
    LANGUAGES,
    ORDERS,
    Array,
    codes_of,
    edges_of,
    grams_of,
    languages_of,
    spans_of,
    sums_before,
)
from sherloc.errors import SherlocError

FORMAT = 2

# ``zipfile`` raises RuntimeError for members that are said to be encrypted or packed in another way.
_DAMAGED = (
    OSError, EOFError, LookupError, ValueError, TypeError, ArithmeticError, RuntimeError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scores:
    """Of each line that holds some, the score of the best span and where it starts in the text.

    Attributes:
        inside: Of spans that end in the line.
        joined: Of spans that end in the next one.
    """

    inside: dict[int, tuple[float, int]]
    joined: dict[int, tuple[float, int]]

    def ordinary(self, line: int) -> bool:
        """Whether nothing that starts in a line reads like a direction."""
        found = [part[line][0] for part in (self.inside, self.joined) if line in part]
        return bool(found) and max(found) < 0

    def hits(self, known: Collection[int] = ()) -> Iterator[tuple[int, int]]:
        """Lines that read like a direction, and where it starts in the text; two lines together if neither does.

        Args:
            known: Lines that are hits already; they are left out, and so are two lines of which one is among them.
        """
        taken = {line for line, (value, _) in self.inside.items() if value >= 1}.union(known)
        for line, (value, at) in self.inside.items():
            if value >= 1 and line not in known:
                yield line, at
        for line, (value, at) in self.joined.items():
            if value >= 1 and line not in taken and line + 1 not in taken:
                yield line, at


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of one language.

    Attributes:
        weights: Of each bucket, as 8-bit integers.
        scale: What a weight of 1 adds.
        bias: What every span has.
    """

    weights: Array
    scale: float
    bias: float

    def scores(self, sums: Array, counts: Array) -> Array:
        """The score of spans.

        Args:
            sums: Of their n-grams' weights.
            counts: Of their n-grams.
        """
        return sums * self.scale / np.sqrt(np.maximum(counts, 1)) + self.bias


def score_lines(text: str, models: Mapping[str, Model] | None = None) -> Scores:
    """Score each line of a text. Linear.

    Args:
        text: Folded lines with line feeds between, Chinese in simplified characters.
        models: By language; the shipped ones if not given.

    Raises:
        SherlocError: A file of weights is missing or damaged.
    """
    codes = codes_of(text)
    spans = spans_of(codes)
    spoken = languages_of(codes, spans.start, spans.end)
    value = np.full(len(spoken), -np.inf)
    for number, language in enumerate(LANGUAGES):
        (which,) = np.nonzero(spoken == number)
        if len(which) and (models is None or language in models):
            model = load_model(language) if models is None else models[language]
            value[which] = _of_language(codes, spans.start[which], spans.end[which], language, model)
    order = np.lexsort((-spans.start, value, spans.line))
    order = order[value[order] > -np.inf]
    inside, joined = order[~spans.joined[order]], order[spans.joined[order]]

    def best(part: Array) -> dict[int, tuple[float, int]]:
        # The last of a line is the best.
        found = zip(value[part].tolist(), spans.start[part].tolist(), strict=True)
        return dict(zip(spans.line[part].tolist(), found, strict=True))

    return Scores(best(inside), best(joined))


def _of_language(codes: Array, start: Array, end: Array, language: str, model: Model) -> Array:
    grams = grams_of(codes, language)
    first, last = np.searchsorted(grams.at, start), np.searchsorted(grams.at, end)
    total = np.zeros(len(start), np.int64)
    count = np.zeros(len(start), np.int64)
    for order in ORDERS[language]:
        running = sums_before(model.weights[grams.buckets[order]])
        stop = np.maximum(first, last - order + 1)
        total += running[np.minimum(stop, len(running) - 1)] - running[np.minimum(first, len(running) - 1)]
        count += stop - first
    for which, buckets in edges_of(codes, grams, first, last):
        total[which] += model.weights[buckets]
        count[which] += 1
    return model.scores(total, count)


@lru_cache(maxsize=len(LANGUAGES))
def load_model(language: str) -> Model:
    """The model of one of ``LANGUAGES`` that comes with sherloc.

    Raises:
        SherlocError: The file is missing, damaged or of another format.
    """
    path = WEIGHTS / f"{language}.npz"
    try:
        # NumPy leaves a file open that it opened and cannot read.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if int(stored["format"]) != FORMAT:
                raise ValueError("it is of another format")
            weights = np.zeros(BUCKETS, np.int8)
            weights[np.cumsum(stored["gaps"], dtype=np.int64)] = stored["weights"]
            scale, bias = stored["line"].tolist()
    except _DAMAGED as error:
        raise SherlocError(
            f"The learned weights of sherloc.boundary cannot be read from {path.name}: {error}. Install sherloc again."
        ) from error
    return Model(weights, scale, bias)

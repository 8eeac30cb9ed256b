"""The lexical channel: BM25 over snippets and over files, with fields (BM25F).

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), simple BM25F: field frequencies
are weighted and added before saturation, and length is the weighted length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.weights import FieldWeights

_BLOCK = 4


class Bm25Settings(NamedTuple):
    """Saturation and length normalisation."""

    k1: float
    b: float


def field_vector(weights: FieldWeights) -> Array:
    """Weights of the stored fields, in the order of the postings' columns."""
    return np.array([weights.code, weights.doc, weights.string, weights.name], np.float32)


class LexicalScores:
    """Scores of all units and files of a segment for a weighted set of terms.

    Args:
        segment: What is searched.
        terms: (term, query weight > 0).
        unit_fields: Field weights for units.
        file_fields: Field weights for files.
        settings: BM25's two numbers for units.
        file_b: Length normalisation for files.

    Attributes:
        units: Score of each unit, >= 0.
        files: Score of each file, >= 0.
        idf: Rarity of each term among units; terms that occur nowhere are missing.
    """

    def __init__(self, segment: Segment, terms: Iterable[tuple[str, float]], unit_fields: FieldWeights,
                 file_fields: FieldWeights, settings: Bm25Settings, file_b: float) -> None:  # fmt: skip
        self._segment = segment
        self._unit_fields, self._file_fields = unit_fields, file_fields
        self._settings, self._file_b = settings, file_b
        self.idf: dict[str, float] = {}
        self.units = np.zeros(segment.unit_count, np.float32)
        self.files = np.zeros(segment.file_count, np.float32)
        if not segment.unit_count:
            return
        self._unit_norm, self._file_norm = self._norms()
        for term, weight in terms:
            self._add(term, weight)

    def _norms(self) -> tuple[Array, Array]:
        s = self._segment
        k1, b = self._settings.k1, self._settings.b
        lengths = s.arrays["lengths"] @ field_vector(self._unit_fields)
        unit = k1 * (1 - b + b * lengths / max(1e-9, float(lengths.mean())))
        whole = (s.arrays["lengths"] @ field_vector(self._file_fields)) * (s.arrays["kind"] != _BLOCK)
        sizes = np.bincount(s.unit_file, weights=whole, minlength=s.file_count)
        return unit, k1 * (1 - self._file_b + self._file_b * sizes / max(1e-9, float(sizes.mean())))

    def _add(self, term: str, weight: float) -> None:
        s, k1 = self._segment, self._settings.k1
        units, tf = s.postings(term)
        files, path_tf = s.path_postings(term)
        if not len(units) and not len(files):
            return
        in_path = np.zeros(s.file_count, np.float32)
        in_path[files] = path_tf
        where, frequency = self._unit_frequency(units, tf, files, in_path)
        rarity = _idf(len(where), s.unit_count)
        self.idf[term] = rarity
        self.units[where] += weight * rarity * (k1 + 1) * frequency / (frequency + self._unit_norm[where])
        whole = (tf @ field_vector(self._file_fields)) * (s.arrays["kind"][units] != _BLOCK)
        total = (
            np.bincount(s.unit_file[units], weights=whole, minlength=s.file_count) + self._file_fields.path * in_path
        )
        held = np.flatnonzero(total)
        self.files[held] += (
            weight * _idf(len(held), s.file_count) * (k1 + 1) * total[held] / (total[held] + self._file_norm[held])
        )

    def _unit_frequency(self, units: Array, tf: Array, files: Array, in_path: Array) -> tuple[Array, Array]:
        s = self._segment
        own = tf @ field_vector(self._unit_fields)
        if not len(files) or not self._unit_fields.path:
            return units, own
        dense = self._unit_fields.path * in_path[s.unit_file]
        dense[units] += own
        where = np.flatnonzero(dense)
        return where, dense[where]

    def terms_of(self, unit: int, terms: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
        """The terms that a unit owes its score to, with their parts, heaviest first."""
        k1, found = self._settings.k1, []
        for term, weight in terms:
            units, tf = self._segment.postings(term)
            at = int(np.searchsorted(units, unit))
            if at < len(units) and units[at] == unit:
                frequency = float(tf[at] @ field_vector(self._unit_fields))
                part = weight * self.idf[term] * (k1 + 1) * frequency / (frequency + float(self._unit_norm[unit]))
                found.append((term, part))
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _idf(holding: int, total: int) -> float:
    return float(np.log1p((total - holding + 0.5) / (holding + 0.5)))

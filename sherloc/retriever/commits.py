"""The history channel: files that earlier commits like the issue touched, and files that changed lately."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.repository.history import Commit
from sherloc.retriever.cues import Cues
from sherloc.schema.candidate import Signal
from sherloc.terms import WORD, TermTable

_K1, _B = 1.2, 0.75
_MAX_PATHS = 30
"""Commits that touch more say nothing about any of them."""
_ALIKE = 30
_TELLING = 0.3


@dataclass(frozen=True, slots=True)
class CommitCues:
    """For each path: how much commits like the issue touched it, by which most, and how lately it changed.

    ``alike`` is relative to the best path, ``recent`` is 1 for the last commit's paths and falls with the logarithm of
    the commits since.
    """

    alike: Mapping[str, float]
    subjects: Mapping[str, str]
    recent: Mapping[str, float]


def commit_cues(commits: Sequence[Commit], terms: Iterable[tuple[str, float]]) -> CommitCues:
    """What the history says about an issue.

    Args:
        commits: Newest first.
        terms: The issue's terms with weights.

    Complexity: linear in the words of the messages and in the paths.
    """
    told = [commit for commit in commits if 0 < len(commit.paths) <= _MAX_PATHS]
    recent: dict[str, float] = {}
    for age, commit in enumerate(told):
        for path in commit.paths:
            recent.setdefault(path, 1 / (1 + math.log1p(age)))
    scores = _scores(told, dict(terms))
    order = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))[:_ALIKE]
    alike: dict[str, float] = {}
    subjects: dict[str, str] = {}
    for rank, at in enumerate(order):
        paths = told[at].paths
        part = scores[at] / (1 + math.log(len(paths))) / (1 + rank / 5)
        for path in paths:
            alike[path] = alike.get(path, 0.0) + part
            subjects.setdefault(path, told[at].message.partition("\n")[0])
    best = max(alike.values(), default=1.0)
    return CommitCues({path: value / best for path, value in alike.items()}, subjects, recent)


def _scores(commits: Sequence[Commit], terms: Mapping[str, float]) -> list[float]:
    """BM25 of each message."""
    words = _Words(terms)
    lengths: list[int] = []
    counts: list[Counter[str]] = []
    for commit in commits:
        found = list(map(words.__getitem__, WORD.findall(commit.message)))
        lengths.append(sum(length for length, _ in found))
        counts.append(Counter(term for _, shared in found if shared for term in shared))
    held = Counter(term for count in counts for term in count)
    rarity = {term: math.log1p((len(commits) - n + 0.5) / (n + 0.5)) for term, n in held.items()}
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        norm = _K1 * (1 - _B + _B * length / mean)
        scores.append(
            math.fsum(
                terms[term] * rarity[term] * (_K1 + 1) * times / (times + norm) for term, times in sorted(count.items())
            )
        )
    return scores


class _Words(dict[str, tuple[int, tuple[str, ...]]]):
    """For a word: how many terms it gives, and those of them that the issue has, which few words have."""

    def __init__(self, terms: Mapping[str, float]) -> None:
        super().__init__()
        self._terms = terms
        # Not ``expand``, which keeps what it gives as long as the process lives: a message in Chinese is one long word.
        self._table = TermTable()

    def __missing__(self, word: str) -> tuple[int, tuple[str, ...]]:
        given = self._table[word]
        facts = self[word] = (len(given), tuple(term for term in given if term in self._terms))
        return facts


def add_commits(cues: Cues, segment: Segment, found: CommitCues) -> None:
    """Give files what the history says of them.

    Args:
        cues: Gets the relative cues ``alike`` and ``recent``, and a signal a file that a commit like the issue touched.
        segment: Where the files are.
        found: See ``commit_cues``.
    """
    for name, values in (("alike", found.alike), ("recent", found.recent)):
        column = np.zeros(segment.file_count, np.float32)
        for path, value in values.items():
            number = segment.file_numbers.get(path)
            if number is not None:
                column[number] = value
        cues.relative_files[name] = column
    for path, subject in found.subjects.items():
        number = segment.file_numbers.get(path)
        if number is not None and found.alike[path] >= _TELLING:
            signal = Signal("history", "commit", subject, found.alike[path])
            cues.file_signals.setdefault(number, []).append(signal)

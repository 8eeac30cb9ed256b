"""The history channel: what earlier commits like the issue touched, and files that changed lately."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.repository.history import Commit
from sherloc.repository.patches import Place
from sherloc.retriever.cues import Cues
from sherloc.schema.candidate import Signal
from sherloc.terms import WORD, TermTable

_K1, _B = 1.2, 0.75
_MAX_PATHS = 30
"""Commits that touch more say nothing about any of them."""
_ALIKE = 30
_LOOKED_INTO = 50
"""So many commits like the issue tell which functions they touched."""
_TELLING = 0.3
TOUCHED = ("touched", "touched_most", "touched_times")


@dataclass(frozen=True, slots=True)
class CommitCues:
    """For each path: how much commits like the issue touched it, by which most, and how lately it changed.

    ``alike`` is relative to the best path, ``recent`` is 1 for the last commit's paths and falls with the logarithm of
    the commits since. ``like`` are the commits most like the issue, best first, with their scores.
    """

    alike: Mapping[str, float]
    subjects: Mapping[str, str]
    recent: Mapping[str, float]
    like: Sequence[tuple[Commit, float]] = ()


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
    order = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))[
        :_LOOKED_INTO
    ]
    alike: dict[str, float] = {}
    subjects: dict[str, str] = {}
    for rank, at in enumerate(order[:_ALIKE]):
        paths = told[at].paths
        part = _part(scores[at], len(paths), rank)
        for path in paths:
            alike[path] = alike.get(path, 0.0) + part
            subjects.setdefault(path, told[at].message.partition("\n")[0])
    best = max(alike.values(), default=1.0)
    like = [(told[at], scores[at]) for at in order]
    return CommitCues({path: value / best for path, value in alike.items()}, subjects, recent, like)


def _part(score: float, touched: int, rank: int) -> float:
    """What a commit gives each of the ``touched`` files or functions."""
    return score / (1 + math.log(touched)) / (1 + rank / 5)


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


def add_touched(
    cues: Cues, segment: Segment, like: Sequence[tuple[Commit, float]], places: Mapping[str, Sequence[Place]]
) -> None:
    """Give functions what the commits like the issue say of them.

    Args:
        cues: Gets the unit cues ``touched`` (how much such commits touched it, relative to the best), ``touched_most``
            (the score of the most alike one, relative to the best) and ``touched_times`` (logarithm of 1 and how many).
        segment: Where the functions are.
        like: See ``CommitCues``.
        places: What each commit touched, by its id.

    Complexity: linear in the places and the units of their files.
    """
    found: dict[Place, list[float]] = {}
    for rank, (commit, score) in enumerate(like):
        inside = places.get(commit.commit_id, ())
        for place in inside:
            sums = found.setdefault(place, [0.0, 0.0, 0.0])
            sums[0] += _part(score, len(inside), rank)
            sums[1] = max(sums[1], score / like[0][1])
            sums[2] += 1
    best = max((sums[0] for sums in found.values()), default=1.0)
    columns = np.zeros((3, segment.unit_count), np.float32)
    units = named_units(segment, {path for path, name in found if name})
    for place, (total, most, times) in found.items():
        columns[:, units.get(place, [])] = np.array([[total / best], [most], [math.log1p(times)]])
    cues.units.update(zip(TOUCHED, columns, strict=True))


def named_units(segment: Segment, paths: Iterable[str]) -> dict[Place, list[int]]:
    """The units of some files by their short names; paths that are no files have none."""
    found: dict[Place, list[int]] = {}
    for path in paths:
        number = segment.file_numbers.get(path)
        for unit in segment.units_of_file(number) if number is not None else ():
            if name := segment.short_names[unit]:
                found.setdefault((path, name), []).append(unit)
    return found

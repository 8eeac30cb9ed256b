"""Why a file stands where it does: its rank, its signs, the issue's words in it, its functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.schema.candidate import Signal

if TYPE_CHECKING:
    from sherloc.retriever.retrieve import Retriever

_MAX_SIGNALS = 8
_MAX_FUNCTIONS = 20
_MAX_LACKING = 8
_FUNCTIONS = (2, 3)


class FunctionRank(NamedTuple):
    """A function of an explained file.

    Attributes:
        rank: Among all functions of the repository, from 1.
        qualified_name: Its name.
        start_line: Its first line.
        end_line: Its last line, inclusive.
        score: Fused score.
        signals: Strongest first, each (kind, detail) once.
    """

    rank: int
    qualified_name: str
    start_line: int
    end_line: int
    score: float
    signals: tuple[Signal, ...]


class FileRank(NamedTuple):
    """How a file stands.

    Attributes:
        is_side: Whether it is documentation, configuration or a template, which are ranked below all code.
        rank: From 1; None without one. Of a side file its place in the list.
        ranked: How many files have a rank; of a side file how many are listed.
        chance: The estimated chance that it must change; None below the files that get an estimate.
        score: Fused score; 0 without a rank.
        is_empty: Whether it holds no snippet.
        signals: Strongest first, each (kind, detail) once.
        words: The issue's words that it holds, heaviest first: (word, weight, snippets with it).
        lacks: The issue's heaviest words that it does not hold.
        functions: Its best functions, best first.
    """

    is_side: bool
    rank: int | None
    ranked: int
    chance: float | None = None
    score: float = 0.0
    is_empty: bool = False
    signals: tuple[Signal, ...] = ()
    words: tuple[tuple[str, float, int], ...] = ()
    lacks: tuple[str, ...] = ()
    functions: tuple[FunctionRank, ...] = ()


class Explainer:
    """Explains files of one retriever's answer.

    Args:
        retriever: Whose.
        limit: How many candidates its list has.
    """

    def __init__(self, retriever: Retriever, limit: int) -> None:
        self._retriever = retriever
        self._index = retriever.index
        self._best = retriever.candidates(limit)
        self._units, self._files = retriever.fused.units, retriever.fused.files
        self._is_function = np.isin(self._index.code.arrays["kind"], _FUNCTIONS)

    def file(self, path: str) -> FileRank | None:
        """How a file stands; None for one that is not in the index.

        Args:
            path: As the index has it.
        """
        number = self._index.code.file_numbers.get(path)
        if number is not None:
            return self._code_file(path, number)
        number = self._index.side.file_numbers.get(path)
        if number is None:
            return None
        words, lacks = self._words(self._index.side, number)
        rank = next((at for at, each in enumerate(self._best.files, 1) if each.path == path), None)
        return FileRank(True, rank, len(self._best.files), words=words, lacks=lacks)

    def _code_file(self, path: str, number: int) -> FileRank:
        words, lacks = self._words(self._index.code, number)
        score, ranked = float(self._files[number]), int((self._files > 0).sum())
        if score <= 0:
            is_empty = not len(self._index.code.units_of_file(number))
            return FileRank(False, None, ranked, is_empty=is_empty, words=words, lacks=lacks)
        found = next((each for each in self._best.files if each.path == path), None)
        better = int((self._files > score).sum()) + int((self._files[:number] == score).sum())
        return FileRank(
            False, better + 1, ranked, chance=found.confidence if found else None, score=score,
            signals=_strongest(found.signals if found else self._signals(number)), words=words, lacks=lacks,
            functions=self._functions(path, number),
        )  # fmt: skip

    def _words(self, segment: Segment, number: int) -> tuple[tuple[tuple[str, float, int], ...], tuple[str, ...]]:
        units = segment.units_of_file(number)
        held: list[tuple[str, float, int]] = []
        lacking: list[str] = []
        for term, weight in self._best.term_weights:
            where = segment.postings(term)[0]
            count = int(((where >= units.start) & (where < units.stop)).sum())
            if count or number in segment.path_postings(term)[0]:
                held.append((term, weight, count))
            elif len(lacking) < _MAX_LACKING:
                lacking.append(term)
        return tuple(held), tuple(lacking)

    def _signals(self, number: int) -> list[Signal]:
        """Of a file below the list: its own and its best snippet's."""
        signals = list(self._retriever.cues.file_signals.get(number, ()))
        units = self._index.code.units_of_file(number)
        if len(units):
            signals += self._unit_signals(units.start + int(np.argmax(self._units[units.start : units.stop])))
        return signals

    def _unit_signals(self, unit: int) -> list[Signal]:
        signals = list(self._retriever.cues.unit_signals.get(unit, ()))
        share = float(self._retriever.fused.unit_lexical[unit])
        if share > 0:
            terms = self._retriever.lexical.terms_of(unit, self._best.term_weights)
            signals.append(Signal("lexical", "lexical", ", ".join(term for term, _ in terms[:6]), share))
        return signals

    def _functions(self, path: str, number: int) -> tuple[FunctionRank, ...]:
        scores = self._units
        units = [u for u in self._index.code.units_of_file(number) if self._is_function[u] and scores[u] > 0]
        units.sort(key=lambda unit: (-scores[unit], unit))
        listed = {
            (each.snippet.qualified_name, each.snippet.start_line): each.signals
            for each in self._best.functions if each.snippet.path == path
        }  # fmt: skip
        return tuple(self._function(unit, listed) for unit in units[:_MAX_FUNCTIONS])

    def _function(self, unit: int, listed: dict[tuple[str, int], tuple[Signal, ...]]) -> FunctionRank:
        scores, is_function = self._units, self._is_function
        better = int((is_function & (scores > scores[unit])).sum())
        better += int((is_function[:unit] & (scores[:unit] == scores[unit])).sum())
        snippet = self._index.code.snippet(unit)
        signals = listed.get((snippet.qualified_name, snippet.start_line))
        return FunctionRank(
            better + 1, snippet.qualified_name, snippet.start_line, snippet.end_line, float(scores[unit]),
            _strongest(self._unit_signals(unit) if signals is None else signals),
        )  # fmt: skip


def _strongest(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    best: dict[tuple[str, str], Signal] = {}
    for signal in sorted(signals, key=lambda s: (-s.score, s.kind, s.detail)):
        best.setdefault((signal.kind, signal.detail), signal)
    return tuple(best.values())[:_MAX_SIGNALS]

"""Rerankers: candidates in a new order, by a model that sees them side by side, or by a cross-encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sherloc.json_hardening import LooseList, LooseModel
from sherloc.llm.material import Part
from sherloc.llm.pieces import bare_id, issue_text, piece_ids, place_of
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, Question
from sherloc.schema.candidate import Candidate
from sherloc.schema.issue import Issue
from sherloc.schema.report import Diagnostic
from sherloc.terms import WORD, TermTable

NAMED = 15
"""How many a reranker puts in order; the others keep theirs behind."""

_REPLY_TOKENS = 600
_LONGEST_LINE = 160
_SEARCHED_LINES = 200
_CROSS_ENCODER_CHARACTERS = 2_000


class RankingReply(LooseModel):
    """What a model answers."""

    ranking: LooseList[str]
    directions_in_material: LooseList[str] = []


@dataclass(frozen=True, slots=True)
class Ranked:
    """Positions of the candidates that a reranker put first, best first; none when it gave no order."""

    named: tuple[int, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


class Ranker(Protocol):
    """What both rerankers offer."""

    def rank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Ranked:
        """The candidates to look at first."""


class _Reranker:
    def rank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Ranked:
        raise NotImplementedError

    def rerank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Sequence[int]:
        """Positions of the candidates, best first; each exactly once, those without an order behind, in their own."""
        named = self.rank(issue, candidates, sources).named
        return [*named, *(at for at in range(len(candidates)) if at not in set(named))]


class ListwiseReranker(_Reranker):
    """Asks a model (role ``rerank``) for the order of all candidates at once.

    Args:
        asker: Asks.
        weights: The issue's terms; they choose the lines that are shown.
        lines: How many lines of each.
        issue_characters: Longest issue.
    """

    def __init__(
        self, asker: Asker, weights: Mapping[str, float], *, lines: int = 3, issue_characters: int = 12_000
    ) -> None:
        self._asker, self._weights, self._lines, self._most = asker, weights, lines, issue_characters
        self._table = TermTable()

    def rank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Ranked:
        """The order of at most 15; unknown and repeated ids are left out.

        Args:
            issue: The issue.
            candidates: Best first.
            sources: Path to text.
        """
        if len(candidates) < 2:
            return Ranked()
        ids = piece_ids([candidate.snippet for candidate in candidates])
        listing: list[str] = []
        shown: list[tuple[str, int]] = []
        for name, candidate in zip(ids, candidates, strict=True):
            for line, number in self._entry(name, candidate, sources.get(candidate.snippet.path)):
                listing.append(line)
                shown += [(candidate.snippet.path, number)] * (1 + line.count("\n"))
        question = Question(
            "rerank", load_prompt("rerank"),
            (Part("The issue:", issue_text(issue, self._most)), Part("The pieces:", "\n".join(listing), "", shown)),
            RankingReply, _REPLY_TOKENS,
        )  # fmt: skip
        (answer,) = self._asker.ask_all([question])
        if answer.value is None:
            note = Diagnostic(
                code="rerank_failed", severity="warning", message=f"Candidates were not reranked: {answer.why}"
            )
            return Ranked(notes=(*answer.notes, note))
        places = {name: at for at, name in enumerate(ids)}
        named = dict.fromkeys(places[each] for each in map(bare_id, answer.value.ranking) if each in places)
        return Ranked(tuple(named)[:NAMED], answer.notes)

    def _entry(self, name: str, candidate: Candidate, text: str | None) -> list[tuple[str, int]]:
        """What is shown of a candidate, each with its line in the file (0: its name)."""
        snippet = candidate.snippet
        lines = [(f"[{name}] {place_of(snippet)}", 0)]
        if snippet.signature:
            lines.append((f"    {snippet.signature[:_LONGEST_LINE]}", snippet.start_line))
        if text is not None:
            lines += self._telling(snippet.start_line, snippet.end_line, text)
        return lines

    def _telling(self, first: int, last: int, text: str) -> list[tuple[str, int]]:
        """The lines with most of the issue's terms, in the file's order."""
        lines = text.split("\n")[first - 1 : min(last, first + _SEARCHED_LINES - 1)]
        scored = sorted(
            ((-self._weight(line), at) for at, line in enumerate(lines[1:], 1) if line.strip()),
        )[: self._lines]
        best = sorted(at for negative, at in scored if negative < 0)
        return [(f"    {lines[at].strip()[:_LONGEST_LINE]}", first + at) for at in best]

    def _weight(self, line: str) -> float:
        terms = dict.fromkeys(term for word in WORD.findall(line[:500]) for term in self._table[word])
        return sum(self._weights.get(term, 0.0) for term in terms)


class CrossEncoderReranker(_Reranker):
    """Orders candidates by a cross-encoder, which reads issue and code together.

    Args:
        name: A folder, or a name that was downloaded before, as for ``sherloc.vectors.load_cross_encoder``.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: The model is not on this machine.
    """

    def __init__(self, name: str) -> None:
        from sherloc.vectors.cross_encoder import load_cross_encoder

        self._score = load_cross_encoder(name)

    def rank(self, issue: Issue, candidates: Sequence[Candidate], sources: Mapping[str, str]) -> Ranked:
        """The order of the best 15 by score, equals in the order given."""
        if len(candidates) < 2:
            return Ranked()
        query = issue_text(issue, _CROSS_ENCODER_CHARACTERS)
        pairs = [(query, _code(candidate, sources)) for candidate in candidates]
        scores = self._score(pairs)
        return Ranked(tuple(sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:NAMED]))


def _code(candidate: Candidate, sources: Mapping[str, str]) -> str:
    snippet = candidate.snippet
    lines = sources.get(snippet.path, "").split("\n")[snippet.start_line - 1 : snippet.end_line]
    return f"{place_of(snippet)}\n" + "\n".join(lines)[:_CROSS_ENCODER_CHARACTERS]

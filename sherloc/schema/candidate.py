"""Candidates: what the retriever found, and by which signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sherloc.schema.snippet import Snippet

_MAX_DETAIL = 160

SignalKind = Literal[
    "lexical",
    "defined_name",
    "qualified_name",
    "class_member",
    "path",
    "module",
    "traceback",
    "message",
    "setting",
    "exception",
    "code_block",
    "caller",
    "callee",
    "base",
    "override",
    "same_file",
    "file_name",
    "title_words",
    "commit",
    "named_commit",
    "test",
    "meaning",
    "spectrum",
    "narrowed",
    "expanded",
    "reranked",
    "explored",
    "diagnosed",
]

SHARES_WORDS = "shares words with the issue"
"""The detail of a ``lexical`` signal that does not say which words."""

_SENTENCES: Mapping[SignalKind, str] = {
    "title_words": "Its name is made of words of the title: {}.",
    "file_name": "Its file is called by words of the title: {}.",
    "lexical": "Its text shares words with the issue: {}.",
    "defined_name": "It defines a name that the issue mentions: {}.",
    "qualified_name": "The issue names it in full: {}.",
    "class_member": "It belongs to a class that the issue mentions: {}.",
    "path": "The issue names its file: {}.",
    "module": "The issue names its module: {}.",
    "traceback": "The issue's traceback passes through it: {}.",
    "message": "It holds a message that the issue quotes: {}.",
    "setting": "It handles a setting that the issue names: {}.",
    "exception": "It raises or handles an exception of the issue: {}.",
    "code_block": "The issue's sample code uses it: {}.",
    "caller": "It calls code that the issue points to: {}.",
    "callee": "It is called by code that the issue points to: {}.",
    "base": "It is inherited by code that the issue points to: {}.",
    "override": "It overrides, or is overridden by, code that the issue points to: {}.",
    "test": "A test like the issue calls its file: {}.",
    "commit": "An earlier commit like the issue touched its file: {}.",
    "named_commit": "A commit that the issue names touched it: {}.",
    "meaning": "It is close to the issue in meaning: {}.",
    "spectrum": "Tests that fail run it: {}.",
    "same_file": "Its file holds other code that the issue points to: {}.",
    "narrowed": "A model named its file from the paths alone: {}.",
    "expanded": "It was found by the issue's rewriting in technical terms: {}.",
    "reranked": "A model put it among the first of the candidates: {}.",
    "explored": "An exploration of the repository led to it: {}.",
    "diagnosed": "A model read it and judged: {}.",
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign that a candidate matters.

    Attributes:
        channel: ``lexical``, ``structural``, ``graph``, ``history``, ``semantic``, ``tests`` or ``model``.
        kind: What kind of sign.
        detail: What matched, for a person: the name, the message, the frame, the top terms.
        score: The part of the fused score that it brought (channel's own scale, >= 0).
        line: The absolute line that shows it, or None.
    """

    channel: str
    kind: SignalKind
    detail: str
    score: float
    line: int | None = None

    @property
    def sentence(self) -> str:
        """The sign in plain words, on one line."""
        detail = " ".join(self.detail.split())
        if detail == SHARES_WORDS:
            return f"It {detail}."
        return _SENTENCES[self.kind].format(detail if len(detail) <= _MAX_DETAIL else detail[: _MAX_DETAIL - 1] + "…")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A snippet that may have to change.

    ``score`` is the fused score, ``channels`` each channel's part of it, ``confidence`` the estimated chance (0-1) that
    it must change.
    """

    snippet: Snippet
    score: float
    channels: tuple[tuple[str, float], ...] = ()
    signals: tuple[Signal, ...] = ()
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class FileCandidate:
    """A file that may have to change."""

    path: str
    score: float
    channels: tuple[tuple[str, float], ...] = ()
    signals: tuple[Signal, ...] = ()
    content_id: str = ""
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the retriever hands on; each list is in total order: score, path, line.

    ``snippets`` holds functions, classes, module code and blocks together. ``term_weights`` are the issue's terms with
    their weight in this repository (query weight times rarity), heaviest first. ``degraded`` names channels that
    failed or ran out of time. ``tied`` is False when the issue names nothing of the best file, and no place is close to
    it in meaning.
    """

    files: tuple[FileCandidate, ...] = ()
    functions: tuple[Candidate, ...] = ()
    snippets: tuple[Candidate, ...] = ()
    term_weights: tuple[tuple[str, float], ...] = ()
    degraded: tuple[str, ...] = ()
    tied: bool = True

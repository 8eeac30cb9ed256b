"""Candidates: what the retriever found, and by which signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sherloc.schema.snippet import Snippet

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
]


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign that a candidate matters.

    Attributes:
        channel: ``lexical``, ``structural`` or ``graph``.
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
    failed or ran out of time.
    """

    files: tuple[FileCandidate, ...] = ()
    functions: tuple[Candidate, ...] = ()
    snippets: tuple[Candidate, ...] = ()
    term_weights: tuple[tuple[str, float], ...] = ()
    degraded: tuple[str, ...] = ()

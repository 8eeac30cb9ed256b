"""The query: an issue taken apart into what helps to find code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SegmentKind = Literal[
    "title", "description", "expected", "actual", "reproduction", "environment", "log", "traceback", "code", "comment"
]
MentionOrigin = Literal[
    "code_span", "code_block", "call", "dotted", "camel", "snake", "caps", "prose", "short", "operator"
]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the issue of one kind, in the issue's order.

    ``weight`` says how much its words count in lexical retrieval (1.0 is plain description).
    """

    kind: SegmentKind
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that the issue mentions and that could be defined in the repository.

    Attributes:
        name: The identifier or dotted name as written, without call parentheses.
        origin: How it stood out; the strongest where it occurs several times.
        count: How often it occurs in the issue.
        in_title: Whether the title has it.
    """

    name: str
    origin: MentionOrigin
    count: int = 1
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class PathMention:
    """A file path in the issue, outside of tracebacks; ``line`` when one is given (``a/b.py:12``)."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a traceback.

    Attributes:
        path: As printed, back-slashes unified.
        line: 1-based, or None.
        function: Name as printed, or empty.
        depth: 0 is the innermost frame (where the error was raised).
        language: The language whose format it has.
    """

    path: str
    line: int | None
    function: str
    depth: int
    language: str


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced or indented block of code.

    ``imports`` are dotted modules or names, ``calls`` names called, ``defines`` functions and classes it defines (the
    user's own, or pasted from the repository).
    """

    language: str
    text: str
    imports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What the retriever looks for.

    Attributes:
        terms: Lexical terms and their weights (> 0), by descending weight, then term.
        segments: The issue in its order.
        mentions: Names, strongest origin first, then by first occurrence.
        paths: File paths in the issue, in order.
        frames: Traceback frames, innermost first.
        messages: Quoted or raised messages (error texts, log lines), most telling first.
        exceptions: Names of exceptions, in order.
        settings: Command-line flags and setting names as written (``--ignore-paths``).
        code_blocks: Code in the issue.
        commit_ids: What may be ids of commits, or their beginnings.
        tickets: Numbers and keys of tickets and requests.
        vague: Why the issue gives little to go on, in plain words; empty when it does not.
    """

    terms: tuple[tuple[str, float], ...] = ()
    segments: tuple[Segment, ...] = ()
    mentions: tuple[Mention, ...] = ()
    paths: tuple[PathMention, ...] = ()
    frames: tuple[Frame, ...] = ()
    messages: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    code_blocks: tuple[CodeBlock, ...] = ()
    commit_ids: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    vague: tuple[str, ...] = field(default=())

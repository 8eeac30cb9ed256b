"""Where the bodies of functions are, and what stands inside of them that is more than implementation.

The queries in ``queries/bodies/`` use these captures:

    @suite @scope      a Python block, and the function that it belongs to
    @braces            a body with one delimiter at each end
    @until @end        a body, and the keyword that ends the definition (Ruby)
    @value             an expression that is the body of a named arrow function
    @lambda            the expression of a Python lambda; only of one with a name
    @clause            ``=> expression`` or the sign of ``= expression``
    @getter            ``=> expression`` of a property that has no other accessor
    @arrow @from       a Kotlin lambda, whose parameters stand inside its braces, before this arrow
    @macro             what a C macro stands for
    @keep              a definition that is kept wherever it stands
    @line              what has to begin a line when a definition is moved to another indentation
    @class             the body of a Python class
    @loose             a string that is a statement of its own
    @attribute         a statement of a constructor that sets an attribute
    @comment @error
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sherloc.syntax.docstrings import docstrings
from sherloc.syntax.grammars import captures
from sherloc.syntax.source import error_lines, first_code, newlines_of
from sherloc.syntax.spans import Captures, Span

BodyStyle = Literal["suite", "braces", "until", "value", "lambda", "clause", "getter", "macro"]
"""How a body is written, and so what can stand in its place."""

_SPACE = b" \t\r\n\f\v"


class Body(NamedTuple):
    """The inside of one function.

    Attributes:
        start: First byte after the head, white space and comments included.
        end: The byte after its last.
        style: How it is written.
        scope: First byte of the definition, or of the body where the language does not indent by rule.
    """

    start: int
    end: int
    style: BodyStyle
    scope: int


@dataclass(frozen=True, slots=True)
class Bodies:
    """What a file hides and what it shows; all spans by start, longest first.

    Attributes:
        bodies: Bodies of functions.
        keeps: Definitions that are kept even inside of bodies.
        docs: Docstrings.
        more_docs: Strings right after the docstring of a class or module: without it the first would be one.
        lone_docs: First bytes of docstrings, or of the last of ``more_docs``, that end a class of nothing else.
        attributes: Statements of constructors that set attributes.
        comments: Comments, without white space at their end.
        lines: First bytes of decorators and definitions.
        errors: Syntax errors.
        error_lines: Their lines, 1-based and inclusive, merged, at most 50 ranges.
        newlines: Positions of the line feeds.
    """

    bodies: list[Body] = field(default_factory=list)
    keeps: list[Span] = field(default_factory=list)
    docs: list[Span] = field(default_factory=list)
    more_docs: list[Span] = field(default_factory=list)
    lone_docs: frozenset[int] = frozenset()
    attributes: list[Span] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    errors: list[Span] = field(default_factory=list)
    error_lines: list[tuple[int, int]] = field(default_factory=list)
    newlines: list[int] = field(default_factory=list)


def bodies(language: str, source: bytes) -> Bodies:
    """The bodies of a file's functions.

    Args:
        language: One of ``LANGUAGES``.
        source: UTF-8. Lines end with a line feed and nothing else.

    Raises:
        GrammarUnavailable: The grammar's package is missing.
        UsageError: The language is not one of ``LANGUAGES``.
    """
    found = captures(language, source, "bodies")
    if "loose" in found:
        found["doc"] = docstrings(found, [*found.get("suite", ()), *found.get("class", ())], source)
    # Some grammars count white space after a comment as part of it.
    comments = [(start, start + len(source[start:end].rstrip())) for start, end in found.get("comment", ())]
    code = _Code(source, comments)
    newlines = newlines_of(source)
    more, lone = _chains(found, code)
    return Bodies(
        bodies=sorted(_bodies(found, code), key=lambda body: (body.start, -body.end)),
        keeps=_outer_first(found.get("keep", ())),
        docs=found.get("doc", []),
        more_docs=more,
        lone_docs=lone,
        attributes=found.get("attribute", []),
        comments=comments,
        lines=sorted({start for start, _ in found.get("line", ())}),
        errors=found.get("error", []),
        error_lines=error_lines(found.get("error", ()), newlines),
        newlines=newlines,
    )


class _Code:
    """A source and its comments."""

    def __init__(self, data: bytes, comments: Sequence[Span]) -> None:
        self.data = data
        self._ends = {end: start for start, end in comments}
        self._starts = dict(comments)

    def before(self, position: int) -> int:
        """The end of the code before a position: white space and comments are passed over."""
        while True:
            while position and self.data[position - 1] in _SPACE:
                position -= 1
            if position not in self._ends:
                return position
            position = self._ends[position]

    def after(self, position: int) -> int:
        """The start of the code after a position: white space and comments are passed over."""
        return first_code(self.data, position, self._starts)

    def after_comment(self, position: int) -> int:
        """The end of a comment that follows a position on its line, or the position."""
        at = position
        while at < len(self.data) and self.data[at] in b" \t":
            at += 1
        return self._starts.get(at, position)

    def after_comments(self, position: int, indent: int) -> int:
        """The end of whole-line comments that follow a position and are indented deeper than ``indent`` bytes."""
        end = position
        while True:
            at = end
            while at < len(self.data) and self.data[at] in _SPACE:
                at += 1
            begin = self.data.rfind(b"\n", 0, at) + 1
            if at not in self._starts or begin <= position or at - begin <= indent:
                return end
            end = self._starts[at]


def _bodies(found: Captures, code: _Code) -> list[Body]:
    result: list[Body] = []
    # Both lists come from the same matches and nest alike, so that the numbers agree.
    for (start, end), (scope, _) in zip(found.get("suite", ()), found.get("scope", ()), strict=True):
        indent = scope - (code.data.rfind(b"\n", 0, scope) + 1)
        head = code.after_comment(code.before(start))
        result.append(Body(head, max(head, code.after_comments(code.before(end), indent)), "suite", scope))
    for start, end in found.get("braces", ()):
        # Where the closing one is missing, the parser ends the body anywhere.
        if end - start >= 2 and code.data[end - 1 : end] in (b"}", b")", b"]"):
            result.append(Body(start + 1, end - 1, "braces", start))
    tails = sorted(start for start, _ in found.get("end", ()))
    for start, end in found.get("until", ()):
        head = code.after_comment(code.before(start))
        tail = tails[bisect_left(tails, end)]
        result.append(Body(head, max(head, tail), "until", start))
    result += [Body(start, end, "value", start) for start, end in found.get("value", ())]
    result += [Body(start, max(start, code.before(end)), "macro", start) for start, end in found.get("macro", ())]
    for start, end in found.get("lambda", ()):
        result.append(Body(start, end, "lambda", start))
    result += _clauses(found, code)
    for start, end in found.get("arrow", ()):
        inner = [at for _, at in found.get("from", ()) if start < at < end and b"{" not in code.data[start + 1 : at]]
        result.append(Body(inner[0] if inner else start + 1, end - 1, "braces", start))
    return result


def _clauses(found: Captures, code: _Code) -> list[Body]:
    """Bodies that are one expression, with the semicolon that belongs to them."""
    result: list[Body] = []
    for name in ("clause", "getter"):
        style: BodyStyle = "clause" if name == "clause" else "getter"
        for start, end in found.get(name, ()):
            tail = end
            while tail < len(code.data) and code.data[tail] in _SPACE:
                tail += 1
            result.append(Body(start, tail + 1 if code.data[tail : tail + 1] == b";" else end, style, start))
    return result


def _chains(found: Captures, code: _Code) -> tuple[list[Span], frozenset[int]]:
    """The strings that follow docstrings, and where the last one begins in a class that holds nothing else."""
    ends, strings = dict(found.get("class", ())), dict(found.get("loose", ()))
    more: list[Span] = []
    lone: set[int] = set()
    for doc in found.get("doc", ()):
        limit = ends.get(doc[0], len(code.data) if code.after(0) == doc[0] else 0)
        last = doc
        while (start := code.after(last[1])) in strings and strings[start] <= limit:
            last = (start, strings[start])
            more.append(last)
        if doc[0] in ends and code.before(limit) == last[1]:
            lone.add(last[0])
    return more, frozenset(lone)


def _outer_first(spans: Sequence[Span]) -> list[Span]:
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))

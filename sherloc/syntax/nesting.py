"""From captures to nested definitions, by one pass with a stack.

The queries in ``queries/`` use these captures:

    @def.KIND.DETAIL   a definition; KIND is function, method, class, or scope (names what is inside, is none itself)
    @name @body @base @docstring @receiver
                       of the innermost definition around them
    @is.DETAIL         a more exact detail of the innermost definition
    @declarator        the name of the innermost function around it (C and C++, where names stand deep inside)
    @same              an expression with a name of its own that is the definition around it
    @wrap              a node whose span the one definition inside takes over (export, template, decorated)
    @lead              what belongs to the definition after it (decorator, attribute)
    @call @raise @decorator
                       the words that say what is used; @call.name is only the last of them, @call.token needs a
                       parenthesis behind it, @call.component a name that is not an HTML element's
    @import            a statement, read by imports.py
    @loose             a string that is a statement of its own; docstrings.py tells which are a @docstring
    @comment @string @error
"""

from __future__ import annotations

from sherloc.syntax.spans import Captures, Span

_PARTS = ("name", "declarator", "receiver", "body", "base", "docstring")
_EXPRESSION = "def.function.expression"
_TAIL = b"; \t\r\n\f,"


class Raw:
    """A definition as the captures give it; spans only, no text."""

    __slots__ = ("start", "end", "inner_end", "kind", "detail", "parts", "bases", "parent", "index", "path", "short")

    def __init__(self, start: int, end: int, capture: str, parent: Raw | None) -> None:
        _, self.kind, self.detail = capture.split(".")
        self.start = start
        self.end = self.inner_end = end
        self.parent = parent
        self.parts: dict[str, Span] = {}
        self.bases: list[Span] = []
        self.index = -1
        self.path = ""
        self.short = ""


def nest(captures: Captures, source: bytes) -> list[Raw]:
    """All definitions and scopes, outer ones before inner ones, with their parts.

    Args:
        captures: Byte spans by capture name.
        source: The bytes they point into.
    """
    found: list[Raw] = []
    stack: list[Raw] = []
    wraps: list[Span] = []
    same = frozenset(captures.get("same", ()))
    for start, negative_end, rank, capture in _events(captures):
        end = -negative_end
        while stack and stack[-1].end <= start:
            stack.pop()
        while wraps and wraps[-1][1] <= start:
            wraps.pop()
        if rank == 0:
            wraps.append((start, end))
        elif rank == 1:
            if stack:
                _add_part(stack[-1], capture, (start, end))
        elif not (stack and ((start, end) in same or _same(stack[-1], start, end, capture))):
            raw = Raw(start, end, capture, stack[-1] if stack else None)
            raw.start, raw.end = _unwrap(wraps, start, end, source)
            wraps.clear()
            stack.append(raw)
            found.append(raw)
    return found


def _same(outer: Raw, start: int, end: int, capture: str) -> bool:
    """Whether what two patterns found is one thing, as in ``f = function g() {}``."""
    if outer.start == start and outer.end == end:
        return True
    return capture == _EXPRESSION and outer.inner_end == end and outer.kind in ("function", "method")


def _events(captures: Captures) -> list[tuple[int, int, int, str]]:
    """By start, outer ones first; a body that is a definition as a whole belongs to what is around both."""
    events = [(start, -end, 0, "wrap") for start, end in captures.get("wrap", ())]
    for capture, spans in captures.items():
        if capture.startswith("def."):
            events += [(start, -end, 2, capture) for start, end in spans]
        elif capture.startswith("is."):
            events += [(start, -end, 1, capture) for start, end in spans]
    for capture in _PARTS:
        events += [(start, -end, 1, capture) for start, end in captures.get(capture, ())]
    events.sort()
    return events


def _add_part(raw: Raw, capture: str, span: Span) -> None:
    if capture == "base":
        raw.bases.append(span)
    elif capture[:3] == "is.":
        raw.detail = capture[3:]
    elif capture == "declarator":
        if raw.kind in ("function", "method"):
            raw.parts.setdefault("name", span)
    elif capture == "name" and raw.parts.setdefault(capture, span) != span:
        raw.parts.setdefault("own", span)
    else:
        raw.parts.setdefault(capture, span)


def _unwrap(wraps: list[Span], start: int, end: int, source: bytes) -> Span:
    for first, last in wraps:
        if end <= last and last - end < 100 and not source[end:last].strip(_TAIL):
            return first, last
    return start, end

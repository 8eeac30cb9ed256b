"""What stands in the place of the bodies of functions, language by language."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sherloc.skeleton.edits import Edit
from sherloc.syntax import Bodies, Body
from sherloc.syntax.spans import Span

COMMENT = b"/* ... */"
HASH = b"# ..."
PLACEHOLDERS = (COMMENT, HASH)
"""Comments that stand for hidden code; Python has ``...``."""
GAP = "..."
"""A line that stands for lines which did not fit."""

_SPACE = b" \t\r\n\f\v"
_LOOSE = _SPACE + b";,\\"
_LOOSE_RUN = re.compile(rb"[\s;,\\]+")
_TRIVIAL = (b"", b"pass", b"...")
_LENGTHS = {
    "suite": 3, "braces": 9, "until": 5, "value": 13, "clause": 13, "getter": 13, "lambda": 3, "macro": 9,
}  # fmt: skip
"""How long what stands for a body is. Bytes."""

_TAB = 8


_LONGEST_ATTRIBUTE = 160  # bytes; of a longer one, or one of several lines, the value is left out
_NO_VALUE = {"suite": b"...", "braces": b"undefined " + COMMENT + b";", "until": b"nil " + HASH}
_ASSIGNED = re.compile(rb"(?<![=!<>])=(?![=>~])\s*")


@dataclass(slots=True)
class Shown:
    """A body that is seen from outside, and what is kept inside of it, by position."""

    body: Body
    items: list[Span] = field(default_factory=list)
    cut: list[Edit] = field(default_factory=list)


class Hider:
    """Makes the edits that hide bodies.

    Args:
        source: The file.
        found: Its bodies.
        docs: Whether docstrings are kept.
        attributes: Whether statements that set attributes are kept.
        whole: Lines whose bodies are not hidden, 1-based and inclusive.

    Attributes:
        hidden: Lines that are not shown, 1-based and inclusive, one range a gap.
        refused: How many bodies are shown whole because a syntax error stands in them.
    """

    def __init__(
        self,
        source: bytes,
        found: Bodies,
        *,
        docs: bool,
        attributes: bool,
        whole: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._data = source
        self._newlines = found.newlines
        self._found = found
        self._items = [*found.keeps, *(found.docs if docs else ())]
        self._attributes = set(found.attributes).difference(found.keeps) if attributes else set()
        self._comments = dict(reversed(found.comments))
        self._comment_starts = [start for start, _ in found.comments]
        self._comment_ends = {end for _, end in found.comments}
        self._errors = _merged(found.errors)
        self._whole = whole
        self._error_starts = [start for start, _ in self._errors]
        self._newline = b"\r\n" if b"\r\n" in source[: 1 << 16] else b"\n"
        self.hidden: list[tuple[int, int]] = []
        self.refused = 0

    def edits(self) -> list[Edit]:
        """The edits for all bodies, sorted, not overlapping."""
        made: list[Edit] = []
        # Where what an inner body adds stands at the start of what an outer one replaces, the inner one comes first.
        for shown in reversed(self._shown()):
            made += self._hide(shown)
        made.sort(key=lambda edit: (edit.start, edit.end))
        self.hidden.sort()
        return made

    def _shown(self) -> list[Shown]:
        """Bodies that are not inside of what another one hides, with the outermost definitions inside of each."""
        events: list[tuple[int, int, int, Body | None]] = [(start, -end, 0, None) for start, end in self._items]
        events += [(start, -end, 0, None) for start, end in sorted(self._attributes)]
        events += [(body.start, -body.end, 1, body) for body in self._found.bodies]
        events.sort(key=lambda event: event[:3])
        shown: list[Shown] = []
        stack: list[tuple[int, Shown | None]] = []
        closed = 0
        for start, negative_end, _, body in events:
            end = -negative_end
            while stack and stack[-1][0] <= start:
                stack.pop()
            inside = stack[-1][1] if stack else None
            if start < closed:
                continue
            if body is None and inside is not None and end <= inside.body.end:
                inside.items.append((start, self._with_semicolon(end, inside.body)))
                stack.append((end, None))
                if (start, end) in self._attributes and (cut := self._without_value(start, end, inside.body)):
                    inside.cut.append(cut)
                    closed = end
            elif body is not None and inside is None:
                if self._is_wanted(body):
                    continue
                if self._is_broken(body):
                    self.refused += 1
                    continue
                shown.append(Shown(body))
                stack.append((body.end, shown[-1]))
        return shown

    def _is_wanted(self, body: Body) -> bool:
        first, last = self.line(body.scope), self.line(max(body.start, body.end - 1))
        return any(start <= first and last <= end for start, end in self._whole)

    def _without_value(self, start: int, end: int, body: Body) -> Edit | None:
        """The edit that takes a long value off an attribute."""
        text = self._data[start:end]
        sign = _ASSIGNED.search(text)
        if sign is None or (b"\n" not in text and len(text) <= _LONGEST_ATTRIBUTE):
            return None
        self.hidden.append((self.line(start + sign.end()), self.line(end - 1)))
        return Edit(start + sign.end(), self._with_semicolon(end, body), _NO_VALUE[body.style])

    def _with_semicolon(self, end: int, body: Body) -> int:
        return end + 1 if body.style != "suite" and self._data[end : end + 1] == b";" else end

    def _hide(self, shown: Shown) -> list[Edit]:
        body, items = shown.body, shown.items
        gaps = self._gaps(body, items)
        codes = [self._code(*gap) for gap in gaps]
        trivial = _TRIVIAL if body.style == "suite" else _TRIVIAL[:1]
        if all(self._data[start:end] in trivial for start, end in codes):
            return shown.cut
        if not items and self._is_short(body, codes[0]):
            return []
        self.hidden += [(self.line(start), self.line(end - 1)) for start, end in codes if end > start]
        line = self.line(codes[-1][0] if codes[-1][1] > codes[-1][0] else gaps[-1][0])
        return [*_WRITERS[body.style](self, body, items, gaps, line), *shown.cut]

    def _gaps(self, body: Body, items: Sequence[Span]) -> list[Span]:
        ends = [body.start, *(end for _, end in items)]
        return list(zip(ends, [*(start for start, _ in items), body.end], strict=True))

    def _is_short(self, body: Body, code: Span) -> bool:
        """Whether a placeholder would not be shorter."""
        text = self._data[body.start : body.end].strip(b" \t\r\n\f\v;")
        if b"\n" in text or body.style == "macro":
            return b"\n" not in text
        return len(text) <= _LENGTHS[body.style] and len(text) == code[1] - code[0]

    def _code(self, start: int, end: int) -> Span:
        """The code of a span: without white space, semicolons and comments at its ends."""
        while start < end:
            if self._data[start] in _LOOSE:
                loose = _LOOSE_RUN.match(self._data, start, end)
                start = loose.end() if loose else end
            elif start in self._comments:
                start = min(end, max(start + 1, self._comments[start]))
            else:
                break
        while end > start:
            if end in self._comment_ends:
                end = self._comment_starts[bisect_left(self._comment_starts, end) - 1]
            elif self._data[end - 1] in _LOOSE:
                end -= 1
            else:
                break
        return start, max(start, end)

    def line(self, position: int) -> int:
        """The 1-based line of a byte."""
        return bisect_left(self._newlines, position) + 1

    def line_start(self, position: int) -> int:
        """The first byte of the line of a byte."""
        number = bisect_left(self._newlines, position)
        return self._newlines[number - 1] + 1 if number else 0

    def indent(self, position: int) -> bytes:
        """The white space at the start of a byte's line."""
        begin = self.line_start(position)
        end = begin
        while end < len(self._data) and self._data[end] in b" \t\f\v":
            end += 1
        return self._data[begin:end]

    def _is_broken(self, body: Body) -> bool:
        """Whether a syntax error stands in a body and its indentation does not show that nothing else is in it."""
        at = bisect_right(self._error_starts, body.end) - 1
        if at < 0 or self._errors[at][1] <= body.start:
            return False
        head = _width(self.indent(body.scope))
        lines = self._data[body.start : body.end].split(b"\n")[1:]
        if body.style != "suite" and lines and not lines[-1].strip(_SPACE):
            if _width(lines[-1]) != head:
                return True
            lines.pop()
        return any(
            line.strip(_SPACE) and _width(line[: len(line) - len(line.lstrip(b" \t"))]) <= head and line[:1] != b"#"
            for line in lines
        )

    def _suite(self, body: Body, items: Sequence[Span], gaps: Sequence[Span], line: int) -> list[Edit]:
        first = self._code(body.start, body.end)[0]
        if b"\n" not in self._data[body.start : first]:
            return [Edit(*gaps[-1], b"; ..." if items else b" ...")]
        base = self._data[self.line_start(first) : first]
        before = self._newline + base
        made: list[Edit] = []
        for (start, end), (item, item_end) in zip(gaps, items, strict=False):
            made.append(Edit(start, end, before, (self.line(item),)))
            made += self._moved(item, item_end, base)
        return [*made, Edit(*gaps[-1], before + b"...", (line,))]

    def _moved(self, start: int, end: int, base: bytes) -> list[Edit]:
        """Decorators and the definition after them, each on a line of the same indentation."""
        made: list[Edit] = []
        lines = self._found.lines
        at = bisect_right(lines, start)
        while self._data[start : start + 1] == b"@" and at < len(lines) and lines[at] < end:
            start, at = lines[at], at + 1
            begin = self.line_start(start)
            if self._data[begin:start] != base and not self._data[begin:start].strip(_SPACE):
                made.append(Edit(begin, start, base))
        return made

    def _braces(self, body: Body, items: Sequence[Span], gaps: Sequence[Span], line: int) -> list[Edit]:
        if not items:
            return [Edit(body.start, body.end, b" " + COMMENT + b" ")]
        made = self._before_items(body, items, gaps)
        inner = self._newline + self._inner_indent(items[-1][0], body)
        outer = self._newline + self._outer_indent(body)
        return [*made, Edit(*gaps[-1], inner + COMMENT + outer, (line, self.line(body.end)))]

    def _until(self, body: Body, items: Sequence[Span], gaps: Sequence[Span], line: int) -> list[Edit]:
        outer = self._newline + self._outer_indent(body)
        lines: tuple[int, ...] = (line, self.line(body.end))
        if items:
            made = self._before_items(body, items, gaps)
            inner = self._newline + self._inner_indent(items[-1][0], body)
            return [*made, Edit(*gaps[-1], inner + HASH + outer, lines)]
        if body.start in self._comment_ends:
            inner = self._newline + self.indent(body.start) + b"  "
            return [Edit(body.start, body.end, inner + HASH + outer, lines)]
        return [Edit(body.start, body.end, b" " + HASH + outer, lines[1:])]

    def _value(self, body: Body, items: Sequence[Span], gaps: Sequence[Span], line: int) -> list[Edit]:
        if not items:
            return [Edit(body.start, body.end, b"{ " + COMMENT + b" }")]
        made = self._before_items(body, items, gaps, b"{")
        inner = self._newline + self._inner_indent(items[-1][0], body)
        outer = self._newline + self.indent(body.scope) + b"}"
        return [*made, Edit(*gaps[-1], inner + COMMENT + outer, (line, self.line(body.end - 1)))]

    def _getter(self, body: Body, *_: object) -> list[Edit]:
        return [Edit(body.start, body.end, b"{ get { " + COMMENT + b" } }")]

    def _lambda(self, body: Body, *_: object) -> list[Edit]:
        return [Edit(body.start, body.end, b"...")]

    def _macro(self, body: Body, *_: object) -> list[Edit]:
        return [Edit(body.start, body.end, COMMENT)]

    def _before_items(
        self, body: Body, items: Sequence[Span], gaps: Sequence[Span], opening: bytes = b""
    ) -> list[Edit]:
        """Each kept item on a line of its own."""
        made: list[Edit] = []
        for (start, end), (item, _) in zip(gaps, items, strict=False):
            text = self._newline + self._inner_indent(item, body)
            made.append(Edit(start, end, text if made else opening + text, (self.line(item),)))
        return made

    def _inner_indent(self, item: int, body: Body) -> bytes:
        """The indentation of a kept item: its own, or one step inside when something stands before it."""
        own = self._data[self.line_start(item) : item]
        return own if not own.strip(_SPACE) else self.indent(body.scope) + b"  "

    def _outer_indent(self, body: Body) -> bytes:
        own = self._data[self.line_start(body.end) : body.end]
        return own if not own.strip(_SPACE) else self.indent(body.scope)


_WRITERS: dict[str, Callable[..., list[Edit]]] = {
    "suite": Hider._suite,
    "braces": Hider._braces,
    "until": Hider._until,
    "value": Hider._value,
    "clause": Hider._value,
    "getter": Hider._getter,
    "lambda": Hider._lambda,
    "macro": Hider._macro,
}


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans joined where they overlap; empty ones (what the parser missed) count one byte."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        end = max(end, start + 1)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _width(indent: bytes) -> int:
    return len(indent.expandtabs(_TAB))

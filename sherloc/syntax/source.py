"""The bytes of a file and what is asked of them: lines, leading comments, text on one line."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from sherloc.syntax.spans import Span

_SPACE = b" \t\r\n\f\v"
_MAX_GAP = 1000
_MAX_ERRORS = 50
_MARK = re.compile(r"\s*(?:/\*[*!]?|\*/|\*(?!\*)|//[/!]?|#+!?|--|=begin|=end)?\s?")
_LAST_MARK = re.compile(r"\s*\*+/\s*$")
_TAG = re.compile(r"^\s*[@\\](?:param|return|throws|brief|since|see|author)|^\s*-{3,}$|^\s*={3,}$")
_ELEMENT = re.compile(r"</?(?:summary|remarks|para|p|pre|ul|li)\s*/?>")
_OPENING = re.compile(r"\w{0,2}(?:\"\"\"|'''|\"|')")
_CLOSING = re.compile(r"(?:\"\"\"|'''|\"|')$")
_LONGEST_CLOSING = 4  # with the line feed that ``$`` allows
_ONE_MORE = (1).__add__


class Source:
    """A file's bytes with its lines, comments and leading nodes (decorators, attributes) at hand.

    Args:
        data: UTF-8.
        comments: Spans of comments, sorted.
        leads: Spans of nodes that belong to the definition after them, sorted.
    """

    def __init__(self, data: bytes, comments: list[Span], leads: list[Span]) -> None:
        self.data = data
        self.newlines = newlines_of(data)
        self._comments = dict(comments)
        self._before = sorted([*comments, *leads], key=lambda span: span[1])
        self._ends = [end for _, end in self._before]
        self._skips = dict(self._before)

    def line(self, position: int) -> int:
        """The 1-based line of a byte."""
        return bisect_left(self.newlines, position) + 1

    def line_start(self, position: int) -> int:
        """The first byte of the line of a byte."""
        index = bisect_left(self.newlines, position)
        return self.newlines[index - 1] + 1 if index else 0

    def text(self, start: int, end: int) -> str:
        """The text of a span, whatever its encoding."""
        return self.data[start:end].decode("utf-8", "replace")

    def trim(self, start: int, end: int) -> int:
        """The end of a span without trailing white space."""
        while end > start and self.data[end - 1] in _SPACE:
            end -= 1
        return end

    def trim_comments(self, start: int, end: int) -> int:
        """The end of a span without the comments that end it."""
        while True:
            end = self.trim(start, end)
            index = bisect_right(self._ends, end) - 1
            if index < 0 or self._ends[index] != end or self._before[index][0] <= start:
                return end
            if self._before[index][0] not in self._comments:
                return end
            end = self._before[index][0]

    def leading(self, start: int) -> tuple[int, list[Span]]:
        """Where a definition begins when what leads up to it counts, and the comments among that.

        Args:
            start: First byte of the definition.
        """
        column = self._column(start)
        comments: list[Span] = []
        index = bisect_right(self._ends, start) - 1
        while index >= 0:
            first, end = self._before[index]
            if start - end > _MAX_GAP or not self._touches(end, start):
                break
            if first in self._comments:
                own = self._column(first)
                if own < 0 or own > column >= 0:
                    break
                comments.append((first, end))
            start = first
            index -= 1
        return start, comments[::-1]

    def head(self, start: int) -> int:
        """Where a definition's own words begin: after decorators, attributes and comments."""
        while True:
            while start < len(self.data) and self.data[start] in _SPACE:
                start += 1
            if start not in self._skips or self._skips[start] <= start:
                return start
            start = self._skips[start]

    def one_line(self, start: int, end: int, limit: int) -> str:
        """A span's text without comments and with white space collapsed.

        Args:
            start: First byte.
            end: The byte after the last.
            limit: At most so many characters.
        """
        end = min(end, start + 8 * limit)
        pieces: list[str] = []
        index = bisect_right(self._ends, start)
        while index < len(self._before) and self._before[index][0] < end:
            first, last = self._before[index]
            if first in self._comments and first >= start:
                pieces.append(self.text(start, first))
                start = last
            index += 1
        pieces.append(self.text(start, max(start, end)))
        return on_one_line(" ".join(pieces))[:limit].strip()

    def _touches(self, end: int, start: int) -> bool:
        gap = self.data[end:start]
        return not gap.strip(_SPACE) and gap.count(b"\n") <= 1

    def _column(self, position: int) -> int:
        """Bytes between a position and its line's start; -1 when something other than space stands there."""
        begin = self.line_start(position)
        if position - begin > _MAX_GAP or self.data[begin:position].strip(_SPACE + b"\xef\xbb\xbf"):
            return -1
        return position - begin


def first_paragraph(text: str, limit: int) -> str:
    """The first paragraph of a docstring or comment on one line, its marks taken off.

    Args:
        text: With its quotes or comment marks.
        limit: At most so many characters.
    """
    found: list[str] = []
    for line in text[: 8 * limit].split("\n"):
        if mark := _MARK.match(line):
            line = line[mark.end() :]
        if "*/" in line:
            line = _LAST_MARK.sub("", line)
        if "<" in line:
            line = _ELEMENT.sub("", line)
        if _TAG.match(line) or not line.strip():
            if found:
                break
            continue
        found.append(line.strip())
    return on_one_line(" ".join(found))[:limit].strip()


def on_one_line(text: str) -> str:
    """A text without white space at its ends, and one space for each other run of it."""
    return " ".join(text.split())


def unquote(text: str) -> str:
    """A string literal without prefix and quotes."""
    opening = _OPENING.match(text)
    text = text[opening.end() :] if opening else text
    closing = _CLOSING.search(text, max(0, len(text) - _LONGEST_CLOSING))
    return text[: closing.start()] + text[closing.end() :] if closing else text


def error_lines(spans: Iterable[Span], newlines: Sequence[int]) -> list[tuple[int, int]]:
    """Lines with syntax errors, 1-based and inclusive, merged, at most 50 ranges.

    Args:
        spans: The errors.
        newlines: Positions of the line feeds.
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        first = bisect_left(newlines, start) + 1
        last = bisect_left(newlines, max(start, end - 1)) + 1
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged[:_MAX_ERRORS]


def newlines_of(data: bytes) -> list[int]:
    """Positions of the line feeds."""
    return list(accumulate(map(_ONE_MORE, map(len, data.split(b"\n"))), initial=-1))[1:-1]


def first_code(source: bytes, position: int, comments: Mapping[int, int]) -> int:
    """The start of the code after a position: white space and comments are passed over.

    Args:
        source: The file.
        position: A byte of it.
        comments: The byte after the last of each, by its first.
    """
    while True:
        while position < len(source) and source[position] in _SPACE:
            position += 1
        if position not in comments:
            return position
        position = comments[position]

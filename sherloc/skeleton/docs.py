"""Documentation outside of bodies: docstrings and comments, whole, their first line, or none."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sherloc.skeleton.edits import Edit
from sherloc.skeleton.hiding import PLACEHOLDERS
from sherloc.syntax import Bodies
from sherloc.syntax.spans import Span

Docs = Literal["all", "first", "none"]

_SPACE = b" \t\r\n\f\v"
_LITERAL = re.compile(rb"^([A-Za-z]{0,2})(\"\"\"|'''|\"|')(.*)\2$", re.DOTALL)
_OPENING = re.compile(rb"^(/\*[*!]?|=begin\b)\s*")
_MARK = re.compile(rb"^(?:\*(?!/)|//[/!]?|#+!?|--)?[ \t]*")
_ELEMENT = re.compile(rb"</?[\w.]+[^<>]*>")
_WORD = re.compile(rb"\w", re.ASCII)
_TEXT = re.compile(rb"[\w\x80-\xff]")


class _Place(NamedTuple):
    """A file and what is at hand about its lines."""

    data: bytes
    found: Bodies

    def whole_lines(self, start: int, end: int) -> Span | None:
        """A span with its indentation and the line end before it; None when something else stands on its lines.

        At the start of the file it is the line end after it.
        """
        begin = self.data.rfind(b"\n", 0, start) + 1
        stop = self.data.find(b"\n", end)
        stop = len(self.data) if stop < 0 else stop
        if self.data[begin:start].strip(_SPACE) or self.data[end:stop].strip(_SPACE):
            return None
        if not begin:
            return 0, min(stop + 1, len(self.data))
        return begin - (2 if self.data[begin - 2 : begin - 1] == b"\r" else 1), end

    def with_comment(self, end: int) -> int:
        """The end of the comment that follows a position on its line, or the position."""
        at = end
        while self.data[at : at + 1] in (b" ", b"\t"):
            at += 1
        number = bisect_left(self.found.comments, (at, 0))
        follows = number < len(self.found.comments) and self.found.comments[number][0] == at
        return self.found.comments[number][1] if follows else end


def shorten(source: bytes, found: Bodies, docs: Docs) -> list[Edit]:
    """The edits that shorten or remove docstrings and comments, wherever they stand; sorted.

    Args:
        source: The file.
        found: Its bodies.
        docs: ``all`` changes nothing. ``first`` keeps the first line of each docstring and of each run of comments that
            have lines of their own. ``none`` keeps none of them, and no comment beside code either.
    """
    if docs == "all":
        return []
    place = _Place(source, found)
    spans = [*found.docs, *found.more_docs] if docs == "none" else found.docs
    edits = [edit for span in spans if (edit := _docstring(place, span, docs)) is not None]
    for run in _runs(place):
        edits += _comments(place, run, docs)
    return _joined(source, sorted(edits, key=lambda edit: (edit.start, -edit.end)))


def _joined(source: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """Without overlaps: what goes at the start of the file takes the line end after it, elsewhere the one before."""
    kept: list[Edit] = []
    for edit in edits:
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
        elif not (edit.text or kept[-1].text):
            end = max(kept[-1].end, edit.end)
            if not kept[-1].start and end == edit.end:
                end = source.find(b"\n", end) + 1 or len(source)
            kept[-1] = Edit(kept[-1].start, end, b"")
    return kept


def _docstring(place: _Place, span: Span, docs: Docs) -> Edit | None:
    start, end = span
    if docs == "none":
        if start in place.found.lone_docs:
            return Edit(start, end, b"...")
        lines = place.whole_lines(start, place.with_comment(end))
        return Edit(*lines, b"") if lines else None
    text = place.data[start:end]
    literal = _LITERAL.match(text)
    if literal is None or b"\n" not in text:
        return None
    prefix, quote, content = literal.groups()
    if quote in content:
        # Several literals that stand together, or an escaped quote: what to cut is not plain.
        return None
    first = next((line.strip() for line in content.split(b"\n") if line.strip(_SPACE + b"\\")), b"")
    first = first.rstrip(b"\\").rstrip()
    if first.endswith(quote[:1]):
        first += b" "
    return Edit(start, end, prefix + quote + first + quote)


def _runs(place: _Place) -> list[list[Span]]:
    """Comments that follow each other on lines of their own; one beside code is a run by itself."""
    runs: list[list[Span]] = []
    follows = False
    for start, end in place.found.comments:
        own = place.whole_lines(start, end) is not None
        gap = place.data[runs[-1][-1][1] : start] if runs else b""
        if follows and own and not gap.strip(_SPACE) and gap.count(b"\n") == 1:
            runs[-1].append((start, end))
        else:
            runs.append([(start, end)])
        follows = own
    return runs


def _comments(place: _Place, run: Sequence[Span], docs: Docs) -> list[Edit]:
    whole = [place.whole_lines(*span) for span in run]
    if docs == "none":
        kept = [_stays(place, span) for span in run]
        return [
            _removed(place, *each) for each, stays in zip(zip(run, whole, strict=True), kept, strict=True) if not stays
        ]
    if whole[0] is None:
        return []
    chosen = next((number for number, span in enumerate(run) if _telling(place.data[slice(*span)])), 0)
    edits = [
        Edit(*lines, b"") for number, lines in enumerate(whole) if number != chosen and lines is not None
        and not _stays(place, run[number])
    ]  # fmt: skip
    start, end = run[chosen]
    text = place.data[start:end]
    if b"\n" in text:
        edits.append(Edit(start, end, _first_of_block(text)))
    return edits


def _removed(place: _Place, span: Span, lines: Span | None) -> Edit:
    if lines is not None:
        return Edit(*lines, b"")
    start, end = span
    if place.data[end : end + 1] in b"\r\n":
        while start and place.data[start - 1] in b" \t":
            start -= 1
        return Edit(start, end, b"")
    # Between words that would grow together.
    return Edit(start, end, b" ")


def _stays(place: _Place, span: Span) -> bool:
    """Whether a comment is the first line of a script, or stands for code."""
    text = place.data[slice(*span)]
    return text in PLACEHOLDERS or (span[0] == 0 and text.startswith(b"#!"))


def _telling(comment: bytes) -> bytes:
    """The first line of a comment that says something, without marks and markup; empty for none."""
    for line in comment.split(b"\n"):
        words = _MARK.sub(b"", _OPENING.sub(b"", line.strip())).removesuffix(b"*/").strip()
        if _TEXT.search(_ELEMENT.sub(b"", words)):
            return words
    return b""


def _first_of_block(text: bytes) -> bytes:
    """A comment of several lines as one of one line."""
    opening = _OPENING.match(text)
    if opening is None or not text.endswith(b"*/"):
        return b"# " + _telling(text) if opening else text
    words = _telling(text)
    return opening.group(1) + b" " + words + b" */" if words else opening.group(1) + b" */"

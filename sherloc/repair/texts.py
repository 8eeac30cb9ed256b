"""The text of a file, and how to write another text in its place so that nothing else about the file changes."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher

from sherloc.indexer.decoding import decode

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_COMPARED = 2_000
MAX_PLACES = 100
"""A text that stands so often in a file is not looked for any further."""
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileText:
    """A text with all that is lost when a model sees it.

    Attributes:
        text: Without byte-order mark. Lines end as they do in the file, except that the lone carriage returns of a file
            that knows no line feed are line feeds here.
        encoding: As Python calls it.
        mark: The byte-order mark, or empty.
        lone_returns: Whether lines end with carriage returns alone.
    """

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    lone_returns: bool = False

    def encode(self, text: str) -> bytes:
        """Another text as this file would hold it.

        Raises:
            UnicodeEncodeError: The encoding has no such character.
        """
        if self.lone_returns:
            text = text.replace("\n", "\r")
        return self.mark + text.encode(self.encoding)


def read_text(data: bytes) -> FileText | None:
    """The text of a file, with the encoding that sherloc reads files in; None when it would not come back the same."""
    _, encoding = decode(data)
    mark = next((each for each in _BOMS if data.startswith(each)), b"")
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        return None
    lone = "\r" in text and "\n" not in text
    return FileText(text.replace("\r", "\n") if lone else text, encoding, mark, lone)


def whole_text(old: str, new: str) -> str:
    """A file's new text as a model sent it, with the line ends and the kind of last line that the file has.

    A text that has carriage returns of its own keeps them, unless it has them everywhere and the file nowhere.

    Args:
        old: The file as it is; not empty.
        new: The text that was sent.
    """
    new = new.removeprefix(BOM)
    if new and old.endswith("\n") and not new.endswith("\n"):
        new += "\r\n" if "\r\n" in new else "\n"
    elif old and not old.endswith("\n") and new.endswith("\n"):
        new = new[:-2] if new.endswith("\r\n") else new[:-1]
    return with_line_ends(old, new, "\r\n" in old)


def with_line_ends(old: str, new: str, returns: bool) -> str:
    """A text with the line ends that stand in the text which it replaces.

    Args:
        old: What is replaced.
        new: What was sent for it.
        returns: Whether lines that are new end with a carriage return and a line feed.

    Complexity: linear, but for texts with both kinds of line ends, whose lines are compared.
    """
    if "\r" in new:
        everywhere = new.count("\r\n") == new.count("\n") == new.count("\r")
        return new.replace("\r\n", "\n") if everywhere and not returns and "\r" not in old else new
    if "\n" not in new:
        return new
    ends = [line.endswith("\r") for line in old.split("\n")[:-1]]
    if all(end == returns for end in ends):
        return new.replace("\n", "\r\n") if returns else new
    return _aligned(old, new, returns)


def _aligned(old: str, new: str, returns: bool) -> str:
    """Lines that stay keep their ends; new ones end as the line before them does."""
    *before, last = old.split("\n")
    bare = [*(line.removesuffix("\r") for line in before), last]
    after = new.split("\n")
    known: dict[int, bool] = {}
    # Long texts of equal lines would take quadratic time; there the lines that stand everywhere are not compared.
    lines = SequenceMatcher(None, bare, after, autojunk=len(after) > _COMPARED)
    for a, b, size in lines.get_matching_blocks():
        known.update({b + i: before[a + i].endswith("\r") for i in range(size) if a + i < len(before)})
    pieces: list[str] = []
    for number, line in enumerate(after[:-1]):
        returns = known.get(number, returns)
        pieces.append(line + ("\r\n" if returns else "\n"))
    return "".join(pieces) + after[-1]


def find_once(text: str, wanted: str) -> tuple[list[tuple[int, int]], bool]:
    """Where a text stands in another, whatever the line ends of both.

    Args:
        text: A file.
        wanted: Not empty.

    Returns:
        Start and end of every place up to ``MAX_PLACES``, and whether the last line feed of ``wanted`` is missing in
        the file, which ends there.
    """
    places = _places(text, wanted)
    if places:
        return [(start, start + len(wanted)) for start in places], False
    plain, plain_wanted = text.replace("\r\n", "\n"), wanted.replace("\r\n", "\n")
    # For each carriage return that was left out: where it was, counted in the plain text.
    returns = [match.start() - number for number, match in enumerate(re.finditer("\r\n", text))]
    short = False
    places = _places(plain, plain_wanted)
    if not places and plain_wanted.endswith("\n") and plain_wanted != "\n" and plain.endswith(plain_wanted[:-1]):
        short = True
        plain_wanted = plain_wanted[:-1]
        places = [len(plain) - len(plain_wanted)]
    found = []
    for start in places:
        end = start + len(plain_wanted)
        # A place that begins at a line's end begins before its carriage return.
        found.append((start + _before(returns, start - 1), end + _before(returns, end - 1)))
    return found, short


def _before(returns: list[int], position: int) -> int:
    return bisect_right(returns, position)


def _places(text: str, wanted: str) -> list[int]:
    """The first places, overlapping ones too."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < MAX_PLACES:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found

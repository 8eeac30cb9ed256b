"""One file to its skeleton."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.skeleton.docs import Docs, shorten
from sherloc.skeleton.edits import apply, covered
from sherloc.skeleton.hiding import Hider
from sherloc.syntax import LANGUAGES, bodies

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A file without the bodies of its functions.

    Attributes:
        text: What is left; lines end with a line feed.
        lines: For each line of ``text`` the line of the file that it shows; for a placeholder on a line of its own the
            first line that it stands for. 1-based, ascending.
        hidden: Lines of the file with code that is not shown, 1-based and inclusive, by start.
        errors: Lines with syntax errors. There are some: then what could be hidden safely was, and the rest is whole.
        reason: Why the file is shown whole: empty, or ``no_grammar``.
        language: What it was read as; empty when it was not.
    """

    text: str
    lines: tuple[int, ...]
    hidden: tuple[Lines, ...] = ()
    errors: tuple[Lines, ...] = ()
    reason: str = ""
    language: str = ""

    @property
    def broken(self) -> bool:
        """Whether the file has syntax errors, so that the skeleton is only the best that could be done."""
        return bool(self.errors)

    def original_line(self, line: int) -> int:
        """The line of the file that a line of the skeleton shows.

        Raises:
            IndexError: The skeleton has no such line.
        """
        if not 1 <= line <= len(self.lines):
            raise IndexError(f"the skeleton has lines 1 to {len(self.lines)}, not {line}")
        return self.lines[line - 1]

    def line_of(self, original: int) -> int:
        """The line of the skeleton that shows a line of the file, or the nearest one before it."""
        return max(1, bisect_right(self.lines, original))

    def numbered(self) -> str:
        """The text with the file's line number before each line: ``  45| def f(...):``."""
        return numbered_text(self.text, self.lines)


def numbered_text(text: str, lines: Sequence[int]) -> str:
    """A text with the file's line number before each of its lines.

    Args:
        text: What is shown of a file.
        lines: For each line of ``text`` the line of the file; 0 for a line that stands for others.
    """
    width = len(str(max(lines, default=1)))
    rows = text.removesuffix("\n").split("\n")
    return "".join(f"{line or '':>{width}}| {row}".rstrip() + "\n" for line, row in zip(lines, rows, strict=False))


def make_skeleton(
    text: str, language: str, *, docs: Docs = "all", attributes: bool = True, whole: Sequence[Lines] = ()
) -> Skeleton:
    r"""The skeleton of a file.

    Bodies of functions, methods, constructors, accessors, named lambdas and static blocks give way to a placeholder;
    definitions inside of them stay. All else stands as it is in the file. Made from a syntax tree; the same text gives
    the same skeleton, the skeleton of a skeleton is itself, and the skeleton of a valid file is valid.

    Args:
        text: The file's text; lines are parted by ``\n``.
        language: One of ``sherloc.syntax.LANGUAGES``; any other gives the text whole, with a reason.
        docs: How much of docstrings and comments stays.
        attributes: Whether statements of constructors that set attributes stay.
        whole: Lines of the file, 1-based and inclusive, inside of which nothing is hidden.

    Raises:
        GrammarUnavailable: The grammar's package is missing.

    Complexity: n log n in the number of functions, linear in the bytes.
    """
    source = text.encode("utf-8", "surrogatepass")
    if language not in LANGUAGES:
        count = text.count("\n") + (not text.endswith("\n") and bool(text))
        return Skeleton(text, tuple(range(1, count + 1)), reason="no_grammar")
    found = bodies(language, source)
    hider = Hider(source, found, docs=docs != "none", attributes=attributes, whole=whole)
    edits = hider.edits()
    starts = [edit.start for edit in edits]
    extra = [
        edit
        for edit in shorten(source, found, docs)
        if not covered(edits, starts, edit.start, edit.end)
        and not any(first <= hider.line(edit.end) <= last for first, last in whole)
    ]
    made, lines = apply(source, found.newlines, sorted([*edits, *extra], key=lambda edit: edit.start))
    result = made.decode("utf-8", "surrogatepass")
    if result.endswith("\n") or not result:
        lines = lines[:-1]
    return Skeleton(result, lines, tuple(hider.hidden), tuple(found.error_lines), language=language)

"""Which strings of a Python file are docstrings.

A query could say it, but patterns for what a block begins with take longer to compile than a file to parse.
"""

from __future__ import annotations

from collections.abc import Iterable

from sherloc.syntax.source import first_code
from sherloc.syntax.spans import Captures, Span


def docstrings(found: Captures, blocks: Iterable[Span], source: bytes) -> list[Span]:
    """Of the strings that are statements those that a module or block begins with, comments passed over.

    Args:
        found: Its captures ``loose`` (strings) and ``comment`` are used.
        blocks: Bodies of functions and classes.
        source: The file.

    Complexity: linear in the strings, blocks and comments.
    """
    comments = dict(found.get("comment", ()))
    ends: dict[int, int] = {}
    for start, end in (*blocks, (0, len(source))):
        first = first_code(source, start, comments)
        ends[first] = max(end, ends.get(first, 0))
    return [span for span in found.get("loose", ()) if span[1] <= ends.get(span[0], 0)]

"""Pieces of code as prompts show them: an id that a model can copy, and numbered lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from sherloc.schema.issue import Issue
from sherloc.schema.snippet import Snippet

NO_DESCRIPTION = "(no description)"
LONGEST_TEXT = 600
"""Characters of what a model says that are kept of one field."""

_LONGEST_LINE = 300
_SHORTEST_ID = 4
_ID = re.compile(r"p-[0-9a-f]{4,64}", re.I)


def one_line(text: str, most: int = LONGEST_TEXT) -> str:
    """A model's prose on one line, cut when it is long.

    Args:
        text: As the model wrote it.
        most: At most so many characters.
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def piece_ids(snippets: Sequence[Snippet]) -> list[str]:
    """An id a snippet, in the same order; all differ, and none tells its place in the list.

    Args:
        snippets: Different ones.
    """
    digests = [_digest(snippet) for snippet in snippets]
    length = _SHORTEST_ID
    while len({digest[:length] for digest in digests}) < len(set(digests)):
        length += 1
    return [f"p-{digest[:length]}" for digest in digests]


def bare_id(text: str) -> str:
    """The id that a model copied, without what it put around it.

    >>> bare_id("Piece [P-12AB]:"), bare_id(" x ")
    ('p-12ab', 'x')
    """
    found = _ID.findall(text)
    return found[0].lower() if len(found) == 1 else text.strip()


def _digest(snippet: Snippet) -> str:
    key = f"{snippet.path}\0{snippet.qualified_name}\0{snippet.start_line}\0{snippet.end_line}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def place_of(snippet: Snippet) -> str:
    """Where a snippet stands, on one line."""
    name = f"::{snippet.qualified_name}" if snippet.qualified_name else " (module code)"
    return f"{snippet.path}{name} [{snippet.kind}]"


def numbered(
    lines: Sequence[str], first: int, last: int, *, base: int = 0, hidden: Sequence[tuple[int, int]] = (), most: int = 0
) -> str:
    """Lines of a file as a prompt shows them.

    Args:
        lines: All lines of the file.
        first: First line to show, 1-based.
        last: Last one, inclusive.
        base: Subtracted from the numbers that are shown; ``first - 1`` makes them count from 1.
        hidden: Ranges of lines that are left out, ascending and apart.
        most: At most so many lines; 0 is all.
    """
    shown: list[str] = []
    number, last = first, min(last, len(lines))
    while number <= last:
        inside = next((end for start, end in hidden if start <= number <= end), None)
        if inside is not None:
            shown.append("    | ...")
            number = inside + 1
            continue
        if most and len(shown) >= most:
            shown.append(f"    | ... ({last - number + 1} more lines)")
            break
        line = lines[number - 1].rstrip("\r\n")
        shown.append(f"{number - base:>4}| {line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + '…'}")
        number += 1
    return "\n".join(shown)


def issue_text(issue: Issue, most: int) -> str:
    """An issue as prompts show it: summary, description, comments.

    Args:
        issue: The issue.
        most: At most about so many characters; of a longer one the begin and the end stay.
    """
    short = issue.shortened(most)
    parts = [f"Summary: {short.title or NO_DESCRIPTION}", f"Description:\n{short.body.strip() or NO_DESCRIPTION}"]
    parts += [f"Comment:\n{comment.strip()}" for comment in short.comments if comment.strip()]
    return "\n\n".join(parts)

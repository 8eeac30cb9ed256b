"""The exact source of a definition, found by name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sherloc.errors import UsageError
from sherloc.syntax import Definition, outline

_JOINTS = re.compile(r"::|[.#]")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A definition as the file has it.

    Attributes:
        qualified_name: As users of the language write it.
        kind: ``function``, ``method`` or ``class``.
        start_line: First line, decorators and leading comments included. 1-based.
        end_line: Last line, inclusive.
        text: These lines, exactly, without the last one's end.
    """

    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    text: str


def expand(text: str, language: str, symbol: str) -> tuple[Expanded, ...]:
    """All definitions that a name means, in order.

    Args:
        text: The file's text.
        language: One of ``sherloc.syntax.LANGUAGES``.
        symbol: A qualified name or its end: ``Basket.total``, ``total``; ``.``, ``::`` and ``#`` all part names.

    Raises:
        UsageError: The file defines nothing of that name; the message names what is near.
        GrammarUnavailable: The grammar's package is missing.
    """
    found = definitions(text, language)
    wanted = _JOINTS.split(symbol.strip())
    chosen = [d for d in found if _JOINTS.split(d.qualified_name)[-len(wanted) :] == wanted]
    exact = [d for d in chosen if _JOINTS.split(d.qualified_name) == wanted]
    if not chosen:
        from difflib import get_close_matches

        names = list(dict.fromkeys(d.qualified_name for d in found))
        near = get_close_matches(symbol, names, n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(near)}?" if near else f"It defines {', '.join(names[:8]) or 'nothing'}."
        raise UsageError(f"The file defines no {symbol!r}.", hint=hint)
    lines = text.split("\n")
    return tuple(
        Expanded(d.qualified_name, d.kind, d.start_line, d.end_line, "\n".join(lines[d.start_line - 1 : d.end_line]))
        for d in exact or chosen
    )


def definitions(text: str, language: str) -> list[Definition]:
    """What a file defines, by start, then longest first."""
    return outline(language, text.encode("utf-8", "surrogatepass")).definitions

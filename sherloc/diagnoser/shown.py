"""Snippets as the diagnoser shows them to a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sherloc.llm.material import Part, numbered_places
from sherloc.llm.pieces import numbered, piece_ids, place_of
from sherloc.schema.snippet import Snippet
from sherloc.tokens import estimate_tokens

Hidden = Callable[[Snippet], Sequence[tuple[int, int]]]
"""Ranges of lines of a snippet that belong to other snippets: the methods of a class, the functions of a module."""


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A snippet ready for a prompt.

    Attributes:
        id: What the model calls it.
        snippet: What it is.
        lines: All lines of its file.
        text: Its place and its lines, numbered from 1.
        digest: Hash of that text, without the numbers of the file's lines: the same code elsewhere in the file has the
            same.
    """

    id: str
    snippet: Snippet
    lines: Sequence[str]
    text: str
    digest: str

    @property
    def part(self) -> Part:
        """As material."""
        path = self.snippet.path
        return Part(
            f"Piece [{self.id}]:", self.text, path, numbered_places(self.text, path, self.snippet.start_line - 1)
        )

    @property
    def tokens(self) -> int:
        """About how long it is."""
        return estimate_tokens(self.text)


def shown_pieces(
    snippets: Sequence[Snippet], texts: Sequence[str | None], hidden: Hidden, most_lines: int
) -> list[ShownPiece | None]:
    """Snippets as prompts show them, in their order; None where the text of the file is not at hand.

    Args:
        snippets: Different ones.
        texts: The text of each one's file.
        hidden: What is left out of each.
        most_lines: Of a longer one the begin is shown.
    """
    found: list[ShownPiece | None] = []
    for name, snippet, text in zip(piece_ids(snippets), snippets, texts, strict=True):
        if text is None:
            found.append(None)
            continue
        lines = text.split("\n")
        code = numbered(
            lines, snippet.start_line, snippet.end_line, base=snippet.start_line - 1, hidden=hidden(snippet),
            most=most_lines,
        )  # fmt: skip
        shown = f"{place_of(snippet)}\n{code}"
        digest = hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()
        found.append(ShownPiece(name, snippet, lines, shown, digest))
    return found


def batches(pieces: Sequence[ShownPiece], count: int, tokens: int) -> list[list[ShownPiece]]:
    """Pieces parted into calls, in their order: at most so many each, and of so many tokens (one may be longer)."""
    parted: list[list[ShownPiece]] = []
    used = 0
    for piece in pieces:
        if not parted or len(parted[-1]) >= count or used + piece.tokens > tokens:
            parted.append([])
            used = 0
        parted[-1].append(piece)
        used += piece.tokens
    return parted

"""The cheap first look: a small model says which pieces deserve a dear one's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sherloc.diagnoser.replies import FilterReply
from sherloc.diagnoser.shown import Hidden, ShownPiece, batches, shown_pieces
from sherloc.llm.material import Part
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, Question
from sherloc.schema.report import Diagnostic
from sherloc.schema.snippet import Snippet

_PIECES_A_CALL = 10
_TOKENS_A_CALL = 6_000
_LINES = 40
_TOKENS_A_PIECE = 30
_REPLY_BASE = 100


def let_through(
    asker: Asker, issue: str, snippets: Sequence[Snippet], sources: Mapping[str, str], hidden: Hidden, *, always: int
) -> tuple[list[bool], tuple[Diagnostic, ...]]:
    """Which snippets to diagnose. What the model does not judge, or cannot be read, is let through.

    Args:
        asker: Asks the role ``filter``.
        issue: As the prompt shows it.
        snippets: Best first.
        sources: Path to text.
        hidden: What of a snippet's lines belongs to others.
        always: So many of the first pass in any case; a model that refuses all of the rest is not heard.
    """
    pieces = shown_pieces(snippets, [sources.get(s.path) for s in snippets], hidden, _LINES)
    shown = [piece for at, piece in enumerate(pieces) if piece is not None and at >= always]
    parted = batches(shown, _PIECES_A_CALL, _TOKENS_A_CALL)
    refused: set[str] = set()
    notes: list[Diagnostic] = []
    for answer in asker.ask_all([_question(issue, batch) for batch in parted]):
        notes += answer.notes
        if answer.value is not None:
            refused |= {verdict.id for verdict in answer.value.pieces if not verdict.relevant}
    if shown and refused >= {piece.id for piece in shown}:
        refused = set()
        notes.append(
            Diagnostic(
                code="filter_ignored",
                severity="info",
                message="The filter model refused every piece; it was not heard.",
            )
        )
    return [piece is None or at < always or piece.id not in refused for at, piece in enumerate(pieces)], tuple(notes)


def _question(issue: str, pieces: Sequence[ShownPiece]) -> Question[FilterReply]:
    return Question(
        "filter", load_prompt("filter"), (Part("The issue:", issue), *(piece.part for piece in pieces)), FilterReply,
        _REPLY_BASE + _TOKENS_A_PIECE * len(pieces),
    )  # fmt: skip

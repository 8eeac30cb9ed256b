"""The outline of a source file: definitions, references, and what is not code. The only room that knows tree-sitter."""

from __future__ import annotations

from sherloc.syntax.bodies import Bodies, Body, bodies
from sherloc.syntax.grammars import LANGUAGES, GrammarUnavailable, available
from sherloc.syntax.outline import Definition, Outline, Reference, Zone, outline

__all__ = [
    "LANGUAGES",
    "Bodies",
    "Body",
    "Definition",
    "GrammarUnavailable",
    "Outline",
    "Reference",
    "Zone",
    "available",
    "bodies",
    "outline",
]

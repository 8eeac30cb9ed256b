"""The outline of a source file: definitions, references, and what is not code. The only room that knows tree-sitter."""

from __future__ import annotations

from sherloc.syntax.grammars import LANGUAGES, GrammarUnavailable, available
from sherloc.syntax.outline import Definition, Outline, Reference, Zone, outline

__all__ = [
    "LANGUAGES",
    "Definition",
    "GrammarUnavailable",
    "Outline",
    "Reference",
    "Zone",
    "available",
    "outline",
]

"""What a sample of a language holds, and what its outline must be."""

from __future__ import annotations

from dataclasses import dataclass, field

Entry = tuple[str, str, int, int]
"""Kind, qualified name, first and last line."""


@dataclass(frozen=True)
class Sample:
    """A source and its outline.

    Attributes:
        language: One of ``LANGUAGES``.
        source: Begins with the text of line 1.
        definitions: All of them, in order.
        details: By qualified name; of an overloaded name the last one counts.
        bases: By qualified name.
        signatures: By qualified name.
        docstrings: By qualified name.
        references: All of them that are calls, imports or raises: kind, name, alias, line, owner. Empty: not looked at.
        zones: Kind and text of some zones.
        no_zones: Words of the source that are code.
    """

    language: str
    source: str
    definitions: list[Entry]
    details: dict[str, str] = field(default_factory=dict)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    docstrings: dict[str, str] = field(default_factory=dict)
    references: list[tuple[str, str, str, int, str]] = field(default_factory=list)
    zones: list[tuple[str, str]] = field(default_factory=list)
    no_zones: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The source as the library takes it."""
        return self.source.encode()

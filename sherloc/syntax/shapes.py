"""What an outline is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Definition:
    """A function, method or class-like thing and where it stands.

    Attributes:
        kind: ``function``, ``method`` or ``class``.
        detail: What the language calls it: ``function``, ``method``, ``constructor``, ``getter``, ``interface``,
            ``struct``, ``enum``, ``trait``, ``namespace``, ``macro``, ``type``, ``declaration`` (no body) ...
        name: Short name.
        qualified_name: As users of the language write it.
        start_line: First line, 1-based; decorators, annotations and directly preceding comments are inside.
        end_line: Last line, inclusive.
        start_byte: First byte of the same span.
        end_byte: The byte after its last.
        name_line: The line on which the name stands, 1-based.
        body_start_byte: First byte of the body; ``end_byte`` when there is none.
        signature: The head on one line without decorators and body, at most 300 characters.
        docstring: First paragraph of the docstring or of the leading comment, at most 400 characters.
        bases: Base classes, interfaces and embedded types as written, without type arguments.
        parent: Index of the enclosing definition, or -1.
    """

    kind: str
    detail: str
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    name_line: int
    body_start_byte: int
    signature: str
    docstring: str
    bases: tuple[str, ...]
    parent: int


@dataclass(slots=True)
class Reference:
    """A place where something defined elsewhere is used.

    Attributes:
        kind: ``call``, ``import``, ``raise`` or ``decorator``.
        name: Dotted where the source is (``self.query.get_x``), at most the last four parts. For an import the module
            and, after a dot (or what the language writes), the imported name; the whole module is ``module.*`` in
            JavaScript and only ``module`` elsewhere.
        alias: For an import the words by which the code then says it (``import a.b`` gives ``a.b``), ``*`` when all
            names of a module are brought in, empty when none is.
        line: 1-based.
        owner: Index of the innermost definition around it, or -1.
    """

    kind: str
    name: str
    alias: str
    line: int
    owner: int


@dataclass(slots=True)
class Zone:
    """A run of bytes that is not code words.

    Attributes:
        start_byte: Its first byte.
        end_byte: The byte after its last.
        kind: ``comment``, ``docstring`` or ``string``; quotes and interpolated code are not part of a string's zone.
    """

    start_byte: int
    end_byte: int
    kind: str


@dataclass(slots=True)
class Outline:
    """What a file defines, uses and says.

    Attributes:
        definitions: By start, then longest first.
        references: By position.
        zones: By position, not overlapping.
        errors: Line ranges of syntax errors, 1-based and inclusive, merged, at most 50.
    """

    definitions: list[Definition]
    references: list[Reference]
    zones: list[Zone]
    errors: list[tuple[int, int]]

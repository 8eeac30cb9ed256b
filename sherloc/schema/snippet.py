"""The snippet: the piece of code that everything else talks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SnippetKind = Literal["function", "method", "class", "module", "block"]
"""function and method: whole definitions. class: a class-like thing without its methods. module: code outside
of all definitions. block: a part of an over-long function, whose name it keeps."""

Partition = Literal["code", "test", "config", "template", "docs", "other"]
"""What a file is for. Only ``code`` files are parsed into snippets unless tests are asked for."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code at a place.

    Attributes:
        path: POSIX, relative to the repository's root.
        qualified_name: As users of the language write it, without the path (``Class.method``,
            ``ns::Type::method``, ``Module::Class#method``); empty for module code.
        kind: See ``SnippetKind``.
        start_line: First line, 1-based, decorators and leading comments included.
        end_line: Last line, 1-based, inclusive.
        signature: The definition's head on one line, without its body; empty for module code.
        docstring: The first paragraph of its documentation, or empty.
        language: For example ``python``.
        content_id: Hash of the file's content that the lines belong to (git's blob id).
    """

    path: str
    qualified_name: str
    kind: SnippetKind
    start_line: int
    end_line: int
    signature: str = ""
    docstring: str = ""
    language: str = ""
    content_id: str = ""

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        name = self.qualified_name
        for separator in ("::", "#", "."):
            name = name.rsplit(separator, 1)[-1]
        return name

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.end_line - self.start_line + 1

    @property
    def is_function(self) -> bool:
        """Whether it is a whole function or method."""
        return self.kind in ("function", "method")

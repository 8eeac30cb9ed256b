"""Grammars and queries, each loaded when its language is first met; the one module that imports tree-sitter.

Nodes never leave this module: a capture is the pair of its first byte and the byte after its last.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from sherloc.errors import MissingExtraError, UsageError
from sherloc.syntax.recovery import piece_by_piece
from sherloc.syntax.spans import Captures, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Range

Purpose = Literal["outline", "bodies", "usages"]
"""Which query is run; those of the outline stand in the folder of all queries, others in one of their own."""

# Language -> module of the grammar, its function, and the query files that are read one after another.
_GRAMMARS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "python": ("tree_sitter_python", "language", ("python",)),
    "javascript": ("tree_sitter_javascript", "language", ("ecmascript", "javascript", "jsx")),
    "typescript": ("tree_sitter_typescript", "language_typescript", ("ecmascript", "typescript")),
    "tsx": ("tree_sitter_typescript", "language_tsx", ("ecmascript", "typescript", "jsx")),
    "java": ("tree_sitter_java", "language", ("java",)),
    "go": ("tree_sitter_go", "language", ("go",)),
    "rust": ("tree_sitter_rust", "language", ("rust",)),
    "c": ("tree_sitter_c", "language", ("c",)),
    "cpp": ("tree_sitter_cpp", "language", ("c", "cpp")),
    "ruby": ("tree_sitter_ruby", "language", ("ruby",)),
    "php": ("tree_sitter_php", "language_php", ("php",)),
    "kotlin": ("tree_sitter_kotlin", "language", ("kotlin",)),
    "csharp": ("tree_sitter_c_sharp", "language", ("csharp",)),
}

# The cursor compares every open pattern with every node: without a bound, 20,000 chained calls take minutes.
_MAX_DEPTH = 1000

# More tokens than this directly inside of one syntax error, and the file is not looked into.
_MAX_LOOSE = 20_000

LANGUAGES: tuple[str, ...] = tuple(_GRAMMARS)

_FOLDERS: dict[Purpose, tuple[str, ...]] = {"outline": (), "bodies": ("bodies",), "usages": ("usages",)}
_COUNTED: dict[Purpose, str] = {"outline": "def.", "bodies": "keep", "usages": "bound"}
"""The captures that stand for definitions, of which a piecewise reading must not find fewer."""


class GrammarUnavailable(MissingExtraError):
    """The package with a language's grammar is not installed or cannot be loaded.

    Args:
        language: The language whose grammar is missing.
        package: The distribution that brings it.
    """

    def __init__(self, language: str, package: str) -> None:
        super().__init__(package, "", f"Parsing {language}")
        self.language = language
        self.hint = f"Install it with: pip install {package}"


def available(language: str) -> bool:
    """Whether tree-sitter and the grammar of a language are installed; loads neither.

    Args:
        language: One of ``LANGUAGES``; any other name gives False.
    """
    entry = _GRAMMARS.get(language)
    return entry is not None and find_spec("tree_sitter") is not None and find_spec(entry[0]) is not None


def captures(language: str, source: bytes, purpose: Purpose = "outline") -> Captures:
    """Parse a source and run one of its language's queries.

    Args:
        language: One of ``LANGUAGES``.
        source: UTF-8; anything else is parsed as well as it can be.
        purpose: Which query.

    Returns:
        For every capture name of the query the byte spans of its nodes, in the order of the source. Of rubble only one
        ``error`` over everything.

    Raises:
        GrammarUnavailable: The grammar's package is missing.
        UsageError: The language is not one of ``LANGUAGES``.
    """
    tree_sitter, grammar = _load(language)
    query = _query(language, purpose)
    parser = tree_sitter.Parser(grammar)
    size = len(source)
    if language == "kotlin" and not source.endswith(b"\n"):
        # The grammar goes astray in what no line feed follows; of an annotation there it never comes back.
        source += b"\n"

    def run(piece: Span | None) -> Captures:
        if piece:
            parser.included_ranges = _ranges(tree_sitter, language, source, piece)
        # No progress_callback: parse crashes with it in tree-sitter 0.25.2, QueryCursor.captures in 0.26.1.
        root = parser.parse(source).root_node
        if root.has_error and _is_rubble(root):
            return {"error": [(root.start_byte, root.end_byte)]}
        cursor = tree_sitter.QueryCursor(query)
        cursor.set_max_start_depth(_MAX_DEPTH)
        found = cursor.captures(root)
        # The binding gives nodes that begin at one byte in any order. What a condition alone needs is no capture.
        names = sorted(name for name in found if not name.startswith("_"))
        spans = {name: sorted([(node.start_byte, node.end_byte) for node in found[name]]) for name in names}
        return spans if len(source) == size else _within(spans, size)

    whole = run(None)
    return piece_by_piece(language, source, whole, run, _COUNTED[purpose]) if "error" in whole else whole


def _within(found: Captures, size: int) -> Captures:
    """Spans without what was added to the end of the source."""
    return {name: sorted((min(start, size), min(end, size)) for start, end in spans) for name, spans in found.items()}


def _ranges(tree_sitter: ModuleType, language: str, source: bytes, piece: Span) -> list[Range]:
    """A piece of a file as the parser wants it; one of PHP goes with the tag that opened the code."""
    spans = [piece]
    tag = source.find(b"<?php") if language == "php" else -1
    if tag >= 0 and tag + 6 <= piece[0]:
        spans.insert(0, (tag, tag + 6))
    # Lines are counted from bytes here, so that the parser's own count of them may be anything.
    return [tree_sitter.Range((0, start), (0, end), start, end) for start, end in spans]


def _is_rubble(root: Node) -> bool:
    """Whether the parser found next to nothing but loose tokens; the query's time grows with their square."""
    nodes = [root, *root.children] if root.child_count < _MAX_LOOSE else [root]
    return any(node.is_error and node.child_count > _MAX_LOOSE for node in nodes)


@cache
def _load(language: str) -> tuple[ModuleType, Language]:
    if language not in _GRAMMARS:
        raise UsageError(f"There is no grammar for {language!r}.", hint=f"Known languages: {', '.join(LANGUAGES)}")
    module, function, _ = _GRAMMARS[language]
    try:
        import tree_sitter

        grammar = tree_sitter.Language(getattr(importlib.import_module(module), function)())
    except (ImportError, AttributeError, ValueError) as error:
        raise GrammarUnavailable(language, module.replace("_", "-")) from error
    return tree_sitter, grammar


@cache
def _query(language: str, purpose: Purpose) -> Query:
    tree_sitter, grammar = _load(language)
    text = "\n".join(_query_text("/".join(("queries", *_FOLDERS[purpose], name))) for name in _GRAMMARS[language][2])
    query: Query = tree_sitter.Query(grammar, text)
    return query


def _query_text(path: str) -> str:
    """A query file, or nothing where a language has none of its own; importlib.resources is slow to load."""
    try:
        data = pkgutil.get_data("sherloc.syntax", f"{path}.scm")
    except FileNotFoundError:
        return ""
    return (data or b"").decode("utf-8")

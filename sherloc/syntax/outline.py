"""The outline of one file: parse, query, nest, name. Nothing here walks the tree or calls itself."""

from __future__ import annotations

from sherloc.syntax.docstrings import docstrings
from sherloc.syntax.grammars import captures
from sherloc.syntax.names import name_all
from sherloc.syntax.nesting import Raw, nest
from sherloc.syntax.profiles import PROFILES, Profile
from sherloc.syntax.references import references
from sherloc.syntax.shapes import Definition, Outline, Reference, Zone
from sherloc.syntax.source import Source, error_lines, first_paragraph, unquote
from sherloc.syntax.spans import Captures, Span

__all__ = ["Definition", "Outline", "Reference", "Zone", "outline"]

_MAX_SIGNATURE = 300
_MAX_DOCSTRING = 400
_MAX_BASE = 120


def outline(language: str, source: bytes) -> Outline:
    """What a file defines, what it refers to, and what of it is not code.

    Args:
        language: One of ``LANGUAGES``.
        source: UTF-8. Lines end with a line feed and nothing else.

    Returns:
        The outline; what stands outside of a syntax error is there.

    Raises:
        GrammarUnavailable: The grammar's package is missing.
        UsageError: The language is not one of ``LANGUAGES``.
    """
    found = captures(language, source)
    if "loose" in found:
        found["docstring"] = docstrings(found, found.get("body", ()), source)
    profile = PROFILES[language]
    comments = [(start, _line_end(source, start, end)) for start, end in found.get("comment", ())]
    text = Source(source, comments, found.get("lead", []))
    raws = nest(found, source)
    name_all(raws, text, language, profile)
    definitions = _definitions(raws, text, profile)
    return Outline(
        definitions,
        references(found, text, language, definitions),
        _zones(found, comments),
        error_lines(found.get("error", ()), text.newlines),
    )


def _line_end(source: bytes, start: int, end: int) -> int:
    """Some grammars count the line feed as part of a line comment."""
    while end > start and source[end - 1] in b"\r\n":
        end -= 1
    return end


def _definitions(raws: list[Raw], source: Source, profile: Profile) -> list[Definition]:
    kept: list[tuple[int, int, Raw, list[Span]]] = []
    for raw in raws:
        if raw.kind == "scope" or not raw.short:
            continue
        start, comments = source.leading(raw.start)
        end = source.trim_comments(raw.start, raw.end) if profile.indented else source.trim(raw.start, raw.end)
        kept.append((start, -end, raw, comments))
    kept.sort(key=lambda item: item[:2])
    for index, item in enumerate(kept):
        item[2].index = index
    return [_definition(raw, start, -end, comments, source) for start, end, raw, comments in kept]


def _definition(raw: Raw, start: int, end: int, comments: list[Span], source: Source) -> Definition:
    body = min(raw.parts["body"][0], end) if "body" in raw.parts else end
    outer = raw.parent
    while outer is not None and outer.index < 0:
        outer = outer.parent
    return Definition(
        kind=raw.kind,
        detail=raw.detail,
        name=raw.short,
        qualified_name=raw.path,
        start_line=source.line(start),
        end_line=source.line(end - 1),
        start_byte=start,
        end_byte=end,
        name_line=source.line(raw.parts["name"][0]),
        body_start_byte=body,
        signature=source.one_line(source.head(raw.start), body, _MAX_SIGNATURE).rstrip(":;{ "),
        docstring=_docstring(raw, comments, source),
        bases=tuple(dict.fromkeys(filter(None, (_base(source.text(*span)) for span in raw.bases))))
        if raw.bases
        else (),
        parent=outer.index if outer else -1,
    )


def _docstring(raw: Raw, comments: list[Span], source: Source) -> str:
    if "docstring" in raw.parts:
        start, end = raw.parts["docstring"]
        return first_paragraph(unquote(source.text(start, end)), _MAX_DOCSTRING)
    if comments:
        text = "\n".join(source.text(start, end) for start, end in comments[:60])
        return first_paragraph(text, _MAX_DOCSTRING)
    return ""


def _base(text: str) -> str:
    for mark in "<[(":
        text = text.split(mark, 1)[0]
    return "".join(text.split())[:_MAX_BASE]


def _zones(found: Captures, comments: list[Span]) -> list[Zone]:
    spans = [(start, -end, "comment") for start, end in comments]
    for kind in ("docstring", "string"):
        spans += [(start, -end, kind) for start, end in found.get(kind, ())]
    spans.sort()
    zones: list[Zone] = []
    last = 0
    for start, end, kind in spans:
        if start >= last and -end > start:
            zones.append(Zone(start, -end, kind))
            last = -end
    return zones

"""Code that a generator asked to see: found in the base, checked, and added to what it is shown."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from sherloc.errors import UnsafePathError, UsageError
from sherloc.llm import is_secret_file
from sherloc.paths import KnownPaths, check_path, nearest_paths
from sherloc.printable import printable
from sherloc.protocols import PatchRequest
from sherloc.repair.workshop import Workshop
from sherloc.skeleton import language_of
from sherloc.skeleton.context import Part
from sherloc.skeleton.document import block
from sherloc.skeleton.expand import expand
from sherloc.syntax import LANGUAGES
from sherloc.tokens import get_tokenizer

_MOST_NAMES = 12
_LONGEST_NAME = 300


def with_needed(request: PatchRequest, names: tuple[str, ...], base: Workshop, budget: int) -> PatchRequest | None:
    """The request with the code that was asked for, or None when nothing was asked for.

    What does not exist is said in the context, with what is near; so is what has no room.

    Args:
        request: As it was answered.
        names: ``path`` or ``path:qualified.name``; untrusted.
        base: Holds the revision.
        budget: Of the added code. Tokens (estimated).
    """
    found = [_find(name, base) for name in names[:_MOST_NAMES]]
    parts: list[Part] = []
    notes = [each.note for each in found if each.note]
    tokenizer = get_tokenizer()
    for each in found:
        for part in each.parts:
            cost = tokenizer.count(block(part, numbered=True)) + 1
            if cost > budget:
                notes.append(f"{part.title} has no room; ask for single functions of it, as {part.path}:NAME.")
                continue
            budget -= cost
            parts.append(part)
    if not parts and not notes:
        return None
    shown = "\n\n".join(block(part, numbered=True) for part in parts)
    told = "\n".join(f"- {note}" for note in notes)
    context = "\n\n".join(filter(None, (request.context, "## What you asked for", shown, told)))
    sources = {**request.sources, **{part.path: base.sources[part.path] for part in parts}}
    return dataclasses.replace(request, context=context, sources=sources, previous="", problems=())


@dataclass(frozen=True, slots=True)
class _Found:
    """What a name means: pieces of code, or why there are none."""

    parts: tuple[Part, ...] = ()
    note: str = ""


def _find(name: str, base: Workshop) -> _Found:
    name = name.strip().strip("`")[:_LONGEST_NAME]
    shown = printable(name)
    path, symbol = _parted(name, base)
    try:
        path = check_path(path, KnownPaths.of(base.tree))
    except UnsafePathError as error:
        return _Found(note=f"{shown}: {error.message} {error.hint}".strip())
    text = base.sources.get(path)
    if text is None or is_secret_file(path):
        near = " or ".join(nearest_paths(path, (entry.path for entry in base.tree.entries), 2)) if text is None else ""
        hint = f" Did you mean {near}?" if near else ""
        return _Found(note=f"{shown}: there is no such file, or it is not shown.{hint}")
    language = language_of(path, text[:200].encode("utf-8", "surrogatepass"))
    if not symbol:
        count = text.count("\n") + (not text.endswith("\n") and bool(text))
        return _Found(
            (Part("changed", path, f"{path} (whole)", text, language, "whole", 0, tuple(range(1, count + 1))),)
        )
    try:
        definitions = expand(text, language, symbol) if language in LANGUAGES else ()
    except UsageError as error:
        return _Found(note=f"{shown}: {error.message} {error.hint}".strip())
    if not definitions:
        return _Found(note=f"{shown}: names are not known in that file; ask for the whole file.")
    return _Found(
        tuple(
            Part("changed", path, f"{path}: {each.qualified_name}", each.text, language, "part", 0,
                 tuple(range(each.start_line, each.end_line + 1)))
            for each in definitions
        )
    )  # fmt: skip


def _parted(name: str, base: Workshop) -> tuple[str, str]:
    """Path and symbol; a colon may stand in a path that exists."""
    if name in base.sources or ":" not in name:
        return name, ""
    path, _, symbol = name.partition(":")
    return path, symbol.strip(": ()")

"""Short and qualified names, kinds and details."""

from __future__ import annotations

from sherloc.syntax.nesting import Raw
from sherloc.syntax.profiles import Profile
from sherloc.syntax.source import Source

_OPEN = frozenset({"namespace", "module"})


def name_all(raws: list[Raw], source: Source, profile: Profile) -> None:
    """Give every definition its short name, path, kind and detail; parents come first.

    Args:
        raws: As ``nest`` gives them.
        source: The file.
        profile: The language's ways.
    """
    for raw in raws:
        outer = raw.parent
        prefix = outer.path if outer else ""
        span = raw.parts.get("name")
        if span is None:
            raw.path = prefix
            continue
        written = source.text(*span)
        raw.path = f"{prefix}{profile.separator}{written}" if prefix else written
        raw.short = written
        _classify(raw, profile)


def _classify(raw: Raw, profile: Profile) -> None:
    outer = raw.parent
    if raw.kind == "function" and outer and outer.kind in ("class", "scope") and outer.detail not in _OPEN:
        raw.kind = "method"
        if raw.detail == "function":
            raw.detail = "method"
    if raw.kind == "method" and raw.detail == "method" and raw.short in profile.constructors:
        raw.detail = "constructor"

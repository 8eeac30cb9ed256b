"""Finds the lines of a text or a diff that read like instructions."""

from __future__ import annotations

from collections.abc import Sequence

from sherloc.boundary.diffs import DiffLine, read_diff
from sherloc.boundary.hits import Hit, shown
from sherloc.boundary.matching import find
from sherloc.boundary.rules import RULE_NAMES


def scan(text: str, path: str | None = None) -> list[Hit]:
    """Lines of a text that direct who reads it, or hide characters.

    Args:
        text: Any text: code, prose, configuration, an issue.
        path: What to call it in the hits.

    Returns:
        At most one hit a line, in the order of the lines. Linear in the text.
    """
    lines = text.split("\n")
    return [
        Hit(path, number + 1, shown(lines[number], min(names.values())), _in_order(names), "added", number + 1)
        for number, names in sorted(find(lines).items())
    ]


def scan_diff(diff: str) -> list[Hit]:
    """The same for a unified diff: added lines, removed ones, context, and what stands outside hunks.

    A model reads all of them, so none is left out; ``Hit.origin`` tells them apart. Sentences that run over several
    lines are read in the new file and in the old one.

    Args:
        diff: Of git or any other maker, combined, mailed, broken; it never fails.

    Returns:
        At most one hit a line, in the order of the lines. Linear in the text.
    """
    lines = read_diff(diff)
    new = [line for line in lines if line.origin != "removed"]
    old = [line for line in lines if line.origin == "removed" or (line.origin == "context" and line.hunk)]
    found: dict[int, dict[str, float]] = {}
    for side in (new, old):
        for line, names in _found_in(side):
            found.setdefault(line.text_line - 1, {}).update(names)
    return [_hit(lines[number], names) for number, names in sorted(found.items())]


def _found_in(side: Sequence[DiffLine]) -> list[tuple[DiffLine, dict[str, float]]]:
    """Matches of one side; where hunks or files meet, a blank line keeps sentences apart."""
    texts: list[str] = []
    sources: list[DiffLine | None] = []
    before: DiffLine | None = None
    for line in side:
        if before is not None and (line.hunk, line.path) != (before.hunk, before.path):
            texts.append("")
            sources.append(None)
        texts.append(line.text)
        sources.append(line)
        before = line
    found = find(texts)
    return [(source, names) for number, names in found.items() if (source := sources[number]) is not None]


def _hit(line: DiffLine, names: dict[str, float]) -> Hit:
    text = shown(line.text, min(names.values()))
    return Hit(line.path, line.line, text, _in_order(names), line.origin, line.text_line)


def _in_order(names: dict[str, float]) -> tuple[str, ...]:
    return tuple(name for name in RULE_NAMES if name in names)

"""Material in a prompt: every part between marks that occur nowhere in any of them, with a declaration before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sherloc.boundary import Hit, check_reported, declare, fence, scan
from sherloc.schema.report import Diagnostic

Places = Sequence["tuple[str, int] | None"]
"""For each line of a text the file and the line that it shows; line 0 is the file's name, None is no file."""

_QUOTED = 80
_SHOWN_NUMBER = re.compile(r"^[0-9]{1,6}\| ?[ \t]*")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of material.

    Attributes:
        heading: sherloc's own words before the marks; nothing of the repository or the issue may stand in it.
        text: The material.
        path: What it is called in hits.
        places: Where its lines stand, as far as it shows files.
    """

    heading: str
    text: str
    path: str = ""
    places: Places = ()


@dataclass(frozen=True, slots=True)
class Direction:
    """A line of material that directs who reads it.

    Attributes:
        hit: What the scan found in the text that was shown.
        path: The file that the line stands in; empty outside of files.
        line: Its line there; 0 when it is the file's name.
        shown_as: What the text was, for lines outside of files.
    """

    hit: Hit
    path: str
    line: int
    shown_as: str


@dataclass(frozen=True, slots=True)
class Framed:
    """Material ready for a prompt.

    Attributes:
        text: The declaration, then the parts between marks.
        hits: Lines in it that direct who reads them, by where they really stand.
    """

    text: str
    hits: tuple[Direction, ...]


def frame(parts: Sequence[Part], closing: str = "") -> Framed:
    """Put parts between one pair of marks that no part can hold.

    The marks come from the parts' hash, so that the same material gives the same prompt, and caches and recordings
    hold. Linear.

    Args:
        parts: In the order in which they are shown.
        closing: What is said after them.
    """
    fenced = fence("\n".join(part.text for part in parts))
    hits = [(part, scan(part.text, part.path or None)) for part in parts]
    declared = declare(fenced, [hit for _, found in hits for hit in found]).text
    shown = [f"{part.heading}\n{fenced.opening}\n{part.text}\n{fenced.closing}" for part in parts]
    placed = [each for part, found in hits for each in directions(found, part.places, part.heading)]
    return Framed("\n\n".join(filter(None, [declared, *shown, closing])), tuple(placed))


def directions(hits: Sequence[Hit], places: Places, shown_as: str) -> list[Direction]:
    """Hits by where their lines really stand.

    Args:
        hits: Of one text.
        places: Where its lines stand.
        shown_as: What the text is.
    """
    found = []
    for hit in hits:
        place = places[hit.line - 1] if 0 < hit.line <= len(places) else None
        path, line = place or ("", 0)
        found.append(Direction(hit, path, line, shown_as.rstrip(":").lower()))
    return found


def numbered_places(text: str, path: str, base: int = 0) -> list[tuple[str, int] | None]:
    """Where the lines of a text as ``pieces.numbered`` makes it stand; those without a number are the file's name.

    Args:
        text: The text.
        path: The file.
        base: What was subtracted from the numbers.
    """
    heads = (line.partition("|")[0].strip() for line in text.split("\n"))
    return [(path, int(head) + base if head.isascii() and head.isdigit() else 0) for head in heads]


def direction_diagnostics(hits: Sequence[Direction], listed: Sequence[str]) -> tuple[Diagnostic, ...]:
    """What to tell the user about directions in the material: those that the model did not mention, each once.

    Args:
        hits: What the scan found in the material of one question.
        listed: What the model listed.
    """
    if not hits:
        return ()
    # Whoever lists a line that was shown several times, or with other numbers before it, has seen it.
    texts = [_SHOWN_NUMBER.sub("", each.hit.text) for each in hits]
    lines = {text: replace(each.hit, text=text) for text, each in zip(texts, hits, strict=True)}
    checked = check_reported(list(lines.values()), list(listed))
    missing = {hit.text for warned in checked.warnings if warned.code == "missing" for hit in warned.hits}
    words = {(each.path, _in_words(each)): None for text, each in zip(texts, hits, strict=True) if text in missing}
    return tuple(
        Diagnostic(
            code="direction_unreported", severity="warning", path=path,
            message=f"{said} reads like an instruction, and a model that was shown it did not mention it; it may have "
            "followed it.",
        )
        for path, said in words
    )  # fmt: skip


def _in_words(direction: Direction) -> str:
    if direction.path:
        return f"Line {direction.line} of {direction.path}" if direction.line else f"The name of {direction.path}"
    text = direction.hit.text
    quoted = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
    return f"A line of {direction.shown_as} ({quoted!r})"

"""Material in a prompt: every part between marks that occur nowhere in any of them, with a declaration before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.boundary import Hit, check_reported, declare, fence, scan
from sherloc.schema.report import Diagnostic


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of material.

    Attributes:
        heading: sherloc's own words before the marks; nothing of the repository or the issue may stand in it.
        text: The material.
        path: What it is called in hits.
    """

    heading: str
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Framed:
    """Material ready for a prompt.

    Attributes:
        text: The declaration, then the parts between marks.
        hits: Lines in it that direct who reads them.
    """

    text: str
    hits: tuple[Hit, ...]


def frame(parts: Sequence[Part], closing: str = "") -> Framed:
    """Put parts between one pair of marks that no part can hold.

    The marks come from the parts' hash, so that the same material gives the same prompt, and caches and recordings
    hold. Linear.

    Args:
        parts: In the order in which they are shown.
        closing: What is said after them.
    """
    fenced = fence("\n".join(part.text for part in parts))
    hits = tuple(hit for part in parts for hit in scan(part.text, part.path or None))
    shown = [f"{part.heading}\n{fenced.opening}\n{part.text}\n{fenced.closing}" for part in parts]
    return Framed("\n\n".join(filter(None, [declare(fenced, hits).text, *shown, closing])), hits)


def direction_diagnostics(hits: Sequence[Hit], listed: Sequence[str], *, role: str) -> tuple[Diagnostic, ...]:
    """What to tell the user about directions in the material: those that the model did not mention.

    Args:
        hits: What the scan found in the material of one question.
        listed: What the model listed.
        role: Who was asked.
    """
    if not hits:
        return ()
    missing = [warned for warned in check_reported(hits, list(listed)).warnings if warned.code == "missing"]
    return tuple(
        Diagnostic(
            code="direction_unreported", severity="warning", path=hit.path or "",
            message=f"Line {hit.line} of {hit.path or 'the issue'} reads like an instruction, and the model asked to "
            f"{role} did not mention it; it may have followed it.",
        )
        for warned in missing
        for hit in warned.hits
    )  # fmt: skip

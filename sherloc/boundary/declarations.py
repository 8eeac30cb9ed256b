"""What is said before material, so that a model takes sentences in it for content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sherloc.boundary.criteria import CriteriaInMaterial
from sherloc.boundary.fences import Fence
from sherloc.boundary.hits import Hit
from sherloc.boundary.rules import rules_version
from sherloc.boundary.wording import WORDS, Words

Language = Literal["en", "ja", "zh"]

_LONGEST_QUOTE = 160
# As ``sherloc.visible``, and every character that shows nothing.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef]"
)


@dataclass(frozen=True, slots=True)
class Grounds:
    """The scan's result, kept to show later why a declaration was made or left out.

    Attributes:
        material_sha256: Of the material in UTF-8.
        rules: Version of the rules.
        hits: How many lines the scan found.
        criteria: How many criteria documents the material edits.
        look_alikes: How many marks of the fence's form it holds.
        own_team: Whether the caller vouches that it is of their own team.
        declared: Whether the declaration was made.
    """

    material_sha256: str
    rules: str
    hits: int
    criteria: int
    look_alikes: int
    own_team: bool
    declared: bool

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Declaration:
    """What to say before fenced material.

    Attributes:
        text: The words; empty where they may be left out.
        grounds: What that rests on. Keep it.
    """

    text: str
    grounds: Grounds

    def __str__(self) -> str:
        return self.text


def declare(
    fenced: Fence,
    hits: Sequence[Hit] = (),
    criteria: Sequence[CriteriaInMaterial] = (),
    *,
    language: Language = "en",
    own_team: bool = False,
) -> Declaration:
    """Say what is material, what to do with directions in it, and that criteria come from elsewhere.

    The words may be left out only for material of one's own team in which nothing was found; ``grounds`` tells either
    way. Quotes of hits and names of files stand as JSON strings with control and invisible characters escaped, so that
    they stay on their line.

    Args:
        fenced: The material between its marks.
        hits: What the scan of this material gave.
        criteria: What ``criteria_in`` gave for it, if it is a diff.
        language: Of the declaration.
        own_team: Whether the material comes from one's own team alone.

    Raises:
        ValueError: The language is none of en, ja, zh.
    """
    if language not in WORDS:
        raise ValueError(f"language must be one of {', '.join(WORDS)}, not {language!r}")
    clean = not hits and not criteria and not fenced.look_alikes
    grounds = Grounds(
        hashlib.sha256(fenced.material.encode("utf-8", "surrogatepass")).hexdigest(),
        rules_version(), len(hits), len(criteria), fenced.look_alikes, own_team, not (own_team and clean),
    )  # fmt: skip
    text = "\n".join(_lines(WORDS[language], fenced, hits, criteria)) if grounds.declared else ""
    return Declaration(text, grounds)


def _lines(words: Words, fenced: Fence, hits: Sequence[Hit], criteria: Sequence[CriteriaInMaterial]) -> list[str]:
    lines = [words.boundary.format(opening=fenced.opening, closing=fenced.closing)]
    for finding in criteria:
        path = _quoted(finding.path)
        lines += ["", words.criteria.format(path=path, before=finding.rows_before, after=finding.rows_after)]
        lines += [f"- {_quoted(row.text)}" for row in finding.removed]
    if hits:
        lines += ["", words.hits.format(count=len(hits))]
        lines += [
            f"{number}. {_where(hit)} [{', '.join(hit.rules)}] {_quoted(hit.text)}"
            for number, hit in enumerate(hits, 1)
        ]
        lines += [words.more]
    return lines


def _where(hit: Hit) -> str:
    path = _quoted(hit.path) if hit.path else "-"
    return f"{path}:{hit.line}" + (f" ({hit.origin})" if hit.origin != "added" else "")


def _quoted(text: str) -> str:
    cut = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"
    return _OBEYED.sub(_escaped, json.dumps(cut, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]

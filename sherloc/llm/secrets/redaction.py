"""Takes keys and passwords out of a text and says where they were."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sherloc.llm.secrets.assignments import weak_passwords
from sherloc.llm.secrets.patterns import RULES, Rule
from sherloc.llm.secrets.pem import private_keys

REDACTED = re.compile(r"\[redacted [a-z0-9_]+\]")
"""What stands in the place of a secret."""

_LINE = r"[ \t]{0,8}(?:\\[ \t]{0,8})?\r?\n(?:[ \t]{0,8}[0-9]{1,6}\|)?[+>]?[ \t]{0,80}"
_SEAM = re.compile(
    rf"""(["'])(?:[ \t]{{0,8}}[+.][ \t]{{0,8}}|[ \t]{{1,8}}|[ \t]{{0,8}}[+.]?{_LINE}(?:[+.][ \t]{{0,8}})?)"""
    r"[rbfuRBFU]?\1"
    r"|\\\r?\n(?:[ \t]{0,8}[0-9]{1,6}\|[ \t]?)?"
)
"""Between two pieces of one text in code."""
_SHAPES = tuple(rule for rule in RULES if rule.kind not in ("password", "url_password", "authorization", "signature"))


@dataclass(frozen=True, slots=True)
class Redaction:
    """Something that was taken out: its line (1-based) and kind (``github_token``, ``private_key`` ...)."""

    line: int
    kind: str


def redact(text: str) -> tuple[str, list[Redaction]]:
    """A text without the keys and passwords in it.

    The number of lines stays the same. Redacting twice changes nothing more. Finding secrets is a matter of shape: a
    weak password in a sentence is not found, and a random identifier may be taken for a key.

    Returns:
        The text with ``[redacted KIND]`` in the place of each secret, and what was taken out, by line. O(n).
    """
    pieces: list[str] = []
    found: list[Redaction] = []
    position, line = 0, 1
    for start, end, kind in _merged(sorted(_spans(text))):
        line += text.count("\n", position, start)
        found.append(Redaction(line, kind))
        breaks = text.count("\n", start, end)
        pieces += [text[position:start], f"[redacted {kind}]", "\n" * breaks]
        position, line = end, line + breaks
    return "".join([*pieces, text[position:]]), found


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    for start, end in private_keys(text):
        yield start, end, "private_key"
    yield from _in_shape(text, RULES)
    yield from _split(text)
    for start, end in weak_passwords(text):
        yield start, end, "password"


def _split(text: str) -> Iterator[tuple[int, int, str]]:
    """Keys of a known shape that code puts together from pieces: ``"ghp_a" + "b"``."""
    seams = [match.span() for match in _SEAM.finditer(text)]
    if not seams:
        return
    ends = [0, *(end for _, end in seams)]
    starts = [*(start for start, _ in seams), len(text)]
    pieces = [text[start:end] for start, end in zip(ends, starts, strict=True)]
    firsts = [0, *itertools.accumulate(map(len, pieces))]  # where each piece begins without the seams

    def place(position: int) -> int:
        at = bisect.bisect_right(firsts, position, hi=len(pieces)) - 1
        return ends[at] + position - firsts[at]

    for start, end, kind in _in_shape("".join(pieces), _SHAPES):
        first, last = place(start), place(end - 1) + 1
        if last - first > end - start:
            yield first, last, kind


def _in_shape(text: str, rules: Sequence[Rule]) -> Iterator[tuple[int, int, str]]:
    lowered = text.lower()
    for rule in rules:
        if not any(mark in lowered for mark in rule.marks):
            continue
        for match in rule.pattern.finditer(text):
            start, end = match.span(rule.pattern.groups)
            if rule.accepts(text[start:end]):
                yield start, end, rule.kind


def _merged(spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Spans without overlaps; of two that do, the first gives the kind."""
    held: tuple[int, int, str] | None = None
    for start, end, kind in spans:
        if held is None or start >= held[1]:
            if held is not None:
                yield held
            held = (start, end, kind)
        else:
            held = (held[0], max(held[1], end), held[2])
    if held is not None:
        yield held

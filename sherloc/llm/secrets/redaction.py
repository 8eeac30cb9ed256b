"""Takes keys and passwords out of a text and says where they were."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sherloc.llm.secrets.assignments import weak_passwords
from sherloc.llm.secrets.patterns import RULES
from sherloc.llm.secrets.pem import private_keys

REDACTED = re.compile(r"\[redacted [a-z0-9_]+\]")
"""What stands in the place of a secret."""


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
    lowered = text.lower()
    for rule in RULES:
        if not any(mark in lowered for mark in rule.marks):
            continue
        for match in rule.pattern.finditer(text):
            start, end = match.span(rule.pattern.groups)
            if rule.accepts(text[start:end]):
                yield start, end, rule.kind
    for start, end in weak_passwords(text):
        yield start, end, "password"


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

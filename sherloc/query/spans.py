"""Code spans and quoted text in prose."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`+")
_OLD_QUOTE = re.compile(r"`([\w.:\-]{1,80})'")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,400})\"|(?<![\w'])'([^'\n]{1,400})'(?!\w)|\u201c([^\u201d\n]{1,400})\u201d"
    r"|\u2018([^\u2019\n]{1,400})\u2019"
    r"|\u00ab([^\u00bb\n]{1,400})\u00bb|\u300c([^\u300d\n]{1,400})\u300d|\u300e([^\u300f\n]{1,400})\u300f"
)
_LONGEST = 400


def take_code_spans(text: str) -> tuple[list[str], str]:
    """The code spans of prose, and the prose with them blanked out.

    A span ends in its own line with as many back-ticks as it began with.
    """
    if "`" not in text:
        return [], text
    spans: list[str] = []
    rest: list[str] = []
    for line in text.split("\n"):
        found, remaining = _spans_of_line(line) if "`" in line else ([], line)
        spans.extend(found)
        rest.append(remaining)
    return spans, "\n".join(rest)


def _spans_of_line(line: str) -> tuple[list[str], str]:
    marks = [(mark.start(), mark.end()) for mark in _TICKS.finditer(line)]
    following: dict[int, int] = {}
    closes: list[int | None] = [None] * len(marks)
    for i in range(len(marks) - 1, -1, -1):
        size = marks[i][1] - marks[i][0]
        closes[i] = following.get(size)
        following[size] = i
    spans, rest, position, i = [], [], 0, 0
    while i < len(marks):
        end = closes[i]
        if end is None:
            i += 1
            continue
        span = line[marks[i][1] : marks[end][0]].strip()
        rest.append(line[position : marks[i][0]])
        if len(span) <= _LONGEST:
            spans.append(span)
        else:
            rest.append(span)
        position = marks[end][1]
        i = end + 1
    rest.append(line[position:])
    joined = " \u00b7 ".join(rest)
    spans.extend(match[1] for match in _OLD_QUOTE.finditer(joined))
    return spans, joined


def quoted(text: str) -> list[str]:
    """Quoted stretches of prose, in order, without their quotes."""
    return [next(group for group in match.groups() if group is not None).strip() for match in _QUOTED.finditer(text)]

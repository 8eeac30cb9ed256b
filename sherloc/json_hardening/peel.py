"""Takes off what stands around the whole of a reply: marks of no width, thoughts, a fence, a tag, prefixes of lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sherloc.json_hardening.lexis import SPACE_CHARACTERS
from sherloc.json_hardening.outcome import Repair, shorten
from sherloc.json_hardening.strict import JSON_SPACE

THINK = r"(?:think|thinking|thought|thoughts|reasoning|scratchpad)"
THINK_BLOCK = re.compile(rf"<{THINK}>.*?</{THINK}>", re.DOTALL | re.IGNORECASE)
_EDGES = re.compile(f"[{SPACE_CHARACTERS}]*")
_EDGE_SET = re.compile(f"[{SPACE_CHARACTERS}]")
_FENCE = re.compile(r"(`{3,}|~{3,})[^\n`]*\n")
_TAG = re.compile(r"<([A-Za-z_][\w.-]*)>")
_PREFIX = re.compile(r"(?:\+|>|\||[-*] )[ \t]?(?=[ \t]*[{\[\"'}\]`~])")
_ESCAPED = re.compile(r'[{\[][ \t\r\n]*\\"')
_ROUNDS = 4


Layer = tuple[str, "tuple[Repair, ...]", bool]


def layers_of(text: str) -> Iterator[Layer]:
    """The text itself, then what is left after each layer that can be taken off, with the repairs so far.

    The third member says whether what was taken off so far can neither have been part of an answer nor have told
    anything about it, so that a search for answers may begin here. Linear in the text (at most ``4`` rounds).
    """
    body, neutral = text, True
    repairs: tuple[Repair, ...] = ()
    yield body, repairs, neutral
    for _ in range(_ROUNDS):
        before = body
        for layer, keeps in ((_edges, True), (_thoughts, True), (_line_prefix, True), (_tag, False), (_fence, False)):
            found = layer(body)
            if found is None:
                continue
            body, repair = found
            repairs = (*repairs, repair)
            # a prefix on every line hides fences and tags from the search, so that it must begin below them
            neutral = (neutral and keeps) or layer is _line_prefix
            yield body, repairs, neutral
        if body == before:
            break
    unescaped = _escaped(body)
    if unescaped is not None:
        yield unescaped, (*repairs, Repair("double_encoded")), True


def _edges(text: str) -> tuple[str, Repair] | None:
    start = _EDGES.match(text)
    assert start is not None
    begin, end = start.end(), len(text)
    while end > begin and _EDGE_SET.match(text[end - 1]):
        end -= 1
    stripped = text[begin:end]
    return (stripped, Repair("edges")) if stripped != text.strip(JSON_SPACE) else None


def _thoughts(text: str) -> tuple[str, Repair] | None:
    block = THINK_BLOCK.match(text.lstrip(JSON_SPACE))
    if block is None:
        return None
    return text.lstrip(JSON_SPACE)[block.end() :], Repair("think", "", shorten(block.group()))


def _fence(text: str) -> tuple[str, Repair] | None:
    text = text.strip(JSON_SPACE)
    opening = _FENCE.match(text)
    if opening is None:
        return None
    mark = opening.group(1)
    line_start = text.rfind("\n") + 1
    last = text[line_start:].strip()
    closes = len(last) >= len(mark) and not last.strip(mark[0]) and line_start >= opening.end()
    if closes:
        return text[opening.end() : line_start], Repair("fence", "", shorten(opening.group()))
    return text[opening.end() :], Repair("unclosed_fence", "", shorten(opening.group()))


def _tag(text: str) -> tuple[str, Repair] | None:
    text = text.strip(JSON_SPACE)
    opening = _TAG.match(text)
    if opening is None or not text.endswith(f"</{opening.group(1)}>"):
        return None
    return text[opening.end() : -len(opening.group()) - 1], Repair("xml", "", opening.group())


def _line_prefix(text: str) -> tuple[str, Repair] | None:
    """One prefix (``+``, ``>``, ``|``, ``- ``, ``* ``) on every line that is not empty."""
    text = text.strip(JSON_SPACE)
    first = _PREFIX.match(text)
    if first is None:
        return None
    mark = first.group().strip()
    lines = text.split("\n")
    if not all(line.startswith(mark) for line in lines if line.strip()):
        return None
    width = len(first.group())
    cut = [line[width:] if line.startswith(first.group()) else line[len(mark) :] for line in lines]
    return "\n".join(cut), Repair("line_prefix", "", mark)


def _escaped(text: str) -> str | None:
    """An answer whose every quote has a back-slash: one level of encoding too many."""
    body = text.strip(JSON_SPACE)
    if not _ESCAPED.match(body):
        return None
    try:
        decoded: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return decoded

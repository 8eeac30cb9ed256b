"""A member of a JSON document's objects put in or taken out; every other byte stays as its author wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

_SPACE = re.compile(r"[ \t\n\r]*")
_INDENT = re.compile(r"\{[ \t]*\r?\n([ \t]+)\"")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A key and its value, as places in the text."""

    key: str
    start: int
    value: int
    end: int


def read_object(text: str) -> dict[str, Any]:
    """The object that a text is, read as strict JSON: no comments, no trailing commas, no ``NaN``.

    Args:
        text: The document.

    Raises:
        ValueError: It is no JSON, or no object.
        RecursionError: It is nested too deeply.
    """
    value = json.loads(text, parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise ValueError("holds no JSON object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def count(text: str, keys: Sequence[str]) -> int:
    """How often the innermost of nested objects has a key; above 0 only when each outer one has its key once.

    Args:
        text: A document that ``read_object`` reads.
        keys: The path, outermost first.
    """
    at = _skip(text, 0)
    for depth, key in enumerate(keys):
        named = [each for each in _members(text, at)[0] if each.key == key] if text[at] == "{" else []
        if len(named) != 1 or depth == len(keys) - 1:
            return len(named)
        at = named[0].value
    return 0


def with_member(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value under nested keys; objects that are missing are made, a value that is there is replaced.

    New lines are indented as the document is; in a document of one line they are not made.

    Args:
        text: A document that ``read_object`` reads, where each key but the last leads to an object or nowhere, and none
            stands twice.
        keys: The path, outermost first.
        value: What ``json.dumps`` takes.
    """
    at, outer = _skip(text, 0), ""
    style = _Style.of(text)
    for depth, key in enumerate(keys):
        members, close = _members(text, at)
        named = next((each for each in members if each.key == key), None)
        inner = _line_indent(text, members[-1].start) if members else outer + style.unit
        if named is None:
            for name in reversed(keys[depth + 1 :]):
                value = {name: value}
            return _inserted(text, at, members, close, f"{json.dumps(key)}: {style.written(value, inner)}", style)
        if depth == len(keys) - 1:
            return text[: named.value] + style.written(value, _line_indent(text, named.start)) + text[named.end :]
        at, outer = named.value, _line_indent(text, named.start)
    return text


def without_member(text: str, keys: Sequence[str]) -> str:
    """The text without the value under nested keys, and without objects that hold nothing then, but for the outermost.

    Args:
        text: As for ``with_member``; the value is there.
        keys: The path, outermost first.
    """
    at, path = _skip(text, 0), []
    for key in keys:
        members, close = _members(text, at)
        place = next(n for n, each in enumerate(members) if each.key == key)
        path.append((at, members, close, place))
        at = members[place].value
    while len(path) > 1 and len(path[-1][1]) == 1:
        path.pop()
    start, members, close, place = path[-1]
    if len(members) == 1:
        return text[: start + 1] + text[close:]
    if place == len(members) - 1:
        return text[: members[place - 1].end] + text[members[place].end :]
    return text[: members[place].start] + text[members[place + 1].start :]


@dataclass(frozen=True, slots=True)
class _Style:
    """How a document is laid out: in one line, or with an indentation and line ends."""

    unit: str
    end: str
    is_one_line: bool

    @classmethod
    def of(cls, text: str) -> _Style:
        found = _INDENT.search(text)
        body = text.strip()
        has_one_line = "\n" not in body and body.strip("{} \t") != ""
        return cls(found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n", has_one_line)

    def written(self, value: Any, indent: str) -> str:
        """The value, its further lines behind an indentation."""
        if self.is_one_line:
            return json.dumps(value)
        return json.dumps(value, indent=self.unit).replace("\n", self.end + indent)


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """The members of the object that begins at a place, in order, and where it ends."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        stop = _DECODER.raw_decode(text, value)[1]
        found.append(_Member(key, at, value, stop))
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found, at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _inserted(text: str, start: int, members: list[_Member], close: int, member: str, style: _Style) -> str:
    """The member after the last one of an object; in a line of its own where the last one, if any, has one."""
    if members:
        last = members[-1]
        line = text[text.rfind("\n", 0, last.start) + 1 : last.start]
        own = not line.strip() and not style.is_one_line
        return text[: last.end] + ("," + (style.end + line if own else " ") + member) + text[last.end :]
    if style.is_one_line:
        return text[: start + 1] + member + text[close:]
    indent = _line_indent(text, start)
    return f"{text[: start + 1]}{style.end}{indent}{style.unit}{member}{style.end}{indent}{text[close:]}"


def _line_indent(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip(" \t"))]

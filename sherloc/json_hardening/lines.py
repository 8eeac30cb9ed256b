"""Line numbers and ranges, in the many ways that models write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sherloc.json_hardening.lexis import fold
from sherloc.json_hardening.scalars import Reader, plain

MAX_LINE = 999_999_999

_LINE = r"#?(?:lines?|l|第)?\.? ?([0-9]{1,12}) ?(?:行目|行)?"
_SINGLE = re.compile(_LINE, re.ASCII | re.IGNORECASE)
_RANGE = re.compile(rf"{_LINE} ?(?:-|–|—|−|~|〜|\.\.|:|to|through|から|至|到) ?{_LINE}", re.ASCII | re.IGNORECASE)
_START_KEYS = ("start", "startline", "from", "begin", "beginline", "first", "firstline", "linestart")
_END_KEYS = ("end", "endline", "to", "last", "lastline", "lineend", "stop")
_LINE_KEYS = ("line", "linenumber", "lineno")


def _number(value: object) -> int:
    """One line number from a number or a text."""
    if isinstance(value, str):
        found = _SINGLE.fullmatch(plain(value))
        if found is None:
            raise ValueError(f"{value[:40]!r} is not a line number")
        value = int(found.group(1))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a line number")
    if not 1 <= value <= MAX_LINE:
        raise ValueError(f"line {value} cannot be: lines count from 1")
    return value


class LineReader(Reader):
    """``45``, ``45.0``, ``"45"``, ``"L45"``, ``"line 45"``, ``"45行目"``, ``"４５"``.

    Never ``true``, ``0`` or ``45.5``.
    """

    def read(self, value: object) -> int:
        """The line number, from 1."""
        return _number(value)


LineNumber = Annotated[int, LineReader()]
"""A line number from 1."""


class LineRange(BaseModel):
    """Lines from ``start_line`` to ``end_line``, both counted from 1 and inclusive.

    ``source`` says what they count in: the file, or the snippet that the model was shown. Reads ``"45-52"``,
    ``"L45-L52"``, ``"lines 45 to 52"``, ``"45行目〜52行目"``, ``[45, 52]``, ``{"start": 45, "end": 52}``, a single line
    and their like; a reversed range, line 0 and open ends are errors.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start_line: int = Field(ge=1, le=MAX_LINE)
    end_line: int = Field(ge=1, le=MAX_LINE)
    source: Literal["absolute", "snippet"] = "absolute"

    @model_validator(mode="before")
    @classmethod
    def read_reply(cls, value: Any) -> Any:
        """The three fields from any of the forms above.

        Raises:
            ValueError: It cannot be read in one way only.
        """
        source: Any = "absolute"
        if isinstance(value, LineRange):
            return value
        if isinstance(value, Mapping):
            value = dict(value)
            source = value.pop("source", source)
            ends: Sequence[object] = _ends_of_object(value)
        else:
            ends = _ends_of_text(value) if isinstance(value, str) else value if isinstance(value, list) else [value]
        if len(ends) not in (1, 2):
            raise ValueError(f"{len(ends)} numbers are no range of lines")
        start, end = _number(ends[0]), _number(ends[-1])
        if end < start:
            raise ValueError(f"the range {start}-{end} runs backwards")
        return {"start_line": start, "end_line": end, "source": source}

    @staticmethod
    def split(text: str) -> list[str]:
        """Comma-separated lines and ranges."""
        return [piece.strip() for piece in re.split(r"[,、，]", text)]


def _ends_of_text(text: str) -> list[object]:
    text = plain(text)
    found = _RANGE.fullmatch(text)
    return [found.group(1), found.group(2)] if found is not None else [text]


def _ends_of_object(value: Mapping[str, object]) -> list[object]:
    ends: dict[str, object] = {}
    for key, number in value.items():
        name = fold(str(key))
        role = "start" if name in _START_KEYS else "end" if name in _END_KEYS else "line" if name in _LINE_KEYS else ""
        if not role:
            raise ValueError(f"the key {key!r} says nothing about lines")
        if role in ends and ends[role] != number:
            raise ValueError(f"two keys give the {role} of a range, and differ")
        ends[role] = number
    if set(ends) == {"start", "end"}:
        return [ends["start"], ends["end"]]
    if set(ends) == {"line"}:
        return [ends["line"]]
    raise ValueError("a range needs a start and an end")


def locate_lines(
    lines: LineRange, file_lines: Sequence[str], *, base_line: int = 1, quoted: str = ""
) -> tuple[LineRange, str]:
    """Place a range in a file: absolute, inside it, and where the quoted text stands.

    Args:
        lines: What the model gave.
        file_lines: The lines of the whole file, without their ends.
        base_line: First line of the snippet that was shown, from 1; used when ``lines.source`` is ``snippet``.
        quoted: Text of the lines (or of the first of them) as the model quoted it, or empty.

    Returns:
        The absolute range, and a note when it was changed beyond the move to absolute lines (else empty).

    Raises:
        ValueError: It starts beyond the end of the file, or the quoted text does not stand there.
    """
    offset = base_line - 1 if lines.source == "snippet" else 0
    start, end = lines.start_line + offset, lines.end_line + offset
    if start > len(file_lines):
        raise ValueError(f"line {start} is beyond the end of the file ({len(file_lines)} lines)")
    wanted = [" ".join(line.split()) for line in quoted.split("\n") if line.strip()]
    if wanted:
        found = [" ".join(line.split()) for line in file_lines[start - 1 : min(end, len(file_lines))]]
        if wanted[0] not in found:
            raise ValueError(f"the quoted text does not stand in lines {start}-{end}")
    note = f"end {end} cut to the file's last line {len(file_lines)}" if end > len(file_lines) else ""
    return LineRange(start_line=start, end_line=min(end, len(file_lines))), note

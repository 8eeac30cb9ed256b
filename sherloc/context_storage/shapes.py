"""What a record of each file is made of. Whoever writes one and whoever reads one back goes by it.

A record that is JSON and is not made so is damage, like a line that is no JSON: a program that is not sherloc wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST = 2**53
"""The highest number of a record and the largest count: what every reader of JSON holds exactly."""

ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Kind:
    """What may stand in a field.

    Attributes:
        words: As a message says it.
        fits: Whether a value may.
        needed: Whether the field must be there.
    """

    words: str
    fits: Callable[[Any], bool]
    needed: bool = False


Shape = Mapping[str, Kind]


def is_count(value: object) -> bool:
    """Whether it is a whole number from 0 to ``LARGEST``, and no bool."""
    return type(value) is int and 0 <= value <= LARGEST


def _is_number(value: object) -> bool:
    return is_count(value) and value != 0


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _are_calls(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_call, value)))


def _is_call(call: object) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        return False
    return all(isinstance(each, str) for each in (call.get("id"), function.get("name"), function.get("arguments")))


_NUMBER = Kind(f"a whole number from 1 to {LARGEST}", _is_number, needed=True)
_PLACE = Kind("a whole number from 1 or nothing", lambda value: value is None or _is_number(value))
_COUNT = Kind("a whole number from 0 or nothing", lambda value: value is None or is_count(value))
_TEXT = Kind("a text", lambda value: isinstance(value, str), needed=True)
_MAYBE_TEXT = Kind("a text or nothing", _is_text)
_CONTENT = Kind("a text", _is_text, needed=True)
_ROLE = Kind(f"one of {', '.join(ROLES)}", lambda value: isinstance(value, str) and value in ROLES, needed=True)
_CALLS = Kind("a list of calls with id, function.name and function.arguments", _are_calls)
_MAPPING = Kind("a mapping of texts to values", lambda value: isinstance(value, dict), needed=True)
_ANY = Kind("any value", lambda value: True, needed=True)

CURRENT_SHAPE: Shape = {
    "role": _ROLE, "content": _CONTENT, "tool_name": _MAYBE_TEXT, "tool_calls": _CALLS, "tool_call_id": _MAYBE_TEXT,
    "reasoning": _MAYBE_TEXT,
}  # fmt: skip
_SHAPES: Mapping[str, Shape] = {
    "messages.jsonl": {
        "seq": _NUMBER, **CURRENT_SHAPE, "timestamp": _MAYBE_TEXT, "tokens": _COUNT, "kind": _MAYBE_TEXT,
    },
    "current.jsonl": CURRENT_SHAPE,
    "summaries.jsonl": {
        "id": _NUMBER, "summary": _TEXT, "compressed_message_count": _COUNT, "tokens_saved": _COUNT,
        "created_at": _MAYBE_TEXT, "from_seq": _PLACE, "to_seq": _PLACE,
    },
    "tools.jsonl": {
        "seq": _NUMBER, "tool_name": _TEXT, "arguments": _MAPPING, "error": _MAYBE_TEXT, "timestamp": _MAYBE_TEXT,
    },
    "planning.jsonl": {"id": _NUMBER, "plan_type": _TEXT, "plan_content": _ANY, "created_at": _MAYBE_TEXT},
    "values.jsonl": {"seq": _NUMBER, "key": _TEXT, "value": _ANY, "timestamp": _MAYBE_TEXT},
}  # fmt: skip


def shape_of(file_name: str) -> Shape:
    """What a record of a file is made of; anything, for a file that is none of a task's."""
    return _SHAPES.get(file_name, {})


def number_of(shape: Shape) -> str:
    """The field that numbers records, each higher than the one before; empty if none does."""
    return next((name for name, kind in shape.items() if kind is _NUMBER), "")


def is_store_file(path: Path) -> bool:
    """Whether its name is that of a file in which a task's history is kept."""
    return path.name.lower() in (*_SHAPES, "metadata.json", "final_summary.txt", ".marks.json", "tasks.db")


def misfit(record: Mapping[str, Any], shape: Shape) -> str:
    """What is wrong with a record, for a sentence; empty if nothing is."""
    for name, kind in shape.items():
        if name not in record:
            if kind.needed:
                return f"{name} is missing"
        elif not kind.fits(record[name]):
            return f"{name} is {record[name]!r:.80}, not {kind.words}"
    return ""

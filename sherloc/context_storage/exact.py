"""What is kept comes back equal: which values JSON gives back as they were, and what becomes of half characters.

One rule for everything that is stored. A value is None, a bool, an int, a finite float, a text, a list of values, or a
mapping of texts to values. All else is refused before anything is written: tuples (they come back as lists), keys that
are no text (they come back as text), sets, bytes, numbers that are not finite, and what is nested too deeply to be
read again. The one change: two halves of a character that stand side by side come back as that character.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from sherloc.errors import UsageError

_LONGEST_SAID = 500
DEEPEST = 200
"""Levels of lists and mappings in a value that is stored."""


def whole_text(text: str) -> str:
    """The text with adjacent halves of a character (surrogates) joined; a half that stands alone stays."""
    if text.isascii() or not has_halves(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def has_halves(text: str) -> bool:
    """Whether there are half characters in it, which UTF-8 does not have. O(n)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def printable_text(text: str) -> str:
    """The text as every database takes it: half characters and NUL as escapes."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def said(error: BaseException) -> str:
    """An exception of somebody else's code as a short text: its type and the first line of what it says."""
    try:
        lines = str(error).splitlines()
    except Exception:  # noqa: BLE001 - what it says is its own code, too
        lines = []
    words = lines[0][:_LONGEST_SAID] if lines else ""
    return printable_text(f"{type(error).__name__}: {words}".rstrip(": "))


def dump_exact(fields: Mapping[str, Any], *, ascii_only: bool = False) -> str:
    """JSON of named values.

    Args:
        fields: Value by name.
        ascii_only: Whether every other character is escaped; half characters always are.

    Raises:
        UsageError: One of them would not come back equal; the message names the place and what stands there.
    """
    found = _inexact(fields, 0)
    if found is not None:
        place, reason = found
        raise UsageError(
            f"It cannot be stored: {place.lstrip('.') or 'it'} {reason}.",
            hint="What is kept comes back equal: None, bool, int, finite float, str, list, and dict with str keys.",
        )
    try:
        text = json.dumps(fields, ensure_ascii=ascii_only, allow_nan=False)
        if not has_halves(text):
            return text
        # What it reads as is what it is written as, so that a record has one form.
        read = json.loads(json.dumps(fields, allow_nan=False))
        text = json.dumps(read, ensure_ascii=False)
        return json.dumps(read) if has_halves(text) else text
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"It cannot be stored as JSON: {error}.") from error


def load_exact(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: It is no JSON, or holds a number that is not finite.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits)


def _inexact(value: Any, depth: int) -> tuple[str, str] | None:
    """Where the first value is that would not come back equal, and why not."""
    if value is None or isinstance(value, (str, int)):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else ("", f"is {value}, which is not a number of JSON")
    if depth > DEEPEST:
        return "", f"is nested deeper than {DEEPEST} levels"
    if isinstance(value, dict):
        return _inexact_mapping(value, depth)
    if isinstance(value, list):
        for number, each in enumerate(value):
            found = _inexact(each, depth + 1)
            if found is not None:
                return f"[{number}]{found[0]}", found[1]
        return None
    return "", f"is a {type(value).__name__}, which JSON does not give back"


def _inexact_mapping(value: Mapping[Any, Any], depth: int) -> tuple[str, str] | None:
    for key, each in value.items():
        if not isinstance(key, str):
            return "", f"has the key {key!r:.80}, a {type(key).__name__}, which JSON gives back as text"
        found = _inexact(each, depth + 1)
        if found is not None:
            return f".{key:.80}{found[0]}", found[1]
    if len(set(map(whole_text, value))) != len(value):
        return "", "has two keys that are one when halves of a character are joined"
    return None

"""Reads the values of fields that have no other value inside: booleans, numbers, words of an enumeration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sherloc.json_hardening.lexis import fold
from sherloc.json_hardening.scalars import Synonyms, plain

_TRUE = frozenset({"true", "yes", "y", "on", "1", "はい", "是", "예", "네"})
_FALSE = frozenset({"false", "no", "n", "off", "0", "いいえ", "否", "不是", "아니요", "아니오"})
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,29})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?", re.ASCII)
_PUNCTUATION = re.compile(r"[\s\"'`.,:;!?()\[\]{}<>/\\*-]")


def read_bool(value: object) -> bool:
    """``true``, ``"True "``, ``"yes"``, ``"はい"``, ``1`` and their opposites; never the truth of anything else.

    Raises:
        ValueError: It is none of them.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return value == 1
    word = plain(value).casefold() if isinstance(value, str) else None
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError(f"{value!r} is neither true nor false")


def read_int(value: object) -> int:
    """An integer, also as ``45.0`` or ``"45"``; never a boolean, ``"045"`` or ``"1_000"``.

    Raises:
        ValueError: It is not one.
    """
    if isinstance(value, str) and _INTEGER.fullmatch(plain(value)):
        return int(plain(value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not an integer")
    return value


def read_float(value: object) -> float:
    """A number, also as text (``"4.5"``); never a boolean.

    Raises:
        ValueError: It is not one.
    """
    if isinstance(value, str) and _DECIMAL.fullmatch(plain(value)):
        return float(plain(value))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{value!r} is not a number")
    return value


def read_text(value: object) -> str:
    """A text, as it is.

    Raises:
        ValueError: It is not one.
    """
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def read_choice(value: object, choices: Sequence[Any], synonyms: Sequence[Synonyms]) -> Any:
    """One of the choices: as it is, else without case and punctuation, else by a declared synonym; never by a part.

    Raises:
        ValueError: It is none of them, or could be two.
    """
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return value
    if isinstance(value, str):
        wanted = _bare(value)
        folded = {choice for choice in choices if isinstance(choice, str) and _bare(choice) == wanted}
        folded = folded or {choice for table in synonyms for word, choice in table.pairs if _bare(word) == wanted}
        if len(folded) == 1:
            return folded.pop()
    raise ValueError(f"{value!r} is none of {', '.join(map(repr, choices))}")


def _bare(word: str) -> str:
    return _PUNCTUATION.sub("", fold(word))

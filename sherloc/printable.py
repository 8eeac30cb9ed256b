"""Text that can be written anywhere: file names and texts of strangers may hold half characters, which UTF-8 has not.

A name that is not UTF-8 is decoded with ``surrogateescape``; a JSON text or a language binding may give half of a
character beyond the basic plane. Both are surrogates: no encoder takes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text with surrogates written out: ``\xe9`` for an odd byte of a file name, ``\ud800`` for others.

    Args:
        text: Any text; given back as it is when it holds none. Linear in its length.

    >>> printable("caf\udce9.py") == "caf\\xe9.py"
    True
    """
    return text if text.isascii() else _SURROGATE.sub(_escape, text)


def printable_values(value: Any) -> Any:
    """A value of JSON's kinds with every text in it, keys too, made printable; other objects stay as they are.

    Args:
        value: A text, a number, or lists, tuples and mappings of such.
    """
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable_values(key): printable_values(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(printable_values, value))
    return value


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"

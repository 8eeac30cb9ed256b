r"""How a path is written in reports, indexes and on the terminal: every path another text, every text valid UTF-8.

Names on POSIX are bytes; they may be no UTF-8, and hold control characters and backslashes. What stands for such a byte
or character starts with a backslash, and a backslash of the name's own is doubled, so that nothing is lost.
"""

from __future__ import annotations

import re

from sherloc.late import late

_SPECIAL_ASCII = re.compile("[\\\\\x00-\x1f\x7f]")
_SPECIAL = late("[\\\\\x00-\x1f\x7f-\x9f\xad\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|)")

PathText = str
"""A path as ``shown_path`` writes it: POSIX, relative to the repository."""


def shown_path(path: str) -> str:
    r"""A path as it is shown.

    Args:
        path: As a tree has it: bytes that are no UTF-8 decoded with surrogateescape.

    >>> shown_path("src/caf\u00e9.py"), shown_path("b\udcff.py"), shown_path("b\\xff.py")
    ('src/café.py', 'b\\xff.py', 'b\\\\xff.py')
    """
    return (_SPECIAL_ASCII if path.isascii() or path.isprintable() else _SPECIAL()).sub(_escaped, path)


def original_path(text: str) -> str | None:
    r"""The path that is shown as a text, or None if none is.

    Args:
        text: As ``shown_path`` writes it, or a terminal, which also writes out what it would obey (``\u202e``).

    >>> original_path("b\\xff.py") == "b\udcff.py", original_path("a\\b.py")
    (True, None)
    """
    if "\\" not in text:
        return text
    if any(match.group() == "\\" for match in _ESCAPE.finditer(text)):
        return None
    try:
        return _ESCAPE.sub(_unescaped, text)
    except (ValueError, OverflowError):
        return None


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == ord("\\"):
        return "\\\\"
    if 0xDC80 <= code <= 0xDCFF:  # a byte
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def _unescaped(match: re.Match[str]) -> str:
    backslash, byte, *longer = match.groups()
    if backslash:
        return backslash
    if byte:
        code = int(byte, 16)
        return chr(code if code < 0x80 else code + 0xDC00)
    return chr(int(longer[0] or longer[1], 16))

"""Characters that a terminal obeys, made visible.

Issues, paths and code come from strangers: an escape sequence in them could rewrite what the terminal shows, and
bidirectional controls could make code read otherwise than it runs (Boucher and Anderson, "Trojan Source", 2021).
"""

from __future__ import annotations

import re

from sherloc.late import late

# C0, DEL and C1 controls; soft hyphen; bidirectional and invisible formatting; separators; surrogates; tags.
# The two zero-width joiners stay: scripts and emoji need them.
_OBEYED_ASCII = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_OBEYED = late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""The text with control characters written out; line feeds and tabs stay.

    >>> visible("a\x1b[31mb\u202e")
    'a\\x1b[31mb\\u202e'
    """
    return (_OBEYED_ASCII if text.isascii() else _OBEYED()).sub(_escape, text)


def visible_code(text: str) -> str:
    r"""``visible`` for lines of code: ends of lines are line feeds, and the last line has none of its own.

    A piece that was cut out of a file may end between a carriage return and its line feed.

    >>> visible_code("a\r\nb\r"), visible_code("a\n\n")
    ('a\nb', 'a')
    """
    return visible(text.replace("\r\n", "\n").removesuffix("\r")).rstrip("\n")


def paragraph(text: str) -> str:
    r"""``visible``, with every line but the first set in: a stranger's line feed starts no line of our own.

    >>> paragraph("error: no\nhint: forged")
    'error: no\n  hint: forged'
    """
    return visible(text.replace("\r\n", "\n")).replace("\n", "\n  ")


def one_line(text: str) -> str:
    """``visible``, with all white space as single blanks."""
    return " ".join(visible(text.replace("\r\n", "\n")).split())


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

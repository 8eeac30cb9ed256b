"""Text as the rules see it: one case, one width, one blank, no invisible characters, no comment marks.

Unicode's own NFKC is not used on whole texts: ``unicodedata.normalize`` sorts runs of combining marks in quadratic
time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Blocks with compatibility forms of letters, digits and kana that people and tools read as the plain ones.
_FORMS = (
    (0x2100, 0x2150), (0x2460, 0x2500), (0x3300, 0x3400), (0xF900, 0xFB00), (0xFF00, 0xFFF0),
    (0x1D400, 0x1D800), (0x1F100, 0x1F1A0),
)  # fmt: skip
_BLANKS = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_MORE_BLANKS = "\u2028\u2029\u202f\u205f\u3000"
_APOSTROPHES = "\u2018\u2019\u02bc"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_IGNORED = (
    (0xAD, 0xAE), (0x34F, 0x350), (0x61C, 0x61D), (0x115F, 0x1161), (0x17B4, 0x17B6), (0x180B, 0x1810),
    (0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0x3164, 0x3165), (0xFE00, 0xFE10), (0xFEFF, 0xFF00),
    (0xFFA0, 0xFFA1), (0xFFF9, 0xFFFC), (0xE0000, 0xE1000),
)  # fmt: skip
_VOICED = re.compile("[\u304b-\u307b\u30ab-\u30db\u30a6][\u3099\u309a]")
_RUN_OF_BLANKS = re.compile(" {2,}")
_SPACED_LETTERS = re.compile(r"(?<!\w)\w(?: \w){2,}(?!\w)")

# What stands around prose in comments, lists, quotes, tables and strings.
_MARKS = " #/*;>%!|\"'`~+=-<([{$&\\"
_END_MARKS = " #/*;>%|\"'`~+=-<)]}\\"


@cache
def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {}
    for start, end in _FORMS:
        for code in range(start, end):
            plain = unicodedata.normalize("NFKC", chr(code)).lower()
            if plain != chr(code):
                table[code] = plain
    table.update(dict.fromkeys(map(ord, _BLANKS + _MORE_BLANKS), " "))
    table.update(dict.fromkeys(map(ord, _APOSTROPHES), "'"))
    table.update(dict.fromkeys(map(ord, _DASHES), "-"))
    for start, end in _IGNORED:
        table.update(dict.fromkeys(range(start, end)))
    return table


def fold(text: str) -> str:
    """The text in lower case with full and half width, styled letters and blanks made plain, the invisible left out.

    Line feeds stay where they are, so lines keep their numbers. Linear.

    >>> fold("Ｒｅｖｉｅｗ\u200b は　ﾚﾋﾞｭｰ")
    'review は レビュー'
    """
    text = text.lower()
    if not text.isascii():
        text = text.translate(_table())
        if "\u3099" in text or "\u309a" in text:
            text = _VOICED.sub(lambda found: unicodedata.normalize("NFC", found.group()), text)
    elif "\t" in text or "\r" in text or "\f" in text or "\v" in text:
        text = text.translate(_table())
    text = _SPACED_LETTERS.sub(lambda found: found.group().replace(" ", ""), text)
    return _RUN_OF_BLANKS.sub(" ", text)


def prose(lines: list[str]) -> list[str]:
    """Folded lines without the marks of comments, lists, quotes and strings around them.

    Args:
        lines: Lines without line feeds.

    Returns:
        As many lines; one without a letter is a full stop, which ends a sentence.
    """
    folded = fold("\n".join(lines)).split("\n")
    return [_end(line.lstrip(_MARKS)) or "." for line in folded]


def _end(line: str) -> str:
    return line.rstrip(_END_MARKS)

"""The characters and words of JSON and of its lookalikes."""

from __future__ import annotations

import re
import unicodedata

SPACE_CHARACTERS = "\t\n\v\f\r \x1c-\x1f\x85\xa0\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
"""White space of Unicode, and characters of no width, for use inside ``[]`` of a pattern."""

SPACE = re.compile(f"[{SPACE_CHARACTERS}]*")
ODD_SPACE = re.compile(r"[^\t\n\r ]")
COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NUMBER_LIKE = re.compile(r"[-+.]?\w[\w.+-]*|[-+.]+", re.ASCII)
WORD = re.compile(r"[^\W\d][\w$-]*|\$[\w$-]*")
ELISION = re.compile(r"\.\.\.|…")
ELIDING_COMMENT = re.compile(
    r"\.\.\.|…|\b(?:omitted|truncated|unchanged|remaining|rest of|and so on|etc\b)|省略|以下同|其余|剩余|생략",
    re.IGNORECASE,
)

OPENERS = {"{": "}", "[": "]", "(": ")", "｛": "｝", "［": "］", "（": "）"}
FULL_WIDTH = {"｛": "{", "｝": "}", "［": "[", "］": "]", "（": "(", "）": ")", "：": ":", "，": ","}
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "＂": "＂", "`": "`"}
LITERALS = {"true": True, "false": False, "null": None}
PYTHON_LITERALS = {"True": True, "False": False, "None": None}
NOT_NUMBERS = frozenset({"nan", "infinity", "inf"})

PROTECTED = frozenset(
    {"content", "contents", "patch", "diff", "newcontent", "filecontent", "code", "search", "replace", "replacement"}
)
"""Folded keys whose text no guess may alter, whatever the schema says."""


def fold(name: str) -> str:
    """A key or a word of an enumeration without case, width, and the marks that styles differ in."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(f"[-_.{SPACE_CHARACTERS}]", "", folded)


def narrow(character: str) -> str:
    """A full-width bracket, colon or comma as its ASCII form; others as they are."""
    return FULL_WIDTH.get(character, character)

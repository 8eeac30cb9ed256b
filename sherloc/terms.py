"""Code-aware terms: the words that issue and code are compared by.

An identifier gives itself in lower case without underscores, so that ``ignore_paths``, ``ignorePaths`` and
``IGNORE_PATHS`` are one, and its camelCase, snake_case and digit pieces: ``HTTPResponse2`` gives ``httpresponse2``,
``http``, ``response``. Words in Japanese, Chinese and Korean give character pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress, count
from operator import not_

from sherloc.late import late

WORD = re.compile(r"[^\W]+")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\dA-Za-z_]+")
_WORDS_ALONE = bytes(byte if byte < 128 and (chr(byte).isalnum() or byte == 95) else 32 for byte in range(256))
_LONGEST_NUMBER = 4
_LONGEST = 80
_MEMO = 200_000
_FIRST_CJK = "\u3040"
_CJK = late(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+")

STOP_WORDS = frozenset(
    """a an and any are as at be been but by can could did do does doing done for from get got had has have how i if in
    into is it its just like me might more my no not now of on only or our should so some such than that the their
    them then there these they this those to too use used uses using very was we were what when where which while who
    why will with without would you your
    self cls def class return none true false import print pass else elif try except raise lambda null function var
    let const new void public private static final""".split()
)


def words_of(text: bytes) -> list[str]:
    """The words of UTF-8, as ``WORD`` finds them; in lines of ASCII several times as fast."""
    if text.isascii():
        return _ascii_words(text)
    lines = text.split(b"\n")
    found: list[str] = []
    done = 0
    for place in compress(count(), map(not_, map(bytes.isascii, lines))):
        found += _ascii_words(b"\n".join(lines[done:place]))
        found += WORD.findall(lines[place].decode("utf-8", "replace"))
        done = place + 1
    return found + _ascii_words(b"\n".join(lines[done:]))


def _ascii_words(text: bytes) -> list[str]:
    return text.translate(_WORDS_ALONE).decode("ascii").split()


def expand(word: str) -> tuple[str, ...]:
    """The terms of one word or identifier, most specific first; stop words and lone letters give none.

    Args:
        word: A run of word characters (letters, digits, underscores).
    """
    # A text in Chinese is one long word, and there is no end of those to remember.
    return _remembered(word) if len(word) <= _LONGEST else _expand(word)


def _expand(word: str) -> tuple[str, ...]:
    if not word.isascii() and max(word) >= _FIRST_CJK and _CJK().search(word):
        return _expand_cjk(word)
    if word[0].isdigit():
        # Numbers with letters: names such as 3d and 2to3 are kept, constants such as 0x1F and 10UL are not.
        return (
            (word.lower(),) if 1 < len(word) <= _LONGEST_NUMBER and not word.isdigit() and word[1] not in "xX" else ()
        )
    lower = word.lower()
    whole = lower.replace("_", "") if "_" in lower else lower
    pieces = _pieces(word, lower, whole)
    if len(pieces) == 1:
        if not 1 < len(whole) < _LONGEST or whole in STOP_WORDS or whole.isdigit():
            return ()
        return (stem(whole) if whole[-1] == "s" else whole,)
    return tuple([
        stem(term) if term[-1] == "s" else term
        for term in dict.fromkeys((whole, *pieces))
        if 1 < len(term) < _LONGEST and term not in STOP_WORDS and not term.isdigit()
    ])  # fmt: skip


_remembered = lru_cache(maxsize=50_000)(_expand)


def _pieces(word: str, lower: str, whole: str) -> list[str]:
    """What ``_PIECE`` finds, in lower case; of words of one case, which most are, without it. Some may be empty."""
    if (word == lower or word.isupper()) and whole.isascii() and whole.isalpha():
        return [lower] if whole is lower else lower.split("_")
    return list(map(str.lower, _PIECE.findall(word)))


def stem(term: str) -> str:
    """Fold a plural to its singular: ``migrations`` to ``migration``, ``queries`` to ``query``."""
    if len(term) > 3 and term.endswith("s") and not term.endswith(("ss", "us", "is", "as", "os")):
        if term.endswith("ies") and len(term) > 4:
            return term[:-3] + "y"
        if term.endswith(("sses", "xes", "ches", "shes", "zes")):
            return term[:-2]
        return term[:-1]
    return term


def _expand_cjk(word: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    position = 0
    for run in _CJK().finditer(word):
        for part in (word[position : run.start()],):
            found.update(dict.fromkeys(expand(part) if part else ()))
        text = run.group()
        found.update(dict.fromkeys([text] if len(text) < 2 else [text[i : i + 2] for i in range(len(text) - 1)]))
        position = run.end()
    if position < len(word):
        found.update(dict.fromkeys(expand(word[position:])))
    return tuple(found)


class TermTable(dict[str, tuple[str, ...]]):
    """A memo of ``expand``: most words of a repository occur many times. It forgets all when it has grown large."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _MEMO:
            self.clear()
        terms = self[word] = _expand(word)
        return terms

    def count(self, text: str) -> Counter[str]:
        """Frequencies of the terms of a text; linear in its length."""
        return self.count_words(WORD.findall(text))

    def count_words(self, words: Iterable[str]) -> Counter[str]:
        """Frequencies of the terms of words."""
        found: Counter[str] = Counter()
        for word, times in Counter(words).items():
            for term in self[word]:
                found[term] += times
        return found

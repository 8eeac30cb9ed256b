"""Tells keys and passwords from names and words by how they are put together."""

from __future__ import annotations

import math
from collections import Counter

_MIN_BITS = 3.0
_MIN_CHANGES = 0.3
_MIN_CHANGES_SHORT = 0.4
_LONG = 16
_SEPARATORS = "_-."


def entropy(value: str) -> float:
    """Shannon entropy in bits a character; O(n)."""
    counts = Counter(value).values()
    return math.log2(len(value)) - sum(count * math.log2(count) for count in counts) / len(value) if value else 0.0


def looks_random(value: str) -> bool:
    """Whether a long text looks drawn at random: letters and digits mixed, many characters, many changes of class.

    Names and paths change class at word boundaries only (``sha256_crypt_v2``), random text at every second character.
    """
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if digits < 2 or letters < 2 or len(value) < _LONG:
        return False
    return entropy(value) >= _MIN_BITS and _changes(value) >= _MIN_CHANGES


def looks_random_password(value: str) -> bool:
    """The same for passwords, which may be as short as 8 characters if three classes are mixed in them."""
    if len(value) >= _LONG:
        return looks_random(value)
    classes = {_class_of(c) for c in value if c not in _SEPARATORS}
    return len(classes) >= 3 and any(c.isdigit() for c in value) and _changes(value) >= _MIN_CHANGES_SHORT


def _class_of(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.isalpha():
        return "upper" if character.isupper() else "lower"
    return "other"


def _changes(value: str) -> float:
    """Share of neighbouring characters of different class; a capital before a small letter starts a word: no change."""
    classes = [_class_of(c) for c in value]
    pairs = list(zip(classes, classes[1:], strict=False))
    return sum(a != b and (a, b) != ("upper", "lower") for a, b in pairs) / max(len(pairs), 1)

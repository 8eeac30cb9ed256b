"""Rules for single names: what a new file or folder may be called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from sherloc.paths.folding import fold, is_git_folder
from sherloc.paths.reasons import PathReason

NOT_PORTABLE: frozenset[PathReason] = frozenset(("reserved", "trailing", "character", "short_name"))
"""The reasons that count only where a path must be safe on Windows, too."""

_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", "conin$", "conout$", "clock$")
    + tuple(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3")
)
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_SHORT = re.compile(r"[^.~ ]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?")
_MAX_SHORT_STEM = 8
# Default-ignorable characters that are not of category Cf, and the blank Braille pattern.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Slashes that are none, and that some conversions to older encodings turn into one.
_SLASH_LIKE = re.compile("[\u2044\u2215\u2216\u29f5\u29f8\u29f9]")
_MEANINGFUL = "./\\:"
_ENCODED = re.compile(r"%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
_EXPANDED = re.compile(r"\$[A-Z_][A-Z0-9_]*|.*\$[({].*|.*%[A-Za-z_][A-Za-z0-9_]*%.*", re.DOTALL)
_PLACEHOLDER = re.compile(r"(?:path/to|some/(?:dir|directory|path|folder|file))(?:/|$)", re.IGNORECASE)


def leads_into_git(path: str) -> bool:
    """Whether a name of a path may be git's own folder on some file system."""
    if path.isascii() and ".git" not in (lower := path.lower()) and "git~1" not in lower:
        return False
    compatible = unicodedata.normalize("NFKC", path)
    return any(is_git_folder(name) for text in (path, compatible) for name in text.split("/"))


def is_placeholder(path: str) -> bool:
    """Whether a path is a made-up example: ``path/to/x``, ``some/dir/x``."""
    return _PLACEHOLDER.match(path) is not None


def faults(name: str) -> Iterator[tuple[PathReason, str]]:
    """What speaks against a name that does not exist yet: reason and detail, the gravest first.

    Args:
        name: One name, neither empty nor made of dots, without control characters.
    """
    yield from _confusing(name)
    if "<" in name and ">" in name:
        yield "placeholder", repr(name)
    if "*" in name:
        yield "glob", repr(name)
    if _EXPANDED.fullmatch(name):
        yield "expansion", repr(name)
    yield from _not_portable(name)


def _confusing(name: str) -> Iterator[tuple[PathReason, str]]:
    compatible = name
    if not name.isascii():
        compatible = unicodedata.normalize("NFKC", name)
        if any(compatible.count(each) > name.count(each) for each in _MEANINGFUL) or _SLASH_LIKE.search(name):
            yield "look_alike", repr(name)
        if found := _UNSEEN.search(name):
            yield "invisible", f"U+{ord(found.group()):04X}"
    if _ENCODED.search(compatible):
        yield "encoded", repr(name)


def _not_portable(name: str) -> Iterator[tuple[PathReason, str]]:
    if found := _FORBIDDEN.search(name):
        yield "character", repr(found.group())
    if name[-1] in ". ":
        yield "trailing", repr(name)
    stem = name.partition(".")[0].rstrip(" ")
    if fold(stem) in _DEVICES:
        yield "reserved", repr(name)
    if "~" in name and _SHORT.fullmatch(name) and len(stem) <= _MAX_SHORT_STEM:
        yield "short_name", repr(name)

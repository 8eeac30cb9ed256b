"""From a path as somebody wrote it to a relative POSIX path, or to the reason why there is none."""

from __future__ import annotations

import re
import unicodedata

from sherloc.paths.known import KnownPaths
from sherloc.paths.reasons import refusal

_BLANKS = " \t\r\n\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_PAIRS = {"'": "'", '"': '"', "`": "`", "\u2018": "\u2019", "\u201c": "\u201d", "\u300c": "\u300d"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# An upper-case letter is a drive even where nothing but a name follows; ``a:b`` may be a name on POSIX.
_DRIVE = re.compile(r"[A-Z]:|[a-z]:(?:/|$)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?!:)")
_LINES = re.compile(r"(?P<path>.+?)(?::|#L?)(?P<start>\d{1,7})(?:(?P<by>[-:])L?(?P<end>\d{1,7}))?", re.DOTALL)


def check_characters(given: str, path: str) -> None:
    """Refuse what no path may hold, even where a file of that name exists.

    Args:
        given: For the error.
        path: The text to look at.
    """
    if _SURROGATE.search(path):
        raise refusal("not_unicode", given)
    if found := _CONTROL.search(path):
        raise refusal("control", given, detail=f"U+{ord(found.group()):04X}")
    if not path.isascii():
        for character in path:
            if unicodedata.category(character) == "Cf":
                raise refusal("invisible", given, detail=f"U+{ord(character):04X}")


def check_start(given: str, path: str) -> None:
    """Refuse a path whose beginning means a place outside of the root to some program."""
    if path.startswith("~"):
        raise refusal("home", given)
    if _DRIVE.match(path):
        raise refusal("drive", given)
    if _SCHEME.match(path) and not _LINES.fullmatch(path):
        raise refusal("scheme", given)


def clean(path: str) -> str:
    """A path without what surrounds it in prose: blanks, paired quotes, a comma.

    >>> clean(" `src/a.py`, ")
    'src/a.py'
    """
    start, end = 0, len(path)
    while start < end:
        if path[start] in _BLANKS:
            start += 1
        elif path[end - 1] in _BLANKS or path[end - 1] == ",":
            end -= 1
        elif end - start > 1 and _PAIRS.get(path[start]) == path[end - 1]:
            start, end = start + 1, end - 1
        else:
            break
    return path[start:end]


def normalise(given: str, known: KnownPaths | None) -> tuple[str, tuple[str, ...]]:
    """A path as relative POSIX names.

    Args:
        given: Any text without surrogates.
        known: What exists; it only makes the hint of an absolute path better.

    Returns:
        The path, and what was changed, in the order of the changes.

    Raises:
        UnsafePathError: It is empty or absolute, climbs, or holds a control or invisible character.
    """
    changes: list[str] = []
    path = given
    for change, changed in (("composed", _composed), ("edges", clean), ("backslashes", _slashes)):
        before, path = path, changed(path)
        if path != before:
            changes.append(change)
    check_characters(given, path)
    if path.startswith("/"):
        raise refusal("absolute", given, hint=_candidate(path, known))
    names = [name for name in path.split("/") if name not in ("", ".")]
    for name in names:
        # Windows drops trailing dots and blanks, so that more than ".." may climb.
        if not name.replace(".", "").strip():
            raise refusal("parent", given, detail=repr(name))
    if not names:
        raise refusal("empty", given)
    normal = "/".join(names)
    if normal != path:
        changes.append("dots")
    if clean(normal) != normal:
        raise refusal("edges", given)
    return normal, tuple(changes)


def split_lines(path: str) -> tuple[str, int, int] | None:
    """The path, first and last line of ``a.py:3``, ``a.py:3-9``, ``a.py#L3-L9`` or ``a.py:3:7`` (line and column)."""
    found = _LINES.fullmatch(path)
    if found is None:
        return None
    start = int(found["start"])
    end = int(found["end"]) if found["by"] == "-" else start
    return (found["path"], start, end) if 0 < start <= end else None


def _composed(path: str) -> str:
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _candidate(path: str, known: KnownPaths | None) -> str:
    """A hint that names the longest end of an absolute path that exists in the tree."""
    names = [name for name in path.split("/") if name]
    for start in range(len(names)) if known else ():
        rest = "/".join(names[start:])
        if known and known.kind(rest) == "file":
            return f"Paths are relative to the repository; did you mean {rest}?"
    return "Paths are relative to the repository."

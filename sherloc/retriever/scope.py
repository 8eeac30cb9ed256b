"""The scope of a search: which paths may be candidates."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable

from sherloc.printable import printable

_GLOB_SIGNS = frozenset("*?[")


class Scope:
    """Paths that lie under one of some folders, are one of some files, or match one of some globs.

    A glob is fnmatch's, where ``*`` matches ``/`` too; one that matches a folder holds what is below it, and ``**/``
    may stand for no folder at all. Names that are not UTF-8 are compared in their printable form.

    Args:
        patterns: Relative to the repository, with ``/``; none at all is everything.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(printable(pattern).removeprefix("./") for pattern in patterns)
        self._places = frozenset(pattern.rstrip("/") for pattern in self.patterns)
        globs = [pattern for pattern in self.patterns if not _GLOB_SIGNS.isdisjoint(pattern)]
        self._globs = re.compile("|".join(f"(?:{fnmatch.translate(each)})" for each in _variants(globs)))
        self._any_glob = bool(globs)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def holds(self, path: str) -> bool:
        """Whether a path is in the scope; linear in its length, and in that of the globs."""
        if not self.patterns:
            return True
        path = printable(path)
        if path in self._places or any(path[:at] in self._places for at, sign in enumerate(path) if sign == "/"):
            return True
        return self._any_glob and self._globs.match(path) is not None


def _variants(globs: Iterable[str]) -> dict[str, None]:
    """Each glob, without its ``**/`` too, and what is below each."""
    found: dict[str, None] = {}
    for glob in globs:
        for each in (glob, glob.replace("**/", "")):
            found.update(dict.fromkeys((each, f"{each.rstrip('/')}/*")))
    return found

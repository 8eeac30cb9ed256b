"""Paths from a model or a ticket are never trusted: one gate for the text, and one for what is on disk. Usable alone.

>>> check_path("./src//app.py")
'src/app.py'
"""

from __future__ import annotations

from sherloc.errors import UnsafePathError
from sherloc.paths.checking import CheckedPath, check_path, inspect_path
from sherloc.paths.known import KnownPaths, PathKind, PathTree
from sherloc.paths.nearest import nearest_paths
from sherloc.paths.policy import PROTECTED, READING, WRITING, PathPolicy
from sherloc.paths.reasons import SENTENCES, PathReason
from sherloc.paths.safe_root import SafeRoot

__all__ = [
    "PROTECTED",
    "READING",
    "SENTENCES",
    "WRITING",
    "CheckedPath",
    "KnownPaths",
    "PathKind",
    "PathPolicy",
    "PathReason",
    "PathTree",
    "SafeRoot",
    "UnsafePathError",
    "check_path",
    "inspect_path",
    "nearest_paths",
]

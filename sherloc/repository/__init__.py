"""A repository as a tree of files: a folder, a work tree or any revision look the same. The only git."""

from __future__ import annotations

from sherloc.repository.content import shebang_language
from sherloc.repository.filters import FileClass, classify, header_language, inspect_content, is_generated
from sherloc.repository.opening import open_reader, open_tree
from sherloc.repository.tree import MAX_READ_BYTES, Entry, Reader, Skip, Tree, content_id_of

__all__ = [
    "MAX_READ_BYTES",
    "Entry",
    "FileClass",
    "Reader",
    "Skip",
    "Tree",
    "classify",
    "content_id_of",
    "header_language",
    "inspect_content",
    "is_generated",
    "open_reader",
    "open_tree",
    "shebang_language",
]

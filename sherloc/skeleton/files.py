"""Files of any origin to their skeletons: what language they are in, and what kept them whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sherloc.indexer.decoding import decode
from sherloc.repository import classify, header_language, inspect_content, open_tree, shebang_language
from sherloc.schema.path_text import shown_path
from sherloc.skeleton.docs import Docs
from sherloc.skeleton.make import Skeleton, make_skeleton
from sherloc.syntax import GrammarUnavailable

MOST_BYTES = 8_000_000
"""Of a file that is given by name; devices never end, and a tree takes up to 500 times the memory of its text."""


@dataclass(frozen=True, slots=True)
class FileSkeleton:
    """A file and its skeleton.

    Attributes:
        path: As it was given; below a folder, joined to it.
        source: The file's text.
        skeleton: Its skeleton.
    """

    path: str
    source: str
    skeleton: Skeleton


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that has no skeleton, and why."""

    path: str
    reason: str


def language_of(path: str, data: bytes, neighbours: Sequence[str] = ()) -> str:
    """The language of a file, by its name or its first line; empty when there is no grammar for it.

    Args:
        path: Its name or path.
        data: Its content.
        neighbours: Paths beside it: they tell whether ``.h`` is C or C++.
    """
    if path.endswith(".h"):
        return header_language([*neighbours, path])
    return classify(os.path.basename(path)).language or shebang_language(data)


def skeleton_of(path: str, data: bytes, language: str, *, docs: Docs = "all", attributes: bool = True) -> FileSkeleton:
    """The skeleton of a file's bytes; a grammar that is missing, or a failing parser, leaves it whole with a reason.

    Args:
        path: What to call it.
        data: Its content, in any encoding.
        language: As ``language_of`` says.
        docs: See ``make_skeleton``.
        attributes: See ``make_skeleton``.
    """
    text = decode(data)[0]
    try:
        made = make_skeleton(text, language, docs=docs, attributes=attributes)
    except GrammarUnavailable:
        made = make_skeleton(text, "")
    return FileSkeleton(path, text, made)


def read_skeletons(
    paths: Sequence[str], *, docs: Docs = "all", attributes: bool = True
) -> Iterator[FileSkeleton | Unread]:
    """Skeletons of files, and of all code below folders, in the given order; below a folder by path.

    Args:
        paths: Files and folders.
        docs: See ``make_skeleton``.
        attributes: See ``make_skeleton``.

    Yields:
        A skeleton for each file, or why there is none; one that fails never ends the run.
    """
    for path in paths:
        if os.path.isdir(path):
            yield from _folder(path, docs, attributes)
            continue
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
            beside = os.listdir(os.path.dirname(path) or ".") if path.endswith(".h") else ()
        except (OSError, ValueError) as error:
            yield Unread(path, getattr(error, "strerror", None) or str(error))
            continue
        if len(data) > MOST_BYTES:
            yield Unread(path, f"it is larger than {MOST_BYTES:,} bytes")
            continue
        if b"\0" in data[:8000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            yield Unread(path, "it is binary")
            continue
        yield skeleton_of(path, data, language_of(path, data, sorted(beside)), docs=docs, attributes=attributes)


def _folder(folder: str, docs: Docs, attributes: bool) -> Iterator[FileSkeleton | Unread]:
    tree = open_tree(folder)
    headers = header_language([entry.path for entry in tree.entries])
    chosen = []
    for entry in tree.entries:
        kind = classify(entry.path)
        if kind.partition in ("code", "test") and not kind.excluded and kind.language:
            chosen.append(entry)
    for entry, data in tree.read(chosen):
        path = os.path.join(folder, shown_path(entry.path)).replace(os.sep, "/")
        if data is None:
            yield Unread(path, "it cannot be read")
        elif not inspect_content(entry.path, data):
            language = headers if entry.path.endswith(".h") else classify(entry.path).language
            yield skeleton_of(path, data, language, docs=docs, attributes=attributes)

"""Files of a commit as the entries of GitHub's tree API; the id of a tree from what GitLab lists."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sherloc.errors import ForgeRefusedError
from sherloc.protocols import FileState

_CHUNK = 4 << 20
"""Bytes of content in one request, so that a large commit stays below the limits of a request."""
_INLINE = 1 << 20
_MODES = ("100644", "100755")


def tree_chunks(files: Sequence[FileState], blob: Callable[[str], str]) -> Iterator[list[dict[str, Any]]]:
    """Entries for the tree API, in requests that each fit.

    Text goes along with its entry; a blob of its own costs a request, so only what is no UTF-8, has a NUL or is over
    a megabyte gets one.

    Args:
        files: What the commit makes of its paths.
        blob: Uploads base64 text; the blob's id.

    Raises:
        ForgeRefusedError: A mode that is no file's, or a path that is no text.
    """
    chunk: list[dict[str, Any]] = []
    size = 0
    for file in files:
        length = len(file.data or b"")
        if chunk and size + length > _CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(_entry(file, blob))
        size += length
    if chunk:
        yield chunk


def _entry(file: FileState, blob: Callable[[str], str]) -> dict[str, Any]:
    checked(file)
    entry: dict[str, Any] = {"path": file.path, "mode": file.mode, "type": "blob"}
    if file.data is None:
        return entry | {"sha": None}
    try:
        text = file.data.decode("utf-8") if len(file.data) <= _INLINE and b"\0" not in file.data else None
    except UnicodeDecodeError:
        text = None
    return entry | ({"sha": blob(encoded(file.data))} if text is None else {"content": text})


def checked(file: FileState) -> FileState:
    """The file, when an API can take it.

    Raises:
        ForgeRefusedError: Its mode is no file's, or its path is no text.
    """
    if file.mode not in _MODES or any(0xD800 <= ord(each) < 0xE000 for each in file.path):
        raise ForgeRefusedError(
            f"The API takes no file with mode {file.mode} or a path that is no text: {file.path!a}.",
            hint='Publish by git instead: forge.publish = "push".',
        )
    return file


def encoded(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode("ascii")


class Entry(NamedTuple):
    """One line of a tree: its mode in octal digits, name and object id."""

    mode: str
    name: str
    sha: str


def tree_id(entries: Iterable[Entry]) -> str:
    """The id that git gives to a tree: SHA-1 over its sorted entries.

    Args:
        entries: In any order; modes may have a leading zero.
    """

    def order(entry: Entry) -> bytes:
        return entry.name.encode() + (b"/" if entry.mode.lstrip("0") == "40000" else b"")

    lines = (f"{each.mode.lstrip('0')} {each.name}\0".encode() + bytes.fromhex(each.sha)
             for each in sorted(entries, key=order))  # fmt: skip
    body = b"".join(lines)
    return hashlib.sha1(b"tree %d\0" % len(body) + body, usedforsecurity=False).hexdigest()

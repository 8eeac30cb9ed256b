"""What git's index says of each tracked file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

FOLDER = b"040000"
SUBMODULE = b"160000"
SYMLINK = b"120000"
INTENT_TO_ADD = 1 << 29
SKIP_WORKTREE = 1 << 30
LISTED = ("ls-files", "-s", "-z")

_STAGED = re.compile(
    rb"(\d{6}) ([0-9a-f]+) ([0-3])\t([^\0]+)\0"
    rb"(?:  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n)?"
)


class Tracked(NamedTuple):
    """A row of git's index; ``status`` is mtime and ctime in nanoseconds and the size, or None when not known."""

    mode: bytes
    content_id: str
    stage: int
    path: str
    status: tuple[int, int, int] | None
    flags: int


def parse_tracked(output: bytes, again: Callable[[], bytes]) -> list[Tracked]:
    """The rows that ``git ls-files -s -z --debug`` prints.

    Args:
        output: What it printed.
        again: Gives what it prints without ``--debug``.
    """
    rows = list(_STAGED.finditer(output))
    if sum(len(row[0]) for row in rows) != len(output):
        # The format of --debug is for human eyes and may change; without it every file is hashed.
        rows = list(_STAGED.finditer(again()))
    return [_row(row) for row in rows]


def _row(row: re.Match[bytes]) -> Tracked:
    mode, content_id, stage, path, *numbers = row.groups()
    status, flags = None, 0
    if numbers[0] is not None:
        ctime, cnano, mtime, mnano, size = map(int, numbers[:5])
        status, flags = (mtime * 10**9 + mnano, ctime * 10**9 + cnano, size), int(numbers[5], 16)
    name = path.decode("utf-8", "surrogateescape")
    return Tracked(mode, content_id.decode("ascii"), int(stage), name, status, flags)

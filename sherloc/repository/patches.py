"""Which functions commits touched, as the heads of their patches' hunks name them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from sherloc.errors import RepositoryError
from sherloc.repository.git import Git
from sherloc.schema.path_text import shown_path

Place = tuple[str, str]
"""A path (from the root, as ``shown_path`` has it), and the short name of a function in it, or empty."""

_ATTRIBUTES = Path(__file__).with_name("languages.gitattributes")
_CODE = "py java go rs c h cc cpp cxx hpp cs php rb kt js jsx mjs ts tsx".split()
_SETTINGS = (
    "log.showSignature=false", "log.mailmap=false", "log.diffMerges=separate", "log.showRoot=true",
    "diff.interHunkContext=0", "core.bigFileThreshold=1m", f"core.attributesFile={_ATTRIBUTES}", "attr.tree=^",
)  # fmt: skip
_COMMAND = (
    "--bare", "log", "--no-walk=unsorted", "-m", "--first-parent", "--patch", "--unified=0", "--no-renames",
    "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "--no-indent-heuristic", "--src-prefix=a/",
    "--dst-prefix=b/", "--ignore-submodules",
    "-O/dev/null", "--no-notes", "--no-color", "--format=%x01%H",
)  # fmt: skip
_MOST = 1 << 23
"""More of the patches is not read. Bytes."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)")
_NAME = re.compile(
    r"(?:def|fn|func|fun|function)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?(\w+)|(?<![\w~$])([\w~$]+)\s*\("
)


class Patches:
    """What some commits touched, read by git while other work is done.

    Git names the function that a hunk stands in by the nearest line before it that begins one; a hunk that changes such
    a line itself is named by the one before. Commits whose patches cannot be read (a partial clone lacks their
    contents), and what lies beyond 8 MB of patches, touched nothing.

    Args:
        location: ``Tree.location``.
        commit_ids: Which commits.
    """

    def __init__(self, location: str, commit_ids: Sequence[str]) -> None:
        self._output = b""
        self._thread: threading.Thread | None = None
        if not commit_ids:
            return
        try:
            self._process = _start(location, commit_ids)
        except RepositoryError:
            return
        thread = threading.Thread(target=self._drain, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system refuses one more thread
            self._end()
            return
        self._thread = thread

    def _drain(self) -> None:
        assert self._process.stdout
        try:
            with contextlib.suppress(MemoryError):
                self._output = self._process.stdout.read(_MOST)
        finally:
            self._end()

    def _end(self) -> None:
        self._process.kill()
        assert self._process.stdout
        self._process.stdout.close()
        self._process.wait()

    def places(self) -> dict[str, list[Place]]:
        """For each commit that touched code the places, each once, in the patch's order; waits for git."""
        if self._thread is None:
            return {}
        self._thread.join()
        return read_patches(self._output)

    def close(self) -> None:
        """End git, when it is still at work."""
        if self._thread is not None:
            self._process.kill()  # a thread that was waited for when the user interrupted may pass for ended
            self._thread.join()


def _start(location: str, commit_ids: Sequence[str]) -> subprocess.Popen[bytes]:
    """Git at work in the git directory, without the index: the attributes of files there may say that code is binary.

    A bare clone has none, and the same history is to touch the same.

    Raises:
        RepositoryError: There is no git, or no repository.
    """
    found = Git(location)
    folder, prefix = (
        found.run("rev-parse", what).removesuffix(b"\n") for what in ("--absolute-git-dir", "--show-prefix")
    )
    git = Git(os.fsdecode(folder), settings=_SETTINGS, variables={"GIT_INDEX_FILE": os.devnull})
    inside = f"--relative={prefix.decode('utf-8', 'surrogateescape')}"
    paths = (f":(top)*.{ending}" for ending in _CODE)
    return git.popen((*_COMMAND, inside, "--end-of-options", *commit_ids, "--", *paths), words=False)


def read_patches(output: bytes) -> dict[str, list[Place]]:
    r"""The places of patches without context lines, each commit's behind ``\x01`` and its id.

    Args:
        output: What git wrote; its end may be missing.

    Complexity: linear.
    """
    found: dict[str, dict[Place, None]] = {}
    touched: dict[Place, None] = {}
    path, left = "", 0
    for line in io.BytesIO(output):  # a list of lines would be many times as large
        if left:
            left -= not line.startswith(b"\\")
        elif line.startswith(b"@@") and path:
            hunk = _HUNK.match(line)
            if hunk:
                left = int(hunk[1] or 1) + int(hunk[2] or 1)
                touched[path, _function(hunk[3].decode("utf-8", "replace"))] = None
        elif line.startswith(b"diff "):
            path = ""
        elif line.startswith((b"--- a/", b"+++ b/")):
            # Git ends a name that holds a blank with a tab, and quotes one with control characters, quotes or so.
            path = shown_path(line[6:].removesuffix(b"\n").removesuffix(b"\t").decode("utf-8", "surrogateescape"))
        elif line.startswith(b"\x01"):
            touched = found[line[1:].removesuffix(b"\n").decode("ascii", "replace")] = {}
    return {commit: list(places) for commit, places in found.items()}


def _function(head: str) -> str:
    """The name in the line that begins a function; empty when there is none."""
    match = _NAME.search(head)
    return (match[1] or match[2]) if match else ""

"""What was committed before: messages and the paths they touched, newest first."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sherloc.errors import RepositoryError
from sherloc.repository.git import Git, Process
from sherloc.repository.named_commits import Message, Named, named_commits
from sherloc.repository.patches import Patches
from sherloc.repository.tree import Tree
from sherloc.schema.path_text import shown_path
from sherloc.settings import RetrievalSettings

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MAX_MESSAGE = 250


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: the beginning of its message, the paths it touched (from the root, as ``shown_path`` has them), its id.

    Commits that say and touch the same are equal.
    """

    message: str
    paths: tuple[str, ...]
    commit_id: str = field(default="", compare=False)


class History:
    """The commits that a tree stands on, read by git while other work is done.

    Merges are left out: what they bring is in the commits that they merge. A plain folder, a repository without a
    commit, and one whose commits cannot be read have no history; a shallow clone has what it has.

    Args:
        tree: Whose history.
        settings: ``commits`` is how many, at most; none when the channel ``history`` is not in use.
    """

    def __init__(self, tree: Tree, settings: RetrievalSettings) -> None:
        self._process: Process | None = None
        self._output = b""
        self._location = tree.location
        self._git = Git(tree.location, settings=("log.showSignature=false", "log.mailmap=false"))
        self._patches: list[Patches] = []
        limit = settings.commits if "history" in settings.channels else 0
        commit = self._base = tree.revision.partition("+")[0]
        if limit < 1 or not _COMMIT_ID.fullmatch(commit):
            return
        try:
            process = self._git.start(
                "log", "-O/dev/null",
                f"--max-count={limit}", "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--relative",
                "--no-color", "--encoding=UTF-8", "-z", "--format=%x00%H%n%s%n%b", commit, "--",
            )  # fmt: skip
        except RepositoryError:
            return
        # A pipe that nobody reads fills up, and git would wait.
        self._reader = threading.Thread(target=self._drain, args=(process,), daemon=True)
        try:
            self._reader.start()
        except RuntimeError:  # the system refuses one more thread
            with process:
                return
        self._process = process

    def _drain(self, process: Process) -> None:
        with process, contextlib.suppress(RepositoryError, MemoryError):
            self._output = process.finish()[1]

    def commits(self) -> list[Commit]:
        """The commits, newest first; waits for git."""
        if self._process is None:
            return []
        self._reader.join()
        return _read(self._output)

    def named(self, ids: Sequence[str], tickets: Sequence[str]) -> list[Named]:
        """The commits that have these ids or tell these tickets; see ``named_commits``. Waits for git."""
        if self._process is None or not (ids or tickets):
            return []
        self._reader.join()
        recent = [Message(commit_id, text.decode("utf-8", "replace")) for commit_id, text, _ in _records(self._output)]
        return named_commits(self._git, self._base, recent, ids, tickets)

    def patches(self, commit_ids: Sequence[str]) -> Patches:
        """What functions some commits touched; git reads it while other work is done."""
        patches = Patches(self._location, commit_ids)
        self._patches.append(patches)
        return patches

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End git, when it is still at work."""
        for patches in self._patches:
            patches.close()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            self._reader.join()


def _read(output: bytes) -> list[Commit]:
    found = []
    for commit_id, message, names in _records(output):
        paths = (name.decode("utf-8", "surrogateescape") for name in names[1:].split(b"\0") if name)
        words = message[:_MAX_MESSAGE].decode("utf-8", "replace").strip()
        found.append(Commit(words, tuple(map(shown_path, paths)), commit_id))
    return found


def _records(output: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Ids, messages and names of ``git log -z --name-only``.

    A message stands before its names, the first behind a line feed, each with a NUL. An empty part stands before each
    commit: no name is empty, so that none passes for a commit.
    """
    for record in output.removeprefix(b"\0").split(b"\0\0"):
        told, _, names = record.partition(b"\0")
        head, _, message = told.partition(b"\n")
        commit_id = head.decode("ascii", "replace")
        # It will be an argument of git.
        if _COMMIT_ID.fullmatch(commit_id):
            yield commit_id, message, names

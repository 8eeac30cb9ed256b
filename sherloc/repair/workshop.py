"""Where commits are made: a scratch repository in a temporary folder, beside the repository that they are for."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.errors import ApplyError, GeneratorError, GitError, UsageError
from sherloc.indexer.decoding import decode
from sherloc.processes import held_folder, remove_dead, remove_folder
from sherloc.protocols import FileState, PatchRequest, PlannedCommit
from sherloc.repository import Tree, open_tree
from sherloc.repository.checkouts import Changed, changed_files, check_out
from sherloc.repository.git import Git
from sherloc.repository.sources import Sources
from sherloc.repository.writing import Scratch, Signature, Stored, clean_message, top_of
from sherloc.schema.path_text import shown_path

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from sherloc.repair.changes import ChangePlan


_COMMITTED = re.compile(rb"^committer .*> (-?\d{1,20}) ([+-]\d{1,9})$", re.MULTILINE)
_LAST_SECOND = 4_102_444_799
"""Of the year 2099."""
_FARTHEST = timedelta(hours=14)
_SHOWN = 5
_WHY_LEFT_OUT = "is a repository of its own, or the project's ignore files leave out"
_LEFT_OUT = f"Not in the patch is what {_WHY_LEFT_OUT}: "


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with the files of the base, to be changed by a program that is not trusted."""

    folder: Path
    workshop: Workshop
    identity: tuple[int, int]

    def diff(self) -> str:
        """All that was changed in it; before it a line for ``left_out_in``, where new files were left out.

        Raises:
            GeneratorError: The folder is gone or another one, or it cannot be read.
        """
        try:
            status = os.lstat(self.folder)
        except OSError as error:
            raise GeneratorError(f"The generator removed the folder that it ran in: {error.strerror}.") from error
        if (status.st_dev, status.st_ino) != self.identity:
            raise GeneratorError("The generator put another folder in the place of the one that it ran in.")
        changed = self.workshop.changed_in(str(self.folder))
        diff = self.workshop.diff(self.workshop.base, self.workshop.tree_of(self.workshop.base, changed.files))
        shown = ", ".join(repr(shown_path(name)) for name in changed.left_out[:_SHOWN])
        if changed.left_out and not diff:
            raise GeneratorError(f"The generator changed only what {_WHY_LEFT_OUT}: {shown}.")
        more = f" and {len(changed.left_out) - _SHOWN} more" if len(changed.left_out) > _SHOWN else ""
        return (f"{_LEFT_OUT}{shown}{more}.\n\n" if changed.left_out else "") + diff


def left_out_in(reasoning: str) -> str:
    """What a checkout's diff says of new files that were left out; empty when it says nothing.

    Args:
        reasoning: What stood before the diff.
    """
    line = reasoning.partition("\n")[0]
    return line if line.startswith(_LEFT_OUT) else ""


def date_of(commit: bytes) -> str:
    """When a commit was made, ISO 8601 with its time zone, as git takes it for another one.

    Args:
        commit: The commit as git stores it.
    """
    found = _COMMITTED.search(commit.partition(b"\n\n")[0])
    seconds, zone = (int(found[1]), int(found[2])) if found else (0, 0)
    when = datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), timezone.utc)
    away = timedelta(hours=abs(zone) // 100, minutes=abs(zone) % 100) * (-1 if zone < 0 else 1)
    if abs(away) <= _FARTHEST and 0 <= when.timestamp() + away.total_seconds() <= _LAST_SECOND:
        when = when.astimezone(timezone(away))
    return when.isoformat()


class Workshop:
    """Makes commits on top of a revision of a repository, without touching it. A context manager.

    Equal input gives equal commit ids, so that a workshop can be thrown away and made anew at any time.

    Args:
        repo: The top of a work tree, or a git directory; linked, bare, shallow and partial ones too.
        revision: What the commits stand on; anything that git resolves to a commit.

    Attributes:
        base: The id of that commit.
        scratch: Where commits are made.

    Raises:
        RepositoryError: The repository or the revision cannot be read, or is not under git.
        UsageError: ``repo`` is a folder inside of a work tree.
    """

    def __init__(self, repo: str | os.PathLike[str], revision: str = "HEAD") -> None:
        self.tree: Tree = open_tree(repo, revision)
        top = top_of(self.tree.location)
        if os.path.realpath(top) != os.path.realpath(self.tree.location):
            raise UsageError(
                f"{self.tree.location} is a folder inside of a repository; a patch is made for the whole.",
                hint=f"Give {top}",
            )
        self.base = self.tree.revision
        self._contents: dict[str, bytes] = {}
        remove_dead()
        self._held = contextlib.ExitStack()
        try:
            self.scratch = Scratch(self._held.enter_context(held_folder("repair")), Git(self.tree.location))
            # What programs are told of leads nowhere near to the place where commits are made.
            self._checkouts = self._held.enter_context(held_folder("checkout"))
        except BaseException:
            self.close()
            raise

    @property
    def git_dir(self) -> str:
        """The scratch repository, which has been looked over.

        Raises:
            GitError: A program that ran in a checkout changed it.
        """
        self.scratch.check()
        return self.scratch.git_dir

    @cached_property
    def date(self) -> str:
        """When the base was committed, ISO 8601: commits that bear it have the same ids whenever they are made.

        Git writes dates from 1970 to 2099 only, though it keeps others that somebody made: those become the nearest.
        """
        return date_of(self.scratch.git.run("cat-file", "commit", self.base))

    @cached_property
    def stored(self) -> dict[str, Stored]:
        """Everything that the base has, by path: modes and ids, symbolic links and submodules too."""
        return self.scratch.stored(self.base)

    @cached_property
    def sources(self) -> Sources:
        """Texts of the base's files, each read once."""
        return Sources(self.tree, lambda data: decode(data)[0])

    def read(self, path: str) -> bytes:
        """The bytes of a file of the base.

        Raises:
            GitError: It cannot be read.
        """
        if path not in self._contents:
            data = next(self.scratch.git.blobs([self.stored[path].content_id], 1 << 31)).data
            if data is None:
                raise GitError(
                    f"{path} of {self.base} cannot be read from {self.tree.location}.",
                    hint="Of a partial clone bring what is missing with: git fetch --refetch; else see: git fsck",
                )
            self._contents[path] = data
        return self._contents[path]

    def commits(self, plan: ChangePlan, *, author: str, email: str, date: str) -> tuple[PlannedCommit, ...]:
        """Make the commits of a plan, one for each group; equal arguments give equal ids.

        Args:
            plan: Made for this base.
            author: Name of author and committer.
            email: Address of both.
            date: Of both, with a time zone: ``2026-01-31T12:00:00+00:00``.

        Raises:
            ApplyError: The plan is for another base, or git does not take the signature.
        """
        if plan.base != self.base:
            raise ApplyError(f"The plan is for the commit {plan.base}, not for {self.base}.", hint="Plan it anew.")
        who = Signature.of(author, email, date)
        made: list[PlannedCommit] = []
        for group in plan.groups:
            parent = made[-1].sha if made else self.base
            tree = self.scratch.tree(parent, group.files)
            paths = ", ".join(state.path for state in group.files)
            message = clean_message(group.message if group.message.strip() else f"Change {paths}")
            sha = self.scratch.commit(tree, parent, message, who)
            made.append(PlannedCommit(sha, tree, message, group.files, who.author, who.email, date))
        return tuple(made)

    def tree_of(self, parent: str, files: tuple[FileState, ...]) -> str:
        """The id of the tree that files with checked paths make of a commit or tree."""
        return self.scratch.tree(parent, files)

    def diff(self, base: str, head: str) -> str:
        """What differs between two commits or trees, as ``git diff`` shows it.

        Bytes that are not UTF-8 are decoded with ``surrogateescape``, so that encoding gives the patch back.
        """
        return self.scratch.diff(base, head).decode("utf-8", "surrogateescape")

    def checkout(self, sha: str) -> str:
        """A folder with all files of a commit, byte for byte as they are stored, for tests to run in.

        Each call makes another one. No filter, hook or submodule takes part. It is a git repository of its own, with
        one commit, and has no link to the one where commits are made; that one is looked over before each use from now
        on. It is gone when the workshop is closed.

        Raises:
            RepositoryError: It cannot be made.
        """
        try:
            folder = os.path.join(tempfile.mkdtemp(prefix="tree-", dir=self._checkouts), self.tree.name)
            check_out(self.scratch, sha, folder)
        except OSError as error:
            raise GitError(
                f"There can be no checkout in {self._checkouts}: {error.strerror or error}.",
                hint="Is there room for it, or did the tests or the generator remove that folder?",
            ) from error
        return folder

    @contextlib.contextmanager
    def scratch_checkout(self, request: PatchRequest) -> Iterator[Checkout]:
        """A checkout of the base that a patch generator may change as it likes; what it changed is a proposal.

        Args:
            request: What it is asked.
        """
        folder = Path(self.checkout(self.base))
        status = os.lstat(folder)
        try:
            yield Checkout(folder, self, (status.st_dev, status.st_ino))
        finally:
            remove_folder(str(folder.parent))

    def changed_in(self, folder: str) -> Changed:
        """What was changed in a checkout of the base; committed or not, new files too.

        Raises:
            GeneratorError: It cannot be read, or too much was changed.
        """
        return changed_files(self.scratch, self.stored, folder)

    def mail(self, sha: str) -> bytes:
        """A commit as a mail that ``git am`` takes."""
        return self.scratch.mail(sha)

    def deliver(self, branch: str, sha: str) -> None:
        """Bring commits into the repository as one new branch; nothing else in it changes. May be repeated.

        Args:
            branch: Its name.
            sha: The last of ``commits``.

        Raises:
            ApplyError: The name cannot be a branch's, or it exists and points elsewhere; it is never moved.
        """
        self.scratch.deliver(branch, self.base, sha)

    def close(self) -> None:
        """Remove the scratch repository and every checkout."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

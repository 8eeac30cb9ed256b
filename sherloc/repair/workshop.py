"""Where commits are made: a scratch repository in a temporary folder, beside the repository that they are for."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.errors import ApplyError, GitError, UsageError
from sherloc.indexer.decoding import decode
from sherloc.protocols import FileState, PatchRequest, PlannedCommit
from sherloc.repository import Tree, open_tree
from sherloc.repository.git import Git
from sherloc.repository.sources import Sources
from sherloc.repository.writing import Scratch, Signature, Stored, clean_message, top_of

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from sherloc.repair.changes import ChangePlan


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with the files of the base, to be changed."""

    folder: Path
    workshop: Workshop

    def diff(self) -> str:
        """All that was changed in it."""
        return self.workshop.changes_in(str(self.folder))


class Workshop:
    """Makes commits on top of a revision of a repository, without touching it. A context manager.

    Equal input gives equal commit ids, so that a workshop can be thrown away and made anew at any time.

    Args:
        repo: The top of a work tree, or a git directory; linked, bare, shallow and partial ones too.
        revision: What the commits stand on; anything that git resolves to a commit.

    Attributes:
        base: The id of that commit.
        git_dir: The scratch repository; what was made can be pushed from there.

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
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="sherloc-repair-"))
        try:
            self.scratch = Scratch(self._folder, Git(self.tree.location))
        except BaseException:
            self.close()
            raise
        self.git_dir = self.scratch.git_dir

    @cached_property
    def date(self) -> str:
        """When the base was committed, ISO 8601: commits that bear it have the same ids whenever they are made."""
        return (
            self.scratch.git.run("show", "-s", "--no-show-signature", "--format=%cI", self.base).decode("ascii").strip()
        )

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

        Each call makes another one. No filter, hook or submodule takes part. It is gone when the workshop is closed.
        """
        parent = tempfile.mkdtemp(prefix="tree-", dir=self._folder)
        folder = os.path.join(parent, self.tree.name)
        self.scratch.check_out(sha, folder)
        return folder

    @contextlib.contextmanager
    def scratch_checkout(self, request: PatchRequest) -> Iterator[Checkout]:
        """A checkout of the base that a patch generator may change as it likes; what it changed is a proposal.

        Args:
            request: What it is asked.
        """
        checkout = Checkout(Path(self.checkout(self.base)), self)
        try:
            yield checkout
        finally:
            shutil.rmtree(checkout.folder.parent, ignore_errors=True)

    def changes_in(self, folder: str) -> str:
        """What was changed in a checkout of the base, as ``diff`` shows it; committed or not, new files too."""
        return self.diff(self.base, self.scratch.tree_in(self.base, folder))

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
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

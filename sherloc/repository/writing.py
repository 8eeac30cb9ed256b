"""Making commits without touching the repository that they are for, and handing one branch over to it.

A ``Scratch`` is a bare repository in a folder of its own, which borrows the objects of the other one. All is made in it
by plumbing commands: no index, work tree, hook, filter or setting of the other repository takes part.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sherloc.errors import ApplyError, GitError, RepositoryError
from sherloc.protocols import FileState
from sherloc.repository.borrowing import borrow
from sherloc.repository.git import Git
from sherloc.repository.sealing import Seal

ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
SETTINGS = (
    f"core.attributesFile={os.devnull}",
    f"core.excludesFile={os.devnull}",
    "core.autocrlf=false",
    "core.logAllRefUpdates=false",
    "diff.suppressBlankEmpty=false",
    "gc.auto=0",
    "i18n.commitEncoding=UTF-8",
    "maintenance.auto=false",
)
ATTRIBUTES = "* -text !eol -ident -filter !working-tree-encoding !diff !merge\n"
"""Whatever a project's own attributes say, files are checked out byte for byte."""
_DIFF = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "-M", "-l2000", "-O/dev/null",
    "--diff-algorithm=histogram", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--binary",
)  # fmt: skip
_NO_NAME = {ord(character): None for character in "<>\n\t"}
_CRUD = " .,:;<>\"\\'"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PATCH = re.compile(
    r"diff -|Index: |---(?:\s|$)|@@ |\+\+\+ |-- ?>8|(?:From|Subject|Date):\s|>?From \S+ .*\d\d:\d\d", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What a tree has at a path: git's mode (``100644``, ``100755``, ``120000``, ``160000``) and object id."""

    mode: str
    content_id: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Who makes a commit, and when.

    Args:
        author: Name, as git stores it.
        email: Address.
        date: With a time zone: ``2026-01-31T12:00:00+00:00``.
    """

    author: str
    email: str
    date: str

    @classmethod
    def of(cls, author: str, email: str, date: str) -> Signature:
        """Without what git leaves out of names.

        Raises:
            ApplyError: Nothing is left of the name, or the date has no time zone.
        """
        author, email = (_CONTROL.sub("", text).translate(_NO_NAME).strip(_CRUD) for text in (author, email))
        if not author or not _DATE.fullmatch(date):
            what = f"the date {date!r} has no time zone" if author else "it has no name"
            raise ApplyError(
                f"Nobody can sign a commit: {what}.", hint="Check the settings author_name and author_email of repair."
            )
        return cls(author, email, date)


class Scratch:
    """A bare repository that borrows the objects of another one.

    Args:
        folder: An empty folder; the repository is made in ``repo.git`` below it.
        source: Runs in the other repository, at its top.
    """

    def __init__(self, folder: str, source: Git) -> None:
        self.source = source
        self.git_dir = os.path.join(folder, "repo.git")
        self._folder = folder
        self.algorithm = source.run("rev-parse", "--show-object-format").decode("ascii").strip()
        Git(folder, variables=ALONE).run(
            "init", "--quiet", "--bare", "--template=", f"--object-format={self.algorithm}", "repo.git"
        )
        self._borrow()
        self._seal = Seal(self.git_dir, self.algorithm)
        self._exposed = False

    def expose(self) -> None:
        """From now on programs of others may run: the repository is looked over before each use."""
        self._exposed = True

    def check(self) -> None:
        """Look the repository over, once programs of others may have run.

        Raises:
            GitError: Somebody else changed it.
        """
        if self._exposed:
            self._seal.check()

    @property
    def git(self) -> Git:
        """Runs in the repository, which has been looked over.

        Raises:
            GitError: Somebody else changed it.
        """
        return self.git_with({})

    def git_with(self, variables: Mapping[str, str]) -> Git:
        """As ``git``, with more environment variables."""
        self.check()
        return Git(self.git_dir, settings=SETTINGS, variables=ALONE | dict(variables))

    def _borrow(self) -> None:
        info = os.path.join(self.git_dir, "info")
        try:
            os.makedirs(info, exist_ok=True)
            with open(os.path.join(info, "attributes"), "w", encoding="ascii") as file:
                file.write(ATTRIBUTES)
            borrow(self.source, self.git_dir)
        except OSError as error:
            raise _unwritten(error) from error

    def stored(self, commit: str) -> dict[str, Stored]:
        """Everything in a commit, by path; names that are no UTF-8 are decoded with surrogateescape."""
        found: dict[str, Stored] = {}
        for row in self.git.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            facts, _, name = row.partition(b"\t")
            if name:
                mode, _, content_id = facts.decode("ascii").split()
                found[name.decode("utf-8", "surrogateescape")] = Stored(mode, content_id)
        return found

    def write(self, data: bytes) -> str:
        """Store a content as it is; its id."""
        return self.git.feed(data, "hash-object", "-w", "--no-filters", "--stdin").decode("ascii").strip()

    def tree(self, parent: str, files: Iterable[FileState]) -> str:
        """The tree that some files make of another tree or commit.

        Args:
            parent: A commit or tree.
            files: Paths must have been checked; a path that is removed must exist.
        """
        zero = "0" * (64 if self.algorithm == "sha256" else 40)
        gone: list[bytes] = []
        made: list[bytes] = []
        for file in files:
            name = file.path.encode("utf-8", "surrogateescape")
            if file.data is None:
                gone.append(b"0 %s\t%s\0" % (zero.encode(), name))
            else:
                made.append(b"%s %s\t%s\0" % (file.mode.encode(), self.write(file.data).encode(), name))
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="index-") as folder:
            git = self._with_index(os.path.join(folder, "index"))
            git.run("read-tree", parent)
            # Removals first: a file may become a folder.
            git.feed(b"".join((*gone, *made)), "update-index", "-z", "--index-info")
            # Objects of a partial clone may be missing, and are not needed.
            return git.run("write-tree", "--missing-ok").decode("ascii").strip()

    def commit(self, tree: str, parent: str, message: str, signature: Signature) -> str:
        """Make a commit; equal arguments give an equal id.

        Raises:
            ApplyError: Git does not take the signature.
        """
        who = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", signature.author), ("EMAIL", signature.email), ("DATE", signature.date))
        }
        git = self.git_with(who)
        try:
            made = git.feed(clean_message(message).encode(), "commit-tree", tree, "-p", parent)
        except RepositoryError as error:
            raise ApplyError(
                f"No commit can be made by {signature.author} <{signature.email}> on {signature.date}: {error.message}",
                hint="Check the settings author_name and author_email of repair.",
            ) from error
        return made.decode("ascii").strip()

    def diff(self, base: str, head: str) -> bytes:
        """What differs between two commits or trees, as git shows it; renames are found."""
        return self.git.run("diff-tree", "-r", "-p", *_DIFF, base, head)

    def counts(self, base: str, head: str) -> tuple[int, int]:
        """Lines added and removed between two commits or trees; a file that moved counts by what changed in it."""
        added = removed = 0
        for row in self.git.run("diff-tree", "-r", "--numstat", *_DIFF[:-1], base, head).splitlines():
            more, less = row.split(b"\t")[:2]
            added += int(more) if more != b"-" else 0
            removed += int(less) if less != b"-" else 0
        return added, removed

    def patch(self, contents: Mapping[str, bytes], patch: bytes) -> dict[str, bytes]:
        """What git makes of some contents with a patch whose lines and counts are exact.

        Args:
            contents: By plain names.
            patch: For these names; hunks may have no context.

        Raises:
            GitError: It does not apply.
        """
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="index-") as folder:
            git = self._with_index(os.path.join(folder, "index"))
            rows = [f"100644 {self.write(data)}\t{name}\0" for name, data in sorted(contents.items())]
            git.feed("".join(rows).encode(), "update-index", "-z", "--index-info")
            git.feed(patch, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-")
            listed = git.run("ls-files", "--stage", "-z").split(b"\0")
        names = {row.partition(b"\t")[2].decode(): row.split(b" ")[1].decode() for row in listed if row}
        blobs = self.git.blobs(list(names.values()), 1 << 31)
        return {name: blob.data or b"" for name, blob in zip(names, blobs, strict=True)}

    def mail(self, commit: str) -> bytes:
        """A commit as a mail that ``git am`` takes."""
        return self.git.run("format-patch", "-1", "--stdout", "--no-signature", *_DIFF, commit)

    def deliver(self, branch: str, base: str, head: str) -> None:
        """Bring commits into the other repository, as one new branch.

        Nothing but loose objects and one ref is written there; no hook runs.

        Args:
            branch: Its name, without ``refs/heads/``.
            base: A commit that the other repository has.
            head: A commit made here on top of it.

        Raises:
            ApplyError: The name cannot be a branch's, or it exists and points elsewhere.
        """
        ref = f"refs/heads/{branch}"
        _check_branch(self.source, branch)
        standing = _head_of(self.source, ref)
        if standing == head:
            return
        if standing:
            raise ApplyError(
                f"The branch {branch} exists in {self.source.location} and points to {standing}, not to {head}.",
                hint="It is never overwritten: rename or delete it, or choose another prefix for branches.",
            )
        packed = self.git.feed(
            f"{head}\n^{base}\n".encode(), "pack-objects", "--quiet", "--revs", "--stdout", "--delta-base-offset"
        )
        target = Git(self.source.location, settings=SETTINGS)
        try:
            target.feed(packed, "unpack-objects", "-q")
            # An old value of zeros: git refuses when the ref exists by now.
            target.run("update-ref", "--no-deref", ref, head, "0" * len(head))
        except RepositoryError as error:
            if _head_of(self.source, ref) == head:
                return  # another process made the same branch
            raise ApplyError(
                f"The branch {branch} cannot be made in {self.source.location}: {error.message}",
                hint="A branch of which one name is the beginning of the other's is in the way, or the repository "
                "cannot be written.",
            ) from error

    def _with_index(self, path: str) -> Git:
        return self.git_with({"GIT_INDEX_FILE": path})


def clean_message(message: str) -> str:
    r"""A commit's message as it is stored: no control or direction characters, no blank edges, a line feed at the end.

    >>> clean_message("fix: a\0b\r\n\n\nwhy \n")
    'fix: ab\n\n\nwhy\n'
    """
    lines = _CONTROL.sub("", message.replace("\r\n", "\n")).split("\n")
    lines = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    return "\n".join(("  " if _PATCH.match(line) else "") + line for line in lines) + "\n"


def top_of(repo: str) -> str:
    """The top folder of the work tree that a path is in, or the path itself where there is no work tree.

    Raises:
        NotARepositoryError: It is not under git.
        GitError: Git is missing, or refuses to read the repository.
    """
    location = os.path.abspath(repo)
    git = Git(location)
    if git.run("rev-parse", "--is-inside-work-tree").strip() != b"true":
        return location
    return os.fsdecode(git.run("rev-parse", "--show-toplevel").removesuffix(b"\n"))


def _check_branch(git: Git, branch: str) -> None:
    """Raise ApplyError for what cannot be the name of a branch."""
    bad = branch.startswith("-") or branch in ("", "HEAD") or "\0" in branch
    if not bad:
        with git.start("check-ref-format", f"refs/heads/{branch}") as process:
            bad = process.finish((0, 1))[0] != 0
    if bad:
        raise ApplyError(f"{branch!r} cannot be the name of a branch.", hint="See: git help check-ref-format")


def _head_of(git: Git, ref: str) -> str:
    # Other commands would also find a tag of this name. A pattern stands for what is below it, too.
    rows = git.run("for-each-ref", "--format=%(objectname) %(refname)", ref).decode("utf-8", "replace").splitlines()
    return next((row.split(" ")[0] for row in rows if row.partition(" ")[2] == ref), "")


def _unwritten(error: OSError) -> GitError:
    """What stands for a part of the scratch repository that cannot be made."""
    return GitError(
        f"{error.filename} cannot be written: {error.strerror}.",
        hint="Is there room for temporary files?",
    )


__all__ = ["ALONE", "ATTRIBUTES", "SETTINGS", "Scratch", "Signature", "Stored", "clean_message", "top_of"]

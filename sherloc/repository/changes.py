"""What changed between two states of a repository: a unified diff of a revision, or of the work tree as it is.

Git compares copies of the files in a folder of its own, outside of the repository, so that nothing the repository
configures (filters, text conversions, external diffs) is ever run, and nothing in it is written.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sherloc.errors import NotARepositoryError, RevisionNotFoundError
from sherloc.repository.disk import Disk
from sherloc.repository.git import Git
from sherloc.repository.git_index import open_index
from sherloc.repository.opening import open_tree
from sherloc.repository.revision import resolve
from sherloc.repository.tree import Entry, Reader, Tree
from sherloc.schema.path_text import shown_path

Status = Literal["added", "deleted", "modified", "renamed", "mode", "submodule", "symlink", "unread"]

_DEFAULTS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_PLAIN_MODES = ("100644", "100755")
_SPECIAL_MODES: dict[str, Status] = {"160000": "submodule", "120000": "symlink"}
_BINARY_PROBE = 8000


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs.

    Attributes:
        status: What became of it. ``mode``, ``submodule``, ``symlink`` and ``unread`` have no hunks.
        path: Its path now (of a deleted file, the path it had).
        old_path: The path that a renamed file had; else empty.
        binary: Whether it is binary: then there are no hunks.
        text: Its part of the diff, head included; ends with a line feed.
        lines: Lines of the file now that were added or changed, or between which some were removed; 1-based, inclusive.
    """

    status: Status
    path: str
    old_path: str = ""
    binary: bool = False
    text: str = ""
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """All that differs.

    Attributes:
        tree: The new state.
        base: The commit that it is compared with.
        asked: The revision that was asked for, or the default one.
        changes: By path.
        notes: What the reader should know, for example that there is no merge base.
    """

    tree: Tree
    base: str
    asked: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = field(default=())


def find_changes(
    repo: str | os.PathLike[str],
    base: str | None = None,
    *,
    revision: str | None = None,
    unified: int = 5,
    decode: Callable[[bytes], str],
) -> Changes:
    """Compare a repository with the merge base of a revision and what it stands on.

    Args:
        repo: A work tree or a folder in one, or a git directory.
        base: A branch, tag or commit; None is the remote's default branch, or a local ``main`` or ``master``.
        revision: The new state; None is the work tree with all that is not committed, and a git directory's HEAD.
        unified: Lines of context around each change.
        decode: Turns a file's bytes into text.

    Raises:
        NotARepositoryError: There is no git, or no commit.
        RevisionNotFoundError: The base or the revision is not there.
        RepositoryError: Git cannot read the repository.
    """
    tree = open_tree(repo, revision)
    head = tree.revision.partition("+")[0]
    if not head:
        raise NotARepositoryError(
            f"{tree.location} has no commit to compare with.", hint="Give a git repository with at least one commit."
        )
    git = Git(tree.location)
    asked, commit = _base(git, base)
    start, notes = _merge_base(git, asked, commit, head)
    old = open_tree(repo, start)
    special, modes = _special(git, start, head, tree.files)
    pairs = _differing(old, tree)
    changes = [_with_mode(change, modes) for change in _compared(old, tree, pairs, unified, decode)]
    known = {change.path for change in changes} | {change.old_path for change in changes}
    special += [Change("mode", path, text=_head(path, path) + words) for path, words in modes.items()]
    changes += [change for change in special if change.path not in known]
    return Changes(tree, start, asked, tuple(sorted(changes, key=lambda change: change.path)), tuple(notes))


def _base(git: Git, base: str | None) -> tuple[str, str]:
    if base is not None:
        return base, resolve(git, base)
    for name in _DEFAULTS:
        try:
            return name, resolve(git, name)
        except RevisionNotFoundError:
            continue
    raise RevisionNotFoundError(
        f"{git.location} has none of {', '.join(_DEFAULTS)} to compare with.", hint="Name one with --base."
    )


def _merge_base(git: Git, asked: str, commit: str, head: str) -> tuple[str, list[str]]:
    with git.start("merge-base", commit, head) as process:
        code, output = process.finish((0, 1))
    if code == 0 and output.strip():
        return output.split()[0].decode("ascii"), []
    shallow = git.run("rev-parse", "--is-shallow-repository").strip() == b"true"
    why = " (the clone is shallow; see: git fetch --unshallow)" if shallow else ""
    return commit, [f"There is no merge base with {asked}{why}: compared with {asked} itself."]


def _special(git: Git, base: str, head: str, files: Reader) -> tuple[list[Change], dict[str, str]]:
    """What is no content of a file: submodules and symbolic links; and by path, in words, modes that changed.

    Of a work tree what is staged counts, and whether a file on disk may be executed.
    """
    options = ("-z", "--raw", "--no-renames", "--relative", "--abbrev=40")
    if not isinstance(files, Disk):
        return _told(_rows(git.run("diff-tree", "-r", *options, base, head)))
    git_folder = os.fsdecode(git.run("rev-parse", "--absolute-git-dir")).removesuffix("\n")
    with open_index(git, git_folder) as index:
        rows = _rows(index.git.run("diff-index", "--cached", *options, base))
        tracked = {item.path: item.mode.decode("ascii") for item in index.tracked()}
    with git.start("config", "--bool", "core.fileMode") as process:
        if process.finish((0, 1))[1].strip() != b"false":
            _look_at_modes(rows, tracked, files)
    return _told(rows)


_Row = tuple[str, str, str, str]
"""Mode and object id before, and now."""


def _rows(output: bytes) -> dict[str, _Row]:
    """Git's raw diff by path."""
    parts = output.split(b"\0")
    found: dict[str, _Row] = {}
    for facts, name in zip(parts[::2], parts[1::2], strict=False):
        old_mode, new_mode, old_id, new_id, _ = facts.decode("ascii").removeprefix(":").split()
        found[name.decode("utf-8", "surrogateescape")] = old_mode, new_mode, old_id, new_id
    return found


def _look_at_modes(rows: dict[str, _Row], tracked: Mapping[str, str], disk: Disk) -> None:
    """Put the modes on disk in the place of those in git's index."""
    for path, mode in tracked.items():
        found = disk.stat(path)
        if mode not in _PLAIN_MODES or found is None or not stat.S_ISREG(found.st_mode):
            continue
        now = _PLAIN_MODES[bool(found.st_mode & stat.S_IXUSR)]
        old_mode, _, old_id, new_id = rows.get(path, (mode, mode, "", ""))
        if path in rows or now != mode:
            rows[path] = old_mode, now, old_id, new_id


def _told(rows: Mapping[str, _Row]) -> tuple[list[Change], dict[str, str]]:
    special: list[Change] = []
    modes: dict[str, str] = {}
    for name, (old_mode, new_mode, old_id, new_id) in rows.items():
        path = shown_path(name)
        kind = _SPECIAL_MODES.get(new_mode) or _SPECIAL_MODES.get(old_mode)
        if kind is not None:
            text = f"{_head(path, path)}{kind} {old_id[:12]}..{new_id[:12]}\n"
            special.append(Change(kind, path, text=text))
        elif old_mode != new_mode and {old_mode, new_mode} <= set(_PLAIN_MODES):
            modes[path] = f"old mode {old_mode}\nnew mode {new_mode}\n"
    return special, modes


def _with_mode(change: Change, modes: Mapping[str, str]) -> Change:
    """A change of content that is one of the mode, too."""
    words = modes.get(change.path, "")
    if not words or change.status != "modified":
        return change
    head, _, rest = change.text.partition("\n")
    return replace(change, text=f"{head}\n{words}{rest}")


def _differing(old: Tree, new: Tree) -> list[tuple[Entry | None, Entry | None]]:
    """Entries of one path in both trees that are not the same, by path."""
    before = {entry.path: entry for entry in old.entries}
    after = {entry.path: entry for entry in new.entries}
    # A file that is there and cannot be read is not deleted.
    unread = {skip.path for skip in new.skipped}
    pairs = []
    for path in sorted({*before, *after}):
        pair = before.get(path), after.get(path)
        same = pair[0] is not None and pair[1] is not None and pair[0].content_id == pair[1].content_id
        if not same and not (pair[1] is None and path in unread):
            pairs.append(pair)
    return pairs


def _compared(
    old: Tree,
    new: Tree,
    pairs: Sequence[tuple[Entry | None, Entry | None]],
    unified: int,
    decode: Callable[[bytes], str],
) -> list[Change]:
    if not pairs:
        return []
    names = [shown_path(next(entry for entry in pair if entry is not None).path) for pair in pairs]
    with tempfile.TemporaryDirectory(prefix="sherloc-diff-") as folder:
        folder = os.path.realpath(folder)
        contents = [
            _written(old, [pair[0] for pair in pairs], os.path.join(folder, "old"), decode),
            _written(new, [pair[1] for pair in pairs], os.path.join(folder, "new"), decode),
        ]
        variables = {"GIT_CEILING_DIRECTORIES": os.path.dirname(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        git = Git(folder, settings=("diff.suppressBlankEmpty=false", "core.attributesFile="), variables=variables)
        with git.start(
            "diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l2000", "-O/dev/null",
            "--diff-algorithm=histogram", "--inter-hunk-context=0", f"--unified={max(0, unified)}",
            "--src-prefix=a/", "--dst-prefix=b/", "old", "new",
        ) as process:  # fmt: skip
            output = process.finish((0, 1))[1].decode("utf-8", "replace")
    changes = _read_patches(output, names)
    done = {change.path for change in changes} | {change.old_path for change in changes}
    for name, pair, before, after in zip(names, pairs, *contents, strict=True):
        if name not in done and "binary" in (before, after):
            status: Status = "added" if pair[0] is None else "deleted" if pair[1] is None else "modified"
            changes.append(Change(status, name, binary=True, text=f"{_head(name, name)}Binary files differ\n"))
        elif name not in done and "unread" in (before, after):
            changes.append(Change("unread", name, text=f"{_head(name, name)}cannot be read\n"))
    return changes


def _written(
    tree: Tree, entries: Sequence[Entry | None], folder: str, decode: Callable[[bytes], str]
) -> list[Literal["text", "binary", "unread", "none"]]:
    """Write texts under their numbers; what became of each."""
    os.mkdir(folder)
    outcome: list[Literal["text", "binary", "unread", "none"]] = ["none"] * len(entries)
    present = [(number, entry) for number, entry in enumerate(entries) if entry is not None]
    for (number, _), (_, data) in zip(present, tree.read([entry for _, entry in present]), strict=True):
        if data is None:
            outcome[number] = "unread"
        elif b"\0" in data[:_BINARY_PROBE] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            outcome[number] = "binary"
        else:
            outcome[number] = "text"
            with open(os.path.join(folder, f"{number:06}"), "wb") as file:
                file.write(decode(data).encode("utf-8", "replace"))
    return outcome


def _read_patches(output: str, names: Sequence[str]) -> list[Change]:
    """Git's patches of numbered files, under their own names again."""
    changes: list[Change] = []
    for part in re.split(r"^diff --git ", output, flags=re.MULTILINE)[1:]:
        head, mark, hunks = part.partition("\n@@ ")
        hunks = "@@ " + hunks if mark else ""
        numbers = [int(number) for number in re.findall(r"\b(?:old|new)/(\d{6})\b", head.split("\n", 1)[0])]
        before, after = names[numbers[0]], names[numbers[1]]
        status: Status = "modified"
        if "\nnew file mode" in head:
            status = "added"
        elif "\ndeleted file mode" in head:
            status = "deleted"
        elif before != after:
            status = "renamed"
        text = _head(before, after)
        text += {"added": "new file\n", "deleted": "deleted file\n"}.get(status, "")
        if status == "renamed":
            text += f"rename from {before}\nrename to {after}\n"
        if hunks:
            text += f"--- {'/dev/null' if status == 'added' else 'a/' + before}\n"
            text += f"+++ {'/dev/null' if status == 'deleted' else 'b/' + after}\n{hunks}"
        changes.append(Change(status, after, before if status == "renamed" else "", False, text, changed_lines(hunks)))
    return changes


def _head(before: str, after: str) -> str:
    return f"diff --git a/{before} b/{after}\n"


def changed_lines(hunks: str) -> tuple[tuple[int, int], ...]:
    """Lines of the new file that hunks touch: added ones, and both neighbours of removed ones.

    Args:
        hunks: Of one file, from the first ``@@`` on.
    """
    touched: set[int] = set()
    line = 0
    for row in hunks.split("\n"):
        found = _HUNK.match(row)
        if found:
            line = int(found.group(1))
        elif row.startswith("+"):
            touched.add(line)
            line += 1
        elif row.startswith("-"):
            touched.update((max(1, line - 1), line))
        elif row.startswith(" "):
            line += 1
    ranges: list[tuple[int, int]] = []
    for number in sorted(touched):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)

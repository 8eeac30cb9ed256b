"""``check_path``: the one gate for paths that come from a model or a ticket."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sherloc.paths.known import KnownPaths, PathKind, PathTree
from sherloc.paths.names import NOT_PORTABLE, faults, is_placeholder, leads_into_git
from sherloc.paths.nearest import nearest_paths
from sherloc.paths.policy import READING, PathPolicy, runs_code
from sherloc.paths.reasons import PathReason, refusal
from sherloc.paths.spelling import check_characters, check_start, clean, normalise, split_lines

_NAME = (
    r"(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$))(?!\.git(?:/|$))"
    r"(?:[a-z0-9_-]|\.(?=[a-z0-9_-]))[a-z0-9_.-]*(?<!\.)"
)
_PLAIN = re.compile(rf"(?!path/to|some/){_NAME}(?:/{_NAME})*", re.ASCII | re.IGNORECASE)
"""Paths against which no rule for names speaks; nearly all of them, and found at once."""


@dataclass(frozen=True, slots=True)
class CheckedPath:
    """A path that was let through.

    Attributes:
        path: POSIX, relative to the root.
        start_line: The first line that was written with it (``a.py:3-9``), 1-based, or None; lines are split off only
            when a tree shows that the rest is a file.
        end_line: The last line, inclusive, or None.
        kind: ``file`` when a tree has it, else None.
        changes: What was changed to get the path: ``composed``, ``edges``, ``backslashes``, ``dots``, ``lines``,
            ``diff_prefix``.
        flags: What a reviewer should know: ``runs_code``, and under the policy ``posix`` the reasons for which the
            policy ``portable`` would refuse it.
    """

    path: str
    start_line: int | None = None
    end_line: int | None = None
    kind: PathKind | None = None
    changes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


def check_path(
    path: str, tree: PathTree | KnownPaths | None = None, policy: PathPolicy = READING, *, must_exist: bool = False
) -> str:
    """A path that came from outside, made safe to use below a repository's root, or an error.

    The result is POSIX, relative, never empty, and checks to itself. Without a tree only the text is judged; what is
    on disk is the business of ``SafeRoot``.

    Args:
        path: As a model or a ticket gives it.
        tree: What exists; a ``sherloc.repository.Tree`` will do.
        policy: What is accepted; ``READING`` or ``WRITING``, or one of your own.
        must_exist: Whether a path that is not a file of the tree is refused; means nothing without a tree.

    Raises:
        UnsafePathError: It is refused; ``reason`` is a ``PathReason``, ``hint`` says what was probably meant.

    >>> check_path("./src//a.py")
    'src/a.py'
    """
    return inspect_path(path, tree, policy, must_exist=must_exist).path


def inspect_path(
    path: str, tree: PathTree | KnownPaths | None = None, policy: PathPolicy = READING, *, must_exist: bool = False
) -> CheckedPath:
    """As ``check_path``, with the lines that were written behind the path and all that was noticed."""
    if not isinstance(path, str):
        raise refusal("not_text", path)
    known = None if tree is None else KnownPaths.of(tree)
    found = _spelled(path, known, policy)
    flags = () if _is_plain(found.path, policy) else _judge(path, found.path, known, policy)
    kind = None if known is None else _standing(path, found.path, known)
    if place := policy.denies(found.path):
        raise refusal("denied", path, detail=place, hint="Who runs the task can allow it in the path policy.")
    if must_exist and known is not None and kind is None:
        near = nearest_paths(found.path, known.files())
        raise refusal("missing", path, hint=f"Did you mean {', '.join(near)}?" if near else "")
    if runs_code(found.path):
        flags = (*flags, "runs_code")
    return CheckedPath(found.path, found.start_line, found.end_line, kind, found.changes, flags)


def _is_plain(path: str, policy: PathPolicy) -> bool:
    short = len(path) <= policy.max_name_bytes and len(path) <= policy.max_path_bytes
    return short and path.count("/") < policy.max_depth and _PLAIN.fullmatch(path) is not None


def _spelled(given: str, known: KnownPaths | None, policy: PathPolicy) -> CheckedPath:
    """The path in its normal form; what exists exactly as it was written is left as it is."""
    if _is_plain(given, policy):
        found = CheckedPath(given)
    elif len(bare := clean(given)) > policy.max_path_bytes:
        raise refusal("too_long", given)
    else:
        for literal in (given, bare):
            if known is not None and known.kind(literal) is not None:
                _check_literal(given, literal, known, policy)
                return CheckedPath(literal, changes=() if literal == given else ("edges",))
        path, changes = normalise(given, known)
        found = CheckedPath(path, changes=changes)
    if known is not None and known.kind(found.path) is None:
        found = _resolved(given, found, known)
    check_start(given, found.path)
    return found


def _check_literal(given: str, literal: str, known: KnownPaths, policy: PathPolicy) -> None:
    """What ``normalise`` refuses, for a path that is not normalised because it exists."""
    check_characters(given, literal)
    check_start(given, literal)
    for name in literal.split("/"):
        if not name.replace(".", "").strip():
            raise refusal("parent", given, detail=repr(name))
    if "\\" in literal and (policy.platforms == "portable" or known.kind(literal.replace("\\", "/")) is not None):
        raise refusal("ambiguous", given, detail="the repository has a name with a real backslash")


def _resolved(given: str, found: CheckedPath, known: KnownPaths) -> CheckedPath:
    """The existing file that is meant when lines or a diff's prefix stand at a path that does not exist."""
    path, changes = found.path, found.changes
    start = end = None
    split = split_lines(path)
    if split is not None and "file" in (known.kind(split[0]), known.kind(_without_prefix(split[0]))):
        path, start, end = split
        changes = (*changes, "lines")
    rest = _without_prefix(path)
    if known.kind(path) is None and known.kind(rest) == "file":
        if known.kind(path[0]) is not None:
            raise refusal("ambiguous", given, hint=f"Did you mean {rest}, or a new file in {path[:2]}?")
        path, changes = rest, (*changes, "diff_prefix")
    return CheckedPath(path, start, end, changes=changes)


def _without_prefix(path: str) -> str:
    """A path without the ``a/`` or ``b/`` that a diff puts before it."""
    return path[2:] if path.startswith(("a/", "b/")) else path


def _judge(given: str, path: str, known: KnownPaths | None, policy: PathPolicy) -> tuple[str, ...]:
    """Refuse what the rules for names speak against; what exists already is not judged anew."""
    names = path.split("/")
    if len(path.encode()) > policy.max_path_bytes or max(len(n.encode()) for n in names) > policy.max_name_bytes:
        raise refusal("too_long", given)
    if len(names) > policy.max_depth:
        raise refusal("too_deep", given, detail=f"more than {policy.max_depth}")
    if leads_into_git(path):
        raise refusal("git_folder", given)
    fresh = 0
    while known is not None and fresh < len(names) and known.kind("/".join(names[: fresh + 1])) is not None:
        fresh += 1
    if not fresh and is_placeholder(path):
        raise refusal("placeholder", given)
    flags: list[PathReason] = []
    for name in names[fresh:]:
        for reason, detail in faults(name):
            if policy.platforms == "portable" or reason not in NOT_PORTABLE:
                raise refusal(reason, given, detail=detail)
            flags.append(reason)
    return tuple(dict.fromkeys(flags))


def _standing(given: str, path: str, known: KnownPaths) -> PathKind | None:
    """``file`` for an existing file, None for a path at which a file may be made."""
    kind, place = known.kind(path), path
    if kind == "file":
        return kind
    if kind == "folder":
        raise refusal("not_a_file", given, detail="it is a folder")
    while kind is None and place:
        if spelling := known.spelling(place):
            meant = spelling + path[len(place) :]
            raise refusal("case_collision", given, detail=spelling, hint=f"Did you mean {meant}?")
        place = place.rpartition("/")[0]
        kind = known.kind(place)
    if kind in ("symlink", "submodule"):
        raise refusal(kind, given, detail=place)
    if kind in ("file", "special"):
        raise refusal("not_a_folder" if place != path else "not_a_file", given, detail=place)
    return None

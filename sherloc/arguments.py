"""What a caller gives, checked and brought to one form: issue, repository, revision, paths and scope."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sherloc.errors import EmptyIssueError, UsageError
from sherloc.schema.path_text import original_path, shown_path

if TYPE_CHECKING:
    from sherloc.repository.tree import Tree
    from sherloc.schema.failures import FailureEvidence
    from sherloc.schema.issue import Issue

Progress = Callable[[str, int, int], None]
"""Called with (stage, how many are done, of how many)."""

PathLike = os.PathLike[str]
ScopeLike = str | PathLike | Iterable[str | PathLike]


@dataclass(frozen=True, slots=True)
class Request:
    """What ``locate`` is asked, checked; ``scope`` is not yet looked up in a repository."""

    issue: Issue
    scope: tuple[str, ...] = ()
    on_progress: Progress | None = None
    deadline: float | None = None
    failures: FailureEvidence | None = None


def check_request(
    issue: object,
    scope: object,
    on_progress: Progress | None,
    deadline: float | None,
    failures: object = None,
) -> Request:
    """What ``locate`` is asked.

    Args:
        issue: As for ``locate``; likewise the others.
        scope: Paths or globs.
        on_progress: Called with (stage, done, total).
        deadline: Seconds.
        failures: What running tests showed; it may stand in for an issue without text.

    Raises:
        UsageError: An argument is of a wrong type.
        EmptyIssueError: The issue has no text.
    """
    from sherloc.schema.failures import FailureEvidence as Failures

    if failures is not None and not isinstance(failures, Failures):
        raise UsageError(
            f"failures must be a FailureEvidence, not {_kind(failures)}.", hint="Make it with sherloc.failures.gather."
        )
    if failures is not None and isinstance(issue, str) and not issue.strip():
        from sherloc.failures import issue_from_failures

        issue = issue_from_failures(failures)
    checked = check_issue(issue)
    check_callback(on_progress)
    is_number = isinstance(deadline, (int, float)) and not isinstance(deadline, bool) and deadline == deadline
    if deadline is not None and not is_number:
        raise UsageError(f"The deadline must be seconds or None, not {deadline!r}.")
    return Request(checked, check_scope(scope), on_progress, deadline, failures)


def check_issue(issue: object) -> Issue:
    """The issue, parsed when it is a text.

    Raises:
        UsageError: It is neither a text nor an ``Issue``.
        EmptyIssueError: It has no text.
    """
    from sherloc.schema.issue import Issue as IssueModel

    if isinstance(issue, str):
        issue = IssueModel.from_text(issue)
    if not isinstance(issue, IssueModel):
        hint = "Give its text, or Issue(title=..., body=...)."
        if isinstance(issue, os.PathLike):
            hint = "Read the file first: locate(path.read_text(), repo)."
        elif isinstance(issue, (bytes, bytearray)):
            hint = "Decode it first: locate(data.decode(), repo)."
        elif isinstance(issue, Mapping):
            hint = "Build it first: locate(Issue(**mapping), repo)."
        raise UsageError(f"The issue must be a text or an Issue, not {_kind(issue)}.", hint=hint)
    if not issue.text.strip():
        raise EmptyIssueError("The issue has no text.", hint="Give its title and description.")
    return issue


def check_repository(repo: object, revision: object) -> None:
    """Refuse what names no repository or revision.

    Raises:
        UsageError: One is of a wrong type, or empty.
    """
    path = os.fspath(repo) if isinstance(repo, os.PathLike) else repo
    if not isinstance(path, str):
        raise UsageError(f"The repository must be a path, not {_kind(repo)}.", hint="For example: locate(issue, '.')")
    if not path:
        raise UsageError("The path of the repository is empty.", hint="Give '.' for the current folder.")
    if revision is None or (isinstance(revision, str) and revision):
        return
    what = "empty" if revision == "" else f"of type {_kind(revision)}"
    raise UsageError(
        f"The revision is {what}.", hint="Give a commit, branch or tag, or None for the files as they are."
    )


MODES = ("offline", "diagnose", "explore", "auto")


def check_model(model: object, mode: object) -> None:
    """Refuse what is no model and no mode.

    Raises:
        UsageError: The model is neither a name nor a ``ChatModel``, or there is no such mode.
    """
    if mode is not None and mode not in MODES:
        raise UsageError(f"There is no mode {mode!r}.", hint=f"Modes are {', '.join(MODES)}.")
    fits = isinstance(model, str) or all(hasattr(model, name) for name in ("name", "complete", "acomplete"))
    if model is not None and not fits:
        raise UsageError(
            f"The model must be a name or a ChatModel, not {_kind(model)}.",
            hint="For example: locate(issue, repo, model='openai:MODEL')",
        )


def check_callback(on_progress: object) -> None:
    """Refuse what cannot be called.

    Raises:
        UsageError: It cannot.
    """
    if on_progress is not None and not callable(on_progress):
        raise UsageError(f"on_progress must be callable, not {_kind(on_progress)}.", hint="Or leave it out.")


def check_scope(scope: object) -> tuple[str, ...]:
    """The scope's parts; a single text or path is one.

    Raises:
        UsageError: It, or a part, is of a wrong type.
    """
    parts = (scope,) if isinstance(scope, (str, os.PathLike)) else scope
    if isinstance(parts, (bytes, bytearray, Mapping)) or not isinstance(parts, Iterable):
        raise UsageError(f"The scope must be paths or globs, not {_kind(scope)}.", hint=_SCOPE_EXAMPLE)
    texts = [os.fspath(part) if isinstance(part, os.PathLike) else part for part in parts]
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"A part of the scope must be a path or glob, not {_kind(text)}.", hint=_SCOPE_EXAMPLE)
    return tuple(texts)


_SCOPE_EXAMPLE = "For example: scope=['src', 'lib/*.py']"


def resolve_scope(scope: object, tree: Tree) -> tuple[str, ...]:
    """The scope as patterns relative to a tree; none when it is the whole tree.

    Args:
        scope: Paths or globs: relative to the tree, or absolute; with ``/`` or back-slashes.
        tree: The repository.

    Raises:
        UsageError: A part is of a wrong type, lies outside of the tree, or matches nothing in it.
    """
    from sherloc.retriever.scope import Scope

    given = check_scope(scope)
    if not given:
        return ()
    places = places_of(tree)
    patterns = [path_in_tree(part, tree, places) for part in given]
    for part, pattern in zip(given, patterns, strict=True):
        if pattern and pattern not in places and not any(map(Scope((pattern,)).holds, places)):
            raise nothing_there(f"The scope {part!r} matches nothing in {tree.name}.", pattern, places)
    return () if "" in patterns else tuple(dict.fromkeys(patterns))


def path_in_tree(given: str, tree: Tree, places: Collection[str] = ()) -> str:
    """A path or glob as reports show it: POSIX, relative to the tree's root; empty for the root itself.

    Of the ways to read it the first that exists counts: as sherloc shows paths, as it is, slashes for back-slashes.

    Args:
        given: As somebody wrote it: relative to the tree, or absolute.
        tree: The repository.
        places: Its files and folders, as shown.

    Raises:
        UsageError: It lies outside of the tree.
    """
    path = _from_root(given, tree.location) if os.path.isabs(given) else given
    spellings = (original_path(path), path, path.replace("\\", "/"))
    readings = list(dict.fromkeys(_normal(each) for each in spellings if each is not None))
    shown = next((each for each in readings if shown_path(each) in places), None)
    if shown is None:
        on_disk = (each for each in readings if "\0" not in each and os.path.lexists(os.path.join(tree.location, each)))
        shown = next(on_disk, readings[-1])
    if shown.split("/")[0] in ("..", ""):
        raise UsageError(
            f"{given!r} lies outside of the repository {tree.location}.", hint="Give a path relative to the repository."
        )
    return "" if shown == "." else shown_path(shown)


def _normal(path: str) -> str:
    return posixpath.normpath(path) if path else "."


def _from_root(path: str, root: str) -> str:
    """An absolute path relative to a root, with links followed only where it must be."""
    try:
        relative = os.path.relpath(path, root)
        if relative.split(os.sep)[0] == os.pardir:
            relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    except ValueError:  # a NUL, or another drive
        return os.pardir
    return relative


def places_of(tree: Tree) -> frozenset[str]:
    """A tree's files, left out or not, and its folders, as shown.

    Args:
        tree: The repository.
    """
    places = {shown_path(path) for path in (*(e.path for e in tree.entries), *(skip.path for skip in tree.skipped))}
    folders = {path.rpartition("/")[0] for path in places}
    while folders := folders - places - {""}:
        places |= folders
        folders = {path.rpartition("/")[0] for path in folders}
    return frozenset(places)


def nothing_there(message: str, path: str, places: Iterable[str]) -> UsageError:
    """An error whose hint names what is near a path.

    Args:
        message: What is not there.
        path: As it would be shown.
        places: What there is.
    """
    from sherloc.paths import nearest_paths

    near = nearest_paths(path, places)
    return UsageError(message, hint=f"Did you mean {', '.join(near)}?" if near else "Give a path relative to it.")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__

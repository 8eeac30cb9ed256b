"""What is stored of a repository, and whether it is up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sherloc.indexer.plan import IndexPlan
    from sherloc.repository import Tree
    from sherloc.settings import Settings

State = Literal["ready", "partial", "absent"]


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a repository's index.

    Attributes:
        status: ``ready``: complete for the files as they are now, and not empty. ``partial``: some are parsed: it was
            interrupted, or files changed since. ``absent``: nothing to work with is stored.
        repository: Short name.
        revision: As in reports.
        storage: The store's file, there or not.
        bytes: Its size.
        revisions: How many indexes it holds, this one or others.
        files: Files that an index of this tree holds.
        parsed: Those of them that are parsed already.
        why: One sentence on what is missing; empty when ready.
    """

    status: State
    repository: str
    revision: str
    storage: str
    bytes: int
    revisions: int
    files: int
    parsed: int
    why: str = ""

    def record(self) -> dict[str, Any]:
        """As JSON; ``up_to_date`` is for programs that only ask that."""
        return {**asdict(self), "up_to_date": self.status == "ready"}


def read_plan(
    *, repo: str, revision: str | None = None, settings: Mapping[str, Any] | None = None
) -> tuple[Tree, Settings, IndexPlan]:
    """The tree, the settings that hold for it, and what an index of it holds.

    Args:
        repo: The repository.
        revision: A commit, branch or tag; None for the files as they are.
        settings: Nested sections, as for ``locate``.

    Raises:
        UsageError: It, or the revision, is empty.
        RepositoryError: It cannot be read.
        SettingsError: A setting is wrong.
    """
    from sherloc.arguments import check_repository
    from sherloc.indexer.plan import plan_index
    from sherloc.locator import settings_for
    from sherloc.repository import open_tree

    check_repository(repo, revision)
    tree = open_tree(repo, revision)
    found = settings_for(tree, settings)
    return tree, found, plan_index(tree, found.index)


def read_status(**where: Any) -> Status:
    """The state of a repository's index; nothing is parsed or written.

    Args:
        **where: As for ``read_plan``.
    """
    from sherloc.indexer.cache_files import store_path
    from sherloc.indexer.plan import index_key
    from sherloc.indexer.store import Stored, look_up

    tree, settings, plan = read_plan(**where)
    path = store_path(tree.name, tree.store_key, settings.cache)
    stored = look_up(path, index_key(tree, settings.index), [planned.key for planned in plan.files])
    status, why = _judge(stored, len(plan.files))
    found = stored or Stored()
    return Status(
        status, tree.name, tree.revision, str(path), found.size, found.revisions, len(plan.files), found.known, why
    )


def _judge(stored: Any, files: int) -> tuple[State, str]:
    if stored is None:
        return "absent", "Nothing is stored yet."
    if stored.problem:
        return "absent", f"The store cannot be read ({stored.problem}); it is built anew when it is needed."
    if not files:
        return "absent", "The repository has no file that can be indexed."
    if stored.head is not None:
        if any(stored.head.get("files", {}).values()):
            return "ready", ""
        return "partial", "The stored index holds no file: all were left out."
    if not stored.known:
        return "absent", "Nothing is stored of this revision."
    missing = files - stored.known
    if missing:
        return "partial", f"{missing} of {files} files are not parsed yet."
    return "partial", "All files are parsed, but their index is not put together yet."


def status_in_words(state: Status) -> list[str]:
    """The state for a person, a line a fact."""
    from sherloc.render.words import revision_in_words, size_in_words
    from sherloc.visible import one_line

    at = f" @ {revision_in_words(state.revision)}" if state.revision else ""
    lines = [f"{state.status}: {one_line(state.repository)}{at}"]
    if state.why:
        lines.append(f"  {one_line(state.why)}")
    lines.append(f"  {state.parsed} of {state.files} files parsed")
    if state.bytes:
        revisions = f"{state.revisions} {'index' if state.revisions == 1 else 'indexes'}"
        lines.append(f"  {revisions}, {size_in_words(state.bytes)} in {one_line(state.storage)}")
    return lines


def stores_to_clear(
    *, every: bool, repo: str, revision: str | None = None, settings: Mapping[str, Any] | None = None
) -> list[tuple[Path, int]]:
    """Stores that are there, with their size.

    Args:
        every: Of all repositories; then the repository is not looked at.
        repo: The repository.
        revision: As for ``read_plan``; a repository has one store for all its revisions.
        settings: As for ``read_plan``, for cache.folder.
    """
    from sherloc.arguments import check_repository
    from sherloc.indexer.cache_files import list_stores, store_path
    from sherloc.repository import open_tree
    from sherloc.settings import load_settings

    cache = load_settings(settings).cache
    if every:
        return list_stores(cache)
    check_repository(repo, revision)
    tree = open_tree(repo, revision)
    path = store_path(tree.name, tree.store_key, cache)
    return [(path, path.stat().st_size)] if path.is_file() else []


def remove_stores(paths: list[Path]) -> list[Path]:
    """Remove stores.

    Returns:
        Those that are still there.
    """
    from sherloc.sqlite import remove_database

    for path in paths:
        remove_database(path)
    return [path for path in paths if path.exists()]

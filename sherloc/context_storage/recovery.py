"""What is done with a task that a kill left half-way: whatever was written down as intended is carried out.

Every state has one way on, and taking it twice changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sherloc.context_storage.exact import printable_text
from sherloc.context_storage.folders import HOME_OF, HOMES, METADATA, FolderLostError, Folders, read_metadata
from sherloc.context_storage.plain import in_words
from sherloc.context_storage.task_key import Status, check_uuid, now
from sherloc.context_storage.task_rows import Lease, Move, TaskRow, refuse
from sherloc.context_storage.task_table import TaskTable
from sherloc.errors import TaskBusyError, TaskError, TaskNotFoundError, TaskStoreError, UsageError
from sherloc.logs import logger
from sherloc.schema.report import Diagnostic

_log = logger(__name__)


def carry_out(table: TaskTable, folders: Folders, lease: Lease, move: Move, *, keep: bool) -> None:
    """Do what a move says and note that it is done.

    Args:
        table: The tables.
        folders: The folders.
        lease: Of the task; held.
        move: Written down before.
        keep: Whether the lease is kept.

    Raises:
        DestinationExistsError: Another folder is where the task's would go.
        FolderLostError: The task's folder is nowhere.
    """
    if move.target.startswith("archive"):
        folders.remove(move.source, move.uuid)
    elif move.source:
        _carry(folders, move)
    table.finish(lease, move, keep=keep)


def _carry(folders: Folders, move: Move) -> None:
    try:
        folders.move(move.uuid, move.source, move.target)
    except FolderLostError:
        found = folders.find(move.uuid)
        if not found:
            raise
        _log.warning("The folder of task %s was in %s; it goes to %s.", move.uuid, found, move.target)
        folders.move(move.uuid, found, move.target)


def complete_move(table: TaskTable, folders: Folders, lease: Lease, *, keep: bool) -> bool:
    """Bring a task whose lease was just taken to one of its states.

    Args:
        table: The tables.
        folders: The folders.
        lease: Of the task.
        keep: Whether the lease is kept; if the task is gone, it is not.

    Returns:
        Whether there is a task now. One whose making was never completed is taken back: nobody has heard of it.

    Raises:
        DestinationExistsError: Another folder is where the task's would go.
        DamagedRowError: What was written down does not go with the task's row.
    """
    move = table.move_of(lease.uuid)
    if move is None:
        if not keep:
            table.release(lease)
        return True
    _check_move(table, move)
    if not move.source and not folders.holds("running", move.uuid):
        folders.discard_new(move.uuid)
        table.forget(move.uuid)
        return False
    _log.info("Task %s: completing a move to %s that was interrupted.", move.uuid, move.target)
    archived = move.target.startswith("archive")
    try:
        carry_out(table, folders, lease, move, keep=keep and not archived)
    except FolderLostError as error:
        lost = Move(move.uuid, move.source, "completed", "failed", error.message)
        table.finish(lease, lost, keep=keep)
    return move.target != "archive"


def _check_move(table: TaskTable, move: Move) -> None:
    row = table.get(move.uuid)
    home = HOME_OF[row.status] if row else ""
    if (home if move.source else home or "running") != (move.source or "running"):
        said = f"it lies in {home}" if row else "there is no such task"
        refuse(f"it says that the task moves from {move.source or 'nowhere'}, but {said}", "moves", move.uuid)


def adopt(table: TaskTable, folders: Folders, uuid: str) -> bool:
    """Give a folder that no row knows its row back, from ``metadata.json``; whether there is such a folder.

    Args:
        table: The tables.
        folders: The folders.
        uuid: The task.

    Raises:
        TaskStoreError: What ``metadata.json`` says can be no row.
    """
    home = folders.find(uuid)
    metadata = read_metadata(folders.path(home, uuid)) if home else {}
    if metadata.get("uuid") != uuid:
        return False
    if table.get(uuid) is not None:  # Somebody was faster.
        return True
    try:
        row_from(metadata, "running").key()
        status: Status = next(status for status, where in HOME_OF.items() if where == home)
        ended = _changed_at(folders.path(home, uuid)) if home == "completed" else None
        table.add(row_from(metadata, status, completed_at=ended))
    except UsageError as error:
        place = folders.path(home, uuid) / METADATA
        raise TaskStoreError(
            f"{place} is not what a task's is: {error.message}", hint="Correct it, or take the folder away."
        ) from error
    _log.warning("Task %s was not in the database; it is again, as %s.", uuid, status)
    return True


def _changed_at(folder: Path) -> str:
    from datetime import datetime, timezone

    try:
        return datetime.fromtimestamp(folder.stat().st_mtime, timezone.utc).isoformat(timespec="microseconds")
    except (OverflowError, ValueError):  # a time that no calendar has
        return now()


def row_from(metadata: Mapping[str, Any], status: Status, *, completed_at: str | None = None) -> TaskRow:
    """A row from the content of ``metadata.json``.

    Args:
        metadata: Its content.
        status: Of the task.
        completed_at: When it ended.
    """
    task_type, identifier, repository, user = (
        str(metadata.get(name) or "") for name in ("task_type", "task_identifier", "repository", "user")
    )
    created = printable_text(str(metadata.get("created_at") or now()))
    return TaskRow(
        str(metadata["uuid"]), status, task_type, identifier, repository, user,
        created_at=created, updated_at=now(), completed_at=completed_at, metadata=metadata,
    )  # fmt: skip


def recover_all(table: TaskTable, folders: Folders, seconds: float, *, orphans: bool) -> list[Diagnostic]:
    """Complete what is half done in a base_dir, leaving alone what somebody is at work on.

    Args:
        table: The tables.
        folders: The folders.
        seconds: How long a lease taken for it holds.
        orphans: Whether folders that no row knows get one.

    Returns:
        What could not be completed, and rows and folders that are none of a task.
    """
    problems = []
    for uuid in table.pending():
        try:
            _recover(table, folders, uuid, seconds)
        except TaskError as error:
            problems.append(_problem("move_not_completed", f"Task {uuid!r:.160}: {error.message}"))
    if orphans:
        problems += _look_after_folders(table, folders, seconds)
    return problems


def _recover(table: TaskTable, folders: Folders, uuid: str, seconds: float) -> None:
    holder = table.holder(uuid)
    if holder is not None and not holder.is_dead:
        return
    lease = table.take_pending(uuid, seconds)
    if lease is not None:
        try:
            with in_words(folders.base_dir):
                complete_move(table, folders, lease, keep=False)
        except BaseException:
            table.let_go(lease)
            raise


def _look_after_folders(table: TaskTable, folders: Folders, seconds: float) -> Iterator[Diagnostic]:
    """Bring rows and folders together that no move parted."""
    damaged = table.damaged_rows()
    for words in [*(words for _, words in damaged), *table.damaged_leases()]:
        yield _problem("row_damaged", words)
    rows, left_out = {row.uuid: row for row in table.rows()}, {uuid for uuid, _ in damaged}
    for home in HOMES:
        for name in sorted(os.listdir(folders.base_dir / home)):
            if name in left_out or not _adoptable(name) or not folders.path(home, name).is_dir():
                continue
            try:
                if name not in rows:
                    _take_in(table, folders, home, name)
                elif HOME_OF[rows[name].status] != home:
                    _return(table, folders, home, name, seconds)
            except TaskError as error:
                yield _problem("folder_refused", error.message)


def _take_in(table: TaskTable, folders: Folders, home: str, name: str) -> None:
    """``adopt``, which must not fail; of a folder that was removed since it was seen there is nothing to tell."""
    if not adopt(table, folders, name) and folders.holds(home, name):
        raise TaskStoreError(
            f"{folders.path(home, name)} is no task's folder: its {METADATA} is not there, cannot be read, or has "
            "another uuid.",
            hint=f"Correct its {METADATA}, or take the folder away.",
        )


def _return(table: TaskTable, folders: Folders, home: str, uuid: str, seconds: float) -> None:
    """Put a folder that was seen where its row does not say into the row's place, if that still is so."""
    if not _is_astray(table, folders, home, uuid):
        return
    try:
        lease = table.acquire(uuid, seconds)
    except (TaskBusyError, TaskNotFoundError):  # Somebody is moving it, or removed it.
        return
    try:
        row = table.get(uuid)
        if row is not None and _is_astray(table, folders, home, uuid):
            if folders.holds(HOME_OF[row.status], uuid):
                raise TaskStoreError(
                    f"Task {uuid} lies in {HOME_OF[row.status]}, and there is a folder of its name elsewhere, too.",
                    hint="Compare the two folders and take one of them away.",
                )
            with in_words(folders.base_dir):
                bring_home(folders, row)
    finally:
        table.let_go(lease)


def _is_astray(table: TaskTable, folders: Folders, home: str, uuid: str) -> bool:
    """Whether the folder lies where its row does not say: in this order, since a move may be under way."""
    row = table.get(uuid)
    if row is None or HOME_OF[row.status] == home or table.move_of(uuid) is not None:
        return False
    return folders.holds(home, uuid)


def bring_home(folders: Folders, row: TaskRow) -> bool:
    """Put a folder that somebody moved by hand where its row says; whether there is one.

    Args:
        folders: The folders.
        row: Of a task whose lease is held, and of which nothing is half done.
    """
    home = HOME_OF[row.status]
    if folders.holds(home, row.uuid):
        return True
    found = folders.find(row.uuid)
    if found:
        _log.warning("The folder of task %s was in %s; it is put back into %s.", row.uuid, found, home)
        folders.move(row.uuid, found, home)
    return bool(found)


def _adoptable(name: str) -> bool:
    try:
        check_uuid(name)
    except UsageError:
        return False
    return True


def _problem(code: str, words: str) -> Diagnostic:
    _log.warning("%s", words)
    return Diagnostic(code=code, severity="error", message=words)

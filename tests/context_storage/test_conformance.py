"""sherloc's own store against the public conformance suite."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.folders import Folders
from sherloc.context_storage.jsonl import JsonlFile
from sherloc.context_storage.message_store import MessageStore
from sherloc.context_storage.owner import Owner
from sherloc.context_storage.task_table import TaskTable
from sherloc.context_storage.testing import CHECKS, Stand
from sherloc.context_storage.value_store import ValueStore
from sherloc.context_storage.view import Pins
from sherloc.errors import SherlocError

Check = Callable[[Stand], None]


FAST = {"context": {"fsync": False}}
BY_NAME = {check.__name__: check for check in CHECKS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sqlite(check: Check, folder: Path) -> None:
    check(Stand(folder / "contexts", config=FAST))


def _lax_values(patch: pytest.MonkeyPatch) -> None:
    """As a store does that writes whatever ``json`` takes."""
    patch.setattr("sherloc.context_storage.jsonl.dump_exact", lambda record: json.dumps(record, default=str))


def _lax_shapes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("sherloc.context_storage.jsonl.misfit", lambda record, shape: "")


def _follows_links(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("sherloc.context_storage.jsonl.open_plain", lambda path: path.open("rb"))
    patch.setattr("sherloc.context_storage.message_store.open_plain", lambda path: path.open("rb"))
    patch.setattr("sherloc.context_storage.folders.is_real_folder", lambda path: path.is_dir())


def _keeps_torn_tails(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(JsonlFile, "_repair_tail", lambda self: None)


def _forgets_pins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Pins, "take", lambda self, message: False)


def _parts_pairs(patch: pytest.MonkeyPatch) -> None:
    name = "sherloc.context_storage.context_compressor.cut"
    patch.setattr(name, lambda messages, keep, left: max(0, len(messages) - keep))


def _overwrites(patch: pytest.MonkeyPatch) -> None:
    def move(self: Folders, uuid: str, source: str, target: str) -> None:
        shutil.rmtree(self.path(target, uuid), ignore_errors=True)
        self.path(source, uuid).rename(self.path(target, uuid))

    patch.setattr(Folders, "check_free", lambda self, home, uuid: None)
    patch.setattr(Folders, "move", move)


def _loses_values(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ValueStore, "get", lambda self, key, default=None: default)


def _never_recovers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TaskTable, "pending", lambda self: [])


def _keeps_no_journal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TaskTable, "begin", lambda self, lease, move, *, expected: None)


def _never_cancels(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TaskTable, "cancel", lambda self, lease, move: None)


def _trusts_the_dead(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Owner, "is_surely_dead", lambda self: False)


def _lets_everybody_in(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Owner, "is_surely_dead", lambda self: True)


def _replaces_in_place(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Disk, "replace", Disk.create)


def _writes_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Disk, "write", lambda self, descriptor, data, path: os.write(descriptor, data))


def _rebuilds_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MessageStore, "_verify", lambda self: setattr(self, "_tokens", 0))


BROKEN = {
    _never_recovers: ("ends_that_are_killed", "archives_that_are_killed"),
    _keeps_no_journal: ("archives_that_are_killed",),
    _never_cancels: ("a_move_that_fails",),
    _trusts_the_dead: ("a_holder_that_is_killed", "ends_that_are_killed"),
    _lets_everybody_in: ("a_holder_that_is_killed",),
    _replaces_in_place: ("replacements_that_are_killed",),
    _writes_once: ("short_writes",),
    _rebuilds_nothing: ("compressions_that_are_killed",),
    _lax_values: ("values_come_back_equal", "half_characters"),
    _lax_shapes: ("records_of_another_hand",),
    _follows_links: ("only_plain_files",),
    _keeps_torn_tails: ("torn_last_record", "padding_after_the_tail"),
    _forgets_pins: ("what_stays",),
    _parts_pairs: ("pairs_stay_together", "a_call_without_its_answer"),
    _overwrites: ("an_occupied_destination",),
    _loses_values: ("values_by_key",),
}


@pytest.mark.parametrize(
    ("broken", "name"), [(broken, name) for broken, names in BROKEN.items() for name in names],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)  # fmt: skip
def test_a_broken_store_fails(
    broken: Callable[[pytest.MonkeyPatch], None], name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch)
    with pytest.raises((AssertionError, SherlocError, TypeError)):
        BY_NAME[name](Stand(folder / "contexts", config=FAST))

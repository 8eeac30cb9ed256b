"""Records on their way from parser and store to the index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sherloc.indexer.plan import Planned
from sherloc.indexer.store import IndexStore, damage
from sherloc.indexer.stored_record import StoredRecord

_READ_AHEAD = 4000
_BATCH = 200


class RecordGone(Exception):
    """A record that was stored is there no longer."""


class Records:
    """Hands out records in the order of a plan; reads the store in batches.

    Args:
        store: Where records are kept.
    """

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        self._ready: dict[str, tuple[str, StoredRecord | None]] = {}

    def read_ahead(self, keys: Sequence[str]) -> None:
        """Read and decode records that will be asked for, a few thousand at most.

        Raises:
            DatabaseCorruptError: One is not what was stored.
        """
        for at in range(0, min(len(keys), _READ_AHEAD), _BATCH):
            self._ready.update(self._read(keys[at : at + _BATCH]))

    def put(self, records: Mapping[str, tuple[str, bytes]]) -> None:
        """Store new records."""
        self._store.put_records(records)

    def in_order(self, files: Sequence[Planned]) -> Iterator[tuple[Planned, str, StoredRecord | None]]:
        """Each file with the reason for having no record (or empty) and its record.

        Raises:
            DatabaseCorruptError: One is not what was stored.
            RecordGone: One is not stored.
        """
        for at in range(0, len(files), _BATCH):
            part = files[at : at + _BATCH]
            found = self._read([planned.key for planned in part if planned.key not in self._ready])
            for planned in part:
                outcome = self._ready.get(planned.key) or found.get(planned.key)
                if outcome is None:
                    raise RecordGone(planned.key)
                yield planned, *outcome

    def _read(self, keys: Sequence[str]) -> dict[str, tuple[str, StoredRecord | None]]:
        stored = self._store.records(keys)
        with damage():
            return {
                key: (reason, None if reason else StoredRecord.decode(data)) for key, (reason, data) in stored.items()
            }

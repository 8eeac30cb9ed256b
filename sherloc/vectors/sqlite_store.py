"""The vector store that is always there: a SQLite file an embedder, searched exactly.

Every vector carries a checksum over key, embedder and numbers; one that fails it counts as missing. A damaged file is
thrown away, what cannot be written goes on in memory and reads what is there: vectors can always be computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sherloc.schema.report import Diagnostic
from sherloc.sqlite import (
    MEMORY,
    Database,
    DatabaseBusyError,
    DatabaseCorruptError,
    DatabaseUnwritableError,
    remove_database,
    remove_least_used,
)
from sherloc.vectors.arrays import Matrix, best, checked, cosines

MAX_BYTES = 1_000_000_000
_BATCH = 400
_TOUCH_SECONDS = 3600
_FILL = 0.9
_MIGRATIONS = (
    """
    CREATE TABLE vector (key TEXT PRIMARY KEY, data BLOB NOT NULL, checksum INTEGER NOT NULL, used INTEGER NOT NULL);
    CREATE INDEX vector_used ON vector (used)
    """,
)
# Columns by name, so that a table of another shape is noticed before anything is stored in it.
_INSERT = "INSERT OR REPLACE INTO vector (key, data, checksum, used) VALUES (?, ?, ?, ?)"
_Found = TypeVar("_Found")
_Problem = (DatabaseCorruptError, DatabaseUnwritableError)


class SqliteVectorStore:
    """Implements ``VectorStore``. Safe to use from many threads and many processes.

    Args:
        identity: ``Embedder.identity``; each has a file of its own.
        dimension: Length of its vectors.
        folder: Where the file lies; made when missing.
        max_bytes: Size limit of the folder's stores together. The vectors that were used least recently go first.

    Attributes:
        path: The file, or ``":memory:"``.
        dimension: As given.
        problems: What the user should know (``vectors_rebuilt``, ``vectors_in_memory``).
    """

    def __init__(self, identity: str, dimension: int, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", identity)[:40].strip("-.") or "embedder"
        label = f"{identity}\0{dimension}\0".encode("utf-8", "surrogatepass")
        self.path: Path | str = folder / f"vectors-{readable}-{hashlib.sha256(label).hexdigest()[:16]}.sqlite"
        self.problems: list[Diagnostic] = []
        self.dimension, self._max_bytes = dimension, max_bytes
        self._salt = zlib.crc32(label)
        self._lock = threading.RLock()
        self._file: Database | None = None
        self._writes, self._rebuilt = 0, False
        self._known: tuple[Any, list[str], Matrix] | None = None
        self._database = self._open()

    def _open(self) -> Database:
        path = Path(self.path)
        for _ in range(2):
            try:
                return Database(path, _MIGRATIONS)
            except DatabaseCorruptError as error:
                if self._rebuilt:
                    return self._in_memory(error)
                self._throw_away(error)
            except DatabaseUnwritableError as error:
                if not isinstance(error, DatabaseBusyError) and path.is_file():
                    with contextlib.suppress(*_Problem):
                        self._file = Database(path, _MIGRATIONS, read_only=True)
                return self._in_memory(error)
        return self._in_memory(DatabaseCorruptError("damaged again"))

    def _throw_away(self, error: Exception) -> None:
        self._rebuilt = True
        message = f"The vectors in {self.path} were damaged ({error}) and are computed anew."
        self.problems.append(Diagnostic(code="vectors_rebuilt", severity="warning", message=message))
        remove_database(Path(self.path))

    def _in_memory(self, error: Exception) -> Database:
        busy = isinstance(error, DatabaseBusyError)
        words = "are held by another process" if busy else f"cannot be written ({error})"
        message = f"The vectors in {self.path} {words}; new ones are kept in memory for this run."
        self.problems.append(Diagnostic(code="vectors_in_memory", severity="warning", message=message))
        self.path = MEMORY
        return Database(MEMORY, _MIGRATIONS)

    @property
    def in_memory(self) -> bool:
        """Whether nothing new will be left for the next run."""
        return self.path == MEMORY

    def _attempt(self, work: Callable[[], _Found]) -> _Found:
        """Do something with the database; after damage with a new one, after trouble in writing in memory."""
        for _ in range(2):
            try:
                return work()
            except DatabaseCorruptError as error:
                self._database.close()
                if not self._rebuilt:
                    self._throw_away(error)
                    self._database = self._open()
                else:
                    self._database = self._in_memory(error)
            except DatabaseUnwritableError as error:
                if self.in_memory:
                    raise
                self._file, self._database = self._database, self._in_memory(error)
            self._known = None
        return work()

    def _from_file(self, look: Callable[[Database], dict[str, _Found]]) -> dict[str, _Found]:
        """What the file holds beside what is in memory, if it can be read."""
        if self._file is None:
            return {}
        try:
            return look(self._file)
        except _Problem:
            self._file.close()
            self._file = None
            return {}

    def get(self, keys: Sequence[str]) -> dict[str, Matrix]:
        """The vectors that are there, in the order of the keys. Each has the shape ``(dimension,)``."""
        wanted = list(dict.fromkeys(keys))
        with self._lock:
            found = self._attempt(lambda: self._read(self._database, wanted))
            rest = [key for key in wanted if key not in found]
            if rest:
                found.update(self._from_file(lambda file: self._read(file, rest)))
        return {key: found[key] for key in wanted if key in found}

    def _read(self, database: Database, keys: Sequence[str]) -> dict[str, Matrix]:
        found: dict[str, Matrix] = {}
        damaged: list[tuple[str]] = []
        old: list[str] = []
        before = time.time() - _TOUCH_SECONDS
        for at in range(0, len(keys), _BATCH):
            part = keys[at : at + _BATCH]
            marks = ",".join("?" * len(part))
            for key, data, checksum, used in database.execute(
                f"SELECT key, data, checksum, used FROM vector WHERE key IN ({marks})", part
            ):
                if not self._is_whole(key, data, checksum):
                    damaged.append((key,))
                    continue
                found[key] = _decode(data)
                if not isinstance(used, int) or used < before:
                    old.append(key)
        if damaged or old:
            self._touch(database, damaged, old)
        return found

    def _touch(self, database: Database, damaged: Sequence[tuple[str]], old: Sequence[str]) -> None:
        """Note what was used, and drop what is damaged, when nobody else is writing."""
        if database is self._file:
            return
        now = int(time.time())
        with contextlib.suppress(DatabaseUnwritableError), database.transaction(wait=False):
            database.execute_many("DELETE FROM vector WHERE key = ?", damaged)
            database.execute_many("UPDATE vector SET used = ? WHERE key = ?", [(now, key) for key in old])

    def _is_whole(self, key: Any, data: Any, checksum: Any) -> bool:
        fits = isinstance(key, str) and isinstance(data, bytes) and len(data) == 2 * self.dimension
        return fits and self._checksum(key, data) == checksum

    def _checksum(self, key: str, data: bytes) -> int:
        return zlib.crc32(data, zlib.crc32(key.encode("utf-8", "surrogatepass"), self._salt))

    def upsert(self, keys: Sequence[str], vectors: ArrayLike) -> None:
        """Store or replace. Of a key given twice the last one stays.

        Args:
            keys: Any text but the empty one; sherloc uses hashes of content.
            vectors: Shape ``(len(keys), dimension)``, of unit length; kept with 16 bits a number.

        Raises:
            ValueError: The shape is another one, a number is not finite, or a key is empty.
        """
        if not all(keys):
            raise ValueError("a key is empty")
        matrix = checked(vectors, len(keys), self.dimension)
        if not keys:
            return
        now = int(time.time())
        blobs = (row.astype("<f2").tobytes() for row in matrix)
        rows = [(key, blob, self._checksum(key, blob), now) for key, blob in zip(keys, blobs, strict=True)]
        with self._lock:
            self._attempt(lambda: self._insert(rows))
            self._attempt(self._shrink)

    def _insert(self, rows: Sequence[tuple[str, bytes, int, int]]) -> None:
        self._writes += 1
        with self._database.transaction():
            self._database.execute_many(_INSERT, rows)

    def _shrink(self) -> None:
        """Make room for later vectors: freed pages are used again, the file itself stays as long as it is."""
        while (size := self._database.size()) > self._max_bytes:
            count = self._database.execute("SELECT count(*) FROM vector")[0][0]
            excess = max(1, int(count * (1 - _FILL * self._max_bytes / size)))
            with self._database.transaction():
                self._database.execute(
                    "DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY used, rowid LIMIT ?)", (excess,)
                )
            if not count:
                break
        if not self.in_memory:
            remove_least_used("vectors-*.sqlite", self._max_bytes, keep=Path(self.path))

    def nearest(self, vector: ArrayLike, count: int) -> list[tuple[str, float]]:
        """The nearest keys with their cosine to six decimals, best first; equals in the order of keys.

        Args:
            vector: Shape ``(dimension,)``.
            count: How many at most.

        Raises:
            ValueError: The vector has another shape, or a number is not finite.

        Complexity: O(n * dimension) for n vectors, which are held in memory (4 bytes a number).
        """
        wanted = checked(np.asarray(vector, np.float32)[None], 1, self.dimension)[0]
        with self._lock:
            keys, matrix = self._attempt(self._all)
        return best(keys, cosines(matrix, wanted), count)

    def _all(self) -> tuple[list[str], Matrix]:
        version = (self._database.execute("PRAGMA data_version")[0][0], self._writes)
        if self._known is None or self._known[0] != version:
            rows = self._from_file(self._rows)
            rows.update(self._rows(self._database))
            keys = sorted(rows)
            data = np.frombuffer(b"".join(rows[key] for key in keys), "<f2").astype(np.float32)
            self._known = (version, keys, data.reshape(len(keys), self.dimension))
        return self._known[1], self._known[2]

    def _rows(self, database: Database) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        damaged: list[tuple[str]] = []
        for key, data, checksum in database.execute("SELECT key, data, checksum FROM vector"):
            if self._is_whole(key, data, checksum):
                found[key] = data
            else:
                damaged.append((key,))
        if damaged:
            self._touch(database, damaged, [])
        return found

    def keys(self) -> set[str]:
        """Every key whose vector is whole."""
        with self._lock:
            return set(self._attempt(self._all)[0])

    def count(self) -> int:
        """How many vectors there are."""

        def number() -> int:
            if self._file is not None:
                return len(self._all()[0])
            return int(self._database.execute("SELECT count(*) FROM vector")[0][0])

        with self._lock:
            return self._attempt(number)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._known = None
            self._database.close()
            if self._file:
                self._file.close()


def _decode(data: bytes) -> Matrix:
    return np.frombuffer(data, "<f2").astype(np.float32)

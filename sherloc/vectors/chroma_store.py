"""The vector stores that search with Chroma. Each keeps all vectors in a ``SqliteVectorStore`` too.

Chroma names the keys; similarities are computed from the stored vectors, so that they are the same numbers as those of
exact search. What Chroma cannot do at a moment the exact search does: the answer is never wrong, only slower.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sherloc.schema.report import Diagnostic
from sherloc.vectors.arrays import Matrix, best, checked, cosines
from sherloc.vectors.chroma_sessions import (
    ChromaDamagedError,
    ChromaUnreachableError,
    FolderSessions,
    ServerSessions,
)
from sherloc.vectors.sqlite_store import SqliteVectorStore

# Chroma's search is approximate and knows no order among equals: some more are asked for.
_MARGIN = 16


class _ChromaStore:
    """What both kinds share: the exact store beside Chroma, and how to do without Chroma."""

    def __init__(self, cache: SqliteVectorStore) -> None:
        self._cache = cache
        self._lock = threading.RLock()
        self._notes: list[Diagnostic] = []
        self._lost = False

    @property
    def problems(self) -> list[Diagnostic]:
        """What the user should know (``vectors_rebuilt``, ``vectors_in_memory``, ``chroma_not_used``)."""
        return [*self._cache.problems, *self._notes]

    def _leave(self, where: object, error: Exception) -> None:
        self._lost = True
        message = f"Chroma at {where} cannot be used ({error}); vectors are searched without it."
        self._notes.append(Diagnostic(code="chroma_not_used", severity="warning", message=message))

    def _checked(self, vector: ArrayLike) -> Matrix:
        wanted: Matrix = checked(np.asarray(vector, np.float32)[None], 1, self._cache.dimension)[0]
        return wanted

    def _rank(self, vectors: dict[str, Matrix], wanted: Matrix, count: int) -> list[tuple[str, float]]:
        keys = sorted(vectors)
        if not keys:
            return []
        return best(keys, cosines(np.stack([vectors[key] for key in keys]), wanted), count)

    def _store(self, collection: Any, batch: int, keys: Sequence[str]) -> None:
        """Give Chroma the vectors of some keys."""
        for at in range(0, len(keys), batch):
            found = self._cache.get(keys[at : at + batch])
            if found:
                collection.upsert(ids=list(found), embeddings=np.stack(list(found.values())))


class ChromaFolderStore(_ChromaStore):
    """Implements ``VectorStore`` with Chroma's files in a folder, as a mirror of the exact store.

    A damaged mirror is thrown away and filled again from the exact store. Safe to use from many threads and processes.

    Args:
        cache: Holds every vector.
        sessions: The way to Chroma's files.
    """

    def __init__(self, cache: SqliteVectorStore, sessions: FolderSessions) -> None:
        super().__init__(cache)
        self._sessions = sessions

    def get(self, keys: Sequence[str]) -> dict[str, Matrix]:
        """The vectors that are there, in the order of the keys."""
        return self._cache.get(keys)

    def upsert(self, keys: Sequence[str], vectors: ArrayLike) -> None:
        """Store or replace; see ``SqliteVectorStore.upsert``."""
        self._cache.upsert(keys, vectors)
        with self._lock:
            if self._mirrored and keys:
                self._mend(lambda: self._write(list(dict.fromkeys(keys))))

    def nearest(self, vector: ArrayLike, count: int) -> list[tuple[str, float]]:
        """The nearest keys by Chroma's approximate search; see ``SqliteVectorStore.nearest``."""
        wanted = self._checked(vector)
        with self._lock:
            if count > 0 and self._mirrored:
                keys = self._mend(lambda: self._query(wanted, count))
                if keys is not None:
                    return self._rank(self._cache.get(keys), wanted, count)
        return self._cache.nearest(wanted, count)

    def count(self) -> int:
        """How many vectors there are."""
        return self._cache.count()

    def close(self) -> None:
        """Let go of the files."""
        self._cache.close()

    @property
    def _mirrored(self) -> bool:
        return not (self._lost or self._cache.in_memory)

    def _mend(self, work: Any) -> Any:
        """Do something with Chroma; after damage fill it anew and do it again; None when that does not help."""
        try:
            return work()
        except ChromaDamagedError as damage:
            message = f"Chroma's files in {self._sessions.folder} were damaged ({damage}) and were filled again."
            self._notes.append(Diagnostic(code="vectors_rebuilt", severity="warning", message=message))
        except ChromaUnreachableError as error:
            self._leave(self._sessions.folder, error)
            return None
        try:
            with self._sessions.session(write=True, anew=True) as (collection, batch):
                self._store(collection, batch, sorted(self._cache.keys()))
            return work()
        except (ChromaDamagedError, ChromaUnreachableError) as error:
            self._leave(self._sessions.folder, error)
            return None

    def _write(self, keys: Sequence[str]) -> None:
        with self._sessions.session(write=True) as (collection, batch):
            self._store(collection, batch, keys)

    def _query(self, vector: Matrix, count: int) -> list[str]:
        with self._sessions.session() as (collection, _):
            if collection.count() == self._cache.count():
                return _nearest_keys(collection, vector, count)
        with self._sessions.session(write=True) as (collection, batch):
            self._even_out(collection, batch)
            return _nearest_keys(collection, vector, count)

    def _even_out(self, collection: Any, batch: int) -> None:
        """Give the mirror what it lacks, and take away what the exact store has dropped."""
        mirrored, kept = set(collection.get(include=[])["ids"]), self._cache.keys()
        self._store(collection, batch, sorted(kept - mirrored))
        gone = sorted(mirrored - kept)
        for at in range(0, len(gone), batch):
            collection.delete(ids=gone[at : at + batch])


class ChromaServerStore(_ChromaStore):
    """Implements ``VectorStore`` with a Chroma server, which many machines may share.

    Args:
        cache: Holds every vector that this machine has stored or read.
        sessions: The way to the server. Once it does not answer, it is not asked again.
    """

    def __init__(self, cache: SqliteVectorStore, sessions: ServerSessions) -> None:
        super().__init__(cache)
        self._sessions = sessions

    def get(self, keys: Sequence[str]) -> dict[str, Matrix]:
        """The vectors that are there, in the order of the keys; what the server gave is kept here too."""
        with self._lock:
            found = self._cache.get(keys)
            missing = [key for key in dict.fromkeys(keys) if key not in found]
            fetched = self._ask(lambda collection, batch: self._fetch(collection, batch, missing)) if missing else None
            if fetched:
                self._cache.upsert(list(fetched), np.stack(list(fetched.values())))
                found.update(self._cache.get(missing))
        return {key: found[key] for key in dict.fromkeys(keys) if key in found}

    def upsert(self, keys: Sequence[str], vectors: ArrayLike) -> None:
        """Store or replace here and on the server; see ``SqliteVectorStore.upsert``."""
        with self._lock:
            self._cache.upsert(keys, vectors)
            distinct = list(dict.fromkeys(keys))
            if distinct:
                self._ask(lambda collection, batch: self._store(collection, batch, distinct))

    def nearest(self, vector: ArrayLike, count: int) -> list[tuple[str, float]]:
        """The nearest keys by the server's approximate search; see ``SqliteVectorStore.nearest``."""
        wanted = self._checked(vector)
        with self._lock:
            if count > 0:
                keys = self._ask(lambda collection, _: _nearest_keys(collection, wanted, count))
                if keys is not None:
                    return self._rank(self.get(keys), wanted, count)
        return self._cache.nearest(wanted, count)

    def count(self) -> int:
        """How many vectors the server has."""
        with self._lock:
            found = self._ask(lambda collection, _: int(collection.count()))
            return self._cache.count() if found is None else int(found)

    def close(self) -> None:
        """Close the connection and the file."""
        with self._lock:
            self._sessions.close()
            self._cache.close()

    def _ask(self, work: Any) -> Any:
        if self._lost:
            return None
        try:
            with self._sessions.session() as (collection, batch):
                return work(collection, batch)
        except ChromaUnreachableError as error:
            self._leave(self._sessions.address, error)
            return None

    def _fetch(self, collection: Any, batch: int, keys: Sequence[str]) -> dict[str, Matrix]:
        found: dict[str, Matrix] = {}
        for at in range(0, len(keys), batch):
            part = collection.get(ids=list(keys[at : at + batch]), include=["embeddings"])
            vectors = checked(part["embeddings"], len(part["ids"]), self._cache.dimension)
            found.update(zip(part["ids"], vectors, strict=True))
        return found


def _nearest_keys(collection: Any, vector: Matrix, count: int) -> list[str]:
    return list(collection.query(query_embeddings=vector[None], n_results=count + _MARGIN, include=[])["ids"][0])

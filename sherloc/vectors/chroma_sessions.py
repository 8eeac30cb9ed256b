"""How Chroma is reached: its files under a lock, or a server. Chroma's many errors become two here.

Two processes on one folder damage it, and an open client does not see what another process wrote. So a client lives
only while the folder's lock is held (opening takes about 50 ms): none reads what is stale, no two write at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sherloc.errors import MissingExtraError

LOCK_SECONDS = 60.0
SERVER_SECONDS = 30.0
_CONNECT_SECONDS = 5.0
_DEFAULT_PORT = 8000
_NAMES = 10


class ChromaDamagedError(Exception):
    """The store answered with an error, or a writer was killed at work."""


class ChromaUnreachableError(Exception):
    """Another process holds the store for too long, or the server does not answer."""


def require_chroma() -> None:
    """Make sure that Chroma is there.

    Raises:
        MissingExtraError: chromadb or filelock is not installed.
    """
    for package in ("chromadb", "filelock"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, "chroma", "The vector store 'chroma'")


@contextlib.contextmanager
def _errors_as(kind: type[Exception]) -> Iterator[None]:
    """Turn whatever Chroma raises into one kind.

    Its Rust core, its HTTP client and its SQLite raise unrelated types; a panic of the core is no ``Exception`` even.
    """
    try:
        yield
    except (ChromaDamagedError, ChromaUnreachableError, GeneratorExit):
        raise
    except Exception as error:  # noqa: BLE001
        raise kind(f"{type(error).__name__}: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise kind(str(error)) from error


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _collection(client: Any, identity: str, dimension: int) -> Any:
    """The embedder's collection, made when missing; one of that name with other contents is left alone."""
    from chromadb.errors import NotFoundError

    stem = f"sherloc-{hashlib.sha256(identity.encode()).hexdigest()[:16]}-{dimension}"
    wanted = {"identity": identity, "dimension": dimension}
    for number in range(1, _NAMES + 1):
        name = stem if number == 1 else f"{stem}-{number}"
        try:
            found = client.get_collection(name, embedding_function=None)
        except NotFoundError:
            found = client.get_or_create_collection(
                # The inner product of unit vectors is the cosine; the space "cosine" would change the stored numbers.
                name,
                embedding_function=None,
                metadata=wanted,
                configuration={"hnsw": {"space": "ip"}},
            )
        if {key: (found.metadata or {}).get(key) for key in wanted} == wanted:
            return found
    raise ChromaDamagedError(f"no collection {stem} belongs to the embedder")


class FolderSessions:
    """Sessions with Chroma's own files, one process at a time.

    Args:
        folder: The files lie in its folder ``chroma``; made when missing.
        identity: ``Embedder.identity``.
        dimension: Of its vectors.
        lock_seconds: How long to wait for other processes. Seconds.
    """

    def __init__(self, folder: Path, identity: str, dimension: int, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.folder = folder / "chroma"
        self._identity, self._dimension, self._lock_seconds = identity, dimension, lock_seconds
        self._lock_file = folder / "chroma.lock"
        self._writing = folder / "chroma.writing"

    @contextlib.contextmanager
    def session(self, *, write: bool = False, anew: bool = False) -> Iterator[tuple[Any, int]]:
        """The collection and the largest batch it takes, while no other process has the files open.

        Args:
            write: Whether something will be stored. A process killed meanwhile leaves a mark.
            anew: Throw away what is there first.

        Raises:
            ChromaDamagedError: Chroma raised an error, or the mark of a killed writer is there.
            ChromaUnreachableError: Another process holds the lock, or the folder cannot be written.
        """
        from filelock import FileLock

        with contextlib.ExitStack() as stack:
            with _errors_as(ChromaUnreachableError):
                self.folder.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(FileLock(self._lock_file, timeout=self._lock_seconds))
                if anew and self.folder.exists():
                    shutil.rmtree(self.folder)
                if self._writing.exists() and not anew:
                    raise ChromaDamagedError("another process was killed while it wrote")
                if write:
                    self._writing.touch()
            with self._client() as found:
                yield found
            # An error leaves the mark: what was written is then not known.
            if write:
                with _errors_as(ChromaUnreachableError):
                    self._writing.unlink()

    @contextlib.contextmanager
    def _client(self) -> Iterator[tuple[Any, int]]:
        with _errors_as(ChromaDamagedError):
            import chromadb
            from chromadb.api.shared_system_client import SharedSystemClient

            path = str(self.folder.resolve())
            try:
                client = chromadb.PersistentClient(path=path, settings=_settings())
            except BaseException:
                # A client that could not start would be given out again for this path, even when the files are new.
                with contextlib.suppress(AttributeError):
                    SharedSystemClient._identifier_to_system.pop(path, None)
                raise
            try:
                yield _collection(client, self._identity, self._dimension), int(client.get_max_batch_size())
            finally:
                client.close()

    def close(self) -> None:
        """Nothing is open between sessions."""


class ServerSessions:
    """Sessions with a Chroma server, which may be shared by many machines.

    Args:
        address: ``http://host:port`` or ``https://host:port``.
        identity: ``Embedder.identity``.
        dimension: Of its vectors.
    """

    def __init__(self, address: str, identity: str, dimension: int) -> None:
        self.address = address
        self._identity, self._dimension = identity, dimension
        self._client: Any = None
        self._found: tuple[Any, int] | None = None

    @contextlib.contextmanager
    def session(self) -> Iterator[tuple[Any, int]]:
        """The collection and the largest batch it takes.

        Raises:
            ChromaUnreachableError: The server does not answer, or answers with an error.
        """
        with _errors_as(ChromaUnreachableError):
            if self._found is None:
                self._client = self._connect()
                collection = _collection(self._client, self._identity, self._dimension)
                self._found = collection, int(self._client.get_max_batch_size())
            yield self._found

    def _connect(self) -> Any:
        import chromadb

        parts = urlsplit(self.address)
        host, port = parts.hostname or "localhost", parts.port or _DEFAULT_PORT
        # Chroma's client itself waits without limit for a host that does not answer.
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
        client = chromadb.HttpClient(host=host, port=port, ssl=parts.scheme == "https", settings=_settings())
        with contextlib.suppress(AttributeError):
            client._server._session.timeout = SERVER_SECONDS
        return client

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            with contextlib.suppress(ChromaUnreachableError), _errors_as(ChromaUnreachableError):
                servers = self._client._server, self._client._admin_client._server
                self._client.close()
                for server in servers:  # left open by the line before
                    server._session.close()
            self._client = self._found = None

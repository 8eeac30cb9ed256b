"""Keeps the index of a repository up to date in the background, once for all servers on this machine."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.errors import MissingExtraError, SherlocError
from sherloc.indexer.cache_files import store_path
from sherloc.locator import Locator

if TYPE_CHECKING:
    from filelock import BaseFileLock

_LOCK_SECONDS = 0.2


class IndexKeeper:
    """One repository's index: built in a thread of its own, so that nobody has to wait for it.

    Servers on one repository take turns: who holds the lock indexes, the others wait in the background and then find
    everything done. The system lets go of the lock of a process that dies.

    Args:
        repo: A work tree, folder or bare git directory.
        settings: Nested sections, as for ``sherloc.locate``.

    Raises:
        SherlocError: The repository cannot be read.
    """

    def __init__(self, repo: str, settings: Mapping[str, Any] | None = None) -> None:
        self.locator = Locator(repo, settings=settings)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._error: SherlocError | None = None
        self._progress = (0, 0)
        self._waits = False

    @property
    def progress(self) -> tuple[int, int]:
        """Files parsed, of how many; zeros before that is known."""
        return self._progress

    @property
    def waits(self) -> bool:
        """Whether another process is indexing the repository."""
        return self._waits

    @property
    def is_busy(self) -> bool:
        """Whether the index is being built or brought up to date."""
        with self._lock:
            return self._thread is not None and self._thread.is_alive()

    def refresh(self) -> threading.Thread:
        """Bring the index up to date in the background; the thread that does it, one that runs already if there is one.

        Returns:
            The thread; when it has ended, ``check`` says whether it failed.
        """
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._error, self._progress, self._waits = None, (0, 0), False
                self._thread = threading.Thread(target=self._work, name="sherloc-index", daemon=True)
                self._thread.start()
            return self._thread

    def check(self) -> None:
        """Raise what the last refresh failed with.

        Raises:
            SherlocError: It failed.
        """
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Give up what runs and let go of the index."""
        self._stop.set()
        self.locator.close()

    def _work(self) -> None:
        try:
            lock = self._file_lock()
            if lock is None:
                self.locator.index(on_progress=self._note)
                return
            while not self._stop.is_set():
                if self._acquired(lock):
                    try:
                        self.locator.index(on_progress=self._note)
                    finally:
                        lock.release()
                    return
                self._waits = True
        except SherlocError as error:
            self._error = error

    def _acquired(self, lock: BaseFileLock) -> bool:
        from filelock import Timeout

        try:
            lock.acquire(timeout=_LOCK_SECONDS)
        except Timeout:
            return False
        self._waits = False
        return True

    def _file_lock(self) -> BaseFileLock | None:
        """The lock beside the index's store; None where nothing can be written, and so nothing is shared."""
        try:
            from filelock import FileLock
        except ImportError as error:
            raise MissingExtraError("filelock", "mcp", "Indexing once for many servers") from error
        tree, settings = self.locator.look()
        path = store_path(tree.name, tree.store_key, settings.cache).with_suffix(".indexing")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError:
            return None
        return FileLock(path, thread_local=False)

    def _note(self, stage: str, done: int, total: int) -> None:
        if stage == "index":
            self._progress = (done, total)

"""The tasks that a process has open, and the thread that gives their leases' signs of life.

Locks are taken in one order: a session's, then that of the list, which is held for moments only. Making and closing a
session takes longer: who asks for its task meanwhile waits for that, without a lock that the other side could need.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.session import Session
from sherloc.context_storage.task_key import TaskKey
from sherloc.errors import TaskStateError
from sherloc.protocols import Tokenizer
from sherloc.settings import ContextSettings

_Name = tuple[str, str]


class Sessions:
    """The tasks that this process has open."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: dict[_Name, Session] = {}
        self._busy: set[_Name] = set()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(
        self,
        base_dir: Path,
        key: TaskKey,
        settings: ContextSettings,
        disk: Disk,
        tokenizer: Tokenizer | None,
        *,
        salvage: bool = False,
        source: Path | None = None,
    ) -> Session:
        """The session of a task: the one that is open, or a new one."""
        name = (os.path.realpath(base_dir), key.uuid)
        session = self._claim(name, key, is_fork=source is not None)
        if session is None:
            try:
                session = Session(base_dir, key, settings, disk, tokenizer, salvage=salvage, source=source)
            finally:
                self._settle({name}, session)
        return session

    def _claim(self, name: _Name, key: TaskKey, *, is_fork: bool) -> Session | None:
        """The session that is open, with one user more; None: the caller is to make it while others wait."""
        with self._changed:
            while name in self._busy:
                self._changed.wait()
            session = self._open.get(name)
            if session is None or not session.is_open:
                self._open.pop(name, None)
                self._busy.add(name)
                return None
            if is_fork:
                raise TaskStateError(f"There is a task {key.uuid} already.")
            Session.check_key(key, session.key)
            session.users += 1
            return session

    def _settle(self, names: set[_Name], session: Session | None = None) -> None:
        with self._changed:
            self._busy -= names
            if session is not None:
                self._open.update(dict.fromkeys(names, session))
                session.users += 1
                self._keep_alive()
            self._changed.notify_all()

    def leave(self, session: Session) -> None:
        """One user less; the last one closes the session."""
        if session.pid != os.getpid():
            return  # Its parent's, whose locks a fork may have left locked for ever.
        with session.lock:
            with self._changed:
                session.users -= 1
                if session.users > 0 and session.is_open:
                    return
                names = {name for name, each in self._open.items() if each is session}
                for name in names:
                    del self._open[name]
                self._busy |= names
                if not self._open:
                    self._wake.set()
            try:
                session.close()
            finally:
                self._settle(names)

    def _keep_alive(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._wake = threading.Event()
            self._thread = threading.Thread(target=self._beat, args=(self._wake,), name="sherloc-leases", daemon=True)
            self._thread.start()

    def _beat(self, wake: threading.Event) -> None:
        while True:
            with self._changed:
                sessions = list(self._open.values())
                if wake.is_set() or not sessions:
                    self._thread = None
                    return
            if wake.wait(min(each.settings.lease_seconds for each in sessions) / 3):
                continue
            for session in sessions:
                session.beat()


_BY_PROCESS: dict[int, Sessions] = {}


def sessions() -> Sessions:
    """Those of this process: a forked child starts with none, because what its parent holds is its parent's."""
    return _BY_PROCESS.setdefault(os.getpid(), Sessions())

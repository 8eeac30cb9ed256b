"""What this process itself does, on Linux, for programs that its supervisor cannot part from it by a PID namespace.

While one runs, this process is not dumpable, so that no program of the same user reads its memory and its variables
(``/proc/PID/environ``), and it adopts orphans, so that what outlives a killed supervisor is found and killed. The
script of the supervisor is for Linux; so it is only loaded where it is called.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from functools import cache

_PR_GET_DUMPABLE, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 3, 4, 36, 37
_SWEEPING_SECONDS = 5.0

STARTING = threading.RLock()
"""Held while a program is started and noted, so that no other thread takes it for an orphan."""
_running: set[int] = set()
_guarded: set[int] = set()
_before: list[tuple[int, int]] = []


def note(pid: int) -> None:
    """A program runs; its number is not another's until ``forget``."""
    _running.add(pid)


def forget(pid: int) -> None:
    """A program has ended."""
    _running.discard(pid)


def begin(key: int) -> None:
    """Guard this process from now on, until ``end`` was called for every key.

    Args:
        key: Of the one who wishes it.
    """
    with STARTING:
        if not _guarded:
            adopts = ctypes.c_int(0)
            _libc().prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
            _before.append((_libc().prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0), adopts.value))
            _libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
            _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _guarded.add(key)


def end(key: int) -> None:
    """As it was before ``begin``, when this was the last key."""
    with STARTING:
        _guarded.discard(key)
        if not _guarded and _before:
            dumpable, adopts = _before.pop()
            if dumpable == 1:
                _libc().prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
            _libc().prctl(_PR_SET_CHILD_SUBREAPER, adopts, 0, 0, 0)


def stop_below(supervisor: int) -> None:
    """Kill all that a supervisor which does not answer has below it; it still adopts.

    Args:
        supervisor: A child of this process.
    """
    from sherloc.processes.supervisor import kill_descendants

    kill_descendants(supervisor)


def sweep(since: int) -> None:
    """Kill what a supervisor that was killed left behind: this process has adopted it.

    Such orphans are the children of this process that no ``Program`` started and that are in another session; they
    cannot come back into this one. Where sherloc is a library, a child that its host put into a session of its own
    after ``since`` looks the same.

    Args:
        since: When the supervisor started, as ``read_process`` has it; older ones are not touched.
    """
    from sherloc.processes.supervisor import descendants

    me, session, deadline = os.getpid(), os.getsid(0), time.monotonic() + _SWEEPING_SECONDS
    while time.monotonic() < deadline:
        with STARTING:
            orphans = [
                each.pid for each in descendants([me])
                if each.parent == me and each.session != session and each.pid not in _running and each.start >= since
            ]  # fmt: skip
        if not orphans:
            return
        below = [each.pid for each in descendants(orphans)]
        for pid in (*orphans, *below):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.002)


def started(pid: int) -> int:
    """When a process started, as ``sweep`` wants it; 0 when there is none."""
    from sherloc.processes.supervisor import read_process

    process = read_process(pid)
    return 0 if process is None else process.start


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)

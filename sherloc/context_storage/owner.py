"""Who holds a lease: this machine, this process and no other with its number, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """A process.

    Attributes:
        host: The machine's name.
        pid: The process's number there.
        world: The boot of the machine and the process namespace in which ``pid`` counts; empty where unknown.
        started: When the process started, in the machine's own terms; empty where unknown.
    """

    host: str
    pid: int
    world: str = ""
    started: str = ""

    def is_surely_alive(self) -> bool:
        """Whether this very process is running on this machine."""
        return self._can_be_looked_at() and _is_running(self.pid) and _started(self.pid) == self.started

    def is_surely_dead(self) -> bool:
        """Whether this process cannot be running any more; False also where nobody can tell."""
        here = this_process()
        if self.host == here.host and self.world and here.world:
            boot, _, space = self.world.partition("/")
            here_boot, _, here_space = here.world.partition("/")
            if boot != here_boot:
                return True
            return space == here_space and not self.is_surely_alive()
        return self._can_be_looked_at() and not _is_running(self.pid)

    def _can_be_looked_at(self) -> bool:
        here = this_process()
        return os.name == "posix" and (self.host, self.world) == (here.host, here.world)


def this_process() -> Owner:
    """The process that asks."""
    return Owner(socket.gethostname(), os.getpid(), _world(), _started(os.getpid()))


@lru_cache(maxsize=1)
def _world() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """The 22nd field of Linux's ``/proc/PID/stat``; a zombie has none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def seconds_awake() -> float:
    """A clock that only goes forward and counts the time in which the machine sleeps, where there is one. Seconds."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)

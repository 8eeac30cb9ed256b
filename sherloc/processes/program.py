"""One run of an outside program, without a shell."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import IO, Literal

from sherloc.processes import guard
from sherloc.processes.environment import USUAL, allowed_environment

_FIRST_POLL, _LONGEST_POLL = 0.002, 0.05
_KILLING_SECONDS = 8.0
_TRIAL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Attributes:
        status: Exit status; negative for a signal, as ``subprocess`` has it; None when it was killed.
        cause: ``exit``, ``time`` or ``size``.
        seconds: How long it took.
    """

    status: int | None
    cause: Literal["exit", "time", "size"]
    seconds: float


class Program:
    """A running program; a context manager at whose end nothing of the program runs any more.

    Input and output go through unnamed temporary files, so that neither side can block the other and a grandchild that
    keeps the output open holds nothing up. The program leads a session of its own, whose processes are killed together.
    A supervised one is, on Linux, watched by ``supervisor.py``: then what went into other sessions is killed, too, and
    all of it when this process dies; elsewhere such a process can get away. It lives no longer than the thread that
    started it. Where the kernel allows (``own_processes``), it sees and signals its own processes only. Elsewhere on
    Linux this process is guarded while it runs (``guard``): it cannot be read, and what outlives a supervisor that the
    program killed is killed all the same, unless the program kills this process, too.

    Args:
        arguments: Program and arguments.
        folder: Where it runs.
        environment: All variables that it sees.
        stdin: What it reads; nothing is an empty input, never this process's own.
        merged: Whether errors go where the output goes, in the order of their writing.
        supervised: As said above.
        deny_network: Only loopback; needs ``supervised``, and ``can_deny_network()``.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: str | Path,
        environment: Mapping[str, str],
        stdin: bytes = b"",
        merged: bool = False,
        supervised: bool = False,
        deny_network: bool = False,
    ) -> None:
        command = list(arguments)
        self._supervised, self._killed = supervised and supervisor_works(), False
        own = self._supervised and own_processes(deny_network=deny_network)
        self._guarded, self._started = self._supervised and not own, 0
        if self._supervised:
            command = _supervised(command, deny_network=deny_network, own=own)
        with contextlib.ExitStack() as files:
            source, self._output, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            self._errors: IO[bytes] = self._output if merged else errors
            source.write(stdin)
            source.seek(0)
            if self._guarded:
                files.callback(guard.end, id(self))
                guard.begin(id(self))
            with guard.STARTING:
                self._process = subprocess.Popen(
                    command,
                    stdin=source,
                    stdout=self._output,
                    stderr=subprocess.STDOUT if merged else self._errors,
                    cwd=folder,
                    env=environment,
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                guard.note(self._process.pid)
            self._started = guard.started(self._process.pid) if self._guarded else 0
            self._files = files.pop_all()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._files.close()

    def poll(self) -> int | None:
        """The exit status, or None while it runs; negative for a signal."""
        return self._process.poll()

    @property
    def written(self) -> int:
        """Size of the longer one of output and errors. Bytes."""
        return max(map(_size, (self._output, self._errors)))

    def wait(self, seconds: float, max_bytes: int) -> Ended:
        """Wait for its end, and make one when it takes too long or writes too much.

        Args:
            seconds: Longest time.
            max_bytes: Most that it may write to its output, and to its errors.
        """
        start, pause = time.monotonic(), _FIRST_POLL
        while (status := self.poll()) is None:
            if self.written > max_bytes or time.monotonic() - start > seconds:
                self.kill()
                cause: Literal["time", "size"] = "size" if self.written > max_bytes else "time"
                return Ended(None, cause, time.monotonic() - start)
            self._go_on()
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_POLL)
        self.kill()
        return Ended(status, "size" if self.written > max_bytes else "exit", time.monotonic() - start)

    def output(self, *, last: int | None = None) -> bytes:
        """What it wrote to its output, or only so many of the last bytes; after its end."""
        return _read(self._output, last)

    def errors(self, *, last: int | None = None) -> bytes:
        """What it wrote to its errors, or only so many of the last bytes; after its end."""
        return _read(self._errors, last)

    def kill(self) -> None:
        """End it and its children."""
        if self._killed:
            return
        if self._supervised and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            self._gone(_KILLING_SECONDS)
        if self._guarded and self._process.poll() is None:
            guard.stop_below(self._process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                # The session may outlive its leader.
                os.killpg(self._process.pid, signal.SIGKILL)
        self._gone(_KILLING_SECONDS)
        if self._guarded and (self._process.poll() or 0) < 0:
            guard.sweep(self._started)
        # Its number may be another's from now on.
        guard.forget(self._process.pid)
        self._killed = True

    def _gone(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            self._go_on()
            time.sleep(0.001)

    def _go_on(self) -> None:
        """A program that sees its supervisor can stop it."""
        if self._guarded and sys.platform != "win32":
            self._process.send_signal(signal.SIGCONT)


@cache
def supervisor_works() -> bool:
    """Whether the supervisor can be had here; tried once: this Python may need variables that programs are denied."""
    if sys.platform != "linux" or not sys.executable or not os.path.exists("/proc/self/stat"):
        return False
    return _runs(deny_network=False, own=False)


@cache
def own_processes(*, deny_network: bool) -> bool:
    """Whether a supervised program sees no process but its own: with rights, or along with the denied network.

    Tried once for either.

    Args:
        deny_network: As for ``Program``.
    """
    return supervisor_works() and _runs(deny_network=deny_network, own=True)


def _runs(*, deny_network: bool, own: bool) -> bool:
    try:
        done = subprocess.run(
            _supervised(["/bin/sh", "-c", ":"], deny_network=deny_network, own=own), env=allowed_environment(USUAL),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_TRIAL_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _supervised(command: Sequence[str], *, deny_network: bool, own: bool) -> list[str]:
    script = str(resources.files(__package__) / "supervisor.py")
    return [sys.executable, "-I", "-S", script, str(os.getpid()), "closed" if deny_network else "open",
            "own" if own else "shared", *command]  # fmt: skip


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _read(file: IO[bytes], last: int | None) -> bytes:
    # Moves the place where the program would write next: only for one that has ended.
    file.seek(0 if last is None else max(0, _size(file) - last))
    return file.read()

"""Runs one command and leaves nothing of it behind. A script of its own, for Linux; it imports no other part.

    python -I -S supervisor.py PARENT open|closed shared|own PROGRAM ARGUMENTS

``PARENT`` is the process that started it: when that dies, the command is killed. ``closed`` puts the command into a
network of its own that has only the loopback device. ``own`` puts it into a PID namespace with a ``/proc`` of its own:
it sees no process from outside, can neither signal nor read one, and the kernel kills all of them with the first. That
takes rights, or (when ``closed``) a user namespace. Else whatever the command started, in whatever session or group,
falls to this process when its own parent ends (``PR_SET_CHILD_SUBREAPER``), and is killed when the command ends or this
process is asked to end (SIGTERM). The exit status is the command's; 128 and the signal's number when one ended it, as
shells have it; 127 and 126 when it cannot be started; 125 when the network or the processes cannot be parted.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import struct
import sys
import time
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER = 1, 24, 36
_CAP_SYS_PTRACE, _CAP_PERFMON = 19, 38
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_SLAVE = 0x2, 0x4, 0x8, 0x4000, 0x80000
_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40
_WATCHED = frozenset((signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
_KILLING_SECONDS = 5.0
NOT_FOUND, NOT_STARTED, NOT_PARTED = 127, 126, 125

_libc = ctypes.CDLL(None, use_errno=True)


def main(parent: int, network: str, processes: str, command: list[str]) -> int:
    """Run a command; its status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return 128 + signal.SIGTERM
    try:
        _part(closed=network == "closed", own=processes == "own")
    except OSError as error:
        _give_up(f"the network or the processes cannot be parted: {error.strerror}", NOT_PARTED)
    child = os.fork()
    if child == 0:
        if processes == "own":
            _become_first(command)
        _become(command)
    status = _wait(child)
    kill_descendants(os.getpid())
    return status


def _become_first(command: list[str]) -> None:
    """Turn this process into the first one of its PID namespace, which ends with the command; never returns."""
    # From outside of the namespace, and so not to be withstood, even where this script itself is killed.
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        # What is mounted here is not seen outside.
        _called(_libc.unshare(_CLONE_NEWNS))
        _called(_libc.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
        _called(_libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None))
    except OSError as error:
        _give_up(f"the processes cannot be parted: {error.strerror}", NOT_PARTED)
    child = os.fork()
    if child == 0:
        _become(command)
    os._exit(_wait(child))


def _become(command: list[str]) -> None:
    """Turn this process into the command; never returns."""
    os.setsid()
    # With either root reads the memory and the variables of others; so does CAP_SYS_ADMIN, but programs may need that.
    for right in (_CAP_SYS_PTRACE, _CAP_PERFMON):
        _libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)
    except FileNotFoundError as error:
        _give_up(f"{command[0]} cannot be started: {error.strerror}", NOT_FOUND)
    except (OSError, ValueError) as error:
        _give_up(f"{command[0]} cannot be started: {error}", NOT_STARTED)


def _give_up(message: str, status: int) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"{message}\n".encode("utf-8", "backslashreplace"))
    os._exit(status)


def _part(*, closed: bool, own: bool) -> None:
    """Leave the network, and the processes for those started from now on.

    Without rights, leaving the network takes a user namespace of the same user. There programs that change the user
    (``sudo``, rootless containers) do not work, so that it is made for nothing less.

    Raises:
        OSError: The kernel, or a policy, does not allow it.
    """
    wished = (_CLONE_NEWNET if closed else 0) | (_CLONE_NEWPID if own else 0)
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(wished) != 0:
        _called(_libc.unshare(wished | _CLONE_NEWUSER) if closed else -1)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    if closed:
        import fcntl

        # Tests talk to servers of their own.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP | _IFF_RUNNING))


def _called(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _wait(child: int) -> int:
    """The child's status, or that of the signal that asks this process to end."""
    while True:
        number = signal.sigwait(_WATCHED)
        if number != signal.SIGCHLD:
            return 128 + number
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid == child:
                    code = os.waitstatus_to_exitcode(status)
                    return code if code >= 0 else 128 - code


def kill_descendants(parent: int) -> None:
    """Kill all descendants of a process that adopts orphans, until it has none but dead ones.

    Args:
        parent: This process, or a child of it; its own children are also reaped.
    """
    deadline = time.monotonic() + _KILLING_SECONDS
    while time.monotonic() < deadline:
        alive = [each for each in descendants([parent]) if each.state not in "ZX"]
        for each in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each.pid, signal.SIGKILL)
        if parent != os.getpid():
            if not alive:
                return
        else:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
        time.sleep(0.002)


class Process(NamedTuple):
    """What ``/proc`` says of a process; ``start`` is in clock ticks since the machine's."""

    pid: int
    parent: int
    session: int
    state: str
    start: int


def read_process(pid: int) -> Process | None:
    """What is known of a process, or None when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The command's name, in brackets, may hold anything.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return Process(pid, int(fields[1]), int(fields[3]), fields[0].decode("ascii"), int(fields[19]))


def descendants(parents: list[int]) -> list[Process]:
    """The children of some processes, theirs, and so on."""
    children: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := read_process(int(name))) is not None:
            children.setdefault(process.parent, []).append(process)
    found = [each for parent in parents for each in children.get(parent, ())]
    for each in found:
        found += children.get(each.pid, ())
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]))

"""Runs one command and leaves nothing of it behind. A script of its own, for Linux; it imports no other part.

    python -I -S supervisor.py PARENT open|closed PROGRAM ARGUMENTS

``PARENT`` is the process that started it: when that dies, the command is killed. ``closed`` puts the command into a
network of its own that has only the loopback device. Whatever the command started, in whatever session or group, falls
to this process when its own parent ends (``PR_SET_CHILD_SUBREAPER``), and is killed when the command ends or this
process is asked to end (SIGTERM). The exit status is the command's; 128 and the signal's number when one ended it, as
shells have it; 127 and 126 when it cannot be started; 125 when the network cannot be denied.
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

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40
_WATCHED = frozenset((signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
_KILLING_SECONDS = 5.0
NOT_FOUND, NOT_STARTED, NOT_DENIED = 127, 126, 125

_libc = ctypes.CDLL(None, use_errno=True)


def main(parent: int, network: str, command: list[str]) -> int:
    """Run a command; its status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return 128 + signal.SIGTERM
    child = os.fork()
    if child == 0:
        _become(network, command)
    status = _wait(child)
    _kill_all()
    return status


def _become(network: str, command: list[str]) -> None:
    """Turn this process into the command; never returns."""
    os.setsid()
    try:
        if network == "closed":
            _deny_network()
    except OSError as error:
        _give_up(f"the network cannot be denied: {error.strerror}", NOT_DENIED)
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


def _deny_network() -> None:
    """Leave the network for a new one; without rights that takes a user namespace of the same user.

    Raises:
        OSError: The kernel, or a policy, does not allow it.
    """
    if _libc.unshare(_CLONE_NEWNET) != 0:
        user, group = os.geteuid(), os.getegid()
        if _libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    import fcntl

    # Tests talk to servers of their own.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP | _IFF_RUNNING))


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


def _kill_all() -> None:
    """Kill all descendants: an orphan becomes a child of this process, so that none is left when it has no child."""
    deadline = time.monotonic() + _KILLING_SECONDS
    while time.monotonic() < deadline:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The command's name, in brackets, may hold anything.
                parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found += children.get(pid, ())
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))

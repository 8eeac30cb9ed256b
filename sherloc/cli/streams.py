"""The standard streams of a process as they come: closed, full, without a reader.

What cannot be said on stderr is not said. What cannot be written to stdout, or read from stdin, is an error when it is
tried, and in words.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import Any

STDOUT = "standard output"
_NAMES = ("stdin", "stdout", "stderr")


class _Talk(io.FileIO):
    """A raw stream for talk: nobody listening is no fault."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


class _Data(io.FileIO):
    """A raw stream for data, whose errors say where they happened."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STDOUT
            raise


def prepare_streams() -> None:
    """Put something on every closed standard descriptor, and let stdout and stderr take any text.

    A closed one would be taken by the next file that is opened: a database that a library then talks into. Reading the
    stdin, or writing the stdout, that is put there fails as it does with a closed descriptor.
    """
    for fd, (name, flags) in enumerate(zip(_NAMES, (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY), strict=True)):
        if getattr(sys, name) is None:
            _fill(fd, flags)
            stream = open(fd, "rw"[fd > 0], encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as the process
            setattr(sys, name, stream)
    _replace("stdout", _Data)
    _replace("stderr", _Talk, write_through=True)


def _fill(fd: int, flags: int) -> None:
    try:
        os.fstat(fd)
    except OSError:
        opened = os.open(os.devnull, flags)
        if opened == fd:
            os.set_inheritable(fd, True)
        else:
            os.dup2(opened, fd)
            os.close(opened)


def _replace(name: str, raw: type[io.FileIO], *, write_through: bool = False) -> None:
    """A stream of our own in the place of one that is not a terminal; a terminal only learns to take any text.

    A pipe that its maker left non-blocking would refuse a long report half-way.
    """
    stream = getattr(sys, name)
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="backslashreplace")
        return
    with contextlib.suppress(OSError, AttributeError):
        os.set_blocking(stream.fileno(), True)
    buffer = io.BufferedWriter(raw(stream.fileno(), "w", closefd=False))
    own = io.TextIOWrapper(buffer, stream.encoding, "backslashreplace", write_through=write_through)
    setattr(sys, name, own)


def is_broken_pipe(error: OSError) -> bool:
    """Whether the reader is gone; Windows then says EINVAL."""
    return error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL)


def drop_stdout() -> None:
    """Let go of what is buffered and cannot be written: it must not fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)

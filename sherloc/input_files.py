"""Bytes of what people name on a command line: a file, a pipe, a device, stdin; never without end."""

from __future__ import annotations

import sys
from typing import BinaryIO, NamedTuple

from sherloc.errors import UsageError

_PIECE = 1 << 20
_MOST_OF_A_PIPE = 1_000_000_000


class InputFile(NamedTuple):
    """What was read.

    Attributes:
        data: Bytes.
        is_cut: There was more.
    """

    data: bytes
    is_cut: bool = False


def read_input(given: str, what: str, most: int, *, end: bool = False, hint: str = "") -> InputFile:
    """The first bytes of an input, or its last ones.

    Args:
        given: Path, also of a pipe (``<(command)`` of a shell); ``-`` is stdin.
        what: What it is called in errors: ``The log 'ci.txt' cannot be read: ...``.
        most: Bytes.
        end: Keep the end instead; of a pipe at most a gigabyte is read.
        hint: What to do when it cannot be read.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        if given == "-":
            return _read(sys.stdin.buffer, most, end)
        with open(given, "rb") as file:
            return _read(file, most, end)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        name = "from stdin" if given == "-" else ""
        told = f"{what} cannot be read {name}: {why}." if name else f"{what} {given!r} cannot be read: {why}."
        raise UsageError(told, hint=hint) from error


def read_whole(given: str, what: str, most: int, *, hint: str = "") -> bytes:
    """An input that is of no use in part.

    Args:
        given: As ``read_input`` takes it.
        what: What it is called in errors.
        most: Bytes.
        hint: What to do when it cannot be read.

    Raises:
        UsageError: It cannot be read, or is larger.
    """
    found = read_input(given, what, most, hint=hint)
    if found.is_cut:
        raise UsageError(f"{what} {given!r} cannot be read: it is larger than {most:,} bytes.")
    return found.data


def _read(file: BinaryIO, most: int, end: bool) -> InputFile:
    if not end:
        data = file.read(most + 1)
        return InputFile(data[:most], len(data) > most)
    kept = bytearray()
    if file.seekable():
        size = file.seek(0, 2)
        file.seek(max(0, size - most))
        # Devices and files of /proc say that they hold nothing.
        data = file.read(most)
        return InputFile(data, size > most)
    taken = 0
    while taken < _MOST_OF_A_PIPE and (piece := file.read(_PIECE)):
        taken += len(piece)
        kept += piece
        if len(kept) > most + 64 * _PIECE:
            del kept[: len(kept) - most]
    return InputFile(bytes(kept[-most:]), taken > most)

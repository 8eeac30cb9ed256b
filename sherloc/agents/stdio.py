"""Standard input as a server of agents reads it, and an end when it is asked to end."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
from typing import Any

from sherloc.printable import printable_values

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def prepare_stdio() -> None:
    """Make this process's standard input one that reads what clients write, and let it end on SIGINT and SIGTERM.

    Children get no standard input: what stands there is the client's.
    """
    # A thread waits in a read that nothing ends, so that no exception would get the process out. Parsing processes end
    # when their pipes close, and databases outlive a kill.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _leave)
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Messages(wire)), encoding="utf-8", errors="replace")


def _leave(number: int, _: Any) -> None:
    os._exit(128 + number)


class _Messages(io.RawIOBase):
    r"""Lines of JSON in which no text holds half a character.

    Programs that cut texts between the halves of a character write such (``"\ud83d"``), and JSON's readers differ: the
    SDK's drops the whole message, and its sender would wait for an answer for ever.

    Args:
        descriptor: Where the lines come from.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._lines = os.fdopen(descriptor, "rb")
        self._rest = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; waits for a whole line."""
        if not self._rest:
            try:
                self._rest = whole_characters(self._lines.readline())
            except OSError:  # a standard input that was closed from the beginning
                return 0
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)


def whole_characters(line: bytes) -> bytes:
    r"""A line of JSON with halves of characters written out as text; any other line as it is.

    Args:
        line: As it came.

    >>> whole_characters(b'{"a": "\\ud83d", "b": "\\ud83d\\ude00"}\n')
    b'{"a": "\\\\ud83d", "b": "\\ud83d\\ude00"}\n'
    """
    if not _HALF.search(line):
        return line
    try:
        return json.dumps(printable_values(json.loads(line))).encode() + b"\n"
    except (ValueError, RecursionError):
        return line

"""Whether a program can be run without the network here."""

from __future__ import annotations

import sys
from functools import cache

from sherloc.processes.environment import USUAL, allowed_environment
from sherloc.processes.program import Program, supervisor_works

_SECONDS, _BYTES = 20.0, 10_000


@cache
def can_deny_network() -> bool:
    """Whether ``Program(deny_network=True)`` works: on Linux, with rights or where users may make namespaces.

    Tried once.
    """
    if not supervisor_works():
        return False
    try:
        with Program(
            [sys.executable, "-I", "-S", "-c", ""], folder="/", environment=allowed_environment(USUAL),
            supervised=True, deny_network=True,
        ) as program:  # fmt: skip
            return program.wait(_SECONDS, _BYTES).status == 0
    except OSError:
        return False

"""Where an outside program is, and which environment variables it sees: those that are named, and no others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

USUAL = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
)  # fmt: skip
"""What programs need to find themselves and their files; ``LC_*`` comes with it. No keys and no tokens."""


def allowed_environment(names: Sequence[str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a program may see.

    Args:
        names: Which ones, besides ``LC_*``.
        environment: Where they come from; None is this process's.
    """
    held = os.environ if environment is None else environment
    allowed = {name: held[name] for name in names if name in held}
    return allowed | {name: value for name, value in held.items() if name.startswith("LC_")}


def find_program(name: str) -> str | None:
    """The absolute path of a program, or None.

    A relative one is refused: it would be looked up in the current folder, which may be a repository's.

    Args:
        name: A name that is looked up in ``PATH``, or an absolute path.
    """
    program = shutil.which(name)
    return program if program and (os.path.isabs(program) or os.path.isabs(name)) else None


def why_not_found(name: str) -> tuple[str, str]:
    """What is wrong with a program that ``find_program`` does not find, as the end of a sentence, and what to do.

    Args:
        name: As for ``find_program``.
    """
    if os.path.isabs(name):
        there = os.path.lexists(name)
        return (
            ("is no file that can be run", "Make it executable, or correct the path.")
            if there
            else ("does not exist", "Correct its path.")
        )
    if os.path.dirname(name):
        return "is not found: it is a relative path, and those are not looked up", "Give its absolute path."
    return "is not found in PATH", "Install it, or give its absolute path."

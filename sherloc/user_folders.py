"""Where a user's files lie. A user may have no home folder: in a container, or under a service manager."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from sherloc.errors import SettingsError


def user_folder(kind: Literal["config", "cache", "state"]) -> Path:
    """The platform's folder of a kind for sherloc, whether it exists or not.

    Without a home folder it is one below the null device, which holds nothing and takes nothing: callers do as they do
    for a folder that cannot be written.

    Args:
        kind: Of what.
    """
    import platformdirs

    find = {
        "config": platformdirs.user_config_path,
        "cache": platformdirs.user_cache_path,
        "state": platformdirs.user_state_path,
    }
    try:
        return find[kind]("sherloc", appauthor=False)
    except RuntimeError:
        return Path(os.devnull) / "sherloc"


def chosen_path(text: str, what: str) -> Path:
    """A path that a user wrote, with ``~`` read as the home folder.

    Args:
        text: The path.
        what: Where it was written, for the error.

    Raises:
        SettingsError: It begins with ``~`` and there is no such home folder.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise SettingsError(
            f"{what} is {text!r}, and there is no such home folder.", hint="Give an absolute path."
        ) from error


def home_folder() -> Path | None:
    """The user's home folder, or None."""
    try:
        return Path.home()
    except RuntimeError:
        return None

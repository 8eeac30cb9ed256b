"""The settings that matter here, from whatever the caller has, and where sherloc's own tasks lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sherloc.errors import SettingsError
from sherloc.settings import ContextSettings, Settings, load_settings
from sherloc.user_folders import chosen_path, user_folder

STATE_VARIABLE = "SHERLOC_STATE"
Config = Settings | ContextSettings | Mapping[str, Any] | None
"""Settings, the section ``context`` alone, or a mapping of which only the entry ``context`` is looked at."""


def read_config(config: Config) -> ContextSettings:
    """The section ``context``.

    Args:
        config: Settings, or a mapping of which only the entry ``context`` is looked at, or nothing.

    Raises:
        SettingsError: A name in it is unknown or a value out of range.
    """
    if isinstance(config, ContextSettings):
        return config
    if isinstance(config, Settings):
        return config.context
    if config is not None and not isinstance(config, Mapping):
        raise SettingsError(f"config must be a Settings or a mapping, not {type(config).__name__}.")
    return load_settings({"context": (config or {}).get("context") or {}}).context


def contexts_folder(settings: ContextSettings) -> Path:
    """The base_dir of sherloc's own tasks: the setting, or ``contexts`` in the user's state folder.

    ``SHERLOC_STATE`` names another state folder.

    Raises:
        SettingsError: What was chosen begins with ``~`` and there is no such home folder.
    """
    if settings.base_dir:
        return chosen_path(settings.base_dir, "context.base_dir")
    state = os.environ.get(STATE_VARIABLE)
    if state:
        return chosen_path(state, STATE_VARIABLE) / "contexts"
    return user_folder("state") / "contexts"

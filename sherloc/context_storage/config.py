"""The settings that matter here, from whatever the caller has, and where sherloc's own tasks lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sherloc.errors import SettingsError
from sherloc.settings import ContextSettings, Settings, load_settings

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
    """
    if settings.base_dir:
        return Path(settings.base_dir).expanduser()
    state = os.environ.get(STATE_VARIABLE)
    if state:
        return Path(state).expanduser() / "contexts"
    from platformdirs import user_state_path

    return user_state_path("sherloc", appauthor=False) / "contexts"

"""Settings of the user: a TOML file and environment variables, and where the value of each setting came from.

In order, later ones win: the defaults, the user's file, the repository's ``.sherloc.toml`` (``index`` and ``retrieval``
only), environment variables, the command line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_origin

from sherloc.errors import SettingsError
from sherloc.settings import Overrides, Settings, load_settings
from sherloc.settings_toml import REPOSITORY_SETTINGS_FILE, read_toml, repository_sections
from sherloc.user_folders import chosen_path, user_folder

PREFIX = "SHERLOC_"
_MOST_BYTES = 65_537
_EXAMPLE = "For example: SHERLOC_INDEX__INCLUDE_TESTS=true   See: sherloc settings"


class Origin(NamedTuple):
    """A setting's value and where it came from: ``default``, a file, a variable or ``--set``."""

    name: str
    value: Any
    source: str


def user_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's settings file, there or not: ``SHERLOC_CONFIG``, or ``config.toml`` in the configuration folder.

    Args:
        environment: The process's.

    Raises:
        SettingsError: ``SHERLOC_CONFIG`` begins with ``~`` and there is no such home folder.
    """
    if environment.get("SHERLOC_CONFIG"):
        return chosen_path(environment["SHERLOC_CONFIG"], "SHERLOC_CONFIG")
    return user_folder("config") / "config.toml"


def user_overrides(
    given: Mapping[str, Mapping[str, Any]] | None = None, environment: Mapping[str, str] = os.environ
) -> Overrides:
    """What the user's file, the environment and the caller set, as ``locate`` takes it.

    Args:
        given: What wins over all: nested sections.
        environment: The process's.

    Raises:
        SettingsError: The file cannot be read, ``SHERLOC_CONFIG`` names one that is not there, or a variable names no
            setting.
    """
    merged = Overrides()
    for layer in (of_environment(environment), given or {}):
        for section, values in layer.items():
            merged.setdefault(section, {}).update(values)
    path = user_file(environment)
    if environment.get("SHERLOC_CONFIG") and not os.path.lexists(path):
        raise SettingsError(
            f"SHERLOC_CONFIG names the settings file {str(path)!r}, and there is no such file.",
            hint="Correct its path, make the file, or unset SHERLOC_CONFIG.",
        )
    merged.user = of_user_file(path)
    return merged


def of_user_file(path: Path) -> dict[str, dict[str, Any]]:
    """What the user's file sets; nothing when it is not there.

    Args:
        path: See ``user_file``.

    Raises:
        SettingsError: It cannot be read, or sets something that is no setting.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise SettingsError(f"Your settings file {path} cannot be read: {error.strerror}.") from error
    sections = read_toml(content, f"Your settings file {path}")
    known = _fields()
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise SettingsError(f"Your settings file {path} sets {section!r} outside of a section.")
        for key in values:
            if f"{section}.{key}" not in known:
                raise _no_setting(f"{section}.{key}", f" ({path})")
    try:
        load_settings(sections)
    except SettingsError as error:
        raise SettingsError(f"Your settings file {path}: {error.message}", hint=error.hint) from error
    return sections


def of_environment(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What variables such as ``SHERLOC_RETRIEVAL__K1=1.5`` set.

    Args:
        environment: The process's.

    Raises:
        SettingsError: A variable with two underscores names no setting.
    """
    known = {variable_of(name): name for name in _fields()}
    found: dict[str, dict[str, Any]] = {}
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or "__" not in variable:
            continue
        name = known.get(variable)
        if name is None:
            from difflib import get_close_matches

            near = get_close_matches(variable, known, n=2)
            hint = f"Did you mean {' or '.join(near)}?" if near else _EXAMPLE
            raise SettingsError(f"The environment variable {variable} names no setting.", hint=hint)
        section, _, key = name.partition(".")
        found.setdefault(section, {})[key] = read_value(environment[variable].strip(), is_list=is_list(name))
    return found


def variable_of(name: str) -> str:
    """The environment variable of a setting.

    >>> variable_of("retrieval.k1")
    'SHERLOC_RETRIEVAL__K1'
    """
    return PREFIX + name.upper().replace(".", "__")


def is_list(name: str) -> bool:
    """Whether a setting holds several values.

    Args:
        name: ``section.key``.

    Raises:
        SettingsError: There is no such setting.
    """
    known = _fields()
    if name not in known:
        raise _no_setting(name)
    return get_origin(known[name].annotation) is tuple or "tuple" in str(known[name].annotation)


def read_value(text: str, *, is_list: bool) -> Any:
    """A value as written by hand: JSON where it can be, else plain text; lists may be given with commas.

    Args:
        text: What was written.
        is_list: Whether several values are wanted.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if is_list and not isinstance(value, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    return value


def origins(overrides: Overrides, given: Mapping[str, Mapping[str, Any]], repository_toml: bytes) -> list[Origin]:
    """Every setting with its value and where that came from, in the order of the tree.

    Args:
        overrides: See ``user_overrides``.
        given: What the command line set, a part of ``overrides``.
        repository_toml: Content of the repository's settings file.

    Raises:
        SettingsError: A value is out of range.
    """
    settings = load_settings(overrides, repository_toml=repository_toml)
    repository = repository_sections(repository_toml)
    path = user_file()
    found = []
    for name in _fields():
        section, _, key = name.partition(".")
        sources = (
            ("--set", given),
            (f"environment {variable_of(name)}", overrides),
            (f"repository's {REPOSITORY_SETTINGS_FILE}", repository),
            (str(path), overrides.user),
        )
        source = next((words for words, layer in sources if key in layer.get(section, {})), "default")
        value = getattr(getattr(settings, section), key)
        found.append(Origin(name, _plain(value), source))
    return found


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _fields() -> dict[str, Any]:
    return dict(_each_field())


def _each_field() -> Iterator[tuple[str, Any]]:
    for section, field in Settings.model_fields.items():
        fields: Mapping[str, Any] = getattr(field.annotation, "model_fields", {})
        for key, inner in fields.items():
            yield f"{section}.{key}", inner


def _no_setting(name: str, where: str = "") -> SettingsError:
    from difflib import get_close_matches

    near = get_close_matches(name, _fields(), n=2)
    return SettingsError(
        f"There is no setting {name!r}{where}.",
        hint=f"Did you mean {' or '.join(near)}?" if near else "See: sherloc settings",
    )

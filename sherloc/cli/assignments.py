"""``--set section.key=value`` to nested settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, get_origin

from sherloc.errors import SettingsError

Overrides = dict[str, dict[str, Any]]


def read_assignments(assignments: Sequence[str], *, include_tests: bool = False) -> Overrides:
    """Settings as ``locate`` takes them.

    Values are JSON where they can be (``true``, ``3``, ``["a"]``), else plain text; lists may be given with commas.

    Args:
        assignments: As written on the command line; a later one wins.
        include_tests: The option of that name.

    Raises:
        SettingsError: An assignment has no ``=``, or its section or key is unknown.
    """
    overrides: Overrides = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingsError(f"--set {assignment} is not of the form section.key=value.", hint=_EXAMPLE)
        overrides.setdefault(section, {})[key] = _value(value.strip(), _is_list(section, key))
    if include_tests:
        overrides.setdefault("index", {})["include_tests"] = True
    return overrides


_EXAMPLE = "For example: --set index.exclude=legacy/*   See: sherloc schema settings"


def _is_list(section: str, key: str) -> bool:
    """Whether the setting holds several values.

    Raises:
        SettingsError: There is no such setting.
    """
    from sherloc.settings import Settings

    sections = {name: field.annotation for name, field in Settings.model_fields.items()}
    keys = {f"{name}.{each}": inner for name, kind in sections.items() for each, inner in _fields(kind).items()}
    full = f"{section}.{key}"
    if full not in keys:
        near = get_close_matches(full, keys, n=2)
        raise SettingsError(
            f"There is no setting {full!r}.",
            hint=f"Did you mean {' or '.join(near)}?" if near else "See: sherloc schema settings",
        )
    return get_origin(keys[full].annotation) is tuple


def _fields(kind: Any) -> dict[str, Any]:
    fields: dict[str, Any] = kind.model_fields
    return fields


def _value(text: str, is_list: bool) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if is_list and not isinstance(value, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    return value

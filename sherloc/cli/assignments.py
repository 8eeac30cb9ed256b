"""``--set section.key=value``, the environment and the user's file, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sherloc.errors import SettingsError
from sherloc.settings import Overrides
from sherloc.settings_sources import is_list, read_value, user_overrides

Sections = dict[str, dict[str, Any]]
_EXAMPLE = "For example: --set index.exclude=legacy/*   See: sherloc settings"


def read_assignments(assignments: Sequence[str], *, include_tests: bool = False) -> Overrides:
    """Settings as ``locate`` takes them: the user's file and environment, and what the command line sets over them.

    Args:
        assignments: As written on the command line; a later one wins.
        include_tests: The option of that name.

    Raises:
        SettingsError: An assignment has no ``=``, its section or key is unknown, or the user's own are wrong.
    """
    return user_overrides(given_sections(assignments, include_tests=include_tests))


def given_sections(assignments: Sequence[str], *, include_tests: bool = False) -> Sections:
    """What the command line alone sets.

    Values are JSON where they can be (``true``, ``3``, ``["a"]``), else plain text; lists may be given with commas.

    Args:
        assignments: As for ``read_assignments``.
        include_tests: As for ``read_assignments``.

    Raises:
        SettingsError: An assignment has no ``=``, or its section or key is unknown.
    """
    sections: Sections = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingsError(f"--set {assignment} is not of the form section.key=value.", hint=_EXAMPLE)
        sections.setdefault(section, {})[key] = read_value(value.strip(), is_list=is_list(name.strip()))
    if include_tests:
        sections.setdefault("index", {})["include_tests"] = True
    return sections

"""From a brief to commits: proposals are read, checked, and made into commits in a repository of our own.

Nothing is written to the repository under study before ``Workshop.deliver``, and then objects and one new branch only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherloc.repair.changes import ChangePlan, PlannedGroup, plan_changes
    from sherloc.repair.reading import read_proposal
    from sherloc.repair.workshop import Workshop

__all__ = ["ChangePlan", "PlannedGroup", "Workshop", "plan_changes", "read_proposal"]

_HOMES = {
    "ChangePlan": "sherloc.repair.changes",
    "PlannedGroup": "sherloc.repair.changes",
    "Workshop": "sherloc.repair.workshop",
    "plan_changes": "sherloc.repair.changes",
    "read_proposal": "sherloc.repair.reading",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sherloc.repair' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

"""From a ticket to a patch: located, proposed, checked, tested, made into commits, and offered as a pull request.

Proposals are never trusted. All is made in a scratch repository of our own; nothing is written to the repository under
study before ``Workshop.deliver``, and then objects and one new branch only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherloc.repair.changes import ChangePlan, PlannedGroup, plan_changes
    from sherloc.repair.fixing import fix
    from sherloc.repair.generators import CommandGenerator, ModelGenerator, ScriptedGenerator, open_generator
    from sherloc.repair.reading import read_proposal
    from sherloc.repair.workshop import Workshop

__all__ = [
    "ChangePlan",
    "CommandGenerator",
    "ModelGenerator",
    "PlannedGroup",
    "ScriptedGenerator",
    "Workshop",
    "fix",
    "open_generator",
    "plan_changes",
    "read_proposal",
]

_HOMES = {
    "ChangePlan": "sherloc.repair.changes",
    "CommandGenerator": "sherloc.repair.generators",
    "ModelGenerator": "sherloc.repair.generators",
    "PlannedGroup": "sherloc.repair.changes",
    "ScriptedGenerator": "sherloc.repair.generators",
    "Workshop": "sherloc.repair.workshop",
    "fix": "sherloc.repair.fixing",
    "open_generator": "sherloc.repair.generators",
    "plan_changes": "sherloc.repair.changes",
    "read_proposal": "sherloc.repair.reading",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sherloc.repair' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

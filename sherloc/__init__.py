r"""From an issue and a repository to the files, functions and lines that must change.

>>> from sherloc import locate
>>> report = locate("Title\n\nWhat is wrong", repo="path/to/repository")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sherloc.exports import lazy_exports

if TYPE_CHECKING:
    from sherloc.errors import SherlocError
    from sherloc.explorer import ToolBelt
    from sherloc.locator import Locator, alocate, locate
    from sherloc.repair import fix
    from sherloc.schema.brief import SurgeryBrief
    from sherloc.schema.change_set import ChangeSet
    from sherloc.schema.fix import FixReport
    from sherloc.schema.issue import Issue
    from sherloc.schema.report import Report
    from sherloc.settings import Settings
    from sherloc.version import __version__

__all__ = [
    "ChangeSet",
    "FixReport",
    "Issue",
    "Locator",
    "Report",
    "Settings",
    "SherlocError",
    "SurgeryBrief",
    "ToolBelt",
    "__version__",
    "alocate",
    "fix",
    "locate",
]

_HOMES = {
    "ChangeSet": "sherloc.schema.change_set",
    "FixReport": "sherloc.schema.fix",
    "Issue": "sherloc.schema.issue",
    "Locator": "sherloc.locator",
    "Report": "sherloc.schema.report",
    "Settings": "sherloc.settings",
    "SherlocError": "sherloc.errors",
    "SurgeryBrief": "sherloc.schema.brief",
    "ToolBelt": "sherloc.explorer",
    "__version__": "sherloc.version",
    "alocate": "sherloc.locator",
    "fix": "sherloc.repair",
    "locate": "sherloc.locator",
}

if not TYPE_CHECKING:  # A checker that saw it would let every misspelt name pass.
    __getattr__ = lazy_exports(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)

"""The surgery brief: all that a patch generator needs, in a fixed JSON."""

from __future__ import annotations

from sherloc.schema._model import Model
from sherloc.schema.change_set import ChangeSet

BRIEF_SCHEMA_VERSION = "1.0"


class GlobalContext(Model):
    """A piece of code that the change must respect: a caller, a contract, a base class."""

    file_path: str
    purpose: str
    snippet: str
    start_line: int | None = None
    end_line: int | None = None


class SurgeryBrief(Model):
    """What to change, why, and what stands around it; additive, see ``schema_version``."""

    schema_version: str = BRIEF_SCHEMA_VERSION
    issue_summary: str
    change_sets: tuple[ChangeSet, ...] = ()
    global_context: tuple[GlobalContext, ...] = ()
    repository: str = ""
    revision: str = ""
    content_hash: str = ""
    stale: bool = False
    reasoning: str = ""
    findings: tuple[str, ...] = ()

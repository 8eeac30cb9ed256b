"""The change set: a place that must change, checked against the file."""

from __future__ import annotations

from pydantic import Field

from sherloc.schema._model import Model
from sherloc.schema.diagnosis import ChangeType


class TargetLocation(Model):
    """Absolute lines, 1-based and inclusive; both are None for a file that does not exist yet."""

    start_line: int | None = Field(default=None, ge=1)
    end_line: int | None = Field(default=None, ge=1)
    function_name: str = ""


class EvidenceItem(Model):
    """One piece of evidence: where it comes from (a channel or room) and what it says."""

    source: str
    description: str


class ChangeSet(Model):
    """A place that must change.

    ``target_location`` is the tight span of suspect lines; ``function_name`` the function around it.
    ``context_code_snippet`` holds the lines from ``context_start_line`` on, 20-30 around the target.
    """

    file_path: str
    target_location: TargetLocation
    change_type: ChangeType
    confidence: float = Field(ge=0, le=1)
    diagnostic_evidence: tuple[EvidenceItem, ...] = ()
    context_code_snippet: str = ""
    context_start_line: int | None = Field(default=None, ge=1)
    expected_change_nature: str = ""
    new_file: bool = False
    stale: bool = False
    content_hash: str = ""

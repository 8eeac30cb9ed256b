"""What the user should know about a run; apart from the report, since the index tells such things without one."""

from __future__ import annotations

from typing import Literal

from sherloc.schema._model import Model

Severity = Literal["info", "warning", "error"]


class Diagnostic(Model):
    """Something that the user should know: what was skipped, degraded or assumed.

    ``code`` is stable and made for programs (``skipped_file``, ``parse_partial``, ``parser_unavailable``,
    ``degraded``, ``stale``, ``index_in_memory``, ``vague_issue`` ...). ``path`` is the file it is about, or empty.
    ``count`` says how many times it happened when several are told as one.
    """

    code: str
    severity: Severity
    message: str
    path: str = ""
    count: int = 1

"""The boundary between instructions and material.

Issue texts, code, diffs and documents are material: they can hold sentences that read like orders to whoever reads
them. ``scan`` and ``scan_diff`` find such sentences by rule, ``criteria_in`` notices a diff that edits the criteria by
which it would be judged, ``fence`` puts marks around material that it cannot hold, ``declare`` says what that means,
and ``check_reported`` compares what a model saw with what the scan found. All of it reports; nothing here blocks. What
enforces are the limits elsewhere: path policy, validation, budgets.
"""

from __future__ import annotations

from sherloc.boundary.criteria import CriteriaInMaterial, Row, criteria_in
from sherloc.boundary.declarations import Declaration, Grounds, Language, declare
from sherloc.boundary.diffs import looks_like_diff
from sherloc.boundary.fences import Fence, fence
from sherloc.boundary.hits import Hit, Origin
from sherloc.boundary.reported import Place, Reported, ReportedCheck, Warned, check_reported, covered
from sherloc.boundary.rules import RULE_NAMES
from sherloc.boundary.scanning import scan, scan_diff

__all__ = [
    "RULE_NAMES",
    "CriteriaInMaterial",
    "Declaration",
    "Fence",
    "Grounds",
    "Hit",
    "Language",
    "Origin",
    "Place",
    "Reported",
    "ReportedCheck",
    "Row",
    "Warned",
    "check_reported",
    "covered",
    "criteria_in",
    "declare",
    "fence",
    "looks_like_diff",
    "scan",
    "scan_diff",
]

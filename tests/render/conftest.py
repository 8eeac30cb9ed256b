"""A report made by hand, in which everything that a renderer looks at is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sherloc.schema.brief import GlobalContext, SurgeryBrief
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.schema.evidence import (
    EvidenceGraphCommunity,
    EvidenceGraphEdge,
    EvidenceGraphNode,
    EvidenceGraphRecord,
)
from sherloc.schema.report import Diagnostic, RankedFile, Report, SignalRecord

HOSTILE = "a\"b</script><img src=x onerror=alert(1)>&'`|#{}[]\\%;:,\n::error::x @someone #12 closes #3"
"""A name as an attacker would choose it, for every renderer at once."""


def change_set(path: str = "shop/basket.py", name: str = "Basket.total", **more: object) -> ChangeSet:
    values: dict[str, object] = {
        "file_path": path,
        "target_location": TargetLocation(start_line=12, end_line=13, function_name=name),
        "change_type": ChangeType.FIX_BOUNDARY,
        "confidence": 0.82,
        "diagnostic_evidence": (
            EvidenceItem(source="impact", description="A fault here shows as a negative price."),
            EvidenceItem(source="lines 12-13", description="Shares the issue's words: discount."),
            EvidenceItem(source="unknown", description="No test was run."),
        ),
        "context_code_snippet": "def total(self):\n    x = 1\n    y = 2\n    return x\n",
        "context_start_line": 10,
        "content_hash": "c0ffee",
    }
    return ChangeSet.model_validate({**values, **more})


def diagnosis(path: str, name: str, start: int, end: int, score: float = 3.0) -> Diagnosis:
    return Diagnosis(
        path=path, qualified_name=name, kind="function", start_line=start, end_line=end, relevance_score=score,
        relevance="partial", reason="It shares words.", potential_change_type=ChangeType.FIX_BOUNDARY,
    )  # fmt: skip


MakeReport = Callable[..., Report]


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def make_change_set() -> Callable[..., ChangeSet]:
    return change_set


@pytest.fixture
def make_report() -> MakeReport:
    """Makes the report; named fields are replaced, ``path`` and ``name`` are those of all places in it."""

    def make(*, path: str = "shop/basket.py", name: str = "Basket.total", **more: object) -> Report:
        signal = SignalRecord(channel="structural", kind="defined_name", detail=name, score=1.0)
        values: dict[str, object] = {
            "repository": "shop",
            "revision": "0123456789" * 4,
            "ranked_files": (RankedFile(path=path, score=1, confidence=0.82, signals=(signal,)),),
            "diagnoses": (
                diagnosis(path, name, 10, 20, 4.5),
                diagnosis("shop/mail.py", "send", 1, 5),
                diagnosis("shop/stock.py", "", 1, 2, 1.0),
            ),
            "evidence": EvidenceGraphRecord(
                nodes=(
                    EvidenceGraphNode(community=0, pagerank=0.6, selected=True),
                    EvidenceGraphNode(community=0, pagerank=0.4, selected=False),
                    EvidenceGraphNode(community=1, pagerank=1.0, selected=False),
                ),
                edges=(
                    EvidenceGraphEdge(first=0, second=1, weight=1.5, reasons=("call relation", "similar evidence")),
                    EvidenceGraphEdge(first=0, second=2, weight=0.5, reasons=("same change type fix_boundary",)),
                ),
                communities=(
                    EvidenceGraphCommunity(mean_relevance=3.75, selected=True),
                    EvidenceGraphCommunity(mean_relevance=1.0, selected=False),
                ),
            ),
            "change_sets": (change_set(path, name),),
            "brief": SurgeryBrief(
                issue_summary="The price is negative.",
                global_context=(GlobalContext(file_path="shop/mail.py", purpose="calls total", snippet="b.total()"),),
            ),
            "confidence": "high",
            "diagnostics": (
                Diagnostic(code="skipped_too_large", severity="warning", message="1 file is too large", path="big.py"),
            ),
        }
        return Report.model_validate({**values, **more})

    return make

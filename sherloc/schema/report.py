"""The report: everything that ``locate`` gives back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sherloc.schema._model import Model
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.diagnostic import Diagnostic as Diagnostic
from sherloc.schema.evidence import EvidenceGraphRecord
from sherloc.schema.finding import Finding
from sherloc.schema.reading import IssueReading

REPORT_SCHEMA_VERSION = "1.1"
Level = Literal["high", "medium", "low"]


class SignalRecord(Model):
    """One sign behind a ranking, for people and programs."""

    channel: str
    kind: str
    detail: str
    score: float
    line: int | None = None


class RankedFile(Model):
    """A file by rank. ``score`` orders; ``confidence`` is the estimated chance that it must change."""

    path: str
    score: float
    confidence: float = Field(ge=0, le=1)
    signals: tuple[SignalRecord, ...] = ()
    content_hash: str = ""


class RankedFunction(Model):
    """A function or method by rank, with its whole span."""

    path: str
    qualified_name: str
    start_line: int
    end_line: int
    score: float
    confidence: float = Field(ge=0, le=1)
    kind: str = "function"
    signature: str = ""
    signals: tuple[SignalRecord, ...] = ()
    content_hash: str = ""


class RankedSpan(Model):
    """The tight suspect lines of any snippet."""

    path: str
    start_line: int
    end_line: int
    score: float
    qualified_name: str = ""
    kind: str = ""
    content_hash: str = ""


class StageTiming(Model):
    """How long a stage took, in seconds."""

    stage: str
    seconds: float


class ModelUse(Model):
    """What one role's model did in a run.

    ``calls`` are replies used, ``recalled`` those of them that an earlier, interrupted run had paid for. ``cost`` is in
    US dollars, None when a price is unknown. ``seconds`` are summed over calls that ran side by side.
    """

    role: str
    model: str
    calls: int = 0
    recalled: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    estimated: bool = False
    seconds: float = 0.0


class RunInfo(Model):
    """All that may differ between two runs on the same input: times, cost, cache state.

    ``mode`` is the plan that ran; ``model_calls`` counts requests, failed ones included, ``diagnoses_cached`` verdicts
    that were there from earlier runs. ``cost`` is in US dollars, None when a price is unknown. ``task`` is the run's
    folder in context storage, if it has one.
    """

    mode: str = "offline"
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    model_seconds: float = 0.0
    models: tuple[ModelUse, ...] = ()
    diagnoses_cached: int = 0
    task: str = ""
    started_at: str = ""
    seconds: float = 0.0
    stages: tuple[StageTiming, ...] = ()
    files_parsed: int = 0
    files_reused: int = 0
    index_storage: str = ""
    sherloc_version: str = ""


class Report(Model):
    """What ``locate`` found.

    ``confidence`` is the level for the whole answer; ``low`` comes with its reasons in ``confidence_reasons``: the
    candidates are then a place to start, not an answer. ``short_cut`` says that the issue named its place outright.
    ``findings`` are those of an exploration, in mode ``explore``.
    ``reading`` says what was taken from the issue, ``evidence`` how the diagnoses hang together. Everything but ``run``
    is the same, byte for byte, for the same input.
    """

    schema_version: str = REPORT_SCHEMA_VERSION
    repository: str
    revision: str
    ranked_files: tuple[RankedFile, ...] = ()
    ranked_functions: tuple[RankedFunction, ...] = ()
    ranked_spans: tuple[RankedSpan, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: EvidenceGraphRecord = EvidenceGraphRecord()
    change_sets: tuple[ChangeSet, ...] = ()
    findings: tuple[Finding, ...] = ()
    brief: SurgeryBrief
    reading: IssueReading = IssueReading()
    confidence: Level = "low"
    confidence_reasons: tuple[str, ...] = ()
    short_cut: bool = False
    degraded: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    run: RunInfo = RunInfo()

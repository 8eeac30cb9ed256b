"""Locating one instance: what a worker does, in this process, another one, or on another machine."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from sherloc.errors import SherlocError
from sherloc.evaluation.metrics import distinct
from sherloc.evaluation.predictions import Evidence, Prediction
from sherloc.schema.candidate import Signal, SignalKind
from sherloc.schema.report import Report, SignalRecord

_EVIDENCE_FILES, _EVIDENCE_SENTENCES = 5, 4
_TOP = 50
_NOT_LOCATING = ("cli", "evaluation", "render", "repair")
_LIBRARIES = ("numpy", "tree-sitter", "networkx", "onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is given: the issue and where to look, never the fix.

    Attributes:
        instance_id: Of the instance.
        issue: The issue's text.
        repository: Path of a repository that holds the revision; on the worker's machine.
        revision: Commit, branch or tag; empty is the repository as it is.
        fingerprint: The instance's, kept with the prediction.
        settings: Overrides for ``locate``.
        code: ``code_fingerprint()`` of whoever asks; empty: not compared.
        trouble: Why the repository cannot be found; it is then the answer.
    """

    instance_id: str
    issue: str
    repository: str
    revision: str
    fingerprint: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    trouble: str = ""


def predict(task: Task) -> Prediction:
    """Locate one instance; a failure is a prediction with ``error``."""
    from sherloc.locator import locate

    if task.trouble:
        return failure(task, task.trouble)
    start = time.perf_counter()
    if task.code and task.code != code_fingerprint():
        return failure(task, "the worker has another version of sherloc than the run")
    try:
        report = locate(task.issue, task.repository, revision=task.revision or None, settings=dict(task.settings))
    except SherlocError as error:
        return failure(task, f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 - one instance must not end the run; it is reported as a crash
        return failure(task, f"crash: {type(error).__name__}: {error}")
    seconds = round(time.perf_counter() - start, 4)
    fields = prediction_fields(report)
    return Prediction(instance_id=task.instance_id, input=task.fingerprint, seconds=seconds, **fields)


def failure(task: Task, why: str) -> Prediction:
    """The prediction of a task that has no answer."""
    return Prediction(instance_id=task.instance_id, input=task.fingerprint, error=why)


def prediction_fields(report: Report) -> dict[str, Any]:
    """What of a report is kept for the measures."""
    from sherloc.tokens import estimate_tokens

    return {
        "files": tuple(file.path for file in report.ranked_files[:_TOP]),
        "classes": tuple(distinct(_classes(report)))[:_TOP],
        "functions": tuple(f"{f.path}::{f.qualified_name}" for f in report.ranked_functions[:_TOP]),
        "lines": tuple((s.path, s.start_line, s.end_line) for s in report.ranked_spans[:10]),
        "change_sets": tuple(
            (c.file_path, c.target_location.start_line or 1, c.target_location.end_line or 1, round(c.confidence, 4))
            for c in report.change_sets
            if not c.new_file
        ),
        "context": tuple(
            (c.file_path, c.context_start_line, c.context_start_line + c.context_code_snippet.rstrip("\n").count("\n"))
            for c in report.change_sets
            if c.context_start_line is not None
        ),
        "context_tokens": estimate_tokens(report.brief.model_dump_json()),
        "diagnoses": tuple((d.path, d.qualified_name, d.relevance_score) for d in report.diagnoses),
        "file_confidence": tuple(file.confidence for file in report.ranked_files[:10]),
        "function_confidence": tuple(function.confidence for function in report.ranked_functions[:10]),
        "level": report.confidence,
        "evidence": tuple(
            Evidence(path=file.path, why=tuple(_sentences(file.signals)))
            for file in report.ranked_files[:_EVIDENCE_FILES]
        ),
        "files_parsed": report.run.files_parsed,
        "diagnostics": tuple(sorted({d.code for d in report.diagnostics if d.severity != "info"})),
        **_usage(report),
    }


def _usage(report: Report) -> dict[str, Any]:
    """What models used, where the plan that ran asked any and says so."""
    run = report.run.model_dump()
    return {name: run[name] for name in ("input_tokens", "output_tokens", "cost") if run.get(name) is not None}


def _classes(report: Report) -> Iterable[str]:
    """Classes in the order in which they, or a method of theirs, are first named."""
    for span in report.ranked_spans:
        if span.kind == "class":
            yield f"{span.path}::{span.qualified_name}"
        elif span.kind == "method":
            yield f"{span.path}::{holder(span.qualified_name)}"


def holder(qualified_name: str) -> str:
    """The qualified name of what holds a definition, empty at the top.

    >>> holder("A.B.f"), holder("ns::T::f"), holder("M::C#f"), holder("f")
    ('A.B', 'ns::T', 'M::C', '')
    """
    cut = max(qualified_name.rfind(mark) for mark in (".", "::", "#"))
    return qualified_name[:cut] if cut > 0 else ""


def _sentences(signals: Iterable[SignalRecord]) -> Iterable[str]:
    best = sorted(signals, key=lambda s: -s.score)[:_EVIDENCE_SENTENCES]
    for signal in best:
        yield Signal(signal.channel, cast(SignalKind, signal.kind), signal.detail, signal.score).sentence


@lru_cache(maxsize=1)
def code_fingerprint() -> str:
    """A hash of the code that locates: two installations with the same one locate alike."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if name.parts[0] not in _NOT_LOCATING and (path.suffix in (".py", ".scm") or path.name == "DIGEST"):
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions that can change an answer."""
    from sherloc.version import __version__

    found = {"sherloc": __version__, "python": ".".join(map(str, sys.version_info[:3]))}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found

"""The work of a finished plan, as a report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sherloc.change_set import suspect_lines
from sherloc.diagnoser import discriminates
from sherloc.plans import MODEL
from sherloc.retriever.scope import Scope
from sherloc.schema.candidate import Candidate, FileCandidate, Signal
from sherloc.schema.evidence import (
    EvidenceGraphCommunity,
    EvidenceGraphEdge,
    EvidenceGraphNode,
    EvidenceGraphRecord,
)
from sherloc.schema.reading import IssueReading, TellingWord
from sherloc.schema.report import (
    Diagnostic,
    Level,
    RankedFile,
    RankedFunction,
    RankedSpan,
    Report,
    RunInfo,
    SignalRecord,
)
from sherloc.visible import one_line

if TYPE_CHECKING:
    from sherloc.plans import Work
    from sherloc.schema.failures import FailingCase
    from sherloc.schema.query import Frame

_HIGH, _MEDIUM = 0.7, 0.4
_SPANS_WITH_TEXT = 20
_READ = 30


def make_report(work: Work, run: RunInfo) -> Report:
    """Everything that was found.

    Args:
        work: A finished run of a plan.
        run: Times and cost; what is known of the index is added.
    """
    from sherloc.version import __version__

    assert work.brief is not None
    level, reasons = confidence_level(work)
    top = work.settings.output.top
    info = work.index.info
    degraded = {*work.candidates.degraded, *work.degraded}
    return Report(
        repository=work.tree.name,
        revision=work.tree.revision,
        ranked_files=tuple(_ranked_file(c) for c in work.candidates.files[:top]),
        ranked_functions=tuple(_ranked_function(c) for c in work.candidates.functions[:top]),
        ranked_spans=tuple(_spans(work, top)),
        diagnoses=work.diagnoses,
        evidence=_evidence(work),
        change_sets=work.change_sets,
        findings=work.findings,
        brief=work.brief,
        reading=_reading(work),
        confidence=level,
        confidence_reasons=tuple(reasons),
        short_cut=work.short_cut,
        degraded=tuple(sorted(degraded)),
        diagnostics=tuple(_diagnostics(work, degraded)),
        run=run.model_copy(
            update={
                "files_parsed": info.parsed,
                "files_reused": info.reused,
                "index_storage": info.storage,
                "sherloc_version": __version__,
            }
        ),
    )


def confidence_level(work: Work) -> tuple[Level, list[str]]:
    """How sure the whole answer is, and why it is not surer.

    The level is that of the best file's estimated chance; a vague issue is never more than low.
    """
    reasons = list(work.query.vague)
    if _tests_without_file(work):
        reasons.append("The failing tests are in no file of the repository.")
    best = work.candidates.files[0].confidence if work.candidates.files else 0.0
    if not work.candidates.files:
        return "low", [*reasons, _why_none(work)]
    if not discriminates(work.diagnoses) and not _stands_out(work):
        reasons.append("The candidates look alike: nothing sets one apart.")
    if not work.candidates.tied:
        reasons.append("Nothing in the issue names anything in the best file, and no place is close to it in meaning.")
    if best < _MEDIUM:
        reasons.append(f"The best file has an estimated chance of {best:.0%} only.")
    if reasons or best < _MEDIUM:
        return "low", reasons
    return ("high" if best >= _HIGH else "medium"), []


def _stands_out(work: Work) -> bool:
    """Whether one file's chance is far above all others', whatever the scores of few diagnoses say."""
    chances = sorted((file.confidence for file in work.candidates.files), reverse=True)
    return chances[0] >= _HIGH and max(chances[1:], default=0.0) < _MEDIUM


def _why_none(work: Work) -> str:
    if not work.scope:
        return "No file shares a telling word with the issue."
    scope = Scope(work.scope)
    if any(map(scope.holds, (*work.index.code.paths, *work.index.side.paths))):
        return "No file of the scope shares a telling word with the issue."
    return "No file of the scope is a candidate: tests, generated and vendored files, among others, are left out."


def _evidence(work: Work) -> EvidenceGraphRecord:
    graph = work.evidence
    return EvidenceGraphRecord(
        nodes=tuple(
            EvidenceGraphNode(community=node.community, pagerank=round(node.pagerank, 6), selected=node.selected)
            for node in graph.nodes
        ),
        edges=tuple(
            EvidenceGraphEdge(first=edge.first, second=edge.second, weight=edge.weight, reasons=edge.reasons)
            for edge in graph.edges
        ),
        communities=tuple(
            EvidenceGraphCommunity(mean_relevance=round(each.mean_relevance, 4), selected=each.selected)
            for each in graph.communities
        ),
    )


def _reading(work: Work) -> IssueReading:
    query = work.query
    return IssueReading(
        names=tuple(mention.name for mention in query.mentions[:_READ]),
        places=tuple(f"{each.path}:{each.line}" if each.line else each.path for each in query.paths[:_READ]),
        frames=tuple(map(_frame, query.frames[:_READ])),
        messages=query.messages[:_READ],
        exceptions=query.exceptions[:_READ],
        settings=query.settings[:_READ],
        words=tuple(
            TellingWord(word=word, weight=round(weight, 3)) for word, weight in work.candidates.term_weights[:_READ]
        ),
    )


def _frame(frame: Frame) -> str:
    where = f"{frame.path}:{frame.line}" if frame.line else frame.path
    return f"{where} in {frame.function}" if frame.function else where


def _record(signals: Iterable[Signal]) -> tuple[SignalRecord, ...]:
    return tuple(
        SignalRecord(channel=s.channel, kind=s.kind, detail=s.detail, score=round(s.score, 4), line=s.line)
        for s in signals
    )


def _ranked_file(candidate: FileCandidate) -> RankedFile:
    return RankedFile(
        path=candidate.path, score=round(candidate.score, 6), confidence=round(candidate.confidence, 4),
        signals=_record(candidate.signals), content_hash=candidate.content_id,
    )  # fmt: skip


def _ranked_function(candidate: Candidate) -> RankedFunction:
    snippet = candidate.snippet
    return RankedFunction(
        path=snippet.path, qualified_name=snippet.qualified_name, start_line=snippet.start_line,
        end_line=snippet.end_line, score=round(candidate.score, 6), confidence=round(candidate.confidence, 4),
        kind=snippet.kind, signature=snippet.signature, signals=_record(candidate.signals),
        content_hash=snippet.content_id,
    )  # fmt: skip


def _spans(work: Work, top: int) -> Iterable[RankedSpan]:
    """Suspect lines: of the diagnosed snippets from their text, of the rest their whole span."""
    weights = dict(work.candidates.term_weights)
    limit = work.settings.change_set.max_target_lines
    for rank, candidate in enumerate(work.candidates.snippets[:top]):
        snippet = candidate.snippet
        text = work.sources.get(snippet.path) if rank < _SPANS_WITH_TEXT else None
        first, last = snippet.start_line, snippet.end_line
        if text is not None:
            anchors = [s.line for s in candidate.signals if s.line and s.kind in ("traceback", "message", "path")]
            first, last = suspect_lines(snippet, text, weights, anchors, limit)
        yield RankedSpan(
            path=snippet.path, start_line=first, end_line=last, score=round(candidate.score, 6),
            qualified_name=snippet.qualified_name, kind=snippet.kind, content_hash=snippet.content_id,
        )  # fmt: skip


def _known_by_id_alone(work: Work) -> tuple[FailingCase, ...]:
    """The failing tests, when none of them has more than its id."""
    cases = work.failures.cases if work.failures else ()
    return () if any(case.message or case.trace for case in cases) else cases


def _tests_without_file(work: Work) -> tuple[FailingCase, ...]:
    """The failing tests, when they are known by their ids alone and none of these leads to a file."""
    if not (cases := _known_by_id_alone(work)):
        return ()
    # Loads what reads JUnit reports and coverage, which few runs need.
    from sherloc.failures.case_code import file_of

    return () if any(file_of(case, work.tree) for case in cases) else cases


def _tests_not_found(work: Work) -> Iterable[Diagnostic]:
    """A word when failing tests are known by their ids alone, and these lead to no file or to no code in it."""
    if not _known_by_id_alone(work):
        return
    from sherloc.failures.case_code import code_of_tests, file_of

    if cases := _tests_without_file(work):
        where = "No file of the failing tests is in the repository"
    else:
        cases = tuple(
            case
            for case in _known_by_id_alone(work)
            if (entry := file_of(case, work.tree))
            and entry.path.endswith(".py")
            and not code_of_tests((case,), work.tree)
        )
        where = "The failing tests are not defined in their files"
    if cases:
        names = ", ".join(one_line(case.id) for case in cases[:3]) + (" ..." if len(cases) > 3 else "")
        yield Diagnostic(
            code="tests_not_found", severity="warning", count=len(cases),
            message=f"{where} ({names}): only the words of the names count.",
        )  # fmt: skip


def _diagnostics(work: Work, degraded: set[str]) -> Iterable[Diagnostic]:
    yield from work.index.info.diagnostics
    yield from work.meaning.problems
    for problem in work.failures.problems if work.failures else ():
        yield Diagnostic(code="coverage_unclear", severity="warning", message=problem)
    yield from _tests_not_found(work)
    for problem in work.problems:
        yield Diagnostic(code="degraded", severity="warning", message=problem)
    if work.issue.omitted:
        yield Diagnostic(
            code="issue_cut", severity="warning", count=work.issue.omitted,
            message=f"The issue is very long: at least {work.issue.omitted:,} characters of it were left out "
            "(issue.max_characters).",
        )  # fmt: skip
    for path in sorted(work.sources.stale):
        yield Diagnostic(
            code="stale", severity="warning", path=path,
            message="The file changed after it was indexed; its lines may have moved.",
        )  # fmt: skip
    for reason in work.query.vague:
        yield Diagnostic(code="vague_issue", severity="info", message=reason)
    for channel in sorted(degraded - {MODEL}):
        yield Diagnostic(code="degraded", severity="warning", message=f"The channel {channel} was left out.")
    yield from work.notes

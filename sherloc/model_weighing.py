"""The stage that weighs a model's verdicts against the offline evidence, and what the report shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sherloc.diagnoser import OfflineDiagnoser
from sherloc.diagnoser.model import diagnosis_of
from sherloc.diagnoser.replies import Verdict
from sherloc.evidence.weighing import Look, Trust, judge_scores, weighed_chance, weighed_order
from sherloc.model_work import ModelWork
from sherloc.retriever.pool import Key, files_of, key_of
from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, Signal
from sherloc.schema.diagnosis import Diagnosis, EvidenceLines
from sherloc.schema.finding import Finding
from sherloc.schema.report import Diagnostic


def weigh(work: ModelWork) -> None:
    """Verdicts against offline evidence: a new order, or the old one when the model is not heard."""
    looks = _looks(work)
    probes = work.examined.verdicts[len(work.chosen) :]
    by_chance = sorted(work.chosen, key=lambda c: (-c.confidence, *key_of(c.snippet)))
    scores = [looks[key_of(c.snippet)].score for c in by_chance]
    chances = [c.confidence for c in by_chance]
    tried = [v.relevance_score if isinstance(v, Verdict) else None for v in probes]
    work.trust = judge_scores(scores, chances, tried, work.settings.weighing)
    if not any(score is not None for score in scores) and work.explored:
        # There was no budget left for diagnoses; what was read in the code still counts, within the same bounds.
        work.trust = Trust(True, newcomers=work.settings.weighing.newcomers)
    if not work.trust.heard:
        work.asker.tell([_not_heard(work.trust.why)])
        work.candidates = work.found
        work.diagnoses = _offline(work, work.found)
        return
    if work.exploration is not None and not work.exploration.concluded:
        _drop_readings(work)
        looks = _looks(work)
    work.candidates = _weighed(work, looks)
    work.diagnoses = _diagnoses(work)
    best = [[d.path, d.qualified_name, d.relevance_score] for d in work.diagnoses[:5]]
    work.stage_done("weigh", best)


def _drop_readings(work: ModelWork) -> None:
    """Of an exploration without an answer, leave what it was reading only where no verdict says more."""
    judged = {
        key_of(candidate.snippet)
        for candidate, verdict in zip(work.chosen, work.examined.verdicts, strict=False)
        if isinstance(verdict, Verdict)
    }
    dropped = [finding for key, finding in work.explored.items() if key in judged]
    work.explored = {key: finding for key, finding in work.explored.items() if key not in judged}
    work.findings = tuple(finding for finding in work.findings if finding not in dropped)


def _looks(work: ModelWork) -> dict[Key, Look]:
    """What the model said of each snippet of the pool."""
    narrowed = {path: rank for rank, path in enumerate(work.narrowed.files)}
    ranked = {key_of(work.pool[at].snippet): rank for rank, at in enumerate(work.ranked)}
    scores = {
        key_of(candidate.snippet): float(verdict.relevance_score)
        for candidate, verdict in zip(work.chosen, work.examined.verdicts, strict=False)
        if isinstance(verdict, Verdict)
    }
    explored = {key: finding.confidence for key, finding in work.explored.items()}
    return {
        key: Look(scores.get(key), ranked.get(key), narrowed.get(key[0]), explored.get(key))
        for key in (key_of(candidate.snippet) for candidate in work.pool)
    }


def _file_looks(files: Sequence[FileCandidate], looks: Mapping[Key, Look], ranked: Sequence[Key]) -> list[Look]:
    """The best that was said of any snippet of each file."""
    order = {path: rank for rank, path in enumerate(dict.fromkeys(key[0] for key in ranked))}
    own: dict[str, list[Look]] = {}
    for key, look in looks.items():
        own.setdefault(key[0], []).append(look)
    found = []
    for file in files:
        said = own.get(file.path, [])
        found.append(
            Look(
                max((look.score for look in said if look.score is not None), default=None),
                order.get(file.path),
                min((look.narrowed for look in said if look.narrowed is not None), default=None),
                max((look.explored for look in said if look.explored is not None), default=None),
            )
        )
    return found


def _weighed(work: ModelWork, looks: Mapping[Key, Look]) -> Candidates:
    assert work.retriever is not None
    found, ranked = work.found, [key_of(work.pool[at].snippet) for at in work.ranked]
    files = files_of(work.pool, found, work.retriever, work.narrowed.files)
    file_looks = _file_looks(files, looks, ranked)
    extra = work.pool
    snippets = _joined(found.snippets, extra)
    functions = _joined(found.functions, [each for each in extra if each.snippet.is_function])
    return replace(
        found,
        files=_ordered(files, file_looks, work.trust, work),
        snippets=_ordered(snippets, [looks.get(key_of(c.snippet), Look()) for c in snippets], work.trust, work),
        functions=_ordered(functions, [looks.get(key_of(c.snippet), Look()) for c in functions], work.trust, work),
    )


def _joined(found: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """What was found, in its order and as the pool has it, and what only the pool has behind."""
    pooled = {key_of(each.snippet): each for each in pool}
    known = {key_of(each.snippet) for each in found}
    signed = [
        replace(each, signals=pooled[key].signals) if (key := key_of(each.snippet)) in pooled else each
        for each in found
    ]
    return (*signed, *(each for key, each in pooled.items() if key not in known))


def _ordered(items: Sequence[Any], looks: Sequence[Look], trust: Trust, work: ModelWork) -> tuple[Any, ...]:
    """Items in their weighed order; scores are those of the ranks that they got, so that they still fall."""
    order = weighed_order([each.confidence for each in items], looks, trust, work.settings.weighing)
    limit = max(50, work.settings.output.top)
    scores = sorted((each.score for each in items), reverse=True)
    placed, chance = [], 1.0
    for rank, at in enumerate(order[:limit]):
        item, look = items[at], looks[at]
        chance = min(chance, weighed_chance(item.confidence, look) if look != Look() else item.confidence)
        signals = (*item.signals, *_signals(look)) if look != Look() else item.signals
        placed.append(replace(item, confidence=chance, score=scores[rank], signals=signals))
    return tuple(placed)


def _signals(look: Look) -> list[Signal]:
    said = []
    if look.score is not None:
        said.append(Signal("model", "diagnosed", f"{look.score:g} of 5", look.score / 5))
    if look.reranked is not None:
        said.append(Signal("model", "reranked", f"number {look.reranked + 1}", round(1 / (1 + look.reranked), 4)))
    if look.explored is not None:
        said.append(Signal("model", "explored", f"with a confidence of {look.explored:.0%}", round(look.explored, 4)))
    return said


def _diagnoses(work: ModelWork) -> tuple[Diagnosis, ...]:
    """Of the best candidates in their new order, the model's diagnosis where there is one."""
    name = work.asker.model_name("diagnose")
    said = {
        key_of(candidate.snippet): (verdict, piece)
        for candidate, verdict, piece in zip(work.chosen, work.examined.verdicts, work.examined.pieces, strict=False)
    }
    own = _offline(work, work.candidates)
    concluded = work.exploration is not None and work.exploration.concluded
    found = []
    for candidate, diagnosis in zip(work.candidates.snippets, own, strict=False):
        key = key_of(candidate.snippet)
        diagnosis = diagnosis_of(diagnosis, *said[key], name) if key in said else diagnosis
        found.append(_with_finding(diagnosis, work.explored.get(key), concluded))
    return tuple(found)


def _with_finding(diagnosis: Diagnosis, finding: Finding | None, concluded: bool) -> Diagnosis:
    """A diagnosis with what an exploration found in the same place: in front if that was its answer, else behind."""
    if finding is None:
        return diagnosis
    target = finding.target_location
    words = [f"Exploration: {text}" for text in (finding.root_cause, finding.fix_idea) if text]
    lines = diagnosis.key_evidence_lines
    if target.start_line is not None and target.end_line is not None:
        start, end = max(target.start_line, diagnosis.start_line), min(target.end_line, diagnosis.end_line)
        if start <= end:
            why = "Found by exploration." if concluded else "Read by an exploration that came to no answer."
            read = (EvidenceLines(start_line=start, end_line=end, why=why),)
            lines = (*read, *lines) if concluded else (*lines, *read)
    evidence = (*words, *diagnosis.evidence) if concluded else (*diagnosis.evidence, *words)
    return diagnosis.model_copy(update={"evidence": evidence, "key_evidence_lines": lines})


def _offline(work: ModelWork, candidates: Candidates) -> tuple[Diagnosis, ...]:
    chosen = candidates.snippets[: work.settings.diagnosis.candidates]
    work.sources.load({c.snippet.path for c in chosen} | {f.path for f in candidates.files[:8]})
    return OfflineDiagnoser(work.settings.diagnosis).diagnose(work.query, candidates, work.sources)


def _not_heard(why: str) -> Diagnostic:
    return Diagnostic(
        code="model_not_heard", severity="warning",
        message=f"The model's verdicts were set aside, and the offline ranking stands: {why}.",
    )  # fmt: skip

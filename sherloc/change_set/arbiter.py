"""The arbiter without a model: the minimal set of places that must change, by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sherloc.change_set.brief import split_lines
from sherloc.change_set.lines import suspect_lines
from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, SignalKind
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.schema.issue import Issue
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings
from sherloc.terms import TermTable

# Not tracebacks: their line numbers are those of the reporter's version, and the fault is often in what a frame calls.
# On the development set a span at the traceback's line held the fix less often than the densest one (19 against 26 of
# 40 functions).
_ANCHOR_KINDS: frozenset[SignalKind] = frozenset({"message", "path"})

_NATURE: Mapping[ChangeType, str] = {
    ChangeType.FIX_CONDITION: "A condition must decide differently.",
    ChangeType.FIX_LOGIC: "The logic must give another result.",
    ChangeType.FIX_NULL_HANDLING: "A missing value must be handled.",
    ChangeType.FIX_BOUNDARY: "An edge of the range, or an empty one, must be handled.",
    ChangeType.FIX_PARAMETERS: "Parameters must be accepted or passed on correctly.",
    ChangeType.FIX_API_CALL: "A call to another interface must be brought up to date.",
    ChangeType.FIX_EXCEPTION_HANDLING: "Errors must be raised, caught or worded differently.",
    ChangeType.FIX_TYPE_CONVERSION: "A value must be converted differently.",
    ChangeType.FIX_PERMISSION_CHECK: "A permission check must decide differently.",
    ChangeType.ADD_INPUT_VALIDATION: "Invalid input must be refused.",
    ChangeType.FIX_STATE: "Shared or cached state must be kept correct.",
    ChangeType.FIX_CONCURRENCY: "Concurrent access must be made safe.",
    ChangeType.FIX_CONFIGURATION: "A setting or default must act differently.",
    ChangeType.ADD_FEATURE: "New behaviour must be added.",
    ChangeType.OTHER: "Text or configuration must change.",
}


class _Place(NamedTuple):
    snippet: Snippet
    confidence: float
    candidate: Candidate | None
    diagnosis: Diagnosis | None


class RuleArbiter:
    """Chooses the places that must change by the confidence of files and functions.

    Files are taken by descending confidence: the first always, a further one while it adds at least
    ``min_file_gain`` to the expected recall (its confidence) and there are fewer than ``max_files``. Each file gives
    its best place. When the first file is sure (``sure_file``), further functions of it join while they are at least
    ``min_place_confidence`` likely and half as likely as its best. Never more than ``max_change_sets``.

    Args:
        settings: The thresholds.
    """

    def __init__(self, settings: ChangeSetSettings) -> None:
        self._settings = settings

    def decide(
        self,
        issue: Issue,
        evidence: Sequence[Diagnosis],
        sources: Mapping[str, str],
        *,
        candidates: Candidates | None = None,
    ) -> tuple[ChangeSet, ...]:
        """Change sets, surest file first.

        Args:
            issue: The issue; its words stand in when the candidates bring no weights.
            evidence: Ranked diagnoses, best first.
            sources: Path to the file's text; a place in a file that is missing keeps its whole span.
            candidates: What the retriever found; without it the evidence alone decides.
        """
        candidates = candidates or Candidates()
        weights = dict(candidates.term_weights) or dict.fromkeys(TermTable().count(issue.text), 1.0)
        places = _places(evidence, candidates)
        files = self.chosen_files(file_confidences(candidates.files, places))
        content_ids = {file.path: file.content_id for file in candidates.files}
        signs = {file.path: file for file in candidates.files}
        chosen: list[_Place] = []
        for path, confidence in files:
            own = places.get(path) or [_whole_file(path, confidence, sources.get(path), content_ids.get(path, ""))]
            chosen.append(own[0])
        if files and files[0][1] >= self._settings.sure_file:
            chosen[1:1] = self._further(places.get(files[0][0], []))
        return tuple(
            self._change_set(place, weights, sources.get(place.snippet.path), signs.get(place.snippet.path))
            for place in chosen[: self._settings.max_change_sets]
        )

    def chosen_files(self, confidences: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
        """The files that the change sets name.

        Args:
            confidences: Files and their confidence, best first.
        """
        most = min(self._settings.max_files, self._settings.max_change_sets)
        chosen = list(confidences[:1])
        for path, confidence in confidences[1:most]:
            if confidence < self._settings.min_file_gain:
                break
            chosen.append((path, confidence))
        return chosen

    def _further(self, places: Sequence[_Place]) -> list[_Place]:
        if not places:
            return []
        least = max(self._settings.min_place_confidence, places[0].confidence / 2)
        taken = [places[0]]
        for place in places[1:]:
            apart = all(
                place.snippet.start_line > other.snippet.end_line or place.snippet.end_line < other.snippet.start_line
                for other in taken
            )
            if place.confidence >= least and apart:
                taken.append(place)
        return taken[1:]

    def _change_set(
        self, place: _Place, weights: Mapping[str, float], text: str | None, file: FileCandidate | None
    ) -> ChangeSet:
        snippet, diagnosis = place.snippet, place.diagnosis
        start, end = snippet.start_line, max(snippet.start_line, snippet.end_line)
        if text is not None:
            start, end = suspect_lines(
                snippet,
                text,
                weights,
                _anchors(place),
                self._settings.max_target_lines,
                share=self._settings.target_share,
            )
        change_type = diagnosis.potential_change_type if diagnosis else ChangeType.FIX_LOGIC
        if place.candidate is None and diagnosis is None:
            # No code was found in it: most often documentation, configuration or a template.
            change_type = ChangeType.OTHER
        return ChangeSet(
            file_path=snippet.path,
            target_location=TargetLocation(start_line=start, end_line=end, function_name=snippet.qualified_name),
            change_type=change_type,
            confidence=place.confidence,
            diagnostic_evidence=_evidence_items(place, file),
            expected_change_nature=_NATURE[change_type],
            content_hash=snippet.content_id or (file.content_id if file else ""),
        )


def file_confidences(files: Sequence[FileCandidate], places: Mapping[str, Sequence[_Place]]) -> list[tuple[str, float]]:
    """Files with their confidence, best first; from the places where there are no file candidates.

    Where no confidence was estimated (all are 0), the share of a file's score among the best five stands in.
    """
    if not files:
        found = [(path, own[0].confidence) for path, own in places.items()]
        return sorted(found, key=lambda item: (-item[1], item[0]))
    if any(file.confidence > 0 for file in files):
        return sorted(((file.path, file.confidence) for file in files), key=lambda item: -item[1])
    total = sum(max(file.score, 0.0) for file in files[:5])
    return [(file.path, max(file.score, 0.0) / total if total > 0 else 0.0) for file in files]


def _places(evidence: Sequence[Diagnosis], candidates: Candidates) -> dict[str, list[_Place]]:
    """Places by file, best first: those of the evidence, then other candidates."""
    by_key = {_key(each.snippet): each for each in reversed((*candidates.functions, *candidates.snippets))}
    found: dict[str, list[_Place]] = {}
    for diagnosis in evidence:
        candidate = by_key.pop((diagnosis.path, diagnosis.start_line, diagnosis.end_line), None)
        snippet = candidate.snippet if candidate else _snippet_of(diagnosis)
        confidence = candidate.confidence if candidate else (diagnosis.relevance_score / 5) ** 2
        found.setdefault(diagnosis.path, []).append(_Place(snippet, confidence, candidate, diagnosis))
    for candidate in candidates.snippets:
        if by_key.pop(_key(candidate.snippet), None) is not None:
            place = _Place(candidate.snippet, candidate.confidence, candidate, None)
            found.setdefault(candidate.snippet.path, []).append(place)
    return found


def _key(snippet: Snippet) -> tuple[str, int, int]:
    return snippet.path, snippet.start_line, snippet.end_line


def _snippet_of(diagnosis: Diagnosis) -> Snippet:
    return Snippet(
        path=diagnosis.path,
        qualified_name=diagnosis.qualified_name,
        kind="function",
        start_line=diagnosis.start_line,
        end_line=diagnosis.end_line,
        content_id=diagnosis.content_hash,
    )


def _whole_file(path: str, confidence: float, text: str | None, content_id: str) -> _Place:
    count = max(1, len(split_lines(text))) if text else 1
    snippet = Snippet(path=path, qualified_name="", kind="module", start_line=1, end_line=count, content_id=content_id)
    return _Place(snippet, confidence, None, None)


def _anchors(place: _Place) -> tuple[int, ...]:
    """Lines that are known to matter: where signals point, and what a model gave as evidence."""
    lines: list[int] = []
    if place.candidate is not None:
        signals = sorted(place.candidate.signals, key=lambda signal: (-signal.score, signal.line or 0))
        lines += [s.line for s in signals if s.line is not None and s.kind in _ANCHOR_KINDS]
    if place.diagnosis is not None and place.diagnosis.diagnosed_by != "offline":
        for key in place.diagnosis.key_evidence_lines:
            lines += [key.start_line, key.end_line]
    return tuple(dict.fromkeys(lines))


def _evidence_items(place: _Place, file: FileCandidate | None) -> tuple[EvidenceItem, ...]:
    items: list[EvidenceItem] = []
    diagnosis = place.diagnosis
    if diagnosis is None:
        signals = place.candidate.signals if place.candidate else (file.signals if file else ())
        ordered = sorted(signals, key=lambda signal: (-signal.score, signal.kind, signal.detail))
        items += [EvidenceItem(source=s.channel, description=s.sentence) for s in ordered[:6]]
        items.append(EvidenceItem(source="unknown", description="This place was not diagnosed; it is its file's best."))
        return tuple(items)
    items.append(EvidenceItem(source="impact", description=diagnosis.impact))
    items += [EvidenceItem(source="diagnosis", description=sentence) for sentence in diagnosis.evidence]
    items += [
        EvidenceItem(source=f"lines {each.start_line}-{each.end_line}", description=each.why)
        for each in diagnosis.key_evidence_lines
    ]
    items += [EvidenceItem(source="unknown", description=sentence) for sentence in diagnosis.unknown]
    return tuple(item for item in items if item.description)

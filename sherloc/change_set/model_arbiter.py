"""The arbiter that asks a model: the smallest set of places, chosen among the evidence, checked against the files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from sherloc.change_set.arbiter import RuleArbiter
from sherloc.change_set.brief import checked_lines, split_lines
from sherloc.change_set.lines import suspect_lines
from sherloc.errors import UnsafePathError
from sherloc.json_hardening import ConfidenceReader, LineRange, LooseList, LooseModel, ReplyPath
from sherloc.llm.material import Part, numbered_places
from sherloc.llm.pieces import issue_text, numbered, one_line
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, Question
from sherloc.paths import KnownPaths, inspect_path, nearest_paths
from sherloc.schema.candidate import Candidates
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.schema.issue import Issue
from sherloc.schema.report import Diagnostic
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings
from sherloc.terms import TermTable

_REPLY_TOKENS = 1_500
_SHOWN_LINES = 90
_CONTEXT = 3
_CONFIDENCE = ConfidenceReader(words=(("high", 0.9), ("medium", 0.6), ("low", 0.3)))


class PrimaryChangeSet(LooseModel):
    """A place as the model's wire format has it."""

    file_path: ReplyPath = Field(validation_alias=AliasChoices("file_path", "path", "file"))
    function_name: str | None = Field(default="", validation_alias=AliasChoices("function_name", "function"))
    target_lines: LineRange | Literal[""] | None = None
    confidence: Annotated[float, _CONFIDENCE]
    summary_of_evidence: str = ""
    expected_change_nature: str = ""


class ArbiterReply(LooseModel):
    """What a model answers."""

    primary_change_sets: LooseList[PrimaryChangeSet]
    reasoning: str = ""
    directions_in_material: LooseList[str] = []


@dataclass(frozen=True, slots=True)
class Decision:
    """What must change, and why; ``by_model`` is False where the rules decided."""

    change_sets: tuple[ChangeSet, ...]
    reasoning: str = ""
    by_model: bool = False
    notes: tuple[Diagnostic, ...] = ()


class ModelArbiter:
    """Lets a model (role ``arbitrate``) choose among the evidence; where it gives nothing usable, the rules decide.

    Each place that it names must be a file that was shown, or a new file that was foreseen; lines must stand in the
    file, and are those of the function that it names where the two disagree. The confidence is the mean of the model's
    and of the chance that the place had before.

    Args:
        asker: Asks.
        settings: Bounds.
        paths: Files of the repository.
        new_files: Files to be made that were named from the paths already; no others are believed.
        issue_characters: Longest issue.
    """

    def __init__(
        self,
        asker: Asker,
        settings: ChangeSetSettings,
        paths: Sequence[str],
        *,
        new_files: Collection[str] = (),
        issue_characters: int = 12_000,
    ) -> None:
        self._asker, self._settings, self._paths = asker, settings, paths
        self._new_files, self._most = set(new_files), issue_characters
        self._rules = RuleArbiter(settings)

    def decide(
        self,
        issue: Issue,
        evidence: Sequence[Diagnosis],
        sources: Mapping[str, str],
        *,
        candidates: Candidates | None = None,
    ) -> tuple[ChangeSet, ...]:
        """Change sets, surest first.

        Args:
            issue: The issue.
            evidence: Ranked diagnoses, best first.
            sources: Path to the file's text.
            candidates: What was found, with weighed chances.
        """
        return self.judge(issue, evidence, sources, candidates=candidates).change_sets

    def judge(
        self,
        issue: Issue,
        evidence: Sequence[Diagnosis],
        sources: Mapping[str, str],
        *,
        candidates: Candidates | None = None,
    ) -> Decision:
        """As ``decide``, with the reasoning and with what the user should know."""
        own = self._rules.decide(issue, evidence, sources, candidates=candidates)
        if not evidence:
            return Decision(own)
        parts = [Part("The issue:", issue_text(issue, self._most))]
        parts += [_shown(number, each, sources.get(each.path)) for number, each in enumerate(evidence, 1)]
        question = Question("arbitrate", load_prompt("arbitrate"), tuple(parts), ArbiterReply, _REPLY_TOKENS)
        (answer,) = self._asker.ask_all([question])
        notes = list(answer.notes)
        if answer.value is None:
            notes.append(_note("arbiter_failed", f"No model decided, the rules did: {answer.why}"))
            return Decision(own, notes=tuple(notes))
        chances = {(c.snippet.path, c.snippet.qualified_name): c.confidence for c in reversed(_all(candidates))}
        weights = dict(candidates.term_weights) if candidates else {}
        weights = weights or dict.fromkeys(TermTable().count(issue.text), 1.0)
        chosen: dict[tuple[str, int | None, int | None], ChangeSet] = {}
        for place in answer.value.primary_change_sets:
            try:
                found = self._checked(place, evidence, sources, chances, weights)
            except (UnsafePathError, ValueError) as error:
                notes.append(_note("change_set_refused", f"A place that a model named was left out: {_first(error)}"))
                continue
            target = found.target_location
            chosen.setdefault((found.file_path, target.start_line, target.end_line), found)
        if not chosen:
            return Decision(own, notes=(*notes, _note("arbiter_failed", "No model decided, the rules did.")))
        surest = _apart(sorted(chosen.values(), key=lambda each: -each.confidence), notes)
        surest = surest[: self._settings.max_change_sets]
        return Decision(tuple(surest), one_line(answer.value.reasoning), True, tuple(notes))

    def _checked(
        self,
        place: PrimaryChangeSet,
        evidence: Sequence[Diagnosis],
        sources: Mapping[str, str],
        chances: Mapping[tuple[str, str], float],
        weights: Mapping[str, float],
    ) -> ChangeSet:
        """The change set of a place that stands up to the files.

        Raises:
            UnsafePathError: Its path is refused.
            ValueError: It is none of the places shown, or its lines are not in the file.
        """
        path = inspect_path(place.file_path, KnownPaths(self._paths)).path
        if path in self._new_files and path not in self._paths:
            return self._new_file(path, place)
        same_file = [each for each in evidence if each.path == path]
        text = sources.get(path)
        if not same_file or text is None:
            near = nearest_paths(path, [each.path for each in evidence])
            raise ValueError(f"{path[:200]} was not shown" + (f"; did it mean {', '.join(near)}?" if near else ""))
        diagnosis = _meant(place, same_file)
        first, last = self._lines(place, diagnosis, text, weights)
        chance = chances.get((path, diagnosis.qualified_name), diagnosis.relevance_score / 5)
        items = [EvidenceItem(source="arbiter", description=one_line(place.summary_of_evidence))]
        items += [EvidenceItem(source="impact", description=diagnosis.impact)]
        items += [
            EvidenceItem(source="diagnosis", description=each) for each in (diagnosis.reason, *diagnosis.evidence)
        ]
        items += [EvidenceItem(source="unknown", description=each) for each in diagnosis.unknown]
        return ChangeSet(
            file_path=path,
            target_location=TargetLocation(start_line=first, end_line=last, function_name=diagnosis.qualified_name),
            change_type=diagnosis.potential_change_type,
            confidence=round((place.confidence + chance) / 2, 4),
            diagnostic_evidence=tuple(item for item in items if item.description),
            expected_change_nature=one_line(place.expected_change_nature),
            content_hash=diagnosis.content_hash,
        )

    def _lines(
        self, place: PrimaryChangeSet, diagnosis: Diagnosis, text: str, weights: Mapping[str, float]
    ) -> tuple[int, int]:
        lines = split_lines(text)
        given = place.target_lines
        found = checked_lines(given.start_line, given.end_line, len(lines)) if given else None
        inside = found is not None and found[0] <= diagnosis.end_line and found[1] >= diagnosis.start_line
        if found is not None and inside:
            return max(found[0], diagnosis.start_line), min(found[1], diagnosis.end_line)
        anchors = [line for key in diagnosis.key_evidence_lines for line in (key.start_line, key.end_line)]
        return suspect_lines(
            _snippet_of(diagnosis), text, weights, anchors, self._settings.max_target_lines,
            share=self._settings.target_share,
        )  # fmt: skip

    def _new_file(self, path: str, place: PrimaryChangeSet) -> ChangeSet:
        return ChangeSet(
            file_path=path,
            target_location=TargetLocation(function_name=""),
            change_type=ChangeType.ADD_FEATURE,
            confidence=round(place.confidence / 2, 4),
            diagnostic_evidence=(EvidenceItem(source="arbiter", description=one_line(place.summary_of_evidence)),),
            expected_change_nature=one_line(place.expected_change_nature),
            new_file=True,
        )


def _apart(surest: Sequence[ChangeSet], notes: list[Diagnostic]) -> list[ChangeSet]:
    """Change sets of which no two share a line: one that overlaps a surer one is joined to it."""
    kept: list[ChangeSet] = []
    for each in surest:
        at = next((at for at, other in enumerate(kept) if _overlap(other, each)), None)
        if at is None:
            kept.append(each)
            continue
        mine, theirs = kept[at].target_location, each.target_location
        both = {
            "start_line": min(mine.start_line or 1, theirs.start_line or 1),
            "end_line": max(mine.end_line or 1, theirs.end_line or 1),
        }
        evidence = (*kept[at].diagnostic_evidence, *each.diagnostic_evidence)
        kept[at] = kept[at].model_copy(
            update={
                "target_location": mine.model_copy(update=both),
                "diagnostic_evidence": tuple(dict.fromkeys(evidence)),
            }
        )
        lines = f"Lines {theirs.start_line}-{theirs.end_line} of {each.file_path}"
        said = f"{lines} overlap a surer place, and were joined to it."
        notes.append(Diagnostic(code="change_sets_joined", severity="info", message=said, path=each.file_path))
    # Joined lines may reach a third place.
    return kept if len(kept) == len(surest) else _apart(kept, notes)


def _overlap(one: ChangeSet, other: ChangeSet) -> bool:
    mine, theirs = one.target_location, other.target_location
    if one.file_path != other.file_path or mine.start_line is None or theirs.start_line is None:
        return False
    return mine.start_line <= (theirs.end_line or 0) and theirs.start_line <= (mine.end_line or 0)


def _meant(place: PrimaryChangeSet, same_file: Sequence[Diagnosis]) -> Diagnosis:
    """The diagnosis that a place is about: by name, else by lines, else the file's strongest."""
    name = (place.function_name or "").strip().rstrip("()")
    for each in same_file:
        if name and each.qualified_name and (each.qualified_name == name or each.qualified_name.endswith(f".{name}")):
            return each
    if place.target_lines:
        start, end = place.target_lines.start_line, place.target_lines.end_line
        over = [each for each in same_file if each.start_line <= end and each.end_line >= start]
        if over:
            return min(over, key=lambda each: (each.end_line - each.start_line, each.start_line))
        if name:
            raise ValueError(f"{name[:100]} is none of the places shown in {place.file_path[:200]}")
    return same_file[0]


def _shown(number: int, diagnosis: Diagnosis, text: str | None) -> Part:
    lines = text.split("\n") if text is not None else []
    code = numbered(lines, max(1, diagnosis.start_line - _CONTEXT), diagnosis.end_line + _CONTEXT, most=_SHOWN_LINES)
    words = [
        f"path: {diagnosis.path}",
        f"function: {diagnosis.qualified_name or '(module code)'}",
        f"relevance: {diagnosis.relevance_score:g} of 5, by {diagnosis.diagnosed_by.partition(':')[0]}",
        f"impact: {diagnosis.impact}",
        f"reason: {diagnosis.reason}",
        *(f"sign: {each}" for each in diagnosis.evidence[:4]),
        code,
    ]
    own = [None] * (len("\n".join(words[:-1]).split("\n")))
    return Part(f"Piece {number}:", "\n".join(words), diagnosis.path, [*own, *numbered_places(code, diagnosis.path)])


def _snippet_of(diagnosis: Diagnosis) -> Snippet:
    return Snippet(
        diagnosis.path, diagnosis.qualified_name, "function", diagnosis.start_line, diagnosis.end_line,
        content_id=diagnosis.content_hash,
    )  # fmt: skip


def _all(candidates: Candidates | None) -> tuple[Any, ...]:
    return (*candidates.functions, *candidates.snippets) if candidates else ()


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, severity="warning", message=message)

from __future__ import annotations

import pytest

from sherloc.change_set import RuleArbiter
from sherloc.protocols import Arbiter
from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, Signal
from sherloc.schema.change_set import ChangeSet, EvidenceItem
from sherloc.schema.diagnosis import ChangeType, Diagnosis, EvidenceLines
from sherloc.schema.issue import Issue
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings

SETTINGS = ChangeSetSettings(max_files=3, min_file_gain=0.05, sure_file=0.6, min_place_confidence=0.2)
ISSUE = Issue(title="parse fails")
TEXT = "".join(f"    step_{n} = {n}\n" for n in range(1, 201))


def file(path: str, confidence: float, score: float = 1.0) -> FileCandidate:
    return FileCandidate(path, score, (), (Signal("lexical", "lexical", "parse", 2.0),), f"id-{path}", confidence)


def place(path: str, start: int, confidence: float, *signals: Signal, length: int = 8) -> Candidate:
    snippet = Snippet(path, f"f{start}", "function", start, start + length - 1, content_id=f"id-{path}")
    return Candidate(snippet, confidence, (), signals, confidence)


def diagnosed(candidate: Candidate, **more: object) -> Diagnosis:
    snippet = candidate.snippet
    values: dict[str, object] = {
        "path": snippet.path, "qualified_name": snippet.qualified_name, "kind": snippet.kind,
        "start_line": snippet.start_line, "end_line": snippet.end_line, "relevance_score": 3.0, "relevance": "direct",
        "potential_change_type": ChangeType.FIX_STATE, "content_hash": snippet.content_id,
    }  # fmt: skip
    return Diagnosis.model_validate(values | more)


def decide(candidates: Candidates, evidence: tuple[Diagnosis, ...] = (), **changes: object) -> tuple[ChangeSet, ...]:
    sources = {f"{name}.py": TEXT for name in "abcdef"}
    settings = SETTINGS.model_copy(update=changes)
    return RuleArbiter(settings).decide(ISSUE, evidence, sources, candidates=candidates)


def named(sets: tuple[ChangeSet, ...]) -> list[tuple[str, str]]:
    return [(each.file_path, each.target_location.function_name) for each in sets]


def test_it_is_an_arbiter() -> None:
    assert isinstance(RuleArbiter(SETTINGS), Arbiter)


def test_one_when_clearly_ahead() -> None:
    candidates = Candidates(
        files=(file("a.py", 0.9), file("b.py", 0.04)),
        snippets=(place("a.py", 1, 0.8), place("a.py", 50, 0.1), place("b.py", 1, 0.05)),
    )
    assert named(decide(candidates)) == [("a.py", "f1")]


def test_distinct_files_when_uncertain() -> None:
    candidates = Candidates(
        files=(file("a.py", 0.3), file("b.py", 0.2), file("c.py", 0.1), file("d.py", 0.09)),
        snippets=(place("a.py", 1, 0.3), place("a.py", 50, 0.29), place("b.py", 1, 0.2), place("c.py", 1, 0.1)),
    )
    assert named(decide(candidates)) == [("a.py", "f1"), ("b.py", "f1"), ("c.py", "f1")]


def test_several_functions_of_a_sure_file() -> None:
    places = [place("a.py", start, confidence) for start, confidence in ((1, 0.6), (20, 0.31), (40, 0.29), (60, 0.5))]
    candidates = Candidates(files=(file("a.py", 0.6), file("b.py", 0.05)), snippets=(*places, place("b.py", 1, 0.05)))
    # In the order of the candidates; the third is less than half as likely as the best.
    assert named(decide(candidates)) == [("a.py", "f1"), ("a.py", "f20"), ("a.py", "f60"), ("b.py", "f1")]


def test_a_place_inside_another_is_not_named_twice() -> None:
    whole, block = place("a.py", 1, 0.6, length=90), place("a.py", 20, 0.5)
    candidates = Candidates(files=(file("a.py", 0.9),), snippets=(whole, block))
    assert named(decide(candidates)) == [("a.py", "f1")]


def test_never_more_than_the_limit() -> None:
    places = tuple(place("a.py", 1 + 10 * n, 0.9) for n in range(9))
    candidates = Candidates(files=(file("a.py", 0.9),), snippets=places)
    assert len(decide(candidates)) == 5
    assert len(decide(candidates, max_change_sets=2)) == 2


def test_evidence_chooses_the_place_within_a_file() -> None:
    first, second = place("a.py", 1, 0.3), place("a.py", 50, 0.28)
    candidates = Candidates(files=(file("a.py", 0.4),), snippets=(first, second))
    (only,) = decide(candidates, (diagnosed(second),))
    assert only.target_location.function_name == "f50"
    assert (only.change_type, only.confidence, only.content_hash) == (ChangeType.FIX_STATE, 0.28, "id-a.py")


def test_without_candidates_the_evidence_decides() -> None:
    evidence = (
        diagnosed(place("b.py", 1, 0.0), relevance_score=4.0), diagnosed(place("a.py", 1, 0.0), relevance_score=2.0)
    )  # fmt: skip
    sets = decide(Candidates(), evidence)
    assert named(sets) == [("b.py", "f1"), ("a.py", "f1")]
    assert [each.confidence for each in sets] == pytest.approx([0.64, 0.16])


def test_nothing_found_gives_nothing() -> None:
    assert decide(Candidates()) == ()


def test_without_confidence_the_share_of_the_score_stands_in() -> None:
    files = (file("a.py", 0.0, 8.0), file("b.py", 0.0, 1.7), file("c.py", 0.0, 0.3))
    assert [each.file_path for each in decide(Candidates(files=files))] == ["a.py", "b.py"]


def test_a_file_without_a_place_is_searched_as_a_whole() -> None:
    (only,) = decide(Candidates(files=(file("a.py", 0.4),), term_weights=(("step150", 1.0),)))
    assert only.target_location.start_line is not None
    assert only.target_location.start_line <= 150 <= (only.target_location.end_line or 0)
    assert only.target_location.function_name == ""
    assert (only.change_type, only.expected_change_nature) == ("other", "Text or configuration must change.")
    assert only.diagnostic_evidence == (
        EvidenceItem(source="lexical", description="Its text shares words with the issue: parse."),
        EvidenceItem(source="unknown", description="This place was not diagnosed; it is its file's best."),
    )


def test_a_file_not_at_hand_keeps_the_whole_span() -> None:
    (only,) = decide(Candidates(files=(file("x.py", 0.4),), snippets=(place("x.py", 5, 0.4, length=90),)))
    assert (only.target_location.start_line, only.target_location.end_line) == (5, 94)


def test_messages_anchor_the_span_and_tracebacks_do_not() -> None:
    message = Signal("structural", "message", "bad value", 1.0, 100)
    frame = Signal("structural", "traceback", "a.py:20", 5.0, 20)
    candidates = Candidates(files=(file("a.py", 0.4),), snippets=(place("a.py", 1, 0.4, frame, message, length=150),))
    (only,) = decide(candidates)
    assert (only.target_location.start_line or 0) <= 100 <= (only.target_location.end_line or 0)


def test_lines_that_a_model_gave_anchor_the_span() -> None:
    candidate = place("a.py", 1, 0.4, length=150)
    key = EvidenceLines(start_line=120, end_line=122, why="here")
    evidence = diagnosed(candidate, key_evidence_lines=(key,), diagnosed_by="model")
    (only,) = decide(Candidates(files=(file("a.py", 0.4),), snippets=(candidate,)), (evidence,))
    assert (only.target_location.start_line or 0) <= 120 < 122 <= (only.target_location.end_line or 0)


def test_the_evidence_is_told_with_what_is_not_known() -> None:
    candidate = place("a.py", 1, 0.4)
    evidence = diagnosed(
        candidate, impact="It shows.", evidence=("It shares words.",), unknown=("No test was run.",),
        key_evidence_lines=(EvidenceLines(start_line=3, end_line=3, why="Dense."),),
    )  # fmt: skip
    (only,) = decide(Candidates(files=(file("a.py", 0.4),), snippets=(candidate,)), (evidence,))
    assert [(item.source, item.description) for item in only.diagnostic_evidence] == [
        ("impact", "It shows."),
        ("diagnosis", "It shares words."),
        ("lines 3-3", "Dense."),
        ("unknown", "No test was run."),
    ]
    assert only.expected_change_nature == "Shared or cached state must be kept correct."

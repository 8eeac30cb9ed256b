from __future__ import annotations

import pytest

from sherloc.diagnoser import OfflineDiagnoser
from sherloc.diagnoser.sentences import _IMPACT
from sherloc.protocols import Diagnoser
from sherloc.schema.candidate import _SENTENCES as _EVIDENCE
from sherloc.schema.candidate import Candidate, Candidates, Signal, SignalKind
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.schema.query import Query, Segment
from sherloc.schema.snippet import Snippet
from sherloc.settings import DiagnosisSettings

NO_QUERY = Query()
TEXT = "def load(path):\n    token = parse(path)\n    return token\n\n\ndef save(path):\n    pass\n"


def candidate(name: str, start: int, end: int, confidence: float, *signals: Signal, path: str = "a.py") -> Candidate:
    return Candidate(Snippet(path, name, "function", start, end, content_id="blob"), 1.0, (), signals, confidence)


def sign(kind: SignalKind, detail: str = "load", score: float = 1.0) -> Signal:
    return Signal("structural", kind, detail, score)


def diagnose(*found: Candidate, query: Query = NO_QUERY, degraded: tuple[str, ...] = (), limit: int = 20):
    candidates = Candidates(snippets=found, term_weights=(("parse", 2.0), ("token", 1.0)), degraded=degraded)
    return OfflineDiagnoser(DiagnosisSettings(candidates=limit)).diagnose(query, candidates, {"a.py": TEXT})


def one(*signals: Signal, confidence: float = 0.64, **options: object) -> Diagnosis:
    return diagnose(candidate("load", 1, 3, confidence, *signals), **options)[0]


def test_it_is_a_diagnoser() -> None:
    assert isinstance(OfflineDiagnoser(DiagnosisSettings()), Diagnoser)


def test_a_whole_diagnosis() -> None:
    query = Query(segments=(Segment("title", "load returns a stale cache", 1.0),))
    found = one(sign("lexical", "parse, token", 0.5), sign("defined_name"), query=query)
    assert found.model_dump() == {
        "path": "a.py", "qualified_name": "load", "kind": "function", "start_line": 1, "end_line": 3,
        "relevance_score": 4.0, "relevance": "direct",
        "impact": "The issue names it, so a fault here shows whenever it is used as described.",
        "reason": "Rank 1 of 1 with an estimated chance of 64%. It defines a name that the issue mentions: load.",
        "potential_change_type": ChangeType.FIX_STATE,
        "key_evidence_lines": (
            {"start_line": 2, "end_line": 2, "why": "Shares the issue's words: parse, token."},
            {"start_line": 3, "end_line": 3, "why": "Shares the issue's words: token."},
        ),
        "evidence": (
            "It defines a name that the issue mentions: load.", "Its text shares words with the issue: parse, token.",
        ),
        "unknown": ("No test was run and no code was executed.",),
        "content_hash": "blob", "diagnosed_by": "offline",
    }  # fmt: skip


def test_only_the_first_candidates_in_their_order() -> None:
    found = diagnose(candidate("load", 1, 3, 0.5), candidate("save", 6, 7, 0.4), candidate("x", 1, 1, 0.3), limit=2)
    assert [(each.qualified_name, each.relevance_score) for each in found] == [("load", 3.54), ("save", 3.13)]


def test_no_candidates() -> None:
    assert diagnose() == ()


def test_shared_words_alone_are_said_to_be_alone() -> None:
    found = one(sign("lexical"), confidence=0.01)
    assert found.relevance == "none"
    assert found.impact == "No way from a fault here to the described symptom is known."
    assert found.unknown[0] == "The issue does not name this function; the link is shared vocabulary only."


def test_reached_through_the_graph() -> None:
    found = one(sign("callee", "read_table"), sign("lexical", score=0.1))
    assert (
        found.impact == "Code that the issue points to calls it and passes its result on, so a fault here shows there."
    )
    assert found.unknown[0] == (
        "The issue does not name this function; it was reached through code that the issue points to."
    )


def test_a_traceback_leaves_open_where_the_fault_is() -> None:
    assert "Whether the fault is in this frame or in what it calls or is given." in one(sign("traceback")).unknown


def test_overriding_is_not_known() -> None:
    assert "Whether it is overridden in subclasses that need the same change." in one(sign("override")).unknown


def test_a_missing_text_is_said() -> None:
    (found,) = diagnose(candidate("f", 1, 3, 0.5, sign("lexical"), path="gone.py"))
    assert "The text of gone.py was not at hand; no line was looked at." in found.unknown
    assert found.key_evidence_lines == ()


def test_a_span_past_the_end_is_said() -> None:
    (found,) = diagnose(candidate("load", 1, 30, 0.5, sign("defined_name")))
    assert "a.py has only 7 lines now; it changed since it was indexed." in found.unknown
    assert [each.start_line for each in found.key_evidence_lines] == [2, 3]


def test_rivals_are_named() -> None:
    found = diagnose(
        candidate("load", 1, 3, 0.30, sign("defined_name")), candidate("save", 6, 7, 0.28, sign("lexical")),
        candidate("x", 1, 1, 0.1),
    )  # fmt: skip
    assert "Others are about as likely: a.py::save." in found[0].unknown
    assert "Others are about as likely: a.py::load." in found[1].unknown
    assert not any("as likely" in sentence for sentence in found[2].unknown)


def test_vague_issues_and_failed_channels_are_said() -> None:
    found = one(sign("defined_name"), query=Query(vague=("It has a title only.",)), degraded=("graph",))
    assert "The issue gives little to go on: It has a title only." in found.unknown
    assert "Parts of the search gave no answer: graph." in found.unknown


def test_a_candidate_without_signs() -> None:
    found = one()
    assert found.evidence == ()
    assert found.unknown[0] == "Why it was found at all: no sign came with it."


def test_at_most_six_sentences_strongest_first() -> None:
    found = one(*(sign("lexical", f"word{n}", float(n)) for n in range(9)))
    assert [sentence[-6:-1] for sentence in found.evidence] == [f"word{n}" for n in range(8, 2, -1)]


def test_long_details_are_cut() -> None:
    (sentence,) = one(sign("message", "x\n" * 300)).evidence
    assert sentence == f"It holds a message that the issue quotes: {('x ' * 80)[:159]}…."


@pytest.mark.parametrize("kind", SignalKind.__args__)
def test_every_sign_has_its_words(kind: SignalKind) -> None:
    assert kind in _EVIDENCE
    assert one(sign(kind)).impact == _IMPACT[kind]

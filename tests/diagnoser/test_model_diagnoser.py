"""The model diagnoser's parts: lines put where they are, calls parted, verdicts kept."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.diagnoser.anchoring import anchor, lines_with
from sherloc.diagnoser.model import Missing, ModelDiagnoser
from sherloc.diagnoser.replies import Verdict
from sherloc.diagnoser.shown import batches, shown_pieces
from sherloc.diagnoser.verdict_cache import VerdictCache
from sherloc.errors import UsageLimitError
from sherloc.json_hardening import LineRange
from sherloc.llm import ModelRoles, ScriptedModel
from sherloc.llm.questions import Asker
from sherloc.llm.request import Request
from sherloc.protocols import Diagnoser, Message, Reply
from sherloc.schema.issue import Issue
from sherloc.schema.snippet import Snippet
from sherloc.settings import DiagnosisSettings, load_settings

TEXT = "import os\n\n\ndef f(a):\n    b = a + 1\n    return b\n\n\ndef g(a):\n    b = a + 1\n    return a\n"
F = Snippet("m.py", "f", "function", 4, 6)
G = Snippet("m.py", "g", "function", 9, 11)
LINES = TEXT.split("\n")


@pytest.mark.parametrize(
    ("given_lines", "quote", "expected", "note"),
    [
        ("2", "b = a + 1", (5, 5), ""),
        ("2-3", "    b = a + 1", (5, 6), ""),
        ("2", "", (5, 5), ""),
        ("1", "return b", (6, 6), "moved"),
        ("6", "return b", (6, 6), "moved"),  # the file's number instead of the piece's
        ("2", "  2| b = a + 1", (5, 5), ""),
        ("2", "return a", None, "nowhere"),  # it stands in g
        ("9", "", None, "beyond"),
        ("2-9", "", (5, 6), ""),
        ("1-2", "b = a", None, "nowhere"),  # too short to be a part
        ("1-2", "b = a + 1\nreturn b", (4, 5), ""),
    ],
)
def test_lines_are_anchored(given_lines: str, quote: str, expected: tuple[int, int] | None, note: str) -> None:
    found, said = anchor(LineRange.model_validate(given_lines), quote, "why", LINES, F.start_line, F.end_line)
    assert (found and (found.start_line, found.end_line)) == expected
    assert note in said if note else said == ""


@given(st.integers(1, 60), st.integers(0, 60), st.text(max_size=30))
@settings(deadline=None)
def test_anchored_lines_lie_in_the_piece(start: int, length: int, quote: str) -> None:
    given_lines = LineRange(start_line=start, end_line=start + length)
    found, _ = anchor(given_lines, quote, "", LINES, F.start_line, F.end_line)
    assert found is None or F.start_line <= found.start_line <= found.end_line <= F.end_line


def test_a_quote_is_looked_for_as_a_whole_line_first() -> None:
    lines = ["value = compute(x)", "other = value = compute(x) + 1"]
    assert lines_with("value = compute(x)", lines, 1, 2) == [1]
    assert lines_with("= compute(x) + 1", lines, 1, 2) == [2]
    assert lines_with(" \n ", lines, 1, 2) == []


def test_calls_hold_so_many_pieces_and_tokens() -> None:
    snippets = [Snippet("m.py", f"f{n}", "function", 4, 6) for n in range(7)]
    pieces = [p for p in shown_pieces(snippets, [TEXT] * 7, lambda _: (), 50) if p is not None]
    assert [len(b) for b in batches(pieces, 3, 10_000)] == [3, 3, 1]
    each = pieces[0].tokens
    assert [len(b) for b in batches(pieces, 9, 2 * each)] == [2, 2, 2, 1]
    assert [len(b) for b in batches(pieces, 9, 1)] == [1] * 7


def test_the_same_code_elsewhere_in_the_file_has_the_same_digest() -> None:
    moved = Snippet("m.py", "f", "function", 6, 8)
    (one,) = shown_pieces([F], [TEXT], lambda _: (), 50)
    (two,) = shown_pieces([moved], ["\n\n" + TEXT], lambda _: (), 50)
    assert one is not None and two is not None
    assert (one.text, one.digest) == (two.text, two.digest)
    assert shown_pieces([F], [None], lambda _: (), 50) == [None]


def diagnoser(replies: Any, cache: VerdictCache | None = None, **bounds: Any) -> tuple[ModelDiagnoser, ScriptedModel]:
    model = ScriptedModel(replies)
    settings = load_settings({"diagnosis": bounds, "models": {"retries": 0}})
    asker = Asker(ModelRoles(settings, model=model))
    return ModelDiagnoser(asker, settings.diagnosis, Issue(title="wrong"), cache=cache), model


def said(*verdicts: dict[str, Any]) -> str:
    return json.dumps({"diagnoses": verdicts})


def ids() -> tuple[str, str]:
    first, second = shown_pieces([F, G], [TEXT, TEXT], lambda _: (), 50)
    assert first is not None and second is not None
    return first.id, second.id


def test_it_fits_the_seam() -> None:
    assert isinstance(diagnoser([])[0], Diagnoser)


def test_a_verdict_of_one_server_is_not_anothers() -> None:
    class Served(ScriptedModel):
        identity = ""

    f, _ = ids()
    cache = VerdictCache(":memory:", 1_000_000)

    def asked_at(server: str, score: int) -> tuple[float, int, str]:
        model = Served([said({"id": f, "relevance_score": score})], name="openai:qwen3")
        model.identity = f"openai:qwen3@{server}"
        asker = Asker(ModelRoles(load_settings({"models": {"retries": 0}}), model=model))
        examiner = ModelDiagnoser(asker, load_settings().diagnosis, Issue(title="wrong"), cache=cache)
        verdict = examiner.examine([F], {"m.py": TEXT}).verdicts[0]
        assert isinstance(verdict, Verdict)
        return (
            verdict.relevance_score,
            len(model.calls),
            asker.key_of("diagnose", Request.of((Message("user", "hi"),), (), None, 1)),
        )

    first, second, again = asked_at("http://a", 4), asked_at("http://b", 1), asked_at("http://a", 2)
    assert (first[:2], second[:2], again[:2]) == ((4, 1), (1, 1), (4, 0))
    assert first[2] == again[2] != second[2]


def test_verdicts_come_in_any_order_and_count_for_their_id() -> None:
    f, g = ids()
    examiner, model = diagnoser([said({"id": g, "relevance_score": 1}, {"id": f"[{f}]", "score": "4/5"})])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [4, 1]
    assert len(model.calls) == 1


def test_pieces_of_a_refused_call_are_not_asked_again() -> None:
    examiner, model = diagnoser(lambda _: Reply("I will not.", stop_reason="refusal"))
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.reason for v in examined.verdicts if isinstance(v, Missing)] == ["refused"] * 2
    assert len(model.calls) == 1


def test_a_bad_verdict_or_line_loses_only_itself() -> None:
    f, g = ids()
    lines = [{"lines": "12-3"}, {"lines": "2", "quote": "b = a + 1"}]
    first = said({"id": f, "relevance_score": 4, "key_evidence_lines": lines}, {"id": g, "relevance_score": 9})
    examiner, model = diagnoser([first, said({"id": g, "relevance_score": 3})])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    verdicts = [v for v in examined.verdicts if isinstance(v, Verdict)]
    assert [(v.relevance_score, [k.lines.start_line for k in v.key_evidence_lines]) for v in verdicts] == [
        (4, [2]),
        (3, []),
    ]
    assert len(model.calls) == 2  # g alone
    assert [note.message.partition("read: ")[2] for note in examined.notes] == [
        "diagnoses[0].key_evidence_lines[0].lines: the range 12-3 runs backwards",
        "diagnoses[1].relevance_score: 9 is not between 0 and 5",
    ]


def test_what_is_missing_doubled_or_unknown_is_asked_again_alone() -> None:
    f, g = ids()
    first = said(
        {"id": f, "relevance_score": 2}, {"id": f, "relevance_score": 5}, {"id": "p-none", "relevance_score": 5}
    )
    examiner, model = diagnoser([first, said({"id": f, "relevance_score": 3}), said({"id": g, "relevance_score": 0})])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [3, 0]
    assert len(model.calls) == 3


@pytest.mark.parametrize("wrote", ["[{}]", "Piece [{}]:", "`{}`", " {} ", "{}: m.f"])
@pytest.mark.parametrize("upper", [False, True])
def test_ids_are_read_with_what_models_put_around_them(wrote: str, upper: bool) -> None:
    f, g = (wrote.format(name.upper() if upper else name) for name in ids())
    examiner, model = diagnoser([said({"id": f, "relevance_score": 4}, {"id": g, "relevance_score": 1})])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [4, 1]
    assert len(model.calls) == 1


def test_the_same_verdict_twice_is_one() -> None:
    f, g = ids()
    one, two = {"id": f, "relevance_score": 4}, {"id": g, "relevance_score": 1}
    examiner, model = diagnoser([said(one, two, one, two)])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [4, 1]
    assert len(model.calls) == 1


@pytest.mark.parametrize("field", ["impact", "reason", "key_evidence_lines", "potential_change_type"])
def test_null_for_what_may_be_left_out_costs_no_verdict(field: str) -> None:
    f, g = ids()
    examiner, model = diagnoser([said(*({"id": name, "relevance_score": 4, field: None} for name in (f, g)))])
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [4, 4]
    assert (len(model.calls), examined.notes) == (1, ())


def test_a_verdict_that_quotes_another_piece_and_a_line_of_both_is_asked_for_alone() -> None:
    first = Snippet("m.py", "f", "function", 1, 3, content_id="c")
    second = Snippet("m.py", "g", "function", 5, 7, content_id="c")
    text = "def f(a):\n    first = a + 1\n    return None\n\ndef g(a):\n    second = a + 2\n    return None\n"
    pieces = shown_pieces([first, second], [text, text], lambda _: (), 50)
    f, g = (piece.id for piece in pieces if piece is not None)
    lines = [{"lines": "2", "quote": "second = a + 2"}, {"lines": "3", "quote": "return None"}]
    swapped = said({"id": f, "relevance_score": 5, "key_evidence_lines": lines}, {"id": g, "relevance_score": 0})
    examiner, model = diagnoser([swapped, said({"id": f, "score": 0}), said({"id": g, "score": 5})])
    examined = examiner.examine([first, second], {"m.py": text})
    assert [v.relevance_score for v in examined.verdicts if isinstance(v, Verdict)] == [0, 5]
    assert len(model.calls) == 3


def test_a_failure_loses_its_own_pieces_only() -> None:
    f, _ = ids()
    examiner, _ = diagnoser([said({"id": f, "relevance_score": 3}), UsageLimitError("spent")], batch=1)
    examined = examiner.examine([F, G], {"m.py": TEXT})
    assert isinstance(examined.verdicts[0], Verdict)
    assert examined.verdicts[1] == Missing("budget", "spent")
    cut, model = diagnoser([Reply("{", "length")] * 9, batch=2)
    assert [v.reason for v in cut.examine([F, G], {"m.py": TEXT}).verdicts if isinstance(v, Missing)] == ["reply"] * 2
    assert len(model.calls) == 6
    lost, _ = diagnoser([])
    assert [v.reason for v in lost.examine([F], {}).verdicts if isinstance(v, Missing)] == ["text"]


def test_verdicts_are_kept_by_issue_code_prompt_and_model(tmp_path: Path) -> None:
    f, g = ids()
    path = tmp_path / "v" / "verdicts.sqlite"
    reply = said({"id": f, "relevance_score": 3, "reason": "r"}, {"id": g, "relevance_score": 0})
    cache = VerdictCache(path, 10**7)
    assert diagnoser([reply], cache)[0].examine([F, G], {"m.py": TEXT}).cached == 0
    cache.close()
    cache = VerdictCache(path, 10**7)
    again = diagnoser([], cache)[0].examine([G, F], {"m.py": "\n" + TEXT[:-1]})
    assert isinstance(again.verdicts[0], Missing)  # other lines are other code
    kept = diagnoser([], cache)[0].examine([G, F], {"m.py": TEXT})
    assert kept.cached == 2
    assert [v.relevance_score for v in kept.verdicts if isinstance(v, Verdict)] == [0, 3]
    cache.close()


def test_a_damaged_cache_is_made_anew_and_a_full_one_forgets_the_oldest(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    path.write_bytes(b"no database" * 500)
    cache = VerdictCache(path, 1)
    for number in range(10):
        cache.put("i", "p", "m", [(str(number), "{}")])
    cache.close()
    with sqlite3.connect(path) as database:
        rows = sorted(int(row[0]) for row in database.execute("SELECT snippet FROM verdicts"))
    database.close()
    assert rows == [5, 6, 7, 8, 9]
    blocked = tmp_path / "file"
    blocked.write_text("")
    memory = VerdictCache(blocked / "below" / "v.sqlite", 10**6)
    memory.put("i", "p", "m", [("s", "x")])
    assert memory.get("i", "s", "p", "m") == "x"
    memory.close()
    assert DiagnosisSettings().cache

"""Questions: asked again, within limits, through the log; narrowing, expansion, reranking, arbitration alone."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.change_set.model_arbiter import ModelArbiter
from sherloc.errors import MissingExtraError, ModelAuthError, ModelServerError, ModelStoppedError
from sherloc.llm import ModelRoles, ScriptedModel
from sherloc.llm.material import Part
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import AskedModel, Asker, Question
from sherloc.llm.records import record_of_reply, reply_from_record
from sherloc.llm.request import Request
from sherloc.protocols import Arbiter, Message, Reply, Reranker, Usage
from sherloc.query.expansion import Expansion, expand_issue, expanded_query
from sherloc.query.narrowing import NewFile, narrow, path_listing
from sherloc.retriever.rerank import CrossEncoderReranker, ListwiseReranker, RankingReply
from sherloc.schema.candidate import Candidate
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings, NarrowingSettings, load_settings
from sherloc.tokens import estimate_tokens
from with_model.answering import ENTRY

PATHS = ["app/a.py", "app/b.py", "lib/x/one.py", "lib/x/two.py", "lib/y.py", "top.py"]


class Memory:
    """A call log in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Reply] = {}

    def recall(self, key: str) -> Reply | None:
        return self.kept.get(key)

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        self.kept[key] = reply

    def same(self, key: str, value: list[str]) -> list[str]:
        return value


def asker(replies: Any, *, log: Any = None, **limits: Any) -> tuple[Asker, ScriptedModel, ModelRoles]:
    model = ScriptedModel(replies, name="m")
    roles = ModelRoles(load_settings({"models": {"retries": 0}, "limits": limits}), model=model)
    return Asker(roles, log=log, recalled=roles.budget.count_recalled), model, roles


def question(text: str = "x") -> Question[RankingReply]:
    return Question("rerank", load_prompt("rerank"), (Part("The issue:", text),), RankingReply, 100)


def test_a_reply_that_cannot_be_read_is_asked_for_again_with_what_was_wrong() -> None:
    asking, model, _ = asker(["what?", '{"ranking": ["a"]}'])
    (answer,) = asking.ask_all([question()])
    assert answer.value is not None and answer.value.ranking == ["a"]
    assert "could not be read" in model.calls[1][-1].content
    asking, model, _ = asker(["what?", "what?"])
    (answer,) = asking.ask_all([question()])
    assert (answer.value, answer.problem, len(model.calls)) == (None, "reply", 2)


def test_limits_and_failures_are_answers() -> None:
    asking, model, _ = asker(lambda _: '{"ranking": []}', calls=1)
    answers = asking.ask_all([question(str(n)) for n in range(3)])
    assert sorted(answer.problem for answer in answers) == ["", "budget", "budget"]
    asking, model, _ = asker(lambda _: ModelServerError("down", retryable=False))
    problems = [asking.ask_all([question(str(number))])[0].problem for number in range(6)]
    assert problems == ["call"] * 3 + ["stopped"] * 3
    assert len(model.calls) == 3


def test_the_log_answers_what_was_answered_before_and_the_budget_counts_it() -> None:
    log = Memory()
    reply = Reply('{"ranking": ["a"]}', usage=Usage(input_tokens=7, output_tokens=3))
    first, _, _ = asker([reply], log=log)
    first.ask_all([question()])
    again, model, roles = asker([], log=log)
    assert again.ask_all([question()])[0].value is not None
    assert model.calls == []
    assert (roles.budget.spent.calls, roles.budget.spent.usage.input_tokens) == (1, 7)
    assert (again.uses["rerank"].recalled, again.uses["rerank"].usage.input_tokens) == (1, 0)


def test_paths_are_listed_by_folder_when_they_are_many() -> None:
    assert path_listing(PATHS, 10_000, folders=True) == ("\n".join(PATHS), 0)
    by_folder = "app/ (2 files)\nlib/ (3 files)\ntop.py"
    assert path_listing(PATHS, estimate_tokens(by_folder), folders=True) == (by_folder, 0)
    text, cut = path_listing(PATHS, 8, folders=False)
    assert text.split("\n") == PATHS[: len(PATHS) - cut] and cut > 0


@given(st.lists(st.sampled_from(PATHS), unique=True, min_size=1), st.integers(1, 60), st.booleans())
@settings(deadline=None)
def test_a_listing_is_never_longer_than_it_may_be(paths: list[str], tokens: int, folders: bool) -> None:
    text, cut = path_listing(sorted(paths), tokens, folders=folders)
    assert estimate_tokens(text) <= tokens or not text
    assert 0 <= cut <= len(paths)


def narrowed(replies: Any, **bounds: Any) -> Any:
    asking, model, _ = asker(replies)
    found = asking.run_all([narrow(asking, "the issue", PATHS, NarrowingSettings(**bounds))])[0]
    return found, model


def test_narrowing_checks_every_path() -> None:
    given = ["./app//a.py", "a/lib/y.py", "app/c.py", "/etc/passwd", "../x", "app/a.py", "TOP.py", ".git/hooks/x"]
    found, model = narrowed([json.dumps({"files": given})])
    assert found.files == ("app/a.py", "lib/y.py")
    assert found.new_files == (NewFile("app/c.py", "app/b.py"),)
    assert {note.code for note in found.notes} == {"path_refused"}
    words = "A file that the model of the role filter named was left out. The path "
    assert all(note.message.startswith(words) for note in found.notes)
    assert model.requests[0].max_tokens == 512
    assert narrowed(["no", "no"])[0].notes[0].code == "narrowing_failed"


def test_narrowing_looks_into_folders_in_rounds() -> None:
    replies = ['{"files": [], "folders": ["lib/"]}', '{"files": ["lib/y.py"], "folders": []}']
    many = [f"lib/x{n}/file_{n}.py" for n in range(300)] + PATHS
    asking, model, _ = asker(replies)
    found = asking.run_all([narrow(asking, "issue", sorted(many), NarrowingSettings(tree_tokens=200))])[0]
    assert found.files == ("lib/y.py",)
    assert "lib/ (303 files)" in model.calls[0][1].content
    assert "top.py" not in model.calls[1][1].content


def test_an_expansion_adds_terms_and_takes_none_away() -> None:
    asking, _, _ = asker(['{"description": "session token", "terms": ["create_session", "x" ]}'])
    found = asking.run_all([expand_issue(asking, "issue", NarrowingSettings())])[0]
    assert found.terms == ("create_session", "x")
    query = expanded_query(Query(terms=(("login", 3.0), ("token", 2.0))), found)
    assert dict(query.terms)["login"] == 3.0
    assert dict(query.terms)["createsession"] == 1.0
    assert dict(query.terms)["token"] == 2.0
    assert expanded_query(Query(), Expansion()).terms == ()


def candidates(count: int) -> list[Candidate]:
    return [Candidate(Snippet("m.py", f"f{n}", "function", n + 1, n + 1), 1.0) for n in range(count)]


def test_a_ranking_puts_what_it_names_first_and_keeps_the_rest() -> None:
    def reply(messages: Any) -> str:
        names = [name for name, _ in ENTRY.findall(messages[-1].content)]
        return json.dumps({"ranking": [names[3], f"[{names[1]}]", "p-unknown", names[3]]})

    asking, model, _ = asker(reply)
    reranker = ListwiseReranker(asking, {"b": 1.0}, lines=1)
    assert isinstance(reranker, Reranker)
    assert reranker.rerank(Issue(title="t"), candidates(5), {"m.py": "a\nb\n"}) == [3, 1, 0, 2, 4]
    assert reranker.rank(Issue(title="t"), candidates(1), {}).named == ()
    failing, _, _ = asker(["x", "x"])
    ranked = ListwiseReranker(failing, {}).rank(Issue(title="t"), candidates(3), {})
    assert (ranked.named, [note.code for note in ranked.notes]) == ((), ["rerank_failed"])


TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
EVIDENCE = [
    Diagnosis(path="m.py", qualified_name=name, kind="function", start_line=first, end_line=first + 1,
              relevance_score=score, relevance="direct", reason="r")
    for name, first, score in (("f", 1, 5.0), ("g", 5, 3.0))
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "lines", "name"),
    [
        ({"file_path": "m.py", "function_name": "g", "target_lines": "6"}, (6, 6), "g"),
        ({"file_path": "./m.py", "function_name": "", "target_lines": "5-6"}, (5, 6), "g"),
        ({"file_path": "m.py", "function_name": "g()", "target_lines": "1-2"}, (5, 6), "g"),
        ({"file_path": "m.py", "function_name": "f", "target_lines": ""}, (1, 2), "f"),
        ({"file_path": "m.py", "function_name": "f", "target_lines": "2-90"}, (2, 2), "f"),
    ],
)
def test_the_arbiters_places_are_held_against_the_file(place: Any, lines: tuple[int, int], name: str) -> None:
    asking, _, _ = asker([json.dumps({"primary_change_sets": [{**place, "confidence": "90%"}], "reasoning": "so"})])
    arbiter = ModelArbiter(asking, ChangeSetSettings(), ["m.py"])
    assert isinstance(arbiter, Arbiter)
    decision = arbiter.judge(Issue(title="t"), EVIDENCE, {"m.py": TEXT})
    (change,) = decision.change_sets
    target = change.target_location
    assert ((target.start_line, target.end_line), target.function_name) == (lines, name)
    assert decision.by_model and decision.reasoning == "so"
    assert change.confidence == pytest.approx((0.9 + {"f": 1.0, "g": 0.6}[name]) / 2)


@pytest.mark.parametrize(
    "place",
    [
        {"file_path": "n.py"}, {"file_path": "../m.py"}, {"file_path": "new.py"},
        {"file_path": "m.py", "function_name": "h", "target_lines": "40-50"},
    ],
)  # fmt: skip
def test_the_rules_decide_where_the_arbiter_names_nothing_that_was_shown(place: Any) -> None:
    asking, _, _ = asker([json.dumps({"primary_change_sets": [{**place, "confidence": 1}]})])
    decision = ModelArbiter(asking, ChangeSetSettings(), ["m.py", "n.py"]).judge(
        Issue(title="t"), EVIDENCE, {"m.py": TEXT}
    )
    assert not decision.by_model
    assert [change.target_location.function_name for change in decision.change_sets] == ["f"]
    assert {note.code for note in decision.notes} == {"change_set_refused", "arbiter_failed"}


def test_places_of_the_arbiter_that_overlap_are_joined() -> None:
    places = [
        {"file_path": "m.py", "function_name": "g", "target_lines": "5", "confidence": 0.5},
        {"file_path": "m.py", "function_name": "g", "target_lines": "5-6", "confidence": 0.9},
        {"file_path": "m.py", "function_name": "f", "target_lines": "1", "confidence": 0.2},
    ]
    asking, _, _ = asker([json.dumps({"primary_change_sets": places})])
    decision = ModelArbiter(asking, ChangeSetSettings(), ["m.py"]).judge(Issue(title="t"), EVIDENCE, {"m.py": TEXT})
    targets = [change.target_location for change in decision.change_sets]
    assert [(each.start_line, each.end_line, each.function_name) for each in targets] == [(5, 6, "g"), (1, 1, "f")]
    assert [note.message for note in decision.notes] == [
        "Lines 5-5 of m.py overlap a surer place, and were joined to it."
    ]


@pytest.mark.parametrize("bad", ["\\u0007evil.py", "", 7, None, ["x"]])
def test_a_bad_path_loses_only_itself(bad: Any) -> None:
    said = json.dumps({"files": [bad, "app/a.py"]}).replace("\\\\", "\\")
    found, model = narrowed([said])
    assert (found.files, len(model.calls)) == (("app/a.py",), 1)
    assert [note.code for note in found.notes] == ["reply_item_dropped"]
    assert narrowed([json.dumps({"files": ["\x07"]})] * 2)[0].notes[-1].code == "narrowing_failed"


def test_a_bad_place_of_the_arbiter_loses_only_itself() -> None:
    places = [
        {"file_path": "m.py", "target_lines": "12-3", "confidence": 1},
        {"file_path": "m.py", "confidence": "50%"},
    ]
    asking, model, _ = asker([json.dumps({"primary_change_sets": places})])
    decision = ModelArbiter(asking, ChangeSetSettings(), ["m.py"]).judge(Issue(title="t"), EVIDENCE, {"m.py": TEXT})
    assert (decision.by_model, len(decision.change_sets), len(model.calls)) == (True, 1, 1)
    (note,) = decision.notes
    assert note.message.endswith("primary_change_sets[0].target_lines: the range 12-3 runs backwards")


def test_a_model_that_cannot_be_read_is_given_up_for_all_roles_and_no_other() -> None:
    babbler, clear = ScriptedModel(lambda _: "I {think", name="b"), ScriptedModel(lambda _: '{"ranking": []}', name="c")

    class Two:
        def get(self, role: str) -> ScriptedModel:
            return clear if role == "diagnose" else babbler

    asking = Asker(Two())
    kinds = ["rerank", "filter", "arbitrate", "filter"]
    problems = [asking.ask_all([replace(question(kind), role=kind)])[0].problem for kind in kinds]  # type: ignore[arg-type]
    assert problems == ["reply", "reply", "reply", "stopped"]
    assert len(babbler.calls) == 6
    assert asking.ask_all([replace(question(), role="diagnose")])[0].value is not None
    assert asking.patience.all_given_up() == {"b": "gave 6 replies in a row that are no answer"}


@pytest.mark.parametrize("side_by_side", [1, 2, 4, 30])
def test_questions_asked_side_by_side_stop_at_the_same_place_whoever_answers_first(side_by_side: int) -> None:
    def asked(delays: Any) -> tuple[list[str], int]:
        replies = [Reply("no"), *[Reply("no")] * 99]
        model = ScriptedModel(lambda messages: (time.sleep(next(delays)), replies[0])[1])
        asking = Asker(ModelRoles(load_settings({"models": {"retries": 0}}), model=model), side_by_side=side_by_side)
        problems = [each.problem for each in asking.ask_all([question(str(n)) for n in range(30)])]
        return problems, len(model.calls)

    first = asked(itertools.cycle([0.0]))
    assert first == asked(itertools.cycle([0.003, 0.0, 0.002, 0.001, 0.0]))
    problems, calls = first
    asked_in_vain = max(3, side_by_side)
    if side_by_side == 2:
        asked_in_vain = 4
    assert problems == ["reply"] * asked_in_vain + ["stopped"] * (30 - asked_in_vain)
    assert calls == 2 * asked_in_vain


def test_a_refusal_is_not_asked_again() -> None:
    asking, model, _ = asker(lambda _: Reply("no", stop_reason="refusal"))
    assert [asking.ask_all([question(str(n))])[0].problem for n in range(7)] == ["refused"] * 6 + ["stopped"]
    assert len(model.calls) == 6


def test_a_wrong_key_is_tried_once() -> None:
    asking, model, _ = asker(lambda _: ModelAuthError("no such key"))
    assert [asking.ask_all([question(str(n))])[0].problem for n in range(3)] == ["call", "stopped", "stopped"]
    assert len(model.calls) == 1


def test_time_of_failed_calls_and_unknown_prices_are_told() -> None:
    def slow(_: Any) -> Any:
        time.sleep(0.05)
        return ModelServerError("down", retryable=False)

    asking, _, _ = asker(slow)
    asking.ask_all([question()])
    assert asking.uses["rerank"].seconds >= 0.05 and asking.uses["rerank"].calls == 0
    for cost in (None, 0.0):
        log = Memory()
        asker([Reply('{"ranking": []}', usage=Usage(7, 3, cost))], log=log)[0].ask_all([question()])
        log.kept = {key: reply_from_record(record_of_reply(reply)) for key, reply in log.kept.items()}
        again, _, roles = asker([], log=log)
        again.ask_all([question()])
        assert (again.uses["rerank"].usage.cost, roles.budget.spent.usage.cost) == (cost, cost)


def test_questions_work_inside_a_running_loop() -> None:
    asking, _, _ = asker(['{"ranking": []}'])

    async def inside() -> Any:
        return asking.ask_all([question()])

    assert asyncio.run(inside())[0].value is not None


def test_a_cross_encoder_that_is_not_installed_says_what_to_install() -> None:
    if importlib.util.find_spec("sentence_transformers") is not None:
        pytest.skip("it is installed")
    with pytest.raises(MissingExtraError, match="cross-encoder:any") as error:
        CrossEncoderReranker("any")
    assert error.value.extra == "sentence-transformers"


def test_a_cross_encoder_orders_by_score(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def load(name: str) -> Any:
        def score(pairs: list[tuple[str, str]]) -> list[float]:
            seen.extend(pairs)
            return [0.1, 0.7, 0.7, 0.2]

        return score

    monkeypatch.setattr("sherloc.vectors.cross_encoder.load_cross_encoder", load)
    reranker = CrossEncoderReranker("any")
    assert reranker.rerank(Issue(title="t"), candidates(4), {"m.py": "a\nb\nc\nd\n"}) == [1, 2, 3, 0]
    assert seen[1] == ("Summary: t\n\nDescription:\n(no description)", "m.py::f1 [function]\nb")


def test_a_refused_key_is_no_row_of_failures() -> None:
    asking, _, _ = asker(lambda _: ModelAuthError("no key"))
    with pytest.raises(ModelAuthError):
        asking.run_all([asking.complete("explore", [Message("user", "x")])])
    assert asking.patience.all_given_up() == {"m": "failed in a way that asking again cannot mend"}
    with pytest.raises(ModelStoppedError, match="asking again cannot mend"):
        asking.run_all([asking.complete("explore", [Message("user", "x")])])


def test_a_failure_that_ends_the_others_counts_all_the_same() -> None:
    asking, _, _ = asker(lambda _: ModelServerError("down", retryable=False))
    for _ in range(3):
        with pytest.raises(ModelServerError):
            asking.run_all([asking.complete("explore", [Message("user", "x")])])
    assert asking.patience.all_given_up() == {"m": "failed 3 times in a row"}


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, ZeroDivisionError])
def test_what_progress_raises_reaches_the_caller_and_models_answer_on(kind: type[BaseException]) -> None:
    def done(*_: int) -> None:
        raise kind("enough")

    asking, _, _ = asker(lambda _: '{"ranking": ["a"]}')
    with pytest.raises(kind, match="enough"):
        asking.ask_all([question("1"), question("2")], done)
    (answer,) = asking.ask_all([question("3")])
    assert answer.value is not None


def test_a_role_behind_an_asker_is_a_model_whose_replies_are_kept_and_counted() -> None:
    log = Memory()
    asking, model, _ = asker(["a summary with AKIAQ3EGRIVXYPZ7K2WJ in it"], log=log)
    role = AskedModel(asking, "summarise")
    reply = role.complete([Message("user", "x")], max_tokens=7)
    assert (role.name, reply.text) == ("m", "a summary with [redacted aws_key] in it")
    assert log.kept[role.last_key] == reply
    assert asking.uses["summarise"].calls == 1
    asking.count_kept("summarise", role.last_key)
    assert (asking.uses["summarise"].calls, asking.uses["summarise"].recalled, len(model.calls)) == (2, 1, 1)

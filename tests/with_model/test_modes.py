"""The modes as users meet them: what a good model gains, what a bad one cannot cost, what is told and counted."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sherloc import Locator, alocate, locate
from sherloc.errors import MissingExtraError, ModelServerError, UsageError, UsageLimitError
from sherloc.llm import ScriptedModel
from sherloc.llm.scripted import Delayed
from sherloc.protocols import Reply
from with_model.answering import PIECE, answering, kind_of, scoring, verdict
from with_model.conftest import FAULTY, ISSUE

Settings = dict[str, Any]


def test_a_good_model_lifts_the_faulty_function_to_the_top(repo: Path, settings: Settings) -> None:
    offline = locate(ISSUE, repo, settings=settings)
    assert offline.ranked_functions[0].qualified_name == "Basket.total_price"
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0))
    report = locate(ISSUE, repo, settings=settings, model=model)
    assert (report.ranked_files[0].path, report.ranked_functions[0].qualified_name) == ("shop/prices.py", "reduced")
    assert report.change_sets[0].file_path == "shop/prices.py"
    assert report.change_sets[0].target_location.function_name == "reduced"
    assert report.brief.reasoning == "scripted"
    best = next(d for d in report.diagnoses if d.qualified_name == "reduced")
    assert (best.relevance_score, best.diagnosed_by, best.relevance) == (5, "model:scripted", "direct")
    assert {d.code for d in report.diagnostics} & {"model_not_heard", "undiagnosed"} == set()
    scores = [file.score for file in report.ranked_files]
    assert scores == sorted(scores, reverse=True)
    chances = [file.confidence for file in report.ranked_files]
    assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("contrary", lambda place: 0 if place == FAULTY or "total_price" in place else 5),
        ("all alike", lambda place: 3),
        ("blames strangers", lambda place: 5 if "letter" in place or "shelf" in place else 1),
    ],
)
def test_a_model_that_tells_nothing_apart_changes_nothing(
    repo: Path, settings: Settings, name: str, score: Any
) -> None:
    offline = locate(ISSUE, repo, settings=settings)
    report = locate(ISSUE, repo, settings=settings, model=answering(scoring(score)))
    assert "model_not_heard" in {d.code for d in report.diagnostics}
    for part in ("ranked_files", "ranked_functions", "ranked_spans", "diagnoses", "change_sets"):
        assert getattr(report, part) == getattr(offline, part), part


def test_a_model_that_babbles_or_fails_leaves_the_offline_answer(repo: Path, settings: Settings) -> None:
    offline = locate(ISSUE, repo, settings=settings)
    for babble in ("I think, therefore {I am: [", ModelServerError("down", retryable=False)):
        model = ScriptedModel(lambda _, said=babble: said)
        report = locate(ISSUE, repo, settings=settings, model=model)
        assert report.ranked_files == offline.ranked_files
        assert report.change_sets == offline.change_sets
        codes = [d.code for d in report.diagnostics]
        assert {"model_not_heard", "undiagnosed", "narrowing_failed", "rerank_failed"} <= set(codes)
        assert (report.degraded, codes.count("model_stopped")) == (("model",), 1)
        assert "it was not asked any more, and for the rest the offline evidence stands" in str(report.diagnostics)
        # Two questions twice and one twice; or three calls.
        assert len(model.calls) == {"I think, therefore {I am: [": 6}.get(babble, 3) == report.run.model_calls


@pytest.mark.parametrize(
    ("reply", "most"),
    # 4 side by side, each at most twice; 6 in a row are enough.
    [("no JSON", 8), ('{"diagnoses": []}', 8), (Reply("I will not", stop_reason="refusal"), 8)],
)
def test_a_model_that_fails_only_in_diagnosis_is_left_alone_there(
    repo: Path, settings: Settings, reply: Any, most: int
) -> None:
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    asked: list[str] = []

    def answer(messages: Any) -> Any:
        kind = kind_of(messages[0].content)
        asked.append(kind)
        return reply if kind == "diagnose" else json.dumps(answers[kind](messages[-1].content))

    settings["diagnosis"] = {"batch": 1, "cache": False}
    report = locate(ISSUE, repo, settings=settings, model=ScriptedModel(answer))
    assert asked.count("diagnose") == most
    assert report.ranked_files == locate(ISSUE, repo, settings=settings).ranked_files


def test_a_missing_cross_encoder_is_found_out_before_the_first_call(
    repo: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise MissingExtraError("sentence-transformers", "sentence_transformers", f"The reranker {name}")

    monkeypatch.setattr("sherloc.vectors.cross_encoder.load_cross_encoder", missing)
    settings |= {"rerank": {"method": "cross-encoder:any"}, "plan": {"auto_confidence": 1.0}}
    settings["change_set"] = {"short_cut_confidence": 1.0}
    model = answering(scoring(lambda place: 0))
    for mode in ("diagnose", "explore", "auto"):
        with pytest.raises(MissingExtraError):
            locate(ISSUE, repo, settings=settings, model=model, mode=mode)
    assert model.calls == []
    sure = {**settings, "plan": {"auto_confidence": 0.0}}
    assert locate(ISSUE, repo, settings=sure, model=model, mode="auto").run.model_calls == 0


def test_an_exploration_leaves_diagnosis_its_share(repo: Path, settings: Settings) -> None:
    look = {"tool": "show_lines", "arguments": {"path": "shop/mail.py", "start_line": 1, "end_line": 9}}
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    asked: list[str] = []

    def answer(messages: Any) -> str:
        asked.append(kind_of(messages[0].content))
        if asked[-1] == "explore":
            look["arguments"]["end_line"] = len(asked) + 9  # type: ignore[index]
            return json.dumps(look)
        return json.dumps(answers[asked[-1]](messages[-1].content))

    for calls in (2, 7, 10):
        asked.clear()
        limited = {**settings, "limits": {"calls": calls}, "diagnosis": {"cache": False}, "plan": {"tasks": False}}
        report = locate(ISSUE, repo, settings=limited, model=ScriptedModel(answer), mode="explore")
        assert asked.count("explore") == calls // 2
        assert len(asked) == report.run.model_calls <= calls


def test_a_closed_locator_says_so(repo: Path, settings: Settings) -> None:
    locator = Locator(repo, settings=settings)
    locator.locate(ISSUE)
    locator.close()
    locator.close()
    for ask in (locator.locate, locator.estimate, lambda _: locator.tools(), lambda _: locator.index(),
                lambda _: locator.read(), lambda _: locator.look()):  # fmt: skip
        with pytest.raises(UsageError, match="This Locator is closed"):
            ask(ISSUE)


def test_the_estimate_fits_the_run(repo: Path, settings: Settings) -> None:
    settings |= {"diagnosis": {"cache": False}, "plan": {"tasks": False}}
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0), name="m")
    with Locator(repo, settings=settings, model=model) as locator:
        found = locator.estimate(ISSUE)
        run = locator.locate(ISSUE).run
    assert found.calls == run.model_calls
    shown = {role.role: role.input_tokens for role in found.roles}
    used = {use.role: use.input_tokens for use in run.models}
    assert shown["filter"] == used["filter"]
    assert shown["diagnose"] == pytest.approx(used["diagnose"], rel=0.02)
    assert shown["arbitrate"] == pytest.approx(used["arbitrate"], rel=0.15)
    assert used["rerank"] <= shown["rerank"] <= 1.25 * used["rerank"]
    assert found.most.calls >= found.calls and found.most.output_tokens >= run.output_tokens


@pytest.mark.parametrize("mode", ["diagnose", "explore"])
def test_no_run_uses_more_than_the_estimate_says_at_most(repo: Path, settings: Settings, mode: str) -> None:
    settings |= {"diagnosis": {"cache": False}, "plan": {"tasks": False}, "explore": {"turns": 4}}
    answers, turn = scoring(lambda place: 5 if place == FAULTY else 0), itertools.count()

    def answer(messages: Any) -> str:
        # Every question is understood at the second try only, and of each call of several pieces nothing.
        if next(turn) % 2 == 0:
            return "Hm."
        kind = kind_of(messages[0].content)
        if kind == "explore":
            return '{"tool": "search_text", "arguments": {"text": "%s"}}' % ("e" * next(turn))
        text = next(m.content for m in reversed(messages) if "MATERIAL" in m.content)
        if kind == "diagnose" and len(PIECE.findall(text)) > 1:
            return '{"diagnoses": []}'
        return json.dumps(answers[kind](text))

    with Locator(repo, settings={**settings, "models": {**settings["models"], "concurrency": 1}},
                 model=ScriptedModel(answer), mode=mode) as locator:  # fmt: skip
        most = locator.estimate(ISSUE).most
        run = locator.locate(ISSUE).run
    assert run.model_calls <= most.calls
    assert run.input_tokens <= most.input_tokens
    assert run.output_tokens <= most.output_tokens
    if mode == "diagnose":
        assert run.model_calls > most.calls // 2


def test_offline_stays_offline_and_asks_nobody(repo: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHERLOC_MODEL", "command:false")
    report = locate(ISSUE, repo, settings=settings)
    assert (report.run.mode, report.run.model_calls, report.run.models) == ("offline", 0, ())


def test_offline_loads_nothing_of_this(repo: Path) -> None:
    code = (
        "import sys; from sherloc import locate; locate(sys.argv[1], sys.argv[2], settings={'cache': {'workers': 1}});"
        "print(' '.join(name for name in sys.modules if name.startswith('sherloc.')))"
    )
    command = [sys.executable, "-c", code, ISSUE, str(repo)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "sherloc.plans" in loaded
    rooms = ("llm", "explorer", "context_storage", "json_hardening", "boundary", "model_", "estimating", "exploring")
    assert [name for name in sorted(loaded) if name.startswith(tuple(f"sherloc.{room}" for room in rooms))] == []


def test_a_mode_without_a_model_is_an_error_but_auto_is_offline_then(repo: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="needs a model for the role filter"):
        locate(ISSUE, repo, settings=settings, mode="diagnose")
    with pytest.raises(UsageError, match="no mode 'fast'"):
        locate(ISSUE, repo, settings=settings, mode="fast")
    with pytest.raises(UsageError, match="must be a name or a ChatModel, not int"):
        locate(ISSUE, repo, settings=settings, model=3)  # type: ignore[arg-type]
    report = locate(ISSUE, repo, settings=settings, mode="auto")
    assert "no_model" in {d.code for d in report.diagnostics}
    assert report.ranked_files == locate(ISSUE, repo, settings=settings).ranked_files


def test_auto_asks_only_when_it_is_unsure(repo: Path, settings: Settings) -> None:
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0))
    sure = {**settings, "plan": {"auto_confidence": 0.0}}
    assert locate(ISSUE, repo, settings=sure, model=model, mode="auto").run.model_calls == 0
    unsure = {**settings, "plan": {"auto_confidence": 1.0}, "change_set": {"short_cut_confidence": 1.0}}
    report = locate(ISSUE, repo, settings=unsure, model=model, mode="auto")
    assert report.run.model_calls > 0
    assert report.ranked_functions[0].qualified_name == "reduced"


def test_what_was_used_is_told_by_role(repo: Path, settings: Settings) -> None:
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0), name="m")
    settings["models"] |= {"prices": {"m": {"input": 1.0, "output": 2.0}}}
    run = locate(ISSUE, repo, settings=settings, model=model).run
    assert run.mode == "diagnose"
    assert run.model_calls == sum(use.calls for use in run.models) == len(model.calls)
    assert [use.role for use in run.models] == ["arbitrate", "diagnose", "filter", "rerank"]
    assert run.input_tokens == sum(use.input_tokens for use in run.models) > 0
    assert run.cost == pytest.approx((run.input_tokens + 2 * run.output_tokens) / 1e6, abs=1e-6)


def test_diagnoses_are_kept_between_runs(repo: Path, settings: Settings) -> None:
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    first, second = answering(answers), answering(answers)
    one = locate(ISSUE, repo, settings=settings, model=first)
    two = locate(ISSUE, repo, settings=settings, model=second)
    assert one.run.diagnoses_cached == 0 < two.run.diagnoses_cached
    assert not [call for call in second.calls if kind_of(call[0].content) == "diagnose"]
    assert one.model_dump(exclude={"run"}) == two.model_dump(exclude={"run"})


def test_a_limit_on_calls_leaves_what_is_known(repo: Path, settings: Settings) -> None:
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0))
    settings["diagnosis"] = {"batch": 1, "cache": False}
    report = locate(ISSUE, repo, settings={**settings, "limits": {"calls": 6}}, model=model)
    assert len(model.calls) == 6
    missing = [d for d in report.diagnostics if d.code == "undiagnosed"]
    assert missing and "budget" in missing[0].message
    assert report.ranked_files and report.brief.change_sets


def test_a_cheap_model_filters_first_when_one_is_named(repo: Path, settings: Settings, tmp_path: Path) -> None:
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    model = answering(answers)
    script = tmp_path / "filter.jsonl"
    script.write_text("\n".join(['{"text": "{\\"files\\": [], \\"folders\\": []}"}'] * 40))
    settings["models"]["filter"] = f"scripted:{script}"
    report = locate(ISSUE, repo, settings=settings, model=model)
    assert {use.role: use.model for use in report.run.models}["filter"] == f"scripted:{script}"
    assert report.ranked_functions[0].qualified_name == "reduced"


def test_the_estimate_asks_nobody_and_shows_each_prompt(repo: Path, settings: Settings) -> None:
    model = answering({}, name="m")
    settings["models"] |= {"prices": {"m": {"input": 1.0, "output": 1.0}}}
    with Locator(repo, settings=settings, model=model, mode="explore") as locator:
        found = locator.estimate(ISSUE)
    assert model.calls == []
    assert [role.role for role in found.roles] == ["explore", "filter", "rerank", "diagnose", "arbitrate"]
    assert found.cost == pytest.approx((found.input_tokens + found.output_tokens) / 1e6)
    assert {prompt.name for prompt in found.prompts} == {
        "explore", "narrow", "expand", "rerank", "diagnose", "arbitrate"
    }  # fmt: skip
    assert all("MATERIAL-" in prompt.user for prompt in found.prompts)


def test_the_same_run_gives_the_same_bytes(repo: Path, settings: Settings) -> None:
    settings["diagnosis"] = {"cache": False}
    answers = scoring(lambda place: 5 if place == FAULTY else 2 if "Basket" in place else 0)
    dumps = {
        json.dumps(
            locate(ISSUE, repo, settings=settings, model=answering(answers)).model_dump(mode="json", exclude={"run"})
        )
        for _ in range(2)
    }
    assert len(dumps) == 1


def test_a_new_file_becomes_a_change_set_without_lines(repo: Path, settings: Settings) -> None:
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    answers["narrow"] = lambda _: {"files": ["shop/discounts.py", "shop/prices.py", "../evil.py"]}
    answers["arbitrate"] = lambda _: {
        "primary_change_sets": [
            {"file_path": "shop/discounts.py", "function_name": None, "target_lines": "", "confidence": 0.9},
            {"file_path": "shop/other.py", "confidence": 0.9},
        ]
    }
    report = locate(ISSUE, repo, settings=settings, model=answering(answers))
    (change,) = report.change_sets
    assert (change.file_path, change.new_file, change.target_location.start_line) == ("shop/discounts.py", True, None)
    assert "shop/discounts.py" not in [file.path for file in report.ranked_files]
    assert {"path_refused", "change_set_refused"} <= {d.code for d in report.diagnostics}
    assert [c.purpose for c in report.brief.global_context if "new one" in c.purpose]


def test_verdicts_of_one_call_are_not_mixed_up(repo: Path, settings: Settings) -> None:
    def swapped(text: str) -> dict[str, Any]:
        pieces = PIECE.findall(text)
        quote = {"shop/prices.py::reduced": "return amount - amount * percent"}
        lines = [{"lines": "1", "quote": quote.get(FAULTY, ""), "why": ""}]
        if len(pieces) > 1:  # every verdict quotes the faulty function's line
            return {"diagnoses": [verdict(n, 5, key_evidence_lines=lines) for n, _ in pieces]}
        return {"diagnoses": [verdict(n, 5 if p == FAULTY else 0) for n, p in pieces]}

    answers = scoring(lambda place: 0)
    answers["diagnose"] = swapped
    settings["diagnosis"] = {"cache": False}
    report = locate(ISSUE, repo, settings=settings, model=answering(answers))
    scores = {d.qualified_name: d.relevance_score for d in report.diagnoses if d.diagnosed_by.startswith("model")}
    assert scores["reduced"] == 5
    assert scores["Basket.total_price"] == 0


def test_auto_explores_last_and_only_if_a_model_is_named_for_it(repo: Path, settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "explore.jsonl"
    finding = {"file_path": "shop/prices.py", "target_lines": "5", "confidence": 0.9, "root_cause": "percent"}
    script.write_text(json.dumps({"text": json.dumps({"findings": [finding]})}) + "\n")
    settings |= {"plan": {"auto_confidence": 1.0, "tasks": False}, "change_set": {"short_cut_confidence": 1.0}}
    model = answering(scoring(lambda place: 3))
    assert locate(ISSUE, repo, settings=settings, model=model, mode="auto").findings == ()
    settings["models"]["explore"] = f"scripted:{script}"
    report = locate(ISSUE, repo, settings=settings, model=model, mode="auto")
    assert [finding.root_cause for finding in report.findings] == ["percent"]
    assert report.brief.findings == ("shop/prices.py:5-5 (reduced): percent",)


@pytest.mark.parametrize("end", ["unreadable", "cut"])
@pytest.mark.parametrize("judged", [True, False])
def test_what_an_exploration_merely_read_stands_behind_verdicts(
    repo: Path, settings: Settings, end: str, judged: bool
) -> None:
    settings |= {"diagnosis": {"cache": False}, "plan": {"tasks": False}, "explore": {"turns": 2}}
    read = {"tool": "show_lines", "arguments": {"path": "shop/prices.py", "start_line": 4, "end_line": 5}}

    def score(place: str) -> int:
        return 5 if place == FAULTY else 3 if "total_price" in place else 0

    def answer(explored: Any) -> Any:
        turns = itertools.count()
        answers = scoring(score)
        answers["explore"] = lambda _: explored(next(turns))

        def diagnose(text: str) -> Any:
            return {"diagnoses": [
                verdict(name, score(place), key_evidence_lines=[{"lines": "2"}] * (place == FAULTY))
                for name, place in PIECE.findall(text) if judged or place != FAULTY
            ]}  # fmt: skip

        return answering({**answers, "diagnose": diagnose})

    def stopped(turn: int) -> Any:
        if turn == 0:
            return read
        return "Hm." if end == "unreadable" else UsageLimitError("Enough.")

    with_it = locate(ISSUE, repo, settings=settings, model=answer(stopped), mode="explore")
    without = locate(ISSUE, repo, settings=settings, model=answer(lambda _: {"findings": []}), mode="explore")
    codes = {diagnostic.code for diagnostic in with_it.diagnostics}
    assert {"unreadable": "exploration_unreadable", "cut": "exploration_cut"}[end] in codes
    place = next(d for d in with_it.diagnoses if d.qualified_name == "reduced")
    plain = next(d for d in without.diagnoses if d.qualified_name == "reduced")
    if judged:
        assert place == plain and [line.start_line for line in place.key_evidence_lines] == [5]
        assert with_it.findings == () and with_it.change_sets == without.change_sets
        assert with_it.ranked_functions == without.ranked_functions
    else:
        lines = len(plain.key_evidence_lines)
        assert place.key_evidence_lines[:lines] == plain.key_evidence_lines
        assert [line.why for line in place.key_evidence_lines[lines:]] == [
            "Read by an exploration that came to no answer."
        ]
        assert [finding.confidence for finding in with_it.findings] == [0.2]


def test_nothing_that_a_model_names_outside_of_the_scope_is_a_candidate(repo: Path, settings: Settings) -> None:
    (repo / "other").mkdir()
    (repo / "other/more.py").write_text("def lowered(a, b):\n    c = a - a * b\n    c = c + 0\n    return c\n")
    answers = scoring(lambda place: 5 if "lowered" in place or place == FAULTY else 0)
    answers["narrow"] = lambda _: {"files": ["other/more.py", "other/new.py", "shop/new.py"], "folders": []}
    answers["explore"] = lambda _: {
        "findings": [{"file_path": "other/more.py", "function_name": "lowered", "target_lines": "2", "confidence": 1}]
    }
    report = locate(ISSUE, repo, settings=settings, model=answering(answers), mode="explore", scope="shop")
    places = {*report.ranked_files, *report.ranked_functions, *report.ranked_spans, *report.diagnoses}
    assert {place.path.partition("/")[0] for place in places} == {"shop"}
    assert {change.file_path.partition("/")[0] for change in report.change_sets} == {"shop"}
    assert report.findings[0].file_path == "other/more.py"  # what was found is told all the same
    wide = locate(ISSUE, repo, settings=settings, model=answering(answers), mode="explore")
    assert "other/more.py" in {file.path for file in wide.ranked_files}


def test_a_cancelled_caller_ends_the_calls_and_the_run_can_go_on(
    repo: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    settings |= {"diagnosis": {"cache": False, "batch": 1}}
    answers, asked = scoring(lambda place: 5 if place == FAULTY else 0), []

    def answer(messages: Any) -> Any:
        kind = kind_of(messages[0].content)
        asked.append(kind)
        return Delayed(json.dumps(answers[kind](messages[-1].content)), 0.0 if kind != "diagnose" else seconds)

    async def cancelled() -> None:
        task = asyncio.create_task(alocate(ISSUE, repo, settings=settings, model=ScriptedModel(answer)))
        while "diagnose" not in asked:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    seconds = 60.0
    start = time.monotonic()
    asyncio.run(cancelled())  # which waits for its threads
    assert time.monotonic() - start < 30
    assert asked.count("diagnose") <= 4
    seconds, first = 0.0, list(asked)
    report = locate(ISSUE, repo, settings=settings, model=ScriptedModel(answer))
    assert report.ranked_functions[0].qualified_name == "reduced"
    assert set(first) == {"narrow", "expand", "rerank", "diagnose"}
    assert set(asked[len(first) :]) == {"diagnose", "arbitrate"}


def test_the_estimate_of_an_exploration_is_a_range(repo: Path, settings: Settings) -> None:
    settings |= {"diagnosis": {"cache": False}, "plan": {"tasks": False}}

    (repo / "shop/wide.py").write_text("".join(f"VALUE_{n} = '{'some words ' * 8}'\n" for n in range(900)))

    def run(turns: int, lines: int) -> tuple[int, int]:
        answers = scoring(lambda place: 5 if place == FAULTY else 0)

        def answer(messages: Any) -> str:
            kind = kind_of(messages[0].content)
            if kind != "explore":
                return json.dumps(answers[kind](messages[-1].content))
            turn = sum(message.role == "assistant" for message in messages)
            if turn + 1 < turns:
                first = 1 + turn * lines
                look = {"path": "shop/wide.py", "start_line": first, "end_line": first + lines - 1}
                return json.dumps({"tool": "show_lines", "arguments": look})
            return json.dumps({"findings": [{"file_path": "shop/prices.py", "target_lines": "5"}]})

        report = locate(ISSUE, repo, settings=settings, model=ScriptedModel(answer, name="m"), mode="explore")
        use = next(use for use in report.run.models if use.role == "explore")
        return use.calls, use.input_tokens

    with Locator(repo, settings=settings, model=answering({}, name="m"), mode="explore") as locator:
        found = locator.estimate(ISSUE)
    explore = next(role for role in found.roles if role.role == "explore")
    assert (explore.calls, explore.long.calls) == (3, 8)
    # Lines of 27 tokens: 20 of them a turn in a usual one, 55 in a long one.
    for turns, lines, shown in ((3, 20, explore.input_tokens), (8, 55, explore.long.input_tokens)):
        calls, tokens = run(turns, lines)
        assert calls == turns
        assert shown == pytest.approx(tokens, rel=0.2)
    others = sum(role.calls for role in found.roles if role.role != "explore")
    assert (found.calls, found.long.calls) == (others + 3, others + 8)
    assert found.input_tokens < found.long.input_tokens < found.most.input_tokens
    with Locator(repo, settings={**settings, "explore": {"turns": 2}}, model="m:m", mode="explore") as locator:
        short = locator.estimate(ISSUE)
    assert short.calls == short.long.calls == others + 2

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.conftest import openai_model, settings_of
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import Budget, ScriptedModel, guard
from sherloc.llm.prices import add_usage, cost_of
from sherloc.llm.request import Request
from sherloc.protocols import Message, Reply, Usage
from sherloc.settings import LimitSettings, Price
from sherloc.tokens import estimate_tokens

ASK = [Message("user", "abc")]  # 3 bytes: one token, estimated
PRICE = {"input": 2.0, "output": 8.0, "cached_input": 0.5}
Serve = Callable[..., ModelServer]


def test_cost_by_hand() -> None:
    price = Price(input=2, output=8, cached_input=0.5, cache_write=3)
    usage = Usage(input_tokens=100, output_tokens=10, cached_tokens=40, cache_write_tokens=20)
    # 40 fresh at 2, 40 cached at 0.5, 20 written at 3, 10 out at 8: 80 + 20 + 60 + 80 millionths
    assert cost_of(usage, price) == pytest.approx(240e-6)
    assert cost_of(usage, Price(input=2, output=8)) == pytest.approx(280e-6)
    assert cost_of(usage, None) is None
    assert cost_of(Usage(), Price(input=0, output=0)) == 0.0


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    assert add_usage(Usage(1, 2, 0.5), Usage(10, 20, 0.25)) == Usage(11, 22, 0.75)
    assert add_usage(Usage(1, 2, 0.5), Usage(10, 20, None)).cost is None


def test_one_estimator_counts_all_that_the_model_sees() -> None:
    tool = {"name": "look", "description": "Look.", "parameters": {"type": "object"}}
    request = Request.of([Message("user", "abc"), Message("user", "de")], [tool])
    assert request.estimated_tokens() == estimate_tokens("abc\nde\n" + json.dumps(tool))


def test_cost_of_a_call(serve: Serve) -> None:
    model = openai_model(serve(), prices={"openai:m": PRICE})
    # 10 in (4 cached), 5 out: 6 * 2 + 4 * 0.5 + 5 * 8 = 54 millionths
    assert model.complete(ASK).usage.cost == pytest.approx(54e-6)
    model.complete(ASK)
    assert model.budget.spent.usage.cost == pytest.approx(108e-6)


def test_an_unknown_price_is_none_all_the_way(serve: Serve) -> None:
    model = openai_model(serve())
    assert model.complete(ASK).usage.cost is None
    assert model.budget.spent.usage.cost is None


def test_a_cost_limit_needs_prices_from_the_start(serve: Serve) -> None:
    server = serve()
    with pytest.raises(errors.SettingsError, match="'openai:m' has no price"):
        openai_model(server, limits={"cost": 1.0})
    assert openai_model(server, limits={"cost": 1.0}, prices={"m": PRICE}).complete(ASK).text == "fine"


@pytest.mark.parametrize(
    ("limits", "calls", "says"),
    [
        ({"calls": 3}, 3, "3 model calls"),
        ({"calls": 0}, 0, "0 model calls"),
        ({"input_tokens": 25}, 3, "25 input tokens"),  # 20 used and 1 expected fit, 30 and 1 do not
        ({"output_tokens": 15}, 3, "15 output tokens"),  # each may use 5
        ({"output_tokens": 14}, 2, "14 output tokens is reached. The next call could bring it to 15"),
        ({"output_tokens": 4}, 0, "4 output tokens"),
        ({"cost": 97e-6}, 2, "9.7e-05 US dollars"),  # 54 used and 42 expected fit, 108 and 42 do not
        ({"cost": 95e-6}, 1, "9.5e-05 US dollars"),
    ],
)
def test_a_limit_stops_the_next_call(serve: Serve, limits: dict[str, float], calls: int, says: str) -> None:
    server = serve()
    model = openai_model(server, limits=limits, prices={"m": PRICE}, max_tokens=5)
    for _ in range(calls):
        model.complete(ASK)
    for _ in range(2):
        with pytest.raises(errors.UsageLimitError, match=says):
            model.complete(ASK)
    assert len(server.requests) == calls == model.budget.spent.calls


def test_failed_requests_count_as_calls(serve: Serve) -> None:
    server = serve(Step("oops", 500))
    model = openai_model(server, retries=9, first_wait_seconds=0, limits={"calls": 3})
    with pytest.raises(errors.UsageLimitError):
        model.complete(ASK)
    assert len(server.requests) == 3


def test_concurrent_callers_do_not_pass_a_limit_together(serve: Serve) -> None:
    server = serve(Step(delay=0.05))
    model = openai_model(server, concurrency=8, limits={"calls": 5})

    def ask(_: int) -> str:
        try:
            return model.complete(ASK).text
        except errors.UsageLimitError:
            return "refused"

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert (answers.count("fine"), answers.count("refused"), len(server.requests)) == (5, 15, 5)


@pytest.mark.parametrize(("limit", "fine"), [(15, 3), (14, 2), (20, 4)])
def test_concurrent_callers_wait_for_room_and_never_pass_a_limit(serve: Serve, limit: int, fine: int) -> None:
    server = serve(Step(delay=0.05))  # 5 tokens of output each
    model = openai_model(server, concurrency=8, limits={"output_tokens": limit}, max_tokens=10)

    def ask(_: int) -> str:
        try:
            return model.complete(ASK, max_tokens=5).text
        except errors.UsageLimitError:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert (answers.count("fine"), answers.count("refused")) == (fine, 8 - fine)
    assert model.budget.spent.usage.output_tokens == 5 * fine


def test_what_was_reserved_and_not_used_is_there_for_others(serve: Serve) -> None:
    server = serve(Step(delay=0.05))
    model = openai_model(server, concurrency=8, limits={"output_tokens": 40})
    with ThreadPoolExecutor(3) as pool:  # each may use 30 and uses 5: one after the other they fit
        answers = list(pool.map(lambda _: model.complete(ASK, max_tokens=30).text, range(3)))
    assert (answers, model.budget.spent.usage.output_tokens) == (["fine"] * 3, 15)


@given(
    st.integers(0, 30), st.integers(0, 12), st.integers(0, 100), st.integers(0, 60),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
)  # fmt: skip
def test_a_share_holds_and_the_rest_is_left(limit: int, used: int, tokens: int, before: int, part: float) -> None:
    budget = Budget(LimitSettings(calls=limit, output_tokens=tokens))
    for _ in range(used):
        with contextlib.suppress(errors.UsageLimitError):
            budget.settle(budget.reserve(0, None, before // 12), Usage(0, before // 12))
    start = budget.spent
    with budget.share(part, "a part"):
        assert budget.fits(0, Usage())
        for _ in range(40):
            fits = budget.fits(1, Usage(0, 7))
            try:
                budget.settle(budget.reserve(0, None, 7), Usage(0, 7))
            except errors.UsageLimitError as error:
                assert not fits and "for a part is reached" in error.message
            else:
                assert fits
    now = budget.spent
    assert now.calls - start.calls <= part * (limit - start.calls)
    assert now.usage.output_tokens - start.usage.output_tokens <= part * (tokens - start.usage.output_tokens)
    if now.calls < limit and now.usage.output_tokens + 1 <= tokens:
        budget.reserve(0, None, 1)  # outside of the share the limits themselves hold again


def test_the_time_limit_cuts_a_call_short(serve: Serve) -> None:
    server = serve(Step(), Step(delay=20))
    model = openai_model(server, limits={"seconds": 1.0})
    assert model.complete(ASK).text == "fine"
    with pytest.raises(errors.UsageLimitError, match="1 seconds"):
        model.complete(ASK)
    server.wait_for("aborted")
    assert model.budget.spent.usage.input_tokens == 10 + 1
    with pytest.raises(errors.UsageLimitError):
        model.complete(ASK)
    assert len(server.requests) == 2


def test_the_time_limit_is_not_slept_away(serve: Serve) -> None:
    """A wait before another attempt that would end after the limit ends the call at once, with what went wrong."""
    for headers in ({"retry-after": "30"}, {}):
        server = serve(Step("busy", 429, headers=headers))
        model = openai_model(server, limits={"seconds": 3.0}, retries=3, first_wait_seconds=20)
        started = time.monotonic()
        with pytest.raises(errors.ModelRateLimitError, match="busy"):
            model.complete(ASK)
        assert time.monotonic() - started < 3
        assert len(server.requests) == 1


def test_time_runs_from_the_first_call() -> None:
    now = [100.0]
    budget = Budget(LimitSettings(seconds=5), clock=lambda: now[0])
    assert budget.seconds_left() == 5
    now[0] = 1000.0
    budget.settle(budget.reserve(1, None), Usage())
    now[0] += 4
    assert (budget.seconds_left(), budget.spent.seconds) == (1, 4)
    now[0] += 2
    with pytest.raises(errors.UsageLimitError):
        budget.reserve(1, None)


def test_a_reservation_counts_until_it_is_settled() -> None:
    budget = Budget(LimitSettings(input_tokens=10))
    held = budget.reserve(8, None)
    with pytest.raises(errors.UsageLimitError):
        budget.reserve(3, None)
    budget.settle(held, Usage(input_tokens=5))
    budget.settle(budget.reserve(3, None), Usage(input_tokens=3))
    assert budget.spent.usage.input_tokens == 8


def test_a_reply_is_charged_before_anybody_reads_it() -> None:
    model = guard(ScriptedModel([Reply("{ not JSON", usage=Usage(7, 3))]), settings=settings_of())
    asyncio.run(model.acomplete(ASK))
    assert model.budget.spent.usage.input_tokens == 7  # type: ignore[attr-defined]


def test_one_budget_for_several_models() -> None:
    budget = Budget(LimitSettings(calls=3))
    models = [guard(ScriptedModel(["a"] * 9), settings=settings_of(), budget=budget) for _ in range(2)]
    for number in range(3):
        models[number % 2].complete(ASK)
    with pytest.raises(errors.UsageLimitError):
        models[1].complete(ASK)

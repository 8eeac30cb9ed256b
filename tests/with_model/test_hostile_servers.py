"""Whole runs against a real server that hangs, fails, closes or babbles: few calls, and the offline answer stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llm.server import ModelServer, Step, started_servers

from sherloc import locate
from with_model.conftest import ISSUE

STEPS = {
    "hangs": (Step(delay=20), 3),
    "500": (Step("oops", 500), 6),  # each call and one retry
    "429": (Step("slow down", 429, headers={"retry-after": "900"}), 3),
    "401": (Step("bad key", 401), 2),  # the two questions of the first look, side by side
    "closes": (Step(cut=10), 6),
    "no JSON": (Step(body=b"<html>", content_type="text/html"), 3),
    "babbles": (Step("As an AI, {I"), 6),
    "empty": (Step(""), 6),
    "refuses": (Step("", finish="content_filter"), 6),
    "cut off": (Step('{"files": [', finish="length"), 6),
    "null bytes": (Step('{"files": ["\\u0000"], "ranking": 7, "diagnoses": [[]]}'), 8),
    "deep": (Step("[" * 5_000), 6),
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["diagnose", "explore", "auto"])
@pytest.mark.parametrize("name", STEPS)
def test_a_hostile_server_costs_few_calls_and_changes_nothing(
    repo: Path, settings: dict[str, Any], serve: Callable[..., ModelServer], name: str, mode: str
) -> None:
    step, most = STEPS[name]
    server = serve(step)
    settings["models"] |= {"timeout_seconds": 1.0, "retries": 1}
    settings |= {"diagnosis": {"cache": False}, "plan": {"tasks": False, "auto_confidence": 1.0}}
    settings["change_set"] = {"short_cut_confidence": 1.0}
    offline = locate(ISSUE, repo, settings=settings, mode="offline")
    report = locate(ISSUE, repo, settings=settings, model=f"openai:m@{server.url}", mode=mode)
    assert report.ranked_files == offline.ranked_files
    assert report.change_sets == offline.change_sets
    if name != "refuses":  # there are fewer questions than refusals that it would take
        assert "model_stopped" in {d.code for d in report.diagnostics} and report.degraded == ("model",)
    # In explore, a model may give a few bad replies more with tools before it is asked for anything else.
    assert len(server.requests) <= most + (2 if mode == "explore" else 0)


@pytest.mark.slow
def test_limits_hold_against_a_server_that_babbles(
    repo: Path, settings: dict[str, Any], serve: Callable[..., ModelServer]
) -> None:
    for limits in ({"calls": 3}, {"output_tokens": 600}, {"input_tokens": 4_000}, {"seconds": 1.5}):
        server = serve(Step("Hm, {", delay=0.2))
        plan = {"tasks": False}
        report = locate(
            ISSUE, repo, settings={**settings, "limits": limits, "plan": plan}, model=f"openai:m@{server.url}"
        )
        assert report.run.model_calls == len(server.requests) <= limits.get("calls", 6)
        assert report.run.output_tokens <= limits.get("output_tokens", 10**9)


serve = pytest.fixture(started_servers, name="serve")

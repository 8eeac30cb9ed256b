"""Runs as tasks: killed at any call and started again they give the same report, and ask nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import locate
from sherloc.context_storage import TaskCatalog
from sherloc.llm import ScriptedModel
from sherloc.tokens import estimate_tokens
from with_model.answering import answering, kind_of, scoring
from with_model.conftest import FAULTY, FILES, ISSUE

ROOT = Path(__file__).parents[2]
Run = Callable[[str, str, int], "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(make_repository: Callable[..., Path], tmp_path: Path) -> Run:
    repo = make_repository(FILES, name="shop")

    def start(world: str, mode: str, dies_at: int) -> subprocess.CompletedProcess[bytes]:
        folder = tmp_path / world
        folder.mkdir(exist_ok=True)
        environment = {
            **os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}", "SHERLOC_CACHE": str(folder / "cache"),
            "SHERLOC_STATE": str(folder / "state"),
        }  # fmt: skip
        command = [sys.executable, "-m", "with_model.killed", str(repo), mode, str(folder / "log"), str(dies_at)]
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=False, timeout=120)

    return start


def asked(tmp_path: Path, world: str) -> list[Any]:
    """What was answered, without numbers, sorted."""
    lines = (tmp_path / world / "log").read_text().splitlines()
    return sorted(json.dumps(json.loads(line)[1:]) for line in lines)


def check(run: Run, tmp_path: Path, mode: str, dies_at: int) -> bool:
    """Whether a run that dies at a call, started again, is like one that was not interrupted; False: it never died."""
    whole = run("whole", mode, 0) if not (tmp_path / "whole").exists() else None
    if whole is not None:
        assert whole.returncode == 0, whole.stderr.decode()
        (tmp_path / "whole" / "report").write_bytes(whole.stdout)
    world = f"died-{dies_at}"
    first = run(world, mode, dies_at)
    if first.returncode == 0:
        return False
    assert first.returncode == -signal.SIGKILL, first.stderr.decode()
    again = run(world, mode, 0)
    assert again.returncode == 0, again.stderr.decode()
    assert again.stdout == (tmp_path / "whole" / "report").read_bytes()
    assert asked(tmp_path, world) == asked(tmp_path, "whole")
    return True


def test_a_killed_exploration_goes_on(run: Run, tmp_path: Path) -> None:
    assert check(run, tmp_path, "explore", 6)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["diagnose", "explore"])
def test_a_run_killed_at_any_call_goes_on(run: Run, tmp_path: Path, mode: str) -> None:
    died = [at for at in range(1, 40) if check(run, tmp_path, mode, at)]
    assert len(died) >= 5
    assert died == list(range(1, len(died) + 1))


def test_a_run_is_a_task_and_the_next_one_inherits(
    repo: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    answers = scoring(lambda place: 5 if place == FAULTY else 0)
    seen: list[str] = []

    def explore(text: str) -> Any:
        seen.append(text)
        return {"findings": [{"file_path": "shop/prices.py", "target_lines": "5", "root_cause": "percent"}]}

    answers["explore"] = explore
    first = locate(ISSUE, repo, settings=settings, model=answering(answers), mode="explore")
    assert first.findings[0].target_location.function_name == "reduced"
    with TaskCatalog(None, None) as catalog:
        (task,) = catalog.tasks()
        assert (task.row.uuid, task.row.status, task.row.task_type) == (first.run.task, "completed", "explore")
        assert "shop/prices.py:5" in (task.final_summary or "")
        assert [record["role"] for record in task.records("messages.jsonl")][:2] == ["system", "user"]
    assert "An earlier run" not in seen[0]
    locate(ISSUE, repo, settings=settings, model=answering(answers), mode="explore")
    assert "An earlier run on this issue came to this" in seen[1]
    assert "percent" in seen[1]


def test_no_task_is_made_offline_or_when_the_setting_says_so(
    repo: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    locate(ISSUE, repo, settings=settings)
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0))
    report = locate(ISSUE, repo, settings={**settings, "plan": {"tasks": False}}, model=model)
    assert report.run.task == ""
    assert not (tmp_path / "state").exists()


def test_a_state_folder_that_cannot_be_used_costs_the_task_only(
    repo: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("a file")
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    model = answering(scoring(lambda place: 5 if place == FAULTY else 0))
    report = locate(ISSUE, repo, settings=settings, model=model)
    assert "task_unavailable" in {d.code for d in report.diagnostics}
    assert report.ranked_functions[0].qualified_name == "reduced"


def test_a_long_exploration_is_condensed_by_the_summarise_role(
    repo: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    script = tmp_path / "summaries.jsonl"
    script.write_text('{"text": "The mail is not at fault; prices are left."}\n' * 9)
    settings["models"]["summarise"] = f"scripted:{script}"
    settings["explore"] = {"context_tokens": 4000, "turns": 16}
    shown: list[str] = []

    def explore(messages: Any) -> Any:
        shown.append("\n".join(message.content for message in messages))
        turn = len(shown)
        if turn < 14:
            return {"tool": "show_lines", "arguments": {"path": "shop/mail.py", "start_line": turn, "end_line": 50}}
        return {"findings": [{"file_path": "shop/prices.py", "target_lines": "5", "root_cause": "percent"}]}

    answers = scoring(lambda place: 5 if place == FAULTY else 0)

    def answer(messages: Any) -> str:
        kind = kind_of(messages[0].content)
        return json.dumps(explore(messages) if kind == "explore" else answers[kind](messages[-1].content))

    report = locate(ISSUE, repo, settings=settings, model=ScriptedModel(answer), mode="explore")
    assert report.findings[0].file_path == "shop/prices.py"
    assert "condensed to this summary" in shown[-1] and "The mail is not at fault" in shown[-1]
    assert all(estimate_tokens(text) < 4600 for text in shown)
    with TaskCatalog(None, None) as catalog:
        (task,) = catalog.tasks()
        assert len(list(task.records("summaries.jsonl"))) >= 1
        assert len(list(task.records("messages.jsonl"))) == 2 + 2 * 13
        assert len(list(task.records("tools.jsonl"))) == 13

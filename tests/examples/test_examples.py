"""The examples run, with models that answer from a script."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sherloc.llm import ScriptedModel
from sherloc.protocols import Reply, ToolCall

ROOT = Path(__file__).parents[2]
ISSUE = "Basket.total is wrong\n\n`Basket.total` gives twice the price."
FILES = {
    "shop/basket.py": "class Basket:\n    def total(self):\n        return 2 * self.price\n",
    ".sherloc.toml": '[retrieval]\nchannels = ["lexical", "structural", "graph"]\n',
}


@pytest.fixture
def repo(make_repository: Callable[..., Path]) -> Path:
    return make_repository(FILES)


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bare_loop(repo: Path) -> None:
    place = '{"path": "shop/basket.py", "line": 3, "function": null}'
    script = [
        Reply("", "tool_calls", (ToolCall("1", "locate", json.dumps({"issue": ISSUE, "top": 1, "scope": None})),)),
        Reply("", "tool_calls", (ToolCall("2", "get_context", place), ToolCall("3", "no_such_tool", "{}"))),
        Reply("shop/basket.py:3-3 It doubles the price."),
    ]  # fmt: skip
    model = ScriptedModel(script)
    assert example("agent_loop").find_place(ISSUE, str(repo), model) == "shop/basket.py:3-3 It doubles the price."
    last = model.calls[-1]
    assert [message.role for message in last] == ["system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert json.loads(last[3].content)["places"][0]["path"] == "shop/basket.py"
    assert "return 2 * self.price" in last[5].content
    assert "There is no tool" in last[6].content


def test_the_bare_loop_ends(repo: Path) -> None:
    model = ScriptedModel(lambda _: Reply("", "tool_calls", (ToolCall("1", "index_status", "{}"),)))
    assert "No answer" in example("agent_loop").find_place(ISSUE, str(repo), model)


def test_the_bare_loop_as_a_program(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text(ISSUE)
    (tmp_path / "script.jsonl").write_text('"shop/basket.py:3-3"\n')
    command = [sys.executable, ROOT / "examples/agent_loop.py", tmp_path / "issue.md", repo]
    done = subprocess.run(
        [*map(str, command), f"scripted:{tmp_path / 'script.jsonl'}"], cwd=ROOT, capture_output=True, text=True,
        check=True, env={**__import__("os").environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout == "shop/basket.py:3-3\n"


def test_the_brief_stands_in_mini_swe_agents_first_prompt(repo: Path) -> None:
    task = example("mini_swe_agent").task_with_brief(ISSUE, str(repo))
    assert task.startswith(ISSUE)
    assert "1. shop/basket.py:2-3 in Basket.total" in task or "1. shop/basket.py:" in task
    assert "estimated chance" in task


@pytest.mark.slow
def test_mini_swe_agent_works_with_it(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path / "mswea"))
    monkeypatch.setenv("MSWEA_SILENT_STARTUP", "1")
    pytest.importorskip("minisweagent")
    from minisweagent.models.test_models import DeterministicModel, make_output

    def turn(command: str) -> Any:
        return make_output(command, [{"command": command}], cost=0.0)

    model = DeterministicModel(
        outputs=[
            turn("sed -i 's/2 \\* //' shop/basket.py"),
            turn("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"),
        ]
    )
    patch = example("mini_swe_agent").run(ISSUE, str(repo), model)
    assert "+        return self.price" in patch

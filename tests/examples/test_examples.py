"""The examples run, with models that answer from a script."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sherloc.llm import ScriptedModel
from sherloc.protocols import PatchRequest, Reply, ToolCall
from sherloc.repair.generators import agent_task
from sherloc.repair.generators.command import command_input
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.issue import Issue

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
        check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
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


def given(**values: Any) -> dict[str, Any]:
    """What a generator's command reads, for the basket."""
    place = ChangeSet(
        file_path="shop/basket.py", target_location=TargetLocation(start_line=3, end_line=3),
        change_type=ChangeType.FIX_LOGIC, confidence=0.8,
    )  # fmt: skip
    request = PatchRequest(
        Issue.from_text(ISSUE), SurgeryBrief(issue_summary="s", change_sets=(place,)), {}, language="en"
    )
    return {**command_input(request), **values}


def test_the_task_for_an_agent() -> None:
    task = agent_task(given(candidate=1, language="ja", problems=["It does not apply."]))
    pieces = [
        "Basket.total is wrong",
        "Place 1: shop/basket.py lines 3-3",
        "Resolve the issue",
        "Others took",
        "Japanese",
    ]
    assert sorted(map(task.index, pieces)) == [task.index(piece) for piece in pieces]
    assert task.endswith("An earlier change was refused:\n- It does not apply.")


def test_aider_as_a_generator(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # aider pins what it needs and cannot be installed beside everything: a stand-in takes its options and edits a file.
    program = tmp_path / "bin" / "aider"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import argparse, pathlib\n"
        "parser = argparse.ArgumentParser()\n"
        "for name in ('message-file', 'file', 'model', 'chat-history-file', 'input-history-file'):\n"
        "    parser.add_argument('--' + name, required=True)\n"
        "for name in ('yes-always', 'no-auto-commits', 'no-gitignore', 'no-check-update', 'no-pretty', 'no-stream'):\n"
        "    parser.add_argument('--' + name, action='store_true', required=True)\n"
        "options = parser.parse_args()\n"
        "assert 'Basket.total is wrong' in pathlib.Path(options.message_file).read_text()\n"
        "assert options.model == 'some/model'\n"
        "path = pathlib.Path(options.file)\n"
        "path.write_text(path.read_text().replace('2 * ', ''))\n"
        "print('Applied edit to', path)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    command = [sys.executable, ROOT / "examples/generate_with_aider.py", "--model", "some/model"]
    done = subprocess.run(
        list(map(str, command)), cwd=repo, input=json.dumps(given()), capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "Applied edit to shop/basket.py\n")
    status = subprocess.run(["git", "status", "--short"], cwd=repo, capture_output=True, text=True, check=True)
    assert status.stdout == " M shop/basket.py\n"
    assert "return self.price" in (repo / "shop/basket.py").read_text()


@pytest.mark.slow
def test_mini_swe_agent_as_a_generator(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path / "mswea"))
    monkeypatch.setenv("MSWEA_SILENT_STARTUP", "1")
    pytest.importorskip("minisweagent")
    from minisweagent.models.test_models import DeterministicModel, make_output

    def turn(command: str) -> Any:
        return make_output(command, [{"command": command}], cost=0.0)

    model = DeterministicModel(
        outputs=[turn("sed -i 's/2 \\* //' shop/basket.py"), turn("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")]
    )
    example("generate_with_mini_swe_agent").generate(given(), str(repo), model)
    assert "return self.price" in (repo / "shop/basket.py").read_text()


@pytest.mark.parametrize("name", ["agent_loop", "mini_swe_agent"])
def test_without_arguments_an_example_says_how_it_is_called(name: str) -> None:
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"python examples/{name}.py issue.md" in done.stderr

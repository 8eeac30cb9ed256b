"""A repository with files that are called like Python's own modules: none of them is run, from whatever folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = (
    "json", "re", "io", "os", "enum", "typing", "random", "select", "signal", "subprocess", "argparse", "venv", "numpy",
    "click", "pydantic", "rich", "tree_sitter", "sitecustomize", "usercustomize", "encodings", "secrets", "mcp",
)  # fmt: skip


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture
def repo(make_repository: Callable[..., Path], marker: Path) -> Path:
    """More files than are parsed in the calling process, and traps beside them."""
    trap = f"open({str(marker)!r}, 'a').write(__name__ + chr(10))\n"
    return make_repository(
        {
            **{f"{name}.py": trap for name in NAMES},
            "sherloc/__init__.py": trap,
            **{f"shop/part{n}.py": f"def part_{n}(price):\n    return price * {n}\n" for n in range(70)},
        }
    )


def run(command: Sequence[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SHERLOC_VECTORS__EMBEDDER": "none",
             "SHERLOC_CACHE__WORKERS": "2", **more},
    )  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """What an installation puts into PATH: a script, so that its own folder is where Python looks first."""
    script = tmp_path / "bin" / "sherloc"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom sherloc.cli import main\nmain()\n")
    script.chmod(0o755)
    return script


def test_locate_runs_nothing_of_it(repo: Path, marker: Path, program: Path) -> None:
    done = run([sys.executable, str(program), "locate", "part_7 gives a wrong price", "--json"], repo)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["ranked_files"][0]["path"] == "shop/part7.py"
    assert report["run"]["files_parsed"] == 71  # the traps are one content; beyond 64 other processes parse
    assert not [each for each in report["diagnostics"] if each["code"] == "parser_crashed"]
    assert not marker.exists()


@pytest.mark.skipif(os.name == "nt", reason="the action is a shell's")
def test_the_actions_script_runs_nothing_of_it(repo: Path, marker: Path, program: Path, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps({"issue": {"number": 1, "title": "part_7 is wrong", "body": None}}))
    done = run(
        ["bash", str(ROOT / "action/locate.sh")], repo, RUNNER_TEMP=str(tmp_path), SHERLOC_PROGRAM=str(program),
        GITHUB_EVENT_PATH=str(tmp_path / "event.json"), GITHUB_OUTPUT=str(tmp_path / "output"),
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "part7.py" in (tmp_path / "summary").read_text()
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the action is a shell's")
def test_the_actions_installation_runs_nothing_of_it(repo: Path, marker: Path, tmp_path: Path) -> None:
    nothing = str(tmp_path / "nothing")
    done = run(["bash", str(ROOT / "action/install.sh")], repo, RUNNER_TEMP=str(tmp_path), GITHUB_ACTION_PATH=nothing)
    assert done.returncode != 0
    assert (tmp_path / "sherloc-venv/bin/pip").exists()
    assert not marker.exists()


def test_every_python_of_the_action_leaves_the_folder_out() -> None:
    scripts = [ROOT / "action.yml", *sorted((ROOT / "action").glob("*.sh"))]
    lines = [line for script in scripts for line in script.read_text().split("\n") if "python3 " in line]
    assert len(lines) == 4
    assert all("python3 -I " in line for line in lines)


@pytest.mark.parametrize("in_path", [True, False], ids=["in PATH", "not in PATH"])
def test_the_server_that_a_host_starts_runs_nothing_of_it(
    repo: Path, marker: Path, program: Path, tmp_path: Path, in_path: bool
) -> None:
    home, path = tmp_path / "home", str(program.parent) if in_path else str(tmp_path)
    home.mkdir()
    asked = run([sys.executable, str(program), "install", "cursor", "--repo", str(home)], tmp_path, PATH=path)
    assert asked.returncode == 0, asked.stderr
    entry = json.loads((home / ".cursor/mcp.json").read_text())["mcpServers"]["sherloc"]
    command = [entry["command"], *entry["args"]]
    assert (command == ["sherloc", "mcp"]) is in_path
    command[0] = str(program) if in_path else command[0]
    if Path(command[0]).name == "sherloc":
        command = [sys.executable, str(program), "mcp"]  # the environment's own script may be of another checkout
    done = run(command, repo)
    assert done.returncode == 0, done.stderr
    assert not marker.exists()

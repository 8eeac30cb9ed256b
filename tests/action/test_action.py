"""The action's steps as the scripts that they are: no step trusts what strangers wrote, one comment is kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sherloc.render.comment import MARK

ROOT = Path(__file__).parents[2]
ISSUE = {"number": 7, "title": "Basket.total is wrong", "body": "`Basket.total` gives twice the price."}
BASKET = "class Basket:\n    def total(self):\n        return 2 * self.price\n"


def event(folder: Path, **issue: object) -> Path:
    path = folder / "event.json"
    path.write_text(json.dumps({"action": "opened", "issue": {**ISSUE, **issue}}), encoding="utf-8")
    return path


def comment(github: Any, folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "comment.md").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(ROOT / "action/comment.py")], capture_output=True, text=True, check=False, timeout=60,
        env={
            "PATH": os.environ["PATH"], "GITHUB_API_URL": github.address, "GITHUB_REPOSITORY": "o/r",
            "GITHUB_EVENT_PATH": str(event(folder)), "GITHUB_TOKEN": github.token, "SHERLOC_WAIT": "0.01",
            "SHERLOC_COMMENT": str(folder / "comment.md"), **environment,
        },
    )  # fmt: skip


def bodies(github: Any) -> list[str]:
    return [each["body"] for each in github.comments.get(7, [])]


def test_a_comment_is_made_then_updated_then_left_alone(github: Any, tmp_path: Path) -> None:
    assert comment(github, tmp_path, f"{MARK}\none\n").stdout == "Commented.\n"
    assert comment(github, tmp_path, f"{MARK}\ntwo\n").stdout == "Updated the comment.\n"
    assert comment(github, tmp_path, f"{MARK}\ntwo\n").stdout == "The comment is up to date.\n"
    assert bodies(github) == [f"{MARK}\ntwo\n"]
    assert sum(each.startswith(("POST", "PATCH")) for each in github.asked) == 2


def test_a_strangers_comment_with_our_mark_is_not_touched(github: Any, tmp_path: Path) -> None:
    github.add(7, f"{MARK}\nforged", "mallory")
    comment(github, tmp_path, f"{MARK}\nours\n")
    assert bodies(github) == [f"{MARK}\nforged", f"{MARK}\nours\n"]


def test_a_comment_whose_author_is_gone_is_not_ours(github: Any, tmp_path: Path) -> None:
    github.add(7, f"{MARK}\nof nobody", "ghost")["user"] = None
    assert comment(github, tmp_path, f"{MARK}\nours\n").stdout == "Commented.\n"


def test_our_comment_is_found_behind_many_others(github: Any, tmp_path: Path) -> None:
    for number in range(250):
        github.add(7, f"me too {number}", "somebody")
    github.comments[7].insert(220, {"id": 999, "body": f"{MARK}\nold", "user": {"login": "github-actions[bot]"}})
    comment(github, tmp_path, f"{MARK}\nnew\n")
    assert [body for body in bodies(github) if body.startswith(MARK)] == [f"{MARK}\nnew\n"]


@pytest.mark.parametrize("applied", [False, True])
def test_a_server_error_leads_to_one_comment_whether_it_was_made_or_not(
    github: Any, tmp_path: Path, applied: bool
) -> None:
    done = faulty(github, tmp_path, applied)
    assert done.returncode == 0, done.stderr
    assert bodies(github) == [f"{MARK}\none\n"]


def faulty(github: Any, folder: Path, applied: bool) -> subprocess.CompletedProcess[str]:
    """The list is answered, the first attempt to comment fails."""
    real = github.answer

    def answer(method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if method == "POST" and github.answer is not real:
            github.answer = real
            if applied:
                real(method, path, body)
            return 502, {"message": "Bad gateway"}
        return real(method, path, body)  # type: ignore[no-any-return]

    github.answer = answer
    return comment(github, folder, f"{MARK}\none\n")


@pytest.mark.parametrize("fault", [(429, {"retry-after": "0"}), (403, {"retry-after": "0"}), (500, {}), (503, {})])
def test_a_busy_server_is_asked_again(github: Any, tmp_path: Path, fault: tuple[int, dict[str, str]]) -> None:
    github.faults = [(*fault, False)]
    assert comment(github, tmp_path, f"{MARK}\none\n").returncode == 0
    assert len(bodies(github)) == 1


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"GITHUB_TOKEN": "wrong"}, "401"),
        ({"GITHUB_REPOSITORY": "o/elsewhere"}, "404"),
        ({"GITHUB_REPOSITORY": "o/r/../../x"}, "not what it should be"),
        ({"GITHUB_EVENT_PATH": "/nothing"}, "no issue or no text"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "again and again"),
    ],
)
def test_what_goes_wrong_is_told_without_the_token(
    github: Any, tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    done = comment(github, tmp_path, f"{MARK}\none\n", **environment)
    assert done.returncode == 1
    assert done.stderr.startswith("::error::")
    assert words in done.stderr
    assert "secret-token" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_text_of_somebody_else_is_not_posted(github: Any, tmp_path: Path) -> None:
    assert comment(github, tmp_path, "hello").returncode == 1
    assert github.asked == []


HOSTILE = "$(touch PWNED) `touch PWNED` \"; touch PWNED; ' && touch PWNED\n::set-output name=x::y\n%0A::error::x"


def located(repo: Path, temp: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    temp.mkdir(exist_ok=True)
    program = temp / "program"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sherloc "$@"\n')
    program.chmod(0o755)
    return subprocess.run(
        ["bash", str(ROOT / "action/locate.sh")], cwd=repo, capture_output=True, text=True, check=False, timeout=120,
        env={
            **os.environ, "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(temp), "SHERLOC_PROGRAM": str(program),
            "GITHUB_OUTPUT": str(temp / "output"), "GITHUB_STEP_SUMMARY": str(temp / "summary"),
            "SHERLOC_VECTORS__EMBEDDER": "none", **environment,
        },
    )  # fmt: skip


def test_an_issue_is_located_whatever_stands_in_it(make_repository: Callable[..., Path], tmp_path: Path) -> None:
    repo = make_repository({"shop/basket.py": BASKET})
    path = event(tmp_path, title=HOSTILE, body=f"{HOSTILE}\n`Basket.total` gives twice the price.")
    done = located(repo, tmp_path / "temp", GITHUB_EVENT_PATH=str(path))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "temp/sherloc"
    assert json.loads((folder / "report.json").read_text())["ranked_files"][0]["path"] == "shop/basket.py"
    assert (folder / "comment.md").read_text().startswith(MARK)
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert json.loads((folder / "report.sarif").read_text())["version"] == "2.1.0"
    output = (tmp_path / "temp/output").read_text().splitlines()
    assert output[0] == f"folder={folder}"
    assert re.fullmatch("confidence=(high|medium|low)", output[1])
    assert len(output) == 2
    assert not list(tmp_path.rglob("PWNED"))


def test_nothing_that_is_said_is_a_command_for_the_runner(make_repository: Callable[..., Path], tmp_path: Path) -> None:
    name = "##[add-mask]high"
    repo = make_repository({"shop/basket.py": BASKET, ".sherloc.toml": f'["{name}"]\nx = 1\n'})
    done = located(repo, tmp_path / "temp", GITHUB_EVENT_PATH=str(event(tmp_path)))
    assert done.returncode == 2
    assert name in done.stderr
    first, *_, last = done.stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert last == f"::{token}::"


def test_a_failing_runs_log_stands_in_for_an_issue(make_repository: Callable[..., Path], tmp_path: Path) -> None:
    repo = make_repository({"shop/basket.py": BASKET})
    log = tmp_path / "a run.log"
    log.write_text(
        'Traceback (most recent call last):\n  File "shop/basket.py", line 3, in total\nAttributeError: price\n'
    )
    done = located(repo, tmp_path / "temp", SHERLOC_LOG=str(log))
    assert done.returncode == 0, done.stderr
    assert "`shop/basket.py:" in (tmp_path / "temp/summary").read_text()


def workflows() -> list[Any]:
    text = (ROOT / "docs/github.md").read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.S)]


def test_no_command_line_holds_what_strangers_wrote() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = [*action["runs"]["steps"], *(s for w in workflows() for job in w["jobs"].values() for s in job["steps"])]
    assert len(steps) > 5
    for step in steps:
        assert "${{" not in step.get("run", "")
        assert "github.event.issue.title" not in json.dumps(step)
        assert "github.event.issue.body" not in json.dumps(step)
    for step in action["runs"]["steps"]:
        script = re.search(r"\$GITHUB_ACTION_PATH/(\S+?)\"", step["run"])
        assert script and (ROOT / script[1]).is_file()


def test_the_workflows_have_the_least_rights() -> None:
    assert len(workflows()) == 2
    for workflow in workflows():
        assert set(workflow["permissions"]) <= {"contents", "issues", "security-events"}
        assert workflow["permissions"]["contents"] == "read"
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                assert step.get("with", {}).get("persist-credentials", False) is False

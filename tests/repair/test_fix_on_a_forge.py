"""``fix`` from an issue on a forge to one draft pull request, whatever fails and however often it is run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forge.fake_server import TOKEN
from forge.fakehub import FakeHub

from repair.shop import ISSUE, SHOP, proposal, run_git, state_of
from sherloc.errors import ForgeError, ForgeRefusedError
from sherloc.forge import open_forge
from sherloc.repair import ScriptedGenerator, fix
from sherloc.repository.git import Git
from sherloc.schema.fix import FixReport

NOT_FIXABLE = json.dumps(
    {"is_fixable": False, "reasoning": "No price is given.", "missing_information": ["The prices"]}
)


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[Callable[[], FakeHub]]:
    made: list[FakeHub] = []

    def make() -> FakeHub:
        hub = FakeHub(tmp_path / f"forge{len(made)}", files={"shop.py": SHOP})
        hub.add_issue(ISSUE.title, ISSUE.body)
        made.append(hub)
        return hub

    yield make
    for hub in made:
        hub.close()


@pytest.fixture
def hub(make_hub: Callable[[], FakeHub]) -> FakeHub:
    return make_hub()


def clone(hub: FakeHub, tmp_path: Path) -> Path:
    root = tmp_path / f"clone{len(list(tmp_path.glob('clone*')))}"
    run_git(tmp_path, "clone", "-q", str(hub.git_dir), str(root))
    return root


def run(
    hub: FakeHub, repo: Path, generator: Any = None, *, retries: int = 4, way: str = "push", **more: Any
) -> FixReport:
    settings = hub.settings(retries=retries, publish=way)
    forge = open_forge("octo/shop", settings, hub.environ, sleep=lambda _: None)
    try:
        return fix(
            "octo/shop#1", repo, generator=generator or ScriptedGenerator(lambda _: proposal()), forge=forge,
            push=True, settings={"forge": settings.model_dump(), "vectors": {"embedder": "none"}}, **more,
        )  # fmt: skip
    finally:
        forge.close()


def check_one(hub: FakeHub, tree: str) -> None:
    """One branch beside main, with the right tree, and one open draft from it."""
    (branch,) = [name for name in hub.branches() if name != "main"]
    assert hub.git("rev-parse", f"{branch}^{{tree}}") == tree
    (pull,) = hub.pulls
    assert (pull["head"]["ref"], pull["state"], pull["draft"]) == (branch, "open", True)
    hub.git("fsck", "--strict")


@pytest.mark.parametrize("way", ["push", "api"])
def test_from_an_issue_to_a_draft(hub: FakeHub, tmp_path: Path, way: str) -> None:
    repo = clone(hub, tmp_path)
    before = state_of(repo)
    report = run(hub, repo, way=way)
    assert report.outcome == "opened"
    assert report.pull_request is not None
    assert (report.pull_request.number, report.pull_request.existed, report.ticket) == (2, False, "octo/shop#1")
    check_one(hub, report.commits[-1].tree)
    assert state_of(repo) == before
    assert hub.pulls[0]["body"].rstrip() == report.pull_request_body.rstrip()
    assert "octo/shop#1" in report.pull_request_body


def test_a_second_run_finds_the_pull_request_and_asks_nobody(hub: FakeHub, tmp_path: Path) -> None:
    repo = clone(hub, tmp_path)
    first = run(hub, repo)
    silent = ScriptedGenerator([])
    second = run(hub, repo, silent)
    assert (second.outcome, silent.requests) == ("opened", [])
    assert second.pull_request is not None and first.pull_request is not None
    assert (second.pull_request.number, second.pull_request.existed) == (first.pull_request.number, True)


def test_another_machine_with_another_proposal_opens_no_second_one(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(hub, clone(hub, tmp_path))
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "elsewhere"))
    report = run(hub, clone(hub, tmp_path), ScriptedGenerator([]))
    assert report.pull_request is not None and report.pull_request.existed
    assert len(hub.pulls) == 1


def test_tickets_of_one_file_name_are_told_apart(hub: FakeHub, tmp_path: Path) -> None:
    repo = clone(hub, tmp_path)
    numbers = []
    for text in ("Crash on save", "Crash", "Crash"):
        file = tmp_path / "issue.md"
        file.write_text(f"# {text}\n\ntotal() of shop.py is wrong\n")
        settings = hub.settings(project="octo/shop")
        forge = open_forge("octo/shop", settings, hub.environ, sleep=lambda _: None)
        report = fix(
            file, repo, generator=ScriptedGenerator(lambda _: proposal()), forge=forge, push=True,
            settings={"forge": settings.model_dump(), "vectors": {"embedder": "none"}},
        )  # fmt: skip
        forge.close()
        assert report.pull_request is not None
        numbers.append(report.pull_request.number)
    assert numbers == [2, 3, 3]
    assert hub.texts(1) == []


def test_a_branch_that_was_left_without_a_pull_request_is_taken_up(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.fail("POST /repos/octo/shop/pulls", status=500, times=99)
    with pytest.raises(ForgeError):
        run(hub, clone(hub, tmp_path), retries=0)
    hub.faults.clear()
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "another machine"))
    report = run(hub, clone(hub, tmp_path))
    check_one(hub, report.commits[-1].tree)


def test_what_is_missing_is_said_once(hub: FakeHub, tmp_path: Path) -> None:
    repo = clone(hub, tmp_path)
    report = run(hub, repo, ScriptedGenerator([NOT_FIXABLE]))
    assert (report.outcome, hub.pulls) == ("not_fixable", [])
    assert "The prices" in hub.texts(1)[0]
    run(hub, repo, ScriptedGenerator([NOT_FIXABLE]))
    assert len(hub.texts(1)) == 1
    assert set(hub.branches()) == {"main"}


def test_work_that_nobody_published_is_not_published_along(hub: FakeHub, tmp_path: Path) -> None:
    repo = clone(hub, tmp_path)
    (repo / "secret.py").write_text("x = 1\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "not yet")
    with pytest.raises(ForgeRefusedError, match="other work"):
        run(hub, repo)
    assert set(hub.branches()) == {"main"}


def test_the_token_is_nowhere(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    seen = tmp_path / "seen"
    out = tmp_path / "out"
    report = run(
        hub, clone(hub, tmp_path), f"command:sh -c 'env > {seen}; sed -i s/discount$/discount/100/ shop.py'", out=out
    )  # fmt: skip
    state = Path(os.environ["SHERLOC_STATE"])
    written = [path for folder in (out, state) for path in folder.rglob("*") if path.is_file()]
    assert seen.read_text()
    for path in (*written, seen):
        assert TOKEN.encode() not in path.read_bytes(), path
    assert TOKEN not in report.model_dump_json()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["push", "api"])
@pytest.mark.parametrize("after", [False, True])
def test_failing_at_any_request_and_running_again(
    make_hub: Callable[[], FakeHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, after: bool
) -> None:
    hub = make_hub()
    tree = run(hub, clone(hub, tmp_path), way=way).commits[-1].tree
    count = len(hub.requests)
    assert count > 6
    for number in range(count):
        hub = make_hub()
        repo = clone(hub, tmp_path)
        monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / f"state{number}"))
        hub.fail(after=after, skip=number)
        asked = ScriptedGenerator(lambda _: proposal())
        try:
            run(hub, repo, asked, retries=0, way=way)
        except ForgeError:
            run(hub, repo, asked, way=way)
        check_one(hub, tree)
        assert len(asked.requests) <= 1


@pytest.mark.slow
def test_failing_at_any_git_step_and_running_again(
    make_hub: Callable[[], FakeHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = Git.popen
    steps = [0, -1]

    def counted(self: Git, *arguments: Any, **more: Any) -> Any:
        steps[0] += 1
        if steps[0] == steps[1]:
            raise KeyboardInterrupt
        return popen(self, *arguments, **more)

    monkeypatch.setattr(Git, "popen", counted)
    hub = make_hub()
    tree = run(hub, clone(hub, tmp_path), apply=True).commits[-1].tree
    for number in range(1, steps[0] + 1):
        hub = make_hub()
        repo = clone(hub, tmp_path)
        before = state_of(repo)
        monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / f"state{number}"))
        steps[:] = [0, number]
        try:
            run(hub, repo, apply=True)
        except KeyboardInterrupt:
            steps[1] = -1
            report = run(hub, repo, apply=True)
            assert report.outcome == "opened"
        check_one(hub, tree)
        (branch,) = [name for name in hub.branches() if name != "main"]
        assert run_git(repo, "rev-parse", f"{branch}^{{tree}}") == tree
        assert {path: value for path, value in state_of(repo).items() if path in before} == before


CHILD = """
import json, os, signal, sys
from sherloc.forge import open_forge
from sherloc.forge.wire import Wire
from sherloc.repair import ScriptedGenerator, fix
from sherloc.repository.git import Git
from sherloc.settings_repair import ForgeSettings

repo, api, token, last, text = sys.argv[1:]
count = 0

def counted(function):
    def call(*arguments, **more):
        global count
        count += 1
        if count == int(last):
            os.kill(os.getpid(), signal.SIGKILL)
        value = function(*arguments, **more)
        if count == -int(last):
            os.kill(os.getpid(), signal.SIGKILL)
        return value
    return call

Git.popen = counted(Git.popen)
Wire._request = counted(Wire._request)
settings = ForgeSettings(kind="github", base_url=api)
forge = open_forge("octo/shop", settings, {"GITHUB_TOKEN": token}, sleep=lambda _: None)
fix("octo/shop#1", repo, generator=ScriptedGenerator(lambda _: text), forge=forge, push=True, apply=True,
    settings={"forge": settings.model_dump(), "vectors": {"embedder": "none"}})
print(count)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system cannot kill like this")
@pytest.mark.parametrize("sign", [1, -1], ids=["before", "after"])
def test_killed_at_any_step_and_run_again(make_hub: Callable[[], FakeHub], tmp_path: Path, sign: int) -> None:
    def child(hub: FakeHub, repo: Path, last: int, state: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", CHILD, str(repo), hub.api, TOKEN, str(last), proposal()],
            env={**os.environ, "SHERLOC_STATE": str(state)}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    hub = make_hub()
    done = child(hub, clone(hub, tmp_path), 0, tmp_path / "first")
    assert done.returncode == 0, done.stderr
    (branch,) = [name for name in hub.branches() if name != "main"]
    tree = hub.git("rev-parse", f"{branch}^{{tree}}")
    for number in range(1, int(done.stdout) + 1):
        hub = make_hub()
        repo, state = clone(hub, tmp_path), tmp_path / f"state{number}"
        assert child(hub, repo, sign * number, state).returncode == -signal.SIGKILL
        again = child(hub, repo, 0, state)
        assert again.returncode == 0, again.stderr
        check_one(hub, tree)

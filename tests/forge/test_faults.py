"""Something fails at every request and step of git: afterwards there is one branch, one pull request, one tree."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from forge.conftest import Time, Work
from forge.fakehub import FakeHub
from forge.fakelab import FakeLab
from forge.test_publishing import run
from sherloc.errors import SherlocError
from sherloc.forge import comment_once, open_forge

Make = Callable[..., Work]
ROOT = Path(__file__).parents[2]
GROUPS = ({"shop/basket.py": b"def total():\n    return 1\n", "latin.txt": b"caf\xe9"}, {"new.py": b"1\n"})


def check(hub: FakeHub, work: Work, branch: str) -> None:
    """All is there, once."""
    assert hub.git("rev-parse", f"{branch}^{{tree}}") == work.commits[-1].tree
    assert hub.head(branch) == work.head
    (pull,) = [each for each in hub.pulls if each["head"]["ref"] == branch]
    assert pull["draft"]
    assert [each["name"] for each in pull["labels"]] == ["bug"]


def requests_of_one_run(hub: FakeHub, work: Work, way: str) -> int:
    hub.requests.clear()
    run(hub, work, branch="sherloc/first", publish=way, labels=("bug",))
    return len(hub.requests)


@pytest.mark.parametrize("way", ["push", pytest.param("api", marks=pytest.mark.slow)])
def test_every_request_fails_once_and_it_is_run_again(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub, *GROUPS)
    count = requests_of_one_run(hub, work, way)
    assert count >= (8 if way == "push" else 13)
    for at in range(count):
        for after in (False, True):
            branch = f"sherloc/{at}-{after}"
            hub.fail(skip=at, after=after, status=(502 if after and at % 2 else None))
            try:
                run(hub, work, branch=branch, publish=way, labels=("bug",), retries=0)
            except SherlocError:
                run(hub, work, branch=branch, publish=way, labels=("bug",), retries=0)
            check(hub, work, branch)
            hub.faults.clear()


@pytest.mark.parametrize("way", ["push", pytest.param("api", marks=pytest.mark.slow)])
def test_every_request_fails_once_and_is_tried_again(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub, *GROUPS)
    for at in range(requests_of_one_run(hub, work, way)):
        hub.fail(skip=at, after=bool(at % 2))
        hub.fail(skip=at, after=True, status=503)
        time = Time()
        run(hub, work, time, branch=f"sherloc/{at}", publish=way, labels=("bug",))
        check(hub, work, f"sherloc/{at}")
        hub.faults.clear()


@pytest.mark.parametrize("way", ["push", "api"])
def test_a_request_that_is_carried_out_twice(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub, *GROUPS)
    for at, where in enumerate(("POST .*/git/trees", "POST .*/git/refs", "POST .*/pulls", "POST .*/labels", "GIT")):
        hub.fail(where, twice=True)
        run(hub, work, branch=f"sherloc/{at}", publish=way, labels=("bug",))
        check(hub, work, f"sherloc/{at}")
        hub.faults.clear()


def test_every_git_step_fails_once(
    hub: FakeHub, make_work: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make_work(hub, *GROUPS)
    folder = tmp_path / "bin"
    folder.mkdir()
    wrapper = folder / "git"
    counter = tmp_path / "count"
    wrapper.write_text(
        f"#!/bin/sh\nn=$(cat {counter} 2>/dev/null || echo 0)\necho $((n + 1)) > {counter}\n"
        f'if [ "$n" = "$FAIL_BEFORE" ]; then kill -9 $$; fi\n{shutil.which("git")} "$@"\ncode=$?\n'
        'if [ "$n" = "$FAIL_AFTER" ]; then kill -9 $$; fi\nexit $code\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    run(hub, work, branch="sherloc/first", labels=("bug",))
    steps = int(counter.read_text())
    assert steps == 6  # the kind of ids, a repository, three questions what it borrows, the push
    for at in range(steps):
        for name in ("FAIL_BEFORE", "FAIL_AFTER"):
            counter.unlink()
            monkeypatch.setenv(name, str(at))
            branch = f"sherloc/{at}{name[-1]}"
            try:
                run(hub, work, branch=branch, labels=("bug",), retries=0)
            except SherlocError:
                monkeypatch.delenv(name)
                run(hub, work, branch=branch, labels=("bug",), retries=0)
            check(hub, work, branch)
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("way", ["push", "api"])
def test_two_workers_at_once(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub, *GROUPS)
    barrier = threading.Barrier(2)
    failed: list[BaseException] = []

    def worker() -> None:
        barrier.wait()
        try:
            run(hub, work, branch="sherloc/both", publish=way, labels=("bug",))
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    check(hub, work, "sherloc/both")


def test_a_comment_is_made_once(hub: FakeHub) -> None:
    for after in (False, True):
        number = hub.add_issue("A title", comments=["me too"])
        hub.fail("POST .*/comments", after=after)
        time = Time()
        forge = open_forge("octo/shop", hub.settings(), hub.environ, clock=time.clock, sleep=time.sleep)
        address = comment_once(forge, number, "What is missing: a version.", "not-fixable")
        assert address
        assert f"/issues/{number}#issuecomment-" in address
        assert comment_once(forge, number, "Other words.", "not-fixable") is None
        assert hub.texts(number) == ["me too", "<!-- sherloc: not-fixable -->\nWhat is missing: a version."]
        forge.close()


@pytest.mark.slow
def test_every_request_to_gitlab_fails_once(tmp_path: Path, make_work: Make) -> None:
    lab = FakeLab(tmp_path / "forge", files={"a.py": "1\n", "run.sh": "x\n"})
    try:
        work = make_work(lab, {"a.py": b"2\n", "run.sh": b"y\n"}, {"b/c.py": b"caf\xe9", "a.py": None},
                         executable=("run.sh",))  # fmt: skip
        time = Time()
        forge = open_forge(lab.project, lab.settings(retries=0), lab.environ, clock=time.clock, sleep=time.sleep)

        def publish_all(branch: str) -> None:
            forge.replay(work.commits, work.base, branch)
            forge.open_pull_request(branch=branch, base="main", title="t", body="b")

        publish_all("first")
        count = len(lab.requests)
        for at in range(count):
            for after in (False, True):
                branch = f"sherloc/{at}-{after}"
                lab.fail(skip=at, after=after)
                try:
                    publish_all(branch)
                except SherlocError:
                    publish_all(branch)
                assert lab.git("rev-parse", f"{branch}^{{tree}}") == work.commits[-1].tree
                assert lab.git("rev-list", "--count", f"main..{branch}") == "2"
                assert len([each for each in lab.merges if each["source_branch"] == branch]) == 1
                lab.faults.clear()
        forge.close()
    finally:
        lab.close()


SCRIPT = """
import json, os, sys
from sherloc.forge import open_forge, publish
from sherloc.protocols import FileState, PlannedCommit
from sherloc.settings_repair import ForgeSettings
given = json.loads(sys.argv[1])
commits = [PlannedCommit(*each[:3], tuple(FileState(p, bytes.fromhex(d), m) for p, d, m in each[3]), *each[4:])
           for each in given["commits"]]
settings = ForgeSettings(**given["settings"])
forge = open_forge("octo/shop", settings)
publish(forge, git_dir=given["root"], commits=commits, base_branch="main", base_sha=given["base"],
        branch=given["branch"], title="t", body="b", settings=settings)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["push", "api"])
def test_killed_at_every_request(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub, *GROUPS)
    count = requests_of_one_run(hub, work, way)
    settings = {"kind": "github", "base_url": hub.api, "publish": way, "labels": ["bug"]}
    commits = [[each.sha, each.tree, each.message, [[f.path, (f.data or b"").hex(), f.mode] for f in each.files],
                each.author, each.email, each.date] for each in work.commits]  # fmt: skip
    for at in range(count):
        for after in (False, True):
            branch = f"sherloc/{at}-{after}"
            given = json.dumps({"commits": commits, "settings": settings, "root": str(work.root), "base": work.base,
                                "branch": branch})  # fmt: skip
            process = subprocess.Popen(
                [sys.executable, "-c", SCRIPT, given], cwd=ROOT,
                env={**os.environ, **hub.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            hub.fail(skip=at, after=after, call=lambda: os.kill(process.pid, signal.SIGKILL))  # noqa: B023
            assert process.wait(60) == -signal.SIGKILL
            hub.faults.clear()
            run(hub, work, branch=branch, publish=way, labels=("bug",))
            check(hub, work, branch)

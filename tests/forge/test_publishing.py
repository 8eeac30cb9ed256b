"""Publishing: one branch, one pull request, the right tree, whatever fails and however often it is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from forge.conftest import Time, Work
from forge.fakehub import FakeHub
from sherloc.errors import ForgeNotFoundError, ForgeRefusedError
from sherloc.forge import Published, open_forge, publish

Make = Callable[..., Work]
BRANCH = "sherloc/1-0123abcd"


def run(hub: FakeHub, work: Work, time: Time | None = None, **changes: Any) -> Published:
    given = {name: changes.pop(name) for name in ("title", "body", "branch", "commits") if name in changes}
    settings = hub.settings(**changes)
    time = time or Time()
    forge = open_forge("octo/shop", settings, hub.environ, clock=time.clock, sleep=time.sleep)
    try:
        return publish(
            forge, git_dir=str(work.root),
            **{"commits": work.commits, "branch": BRANCH, "title": "Fix total", "body": "Because.\n", **given},
            base_branch="main", base_sha=work.base, settings=settings,
        )  # fmt: skip
    finally:
        forge.close()


@pytest.mark.parametrize("way", ["push", "api"])
def test_from_commits_to_a_draft(hub: FakeHub, make_work: Make, way: str) -> None:
    groups = ({"shop/basket.py": b"def total():\n    return 1\n", "shop/old.py": None, "run.sh": b"#!/bin/bash\n"},
              {"new/latin.txt": b"caf\xe9", "new/crlf.txt": b"\xef\xbb\xbfa\r\nb", "n.bin": b"a\0b"})  # fmt: skip
    work = make_work(hub, *groups, executable=("run.sh",))
    made = run(hub, work, publish=way, labels=("bug", "sherloc"))
    assert made.head == work.head == hub.head(BRANCH)
    assert hub.git("rev-parse", f"{BRANCH}^{{tree}}") == work.commits[-1].tree
    assert hub.git("log", "--format=%s", f"main..{BRANCH}").splitlines() == ["Change number 2", "Change number 1"]
    assert hub.git("ls-tree", BRANCH, "run.sh").startswith("100755")
    hub.git("fsck", "--strict")
    (pull,) = hub.pulls
    assert made.pull_request.model_dump() == {
        "number": 1, "address": pull["html_url"], "branch": BRANCH, "base": "main", "draft": True, "existed": False,
    }  # fmt: skip
    assert (pull["title"], pull["body"], pull["draft"]) == ("Fix total", "Because.\n", True)
    assert [each["name"] for each in pull["labels"]] == ["bug", "sherloc"]
    assert made.diagnostics == ()


@pytest.mark.parametrize("way", ["push", "api"])
def test_again_is_the_same(hub: FakeHub, make_work: Make, way: str) -> None:
    work = make_work(hub)
    first = run(hub, work, publish=way)
    second = run(hub, work, publish=way)
    assert second.pull_request.existed
    assert second.pull_request.number == first.pull_request.number
    assert len(hub.pulls) == 1
    assert not hub.asked("PATCH")
    third = run(hub, work, publish=way, body="Another reason.\n")
    assert hub.pulls[0]["body"] == "Another reason.\n"
    assert third.head == work.head


def test_a_title_that_somebody_changed_stays(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub)
    run(hub, work)
    hub.pulls[0]["title"] = "A better one"
    run(hub, work, body="New.")
    assert (hub.pulls[0]["title"], hub.pulls[0]["body"]) == ("A better one", "New.")


@pytest.mark.parametrize("way", ["push", "api"])
@pytest.mark.parametrize("at", ["other", "base"])
def test_a_branch_with_other_commits_is_not_overwritten(hub: FakeHub, make_work: Make, way: str, at: str) -> None:
    work = make_work(hub)
    hub.git("update-ref", f"refs/heads/{BRANCH}", "main")
    if at == "other":
        hub.commit({"x": "1"}, branch=BRANCH)
    before = hub.branches()
    with pytest.raises(ForgeRefusedError, match="not overwritten"):
        run(hub, work, publish=way)
    assert hub.branches() == before
    assert hub.pulls == []


@pytest.mark.parametrize("merged", [False, True])
def test_after_a_decision_nothing_is_done(hub: FakeHub, make_work: Make, merged: bool) -> None:
    work = make_work(hub)
    run(hub, work)
    hub.end_pull(1, merged=merged)
    hub.git("update-ref", "-d", f"refs/heads/{BRANCH}")
    with pytest.raises(ForgeRefusedError, match="was merged" if merged else "was closed"):
        run(hub, work)
    assert hub.head(BRANCH) is None
    assert len(hub.pulls) == 1


def test_a_base_that_moved_is_reported(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub)
    moved = hub.commit({"other.py": "1\n"})
    made = run(hub, work)
    assert [each.code for each in made.diagnostics] == ["base_moved"]
    assert moved[:12] in made.diagnostics[0].message
    assert hub.head("main") == moved
    assert hub.head(BRANCH) == work.head


def test_work_that_nobody_published_is_not_published(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub, {"private.py": b"secret = 1\n"}, {"fix.py": b"1\n"})
    work.base = work.commits.pop(0).sha
    with pytest.raises(ForgeRefusedError, match="would publish other work too"):
        run(hub, work)
    hub.git("update-ref", "refs/heads/side", "main")
    assert set(hub.branches()) == {"main", "side"}


def test_a_base_branch_that_is_missing(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub)
    hub.git("branch", "-m", "main", "trunk")
    with pytest.raises(ForgeNotFoundError, match="has no branch main"):
        run(hub, work)

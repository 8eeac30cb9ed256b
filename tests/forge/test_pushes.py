"""Remotes that refuse, end or never answer a push, and configurations that would lead it elsewhere."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge.conftest import Time, Work
from forge.fake_server import TOKEN
from forge.fakehub import FakeHub
from forge.test_publishing import run
from sherloc.errors import ForgeConnectionError, ForgeRefusedError

Make = Callable[..., Work]


def hook(hub: FakeHub, name: str, text: str) -> None:
    path = hub.git_dir / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("echo 'You are not allowed to push code to protected branches on this project.'", "to protected branches on",
         "allow the prefix"),
        ("echo 'Write DCO first'; printf 'a\\033]0;evil\\007\\n'", r"Write DCO first a\x1b]0;evil\x07", "own hooks"),
        (f"echo 'bad {TOKEN}'", "bad ***", "own hooks"),
        ("yes no | head -c 300000", "no no no", "own hooks"),
        ("", "pre-receive hook declined", "own hooks"),
    ],
)  # fmt: skip
def test_a_hook_that_refuses_is_heard(hub: FakeHub, make_work: Make, text: str, said: str, hint: str) -> None:
    work = make_work(hub)
    hook(hub, "pre-receive", f"{text}\nexit 1")
    with pytest.raises(ForgeRefusedError) as caught:
        run(hub, work, branch="sherloc/1-a")
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert len(caught.value.message) < 500
    assert TOKEN not in str(caught.value)
    assert set(hub.branches()) == {"main"}
    (hub.git_dir / "hooks" / "pre-receive").unlink()
    run(hub, work, branch="sherloc/1-a")
    assert len(hub.pulls) == 1


@pytest.mark.parametrize("name", ["pre-receive", "post-receive"])
def test_a_server_that_ends_within_a_push(hub: FakeHub, make_work: Make, name: str) -> None:
    work = make_work(hub)
    hook(hub, name, "kill -9 $PPID")
    if name == "pre-receive":
        with pytest.raises(ForgeConnectionError, match="git push to .* failed"):
            run(hub, work, Time(), branch="sherloc/1-a", retries=1)
        assert hub.pulls == []
        (hub.git_dir / "hooks" / name).unlink()
    run(hub, work, branch="sherloc/1-a")
    assert hub.head("sherloc/1-a") == work.head
    assert len(hub.pulls) == 1


def test_a_push_that_takes_too_long(hub: FakeHub, make_work: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherloc.repository.pushing._TIMES", 0.5)
    work = make_work(hub)
    fault = hub.fail("^GIT", delay=3)
    begin = clock.monotonic()
    with pytest.raises(ForgeConnectionError, match=r"git push to .* took more than 0\.5 s"):
        run(hub, work, branch="sherloc/1-a", seconds=1.0, retries=0)
    assert clock.monotonic() - begin < 3
    assert fault.times == 0
    run(hub, work, branch="sherloc/1-a")
    assert len(hub.pulls) == 1


CONFIGURATION = """
[core]
 sshCommand = touch {m}/ssh
 gitProxy = touch {m}/gitproxy
 hooksPath = {m}/hooks
 askPass = {m}/hooks/pre-push
 alternateRefsCommand = touch {m}/alternates
 fsmonitor = touch {m}/fsmonitor
[remote "origin"]
 url = ext::sh -c touch% {m}/ext
 pushurl = ssh://-oProxyCommand=touch%20{m}/proxy/x
 push = +refs/*:refs/*
 mirror = true
 receivepack = touch {m}/receivepack
[remote]
 pushDefault = origin
[push]
 followTags = true
 gpgSign = true
[gpg]
 program = {m}/hooks/pre-push
[credential]
 helper = "!touch {m}/credential"
[url "ext::sh -c touch% {m}/instead "]
 insteadOf = http://
 pushInsteadOf = http://
[http]
 proxy = http://127.0.0.1:1
 extraHeader = X-Evil: 1
[protocol]
 allow = always
[alias]
 push = "!touch {m}/alias"
[trace2]
 eventTarget = {m}/trace
"""


@pytest.mark.parametrize("way", ["push", "api"])
def test_nothing_but_the_branch_whatever_is_configured(
    hub: FakeHub, make_work: Make, tmp_path: Path, git_tools: Any, way: str
) -> None:
    work = make_work(hub)
    for arguments in (("tag", "mine"), ("branch", "mine"), ("update-ref", "refs/notes/mine", "HEAD")):
        git_tools.run_git(work.root, *arguments)
    marks = tmp_path / "marks"
    (marks / "hooks").mkdir(parents=True)
    for folder in (marks / "hooks", work.root / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("pre-push", "reference-transaction", "post-index-change"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {marks}/{name}\n")
            (folder / name).chmod(0o755)
    with open(work.root / ".git" / "config", "a") as file:
        file.write(CONFIGURATION.format(m=marks))
    before = hub.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    hub.requests.clear()
    run(hub, work, branch="sherloc/1-a", publish=way)
    after = hub.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    assert [each.partition(" ")[0] for each in after if each not in before] == ["refs/heads/sherloc/1-a"]
    assert [path.name for path in marks.iterdir()] == ["hooks"]
    assert not [each for each in hub.requests if "x-evil" in each.headers]

"""What each forge does with tickets, branches, commits and pull requests; the fake is checked with a second client."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forge.conftest import FILES, Time, Work
from forge.fakehub import FakeHub
from forge.fakelab import FakeLab
from forge.test_publishing import run
from sherloc.errors import ForgeAuthError, ForgeNotFoundError, ForgeRefusedError
from sherloc.forge import open_forge, publish
from sherloc.forge.replaying import tree_chunks
from sherloc.protocols import FileState, Forge

Make = Callable[..., Work]
GROUPS = ({"shop/basket.py": b"def total():\n    return 1\n", "shop/old.py": None, "run.sh": b"#!/bin/bash\n"},
          {"new/latin.txt": b"caf\xe9", "n.bin": b"a\0b", "x.py": b""})  # fmt: skip


def opened(fake: Any, **changes: Any) -> Any:
    time = Time()
    return open_forge(fake.project, fake.settings(**changes), fake.environ, clock=time.clock, sleep=time.sleep)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[FakeLab]:
    fake = FakeLab(tmp_path / "lab", files=FILES)
    yield fake
    fake.close()


@pytest.fixture(params=["hub", "lab"])
def fake(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_a_ticket(fake: Any) -> None:
    number = fake.add_issue(
        "Total is wrong", "It is\r\ntwice.", comments=[f"no {n}" for n in range(120)], labels=["bug", "shop"]
    )
    forge = opened(fake)
    assert isinstance(forge, Forge)
    assert forge.name == fake.project
    ticket = forge.read_ticket(number)
    assert ticket.reference == f"{fake.project}#{number}"
    assert ticket.address.endswith(f"/issues/{number}")
    assert ticket.issue.model_dump() == {
        "title": "Total is wrong", "body": "It is\ntwice.", "comments": tuple(f"no {n}" for n in range(120)),
        "labels": ("bug", "shop"), "omitted": 0,
    }  # fmt: skip
    forge.comment(number, "<!-- sherloc: x -->\nWhich version?")
    assert forge.read_ticket(number) == ticket
    assert forge.comments(number)[-1].endswith("Which version?")
    forge.comment(number, "3.1")
    assert forge.read_ticket(number).revision != ticket.revision
    assert forge.default_branch() == "main"
    with pytest.raises(ForgeNotFoundError):
        forge.read_ticket(99)
    forge.close()


def test_a_pull_request_is_no_issue(hub: FakeHub, make_work: Make) -> None:
    run(hub, make_work(hub))
    forge = opened(hub)
    with pytest.raises(ForgeRefusedError, match="is a pull request"):
        forge.read_ticket(1)
    forge.close()


def test_branches(fake: Any) -> None:
    forge = opened(fake)
    main = fake.head("main")
    fake.git("branch", "a/b#c%d", "main")
    fake.git("branch", "later/on", "main")
    later = fake.commit({"z": "1"}, branch="later/on")
    assert forge.branch_head("a/b#c%d") == main
    assert forge.branch_head("a/b") is None
    assert forge.branch_contains("main", main)
    moved = fake.commit({"y": "1"})
    assert forge.branch_contains("main", main)
    assert not forge.branch_contains("main", "0" * 40)
    assert forge.branch_contains("main", moved)
    assert not forge.branch_contains("main", later)
    forge.close()


@pytest.mark.parametrize("way", ["push", "api"])
def test_gitlab_from_commits_to_a_draft(lab: FakeLab, make_work: Make, way: str) -> None:
    work = make_work(lab, *GROUPS, executable=("run.sh",))
    settings = lab.settings(publish=way, labels=("bug", "x"))
    forge = opened(lab)
    given: Any = {"git_dir": str(work.root), "commits": work.commits, "base_branch": "main", "base_sha": work.base,
                  "branch": "sherloc/1", "title": "T" * 300, "settings": settings}  # fmt: skip
    made = publish(forge, **given, body="Because.")
    assert lab.git("rev-parse", "sherloc/1^{tree}") == work.commits[-1].tree
    assert lab.git("log", "--format=%s", "main..sherloc/1").splitlines() == ["Change number 2", "Change number 1"]
    assert lab.git("ls-tree", "sherloc/1", "run.sh").startswith("100755")
    assert made.head == lab.head("sherloc/1")
    (merge,) = lab.merges
    assert merge["title"] == "Draft: " + "T" * 247 + "…"
    assert merge["labels"] == ["bug", "x"]
    assert made.pull_request.draft
    again = publish(forge, **given, body="New.")
    assert again.pull_request.existed
    assert (lab.merges[0]["title"], lab.merges[0]["description"]) == (merge["title"], "New.")
    merge["state"] = "merged"
    with pytest.raises(ForgeRefusedError, match="was merged"):
        publish(forge, **given, body="New.")
    forge.close()


def test_gitlab_goes_on_where_it_was_ended(lab: FakeLab, make_work: Make) -> None:
    work = make_work(lab, *GROUPS)
    forge = opened(lab)
    forge.replay(work.commits[:1], work.base, "half")
    half = lab.head("half")
    forge.replay(work.commits, work.base, "half")
    assert lab.git("rev-parse", "half~1") == half
    lab.commit({"other": "1"}, branch="half")
    with pytest.raises(ForgeRefusedError, match="other commits"):
        forge.replay(work.commits, work.base, "half")
    forge.close()


def test_without_drafts(hub: FakeHub, make_work: Make) -> None:
    hub.drafts = False
    work = make_work(hub)
    with pytest.raises(ForgeRefusedError, match="The branch stays"):
        run(hub, work)
    assert hub.pulls == []
    made = run(hub, work, allow_no_draft=True)
    assert not made.pull_request.draft
    assert not hub.pulls[0]["draft"]


def test_workflow_files_need_a_right(hub: FakeHub, make_work: Make) -> None:
    hub.workflow_scope = False
    work = make_work(hub, {".github/workflows/ci.yml": b"on: push\n"})
    with pytest.raises(ForgeAuthError, match="workflow files"):
        run(hub, work, publish="api")


def test_an_empty_project(tmp_path: Path) -> None:
    hub = FakeHub(tmp_path / "empty")
    forge = opened(hub)
    with pytest.raises(ForgeRefusedError, match="push its first one"):
        forge.branch_head("main")
    forge.close()
    hub.close()


def test_a_wrong_token(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub)
    forge = open_forge("octo/shop", hub.settings(), {"GH_TOKEN": "wrong"})
    with pytest.raises(ForgeAuthError, match="expired or revoked"):
        forge.branch_head("main")
    with pytest.raises(ForgeAuthError, match="may not push"):
        forge.push(str(work.root), work.head, "b")
    forge.close()


def test_three_hundred_files_take_few_requests(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub, {f"many/f{n}.py": b"x = %d\n" % n for n in range(300)})
    hub.requests.clear()
    run(hub, work, publish="api")
    assert len(hub.asked("POST .*/git/trees")) == 1
    assert len(hub.asked("POST .*/git/blobs")) == 0
    assert len(hub.requests) < 15
    assert hub.git("rev-parse", "sherloc/1-0123abcd^{tree}") == work.commits[-1].tree


def test_large_commits_go_in_several_requests() -> None:
    files = [FileState(f"f{n}", b"x" * 900_000) for n in range(12)] + [FileState("big", b"y" * (2 << 20))]
    blobs: list[str] = []
    chunks = list(tree_chunks(files, lambda text: blobs.append(text) or "0" * 40))  # type: ignore[func-returns-value]
    assert [len(each) for each in chunks] == [4, 4, 4, 1]
    assert [entry["path"] for chunk in chunks for entry in chunk] == [each.path for each in files]
    assert len(blobs) == 1


@pytest.mark.parametrize("file", [FileState("link", b"/etc/passwd", "120000"), FileState("sub", b"", "160000"),
                                  FileState("a\udce9", b"")])  # fmt: skip
def test_the_api_takes_files_only(file: FileState) -> None:
    with pytest.raises(ForgeRefusedError, match="takes no file"):
        list(tree_chunks([file], str))


def test_a_tree_that_differs_makes_no_branch(hub: FakeHub, make_work: Make) -> None:
    work = make_work(hub)
    work.commits[0] = dataclasses.replace(work.commits[0], tree="a" * 40)
    with pytest.raises(ForgeRefusedError, match="no branch was made"):
        run(hub, work, publish="api")
    assert set(hub.branches()) == {"main"}


def test_a_push_reads_nothing_of_the_repositorys_configuration(hub: FakeHub, make_work: Make, tmp_path: Path) -> None:
    work = make_work(hub)
    hook = work.root / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    config = work.root / ".git/config"
    with config.open("a") as file:
        file.write(f'[url "file:///nowhere/"]\n insteadOf = {hub.root}/\n[http]\n proxy = http://127.0.0.1:9\n')
        file.write(f'[core]\n fsmonitor = "touch {tmp_path}/monitored"\n[push]\n followTags = true\n')
    before = {path: path.read_bytes() for path in (work.root / ".git").rglob("*") if path.is_file()}
    run(hub, work)
    assert hub.head("sherloc/1-0123abcd") == work.head
    assert not (tmp_path / "hooked").exists()
    assert not (tmp_path / "monitored").exists()
    assert {path: path.read_bytes() for path in (work.root / ".git").rglob("*") if path.is_file()} == before


def test_a_push_from_a_worktree_and_a_shallow_clone(hub: FakeHub, make_work: Make, git_tools: Any) -> None:
    hub.commit({"z": "1"})
    work = make_work(hub)
    side = work.root.parent / "side"
    git_tools.run_git(work.root, "worktree", "add", "-q", "--detach", str(side))
    shallow = work.root.parent / "shallow"
    git_tools.run_git(work.root.parent, "clone", "-q", "--depth=1", f"file://{hub.git_dir}", str(shallow))
    git_tools.put(shallow, {"s.py": "1\n"})
    made = git_tools.commit(shallow, "shallow")
    forge = opened(hub)
    forge.push(str(side), work.head, "from/side")
    forge.push(str(shallow), made, "from/shallow")
    assert hub.head("from/side") == work.head
    assert hub.head("from/shallow") == made
    hub.git("fsck", "--strict")
    forge.close()


@pytest.mark.parametrize("name", ["a\nb", "#a", '"a"', "a\\b", " a ", "a\n", "é\udcff", "a:b;c"])
def test_a_push_from_and_through_folders_with_odd_names(
    hub: FakeHub, make_work: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    work = make_work(hub)
    odd = tmp_path / name
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system has no such name")
    root = work.root.rename(odd / "clone")
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    forge = opened(hub)
    forge.push(str(root), work.head, "from/odd")
    assert hub.head("from/odd") == work.head
    assert sorted(path.name for path in odd.iterdir()) == ["clone"]
    forge.close()


def test_a_push_from_a_chain_of_borrowed_objects(hub: FakeHub, make_work: Make, git_tools: Any) -> None:
    work = make_work(hub)
    at = work.root
    for number in range(6):
        following = work.root.parent / f"following{number}"
        git_tools.run_git(work.root.parent, "clone", "-q", "-s", str(at), str(following))
        at = following
    git_tools.put(at, {"s.py": "1\n"})
    made = git_tools.commit(at, "the last")
    forge = opened(hub)
    forge.push(str(at), made, "from/chain")
    assert hub.head("from/chain") == made
    hub.git("fsck", "--strict")
    forge.close()


def test_the_fake_speaks_githubs_language(hub: FakeHub) -> None:
    github = pytest.importorskip("github")
    number = hub.add_issue("A title", "b", comments=["c"])
    api = github.Github(
        auth=github.Auth.Token(hub.token), base_url=hub.api, retry=None, seconds_between_requests=0,
        seconds_between_writes=0,
    )  # fmt: skip
    project = api.get_repo("octo/shop")
    assert project.default_branch == "main"
    issue = project.get_issue(number)
    assert [each.body for each in issue.get_comments()] == ["c"]
    issue.create_comment("d")
    base = project.get_git_ref("heads/main").object.sha
    commit = project.get_git_commit(base)
    blob = project.create_git_blob("Y2Fm6Q==", "base64")
    elements = [
        github.InputGitTreeElement("a/new.py", "100644", "blob", content="1\n"),
        github.InputGitTreeElement("latin.txt", "100755", "blob", sha=blob.sha),
        github.InputGitTreeElement("shop/old.py", "100644", "blob", sha=None),
    ]
    tree = project.create_git_tree(elements, commit.tree)
    made = project.create_git_commit("by another client", tree, [commit])
    project.create_git_ref("refs/heads/other", made.sha)
    pull = project.create_pull(title="t", body="b", head="other", base="main", draft=True)
    assert (pull.number, pull.draft) == (2, True)
    assert [each.number for each in project.get_pulls(head="octo:other", state="all")] == [2]
    changed = hub.git("diff", "--name-status", "main", "other").splitlines()
    assert changed == ["A\ta/new.py", "A\tlatin.txt", "D\tshop/old.py"]
    with pytest.raises(github.GithubException, match="already exists"):
        project.create_git_ref("refs/heads/other", made.sha)
    with pytest.raises(github.GithubException, match="malformed path"):
        project.create_git_tree([github.InputGitTreeElement("../x", "100644", "blob", content="")], commit.tree)
    api.close()

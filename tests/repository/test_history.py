from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sherloc.repository import open_tree
from sherloc.repository.history import Commit, History
from sherloc.schema.path_text import shown_path
from sherloc.settings import RetrievalSettings

Make = Callable[..., Path]


def commits(repo: Path, revision: str | None = None, limit: int = 100) -> list[Commit]:
    return History(open_tree(repo, revision), RetrievalSettings(commits=limit)).commits()


def test_commits_come_newest_first_with_message_and_paths(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "a\n", "pkg/b c.py": "b\n"})
    git_tools.put(repo, {"a.py": "a2\n", "ü.py": "x\n"})
    git_tools.commit(repo, "Second: ü\n\nBody of it.")
    found = commits(repo)
    assert found[0] == Commit("Second: ü\nBody of it.", ("a.py", "ü.py"))
    assert found[1].paths == ("a.py", "pkg/b c.py")
    assert len(found) == 2
    assert commits(repo, limit=1) == found[:1]
    assert commits(repo, limit=0) == []


def test_history_ends_at_the_revision(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "a\n"})
    old = git_tools.run_git(repo, "rev-parse", "HEAD")
    git_tools.put(repo, {"a.py": "later\n"})
    git_tools.commit(repo, "later")
    assert [c.paths for c in commits(repo, old)] == [("a.py",)]
    assert "later" not in commits(repo, old)[0].message


def test_paths_are_relative_to_the_tree(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"pkg/a.py": "a\n", "b.py": "b\n"})
    assert commits(repo / "pkg")[0].paths == ("a.py",)
    (repo / "pkg/a.py").write_text("not committed\n")
    assert commits(repo)[0].paths == ("b.py", "pkg/a.py")


def test_a_folder_and_a_repository_without_commits_have_none(tmp_path: Path, git_tools: Any) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("a\n")
    assert commits(tmp_path / "plain") == []
    (tmp_path / "new").mkdir()
    git_tools.run_git(tmp_path / "new", "init", "-q")
    (tmp_path / "new/a.py").write_text("a\n")
    assert commits(tmp_path / "new") == []


def test_a_shallow_clone_has_what_it_has(make_repository: Make, git_tools: Any, tmp_path: Path) -> None:
    repo = make_repository({"a.py": "a\n"})
    git_tools.put(repo, {"a.py": "b\n"})
    git_tools.commit(repo, "second")
    git_tools.run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", str(tmp_path / "shallow"))
    assert [c.message for c in commits(tmp_path / "shallow")] == ["second"]


def test_settings_of_the_repository_run_nothing_and_change_nothing(
    make_repository: Make, git_tools: Any, tmp_path: Path
) -> None:
    repo = make_repository({"b.py": "b\n", "a.py": "a\n"})
    wanted = commits(repo)
    mark = tmp_path / "ran"
    order = tmp_path / "order"
    order.write_text("b.py\na.py\n")
    for name, value in (
        ("log.showSignature", "true"), ("gpg.program", f"touch {mark}"), ("diff.external", f"touch {mark}"),
        ("diff.orderFile", str(order)), ("core.pager", f"touch {mark}"), ("log.date", "relative"),
        ("diff.renames", "copies"), ("log.diffMerges", "on"), ("color.ui", "always"), ("log.decorate", "full"),
        ("i18n.logOutputEncoding", "latin1"), ("diff.relative", "false"), ("log.follow", "true"),
    ):  # fmt: skip
        git_tools.run_git(repo, "config", name, value)
    assert commits(repo) == wanted
    assert not mark.exists()


def test_control_characters_in_a_message_forge_no_path(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "a\n"})
    git_tools.put(repo, {"a.py": "b\n"})
    git_tools.commit(repo, "x \x01y\n\n\x01z\nvictim.py")
    assert [c.paths for c in commits(repo)] == [("a.py",), ("a.py",)]


def test_a_name_forges_no_commit(make_repository: Make, git_tools: Any) -> None:
    """What passes for a commit's id is an argument of the git that reads patches: it could write any file."""
    names = ("\x01\x01a.py", "\x01--output=x\nparser", "\x01" + "0" * 40 + "\nparser", "b.py")
    repo = make_repository(dict.fromkeys(names, "a\n"))
    head = git_tools.run_git(repo, "rev-parse", "HEAD")
    git_tools.commit(repo, "nothing")
    assert [(c.message, c.paths) for c in commits(repo)] == [
        ("nothing", ()), ("first", tuple(map(shown_path, sorted(names)))),
    ]  # fmt: skip
    assert [c.commit_id for c in commits(repo, head)] == [head]


def test_a_commit_without_changes_has_no_paths(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "a\n"})
    git_tools.commit(repo, "nothing")
    assert [c.paths for c in commits(repo)] == [(), ("a.py",)]


def test_history_that_nobody_reads_is_ended(make_repository: Make) -> None:
    history = History(open_tree(make_repository({"a.py": "a\n"})), RetrievalSettings())
    history.close()
    assert history.commits() == []


def test_history_is_not_read_when_the_channel_is_off(make_repository: Make) -> None:
    tree = open_tree(make_repository({"a.py": "a\n"}))
    assert History(tree, RetrievalSettings(channels=("lexical",))).commits() == []

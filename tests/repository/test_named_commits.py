"""Commits named by an id or a ticket, with the real git."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sherloc.repository import open_tree
from sherloc.repository.history import History
from sherloc.repository.named_commits import Message, Named, named_commits
from sherloc.settings import RetrievalSettings

Make = Callable[..., Path]


def named(
    repo: Path, ids: Sequence[str] = (), tickets: Sequence[str] = (), revision: str | None = None, limit: int = 100
) -> list[Named]:
    with History(open_tree(repo, revision), RetrievalSettings(commits=limit)) as history:
        return history.named(ids, tickets)


@pytest.fixture
def repo(make_repository: Make, git_tools: Any) -> Path:
    """``first``, then four commits and one more on top."""
    repo = make_repository({"a.py": "0\n"})
    for number, message in enumerate(
        ("Fixed #12 -- One.", "Two (#123)\n\n" + "Long. " * 100 + "\nCloses PROJ-77.", "Three", "Four"), 1
    ):
        git_tools.put(repo, {"a.py": f"{number}\n"})
        git_tools.commit(repo, message)
    return repo


def ids_of(git_tools: Any, repo: Path, revision: str = "HEAD") -> list[str]:
    found: str = git_tools.run_git(repo, "log", "--first-parent", "--format=%H", revision)
    return found.split()


def test_by_id_and_by_its_beginning(repo: Path, git_tools: Any) -> None:
    _four, three, two, one, _first = ids_of(git_tools, repo)
    assert named(repo, [two, one[:7]]) == [Named(two, two, "Two (#123)"), Named(one, one[:7], "Fixed #12 -- One.")]
    assert named(repo, [three, three[:8]]) == [Named(three, three, "Three")]
    assert named(repo, ["0123abc", "f" * 39 + "0"]) == []


def test_by_ticket_also_far_down_in_the_message(repo: Path, git_tools: Any) -> None:
    _four, _three, two, one, _first = ids_of(git_tools, repo)
    assert named(repo, (), ["PROJ-77", "12"]) == [
        Named(two, "PROJ-77", "Two (#123)", by_ticket=True), Named(one, "12", "Fixed #12 -- One.", by_ticket=True),
    ]  # fmt: skip
    assert named(repo, (), ["1", "2", "23", "PROJ-7"]) == []
    assert [each.by_ticket for each in named(repo, [two], ["123"])] == [False]


def test_the_commit_that_is_looked_at_is_what_was_run(repo: Path, git_tools: Any) -> None:
    four, three, *_ = ids_of(git_tools, repo)
    assert named(repo, [four, four[:7]]) == []
    assert named(repo, [three], revision=three) == []


def test_behind_the_history_that_was_read(repo: Path, git_tools: Any) -> None:
    *_, one, first = ids_of(git_tools, repo)
    assert named(repo, [one[:9], first], limit=1) == [
        Named(one, one[:9], "Fixed #12 -- One."), Named(first, first, "first"),
    ]  # fmt: skip
    assert named(repo, (), ["12"], limit=1) == []


def test_only_what_the_revision_stands_on(repo: Path, git_tools: Any) -> None:
    four, three, two, *_ = ids_of(git_tools, repo)
    assert named(repo, [four, three], revision=two) == []
    git_tools.run_git(repo, "checkout", "-q", "-b", "apart", two)
    git_tools.put(repo, {"b.py": "b\n"})
    git_tools.commit(repo, "Apart (#55)")
    apart = ids_of(git_tools, repo)[0]
    assert named(repo, [apart], ["55"], revision=four) == []


def test_merges_by_ticket_and_by_id_touched_what_they_brought(repo: Path, git_tools: Any) -> None:
    git_tools.run_git(repo, "checkout", "-q", "-b", "topic")
    git_tools.put(repo, {"b.py": "def brought():\n    return 1\n"})
    git_tools.commit(repo, "No number here")
    git_tools.run_git(repo, "checkout", "-q", "-")
    git_tools.put(repo, {"c.py": "def other():\n    return 1\n"})
    git_tools.commit(repo, "Other")
    git_tools.run_git(repo, "merge", "-q", "--no-ff", "-m", "Merge pull request #900 from a/topic", "topic")
    git_tools.put(repo, {"c.py": "def other():\n    return 2\n"})
    git_tools.commit(repo, "Last")
    merge = ids_of(git_tools, repo)[1]
    wanted = Named(merge, "900", "Merge pull request #900 from a/topic", by_ticket=True)
    with History(open_tree(repo), RetrievalSettings()) as history:
        assert history.named((), ["900"]) == [wanted]
        assert history.named([merge], ()) == [Named(merge, merge, wanted.subject)]
        assert history.patches([merge]).places() == {merge: [("b.py", "")]}


def test_a_number_that_many_commits_tell_says_nothing(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "0\n"})
    for number in range(7):
        git_tools.put(repo, {"a.py": f"{number + 1}\n"})
        git_tools.commit(repo, f"{number}: part of #10" + (" and #11" if number else ""))
    assert [each.subject[0] for each in named(repo, (), ["10", "11"])] == list("654321")


def test_an_ambiguous_beginning_names_nothing() -> None:
    recent = [Message("a" * 39 + "1", "x"), Message("a" * 39 + "2", "y")]
    assert named_commits(None, "b" * 40, recent, ["a" * 7], ()) == []  # type: ignore[arg-type] # git is not asked


def test_what_a_beginning_is_mixed_up_with_outside_of_the_history_does_not_count(repo: Path, git_tools: Any) -> None:
    """A later object may begin like an old commit's id: a clone that was cut at the base does not have it."""
    *_, one, _first = ids_of(git_tools, repo)
    wanted = [Named(one, one[:4], "Fixed #12 -- One.")]
    assert named(repo, [one[:4]], limit=1) == wanted
    texts = (str(number).encode() for number in itertools.count())
    twin = next(text for text in texts if hashlib.sha1(b"blob %d\0%b" % (len(text), text)).hexdigest()[:4] == one[:4])
    (repo / "twin").write_bytes(twin)
    git_tools.run_git(repo, "hash-object", "-w", "twin")
    (repo / "twin").unlink()
    assert named(repo, [one[:4]], limit=1) == wanted


def test_an_annotated_tag_is_no_commit(repo: Path, git_tools: Any) -> None:
    git_tools.run_git(repo, "tag", "-a", "-m", "tag", "v1", "HEAD~2")
    assert named(repo, [git_tools.run_git(repo, "rev-parse", "v1").strip()], limit=1) == []


@pytest.mark.parametrize("form", ["combined", "dense-combined", "separate", "first-parent", "off", "remerge"])
def test_how_merges_are_shown_by_default_changes_nothing(repo: Path, git_tools: Any, form: str) -> None:
    git_tools.run_git(repo, "checkout", "-q", "-b", "topic")
    git_tools.put(repo, {"b.py": "def brought():\n    return 1\n"})
    git_tools.commit(repo, "No number here")
    git_tools.run_git(repo, "checkout", "-q", "-b", "other", "HEAD~1")
    git_tools.put(repo, {"c.py": "c\n"})
    git_tools.commit(repo, "Other")
    git_tools.run_git(repo, "checkout", "-q", "-b", "third", "HEAD~1")
    git_tools.put(repo, {"d.py": "d\n"})
    git_tools.commit(repo, "Third")
    git_tools.run_git(repo, "merge", "-q", "--no-ff", "-m", "Octopus", "topic", "other")
    (merge, *_) = ids_of(git_tools, repo)
    git_tools.run_git(repo, "config", "log.diffMerges", form)
    with History(open_tree(repo), RetrievalSettings()) as history:
        assert history.patches([merge]).places() == {merge: [("b.py", ""), ("c.py", "")]}


def test_trees_and_blobs_are_no_commits(repo: Path, git_tools: Any) -> None:
    tree = git_tools.run_git(repo, "rev-parse", "HEAD~1^{tree}").strip()
    blob = git_tools.run_git(repo, "rev-parse", "HEAD~1:a.py").strip()
    assert named(repo, [tree, blob]) == []


def test_the_last_commit_may_be_named_by_its_ticket(repo: Path, git_tools: Any) -> None:
    git_tools.run_git(repo, "checkout", "-q", "-b", "topic", "HEAD~1")
    git_tools.put(repo, {"b.py": "b\n"})
    git_tools.commit(repo, "Apart")
    git_tools.run_git(repo, "checkout", "-q", "-")
    git_tools.run_git(repo, "merge", "-q", "--no-ff", "-m", "Merge #901", "topic")
    assert [each.subject for each in named(repo, (), ["901"])] == ["Merge #901"]
    assert named(repo, ids_of(git_tools, repo)[:1]) == []


def test_without_history_nothing_is_named(tmp_path: Path, repo: Path, git_tools: Any) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("a\n")
    assert named(tmp_path / "plain", ["a21a63c"], ["12"]) == []
    one = ids_of(git_tools, repo)[3]
    settings = RetrievalSettings(channels=("lexical", "structural"))
    with History(open_tree(repo), settings) as history:
        assert history.named([one], ["12"]) == []


def test_a_shallow_clone_names_what_it_has(repo: Path, git_tools: Any, tmp_path: Path) -> None:
    _four, three, two, *_ = ids_of(git_tools, repo)
    git_tools.run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", str(tmp_path / "shallow"))
    assert named(tmp_path / "shallow", [three, two], ["12"]) == [Named(three, three, "Three")]


def test_settings_of_the_repository_change_nothing(repo: Path, git_tools: Any) -> None:
    *_, two, one, _first = ids_of(git_tools, repo)
    wanted = named(repo, [two], ["12"])
    assert [each.commit_id for each in wanted] == [two, one]
    for name, value in (
        ("log.showSignature", "true"), ("log.decorate", "full"), ("color.ui", "always"), ("log.date", "relative"),
        ("i18n.logOutputEncoding", "latin1"), ("log.follow", "true"), ("format.pretty", "%an"), ("core.abbrev", "4"),
    ):  # fmt: skip
        git_tools.run_git(repo, "config", name, value)
    assert named(repo, [two], ["12"]) == wanted
    assert named(repo, [two], ["12"], limit=1) == wanted[:1]

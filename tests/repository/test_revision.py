from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

from sherloc.errors import GitError, RevisionNotFoundError
from sherloc.repository import content_id_of, open_reader, open_tree
from sherloc.repository.git import Git


@pytest.fixture
def bare(repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "project.git")
    return tmp_path / "project.git"


def test_a_bare_repository_is_its_head(bare, git, paths, contents):
    tree = open_tree(bare)
    assert tree.revision == git(bare, "rev-parse", "HEAD")
    assert contents(tree) == {"a.py": b"A = 1\n", "pkg/b.py": b"B = 1\n", "pkg/c.py": b"C = 1\n"}
    assert (tree.name, tree.location) == ("project", str(bare))
    assert [entry.size for entry in tree.entries] == [6, 6, 6]


def test_a_git_directory_inside_a_work_tree_is_its_head(repo, write, paths):
    write(repo, {"new.py": ""})
    tree = open_tree(repo / ".git")
    assert (paths(tree), tree.name) == (["a.py", "pkg/b.py", "pkg/c.py"], "project")
    assert tree.store_key == open_tree(repo).store_key


@pytest.mark.parametrize("revision", ["HEAD~1", "main~1", "v1", "main^", ":/one", "short id", "refs/tags/v1"])
def test_any_way_to_name_a_revision(repo, git, paths, revision):
    git(repo, "tag", "-am", "one", "v1", "HEAD~1")
    commit = git(repo, "rev-parse", "HEAD~1")
    tree = open_tree(repo, commit[:12] if revision == "short id" else revision)
    assert paths(tree) == ["a.py", "pkg/c.py"]
    assert tree.revision == commit


def test_a_revision_does_not_see_the_work_tree(repo, write, contents):
    write(repo, {"a.py": "A = 2\n", "new.py": ""})
    assert contents(open_tree(repo, "HEAD"))["a.py"] == b"A = 1\n"
    assert len(open_tree(repo, "HEAD").entries) == 3


def test_a_revision_of_a_subfolder(repo, paths, contents):
    tree = open_tree(repo / "pkg", "HEAD~1")
    assert contents(tree) == {"c.py": b"C = 1\n"}


def test_a_subfolder_that_the_revision_lacks(repo, git, write):
    write(repo, {"late/x.py": ""})
    git(repo, "add", "-A")
    assert open_tree(repo / "late", "HEAD").entries == ()


NO_REVISIONS = (
    *(
        "",
        " ",
        "nope",
        "0" * 40,
        "HEAD..main",
        "^HEAD",
        "HEAD\0",
        "HEAD\nHEAD",
        "HEAD:a.py",
        "HEAD^{tree}",
        "\udcff",
        "é",
    ),
    *("-h", "--help", "--git-dir=/tmp", "--all", "--output=ran", ":/nothing like it"),
    *("$(touch ran)", "`touch ran`", "; touch ran", "| touch ran"),
)


@pytest.mark.parametrize("revision", NO_REVISIONS)
def test_no_revision_is_an_option_a_command_or_a_traceback(repo, revision, monkeypatch):
    monkeypatch.chdir(repo)
    with pytest.raises(RevisionNotFoundError) as caught:
        open_tree(repo, revision)
    assert repr(revision) in str(caught.value)
    assert "git fetch" in caught.value.hint
    assert not (repo / "ran").exists()


def test_names_with_odd_characters_are_revisions_like_any(repo, git, paths):
    for name in ("a;b", "ü/$x", "`y`"):
        git(repo, "branch", name, "HEAD~1")
        assert paths(open_tree(repo, name)) == ["a.py", "pkg/c.py"]


def test_a_sha256_repository(tmp_path, git, write, contents):
    git(tmp_path, "init", "-q", "--object-format=sha256")
    write(tmp_path, {"a.py": "A = 1\n", "b.py": "B = 1\n"})
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "one")
    tree = open_tree(tmp_path)
    assert (tree.algorithm, len(tree.revision.removesuffix("+changes"))) == ("sha256", 64)
    for entry, data in tree.read(tree.entries):
        assert entry.content_id == content_id_of(data, "sha256") == hashlib.sha256(b"blob 6\0" + data).hexdigest()
    assert contents(open_tree(tmp_path, "HEAD")) == {"a.py": b"A = 1\n"}


@pytest.fixture
def partial(repo, git, tmp_path):
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(repo, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{repo}", "partial.git")
    return tmp_path / "partial.git"


def test_a_partial_clone_names_missing_blobs_and_fetches_none(partial, git, repo, paths, reasons):
    blob = git(repo, "rev-parse", "HEAD:a.py")
    git(partial, "cat-file", "-p", blob)
    objects = sorted(partial.glob("objects/**/*"))
    tree = open_tree(partial)
    assert paths(tree) == ["a.py"]
    assert tree.entries[0].size == -1
    assert reasons(tree) == {"pkg/b.py": "missing_blob", "pkg/c.py": "missing_blob"}
    assert [data for _, data in tree.read(tree.entries)] == [b"A = 1\n"]
    assert sorted(partial.glob("objects/**/*")) == objects


def test_reading_a_missing_blob_of_a_partial_clone_gives_none(partial, repo):
    whole = open_tree(repo, "HEAD")
    objects = sorted(partial.glob("objects/**/*"))
    reader = open_reader({"kind": "blobs", "location": str(partial)})
    assert [data for _, data in reader.read(whole.entries)] == [None, None, None]
    assert sorted(partial.glob("objects/**/*")) == objects


def test_a_clone_without_trees_says_what_to_do(repo, git, tmp_path):
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--bare", "--filter=tree:0", f"file://{repo}", "treeless.git")
    with pytest.raises(GitError) as caught:
        open_tree(tmp_path / "treeless.git")
    assert "git fetch" in caught.value.hint


def test_the_same_tree_has_the_same_key_wherever_it_comes_from(repo, git, tmp_path, write):
    commit = git(repo, "rev-parse", "HEAD~1")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "cut")
    git(tmp_path / "cut", "fetch", "-q", "--depth=1", "origin", commit)
    git(tmp_path / "cut", "checkout", "-q", commit)
    write(tmp_path / "plain", {"a.py": "A = 1\n", "pkg/c.py": "C = 1\n"})
    trees = [open_tree(repo, commit), open_tree(tmp_path / "cut"), open_tree(tmp_path / "plain")]
    assert len({tree.key for tree in trees}) == 1
    assert open_tree(repo).key != trees[0].key


def test_missing_and_broken_objects_give_none_and_the_rest_is_read(repo, git):
    tree = open_tree(repo, "HEAD")
    blob = git(repo, "rev-parse", "HEAD:pkg/b.py")
    place = repo / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(b"garbage")
    assert [data for _, data in tree.read(tree.entries)] == [b"A = 1\n", None, b"C = 1\n"]
    place.unlink()
    assert [data for _, data in tree.read(tree.entries)] == [b"A = 1\n", None, b"C = 1\n"]


def test_a_repository_that_went_away_is_an_error_not_a_loop(repo, tmp_path):
    tree = open_tree(repo, "HEAD")
    repo.rename(tmp_path / "gone")
    with pytest.raises(GitError):
        list(tree.read(tree.entries * 20))


def test_large_blobs_give_none(repo, monkeypatch):
    monkeypatch.setattr("sherloc.repository.revision.MAX_READ_BYTES", 3)
    tree = open_tree(repo, "HEAD")
    assert [data for _, data in tree.read(tree.entries)] == [None, None, None]


def test_reading_in_any_order_and_again(repo):
    tree = open_tree(repo, "HEAD")
    a, b, c = tree.entries
    assert [data for _, data in tree.read([c, a, c])] == [b"C = 1\n", b"A = 1\n", b"C = 1\n"]
    assert list(tree.read([])) == []


def test_closing_a_read_early_leaves_no_process(repo, monkeypatch):
    started = []
    popen = Git.popen

    def recorded(*given, **named):
        started.append(popen(*given, **named))
        return started[-1]

    monkeypatch.setattr(Git, "popen", recorded)
    tree = open_tree(repo, "HEAD")
    reading = tree.read(tree.entries * 5_000)
    next(reading)
    reading.close()
    assert all(process.returncode is not None for process in started)
    assert started[-1].stdout.closed


def test_more_answers_than_a_pipe_holds(repo, git, write):
    write(repo, {f"big/{number}.py": f"{number}\n" * 50_000 for number in range(20)})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "big")
    tree = open_tree(repo, "HEAD")
    assert all(content_id_of(data) == entry.content_id for entry, data in tree.read(tree.entries))


def test_a_reader_goes_to_another_process(repo):
    tree = open_tree(repo, "HEAD")
    code = (
        "import json, sys\nfrom sherloc.repository import Entry, open_reader\n"
        "recipe, entries = json.load(sys.stdin)\n"
        "for entry, data in open_reader(recipe).read([Entry(*entry) for entry in entries]):\n"
        "    sys.stdout.write(entry.path + ' ' + data.decode())\n"
    )
    given = json.dumps([tree.reader(), [[entry.path, entry.content_id, entry.size] for entry in tree.entries]])
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True)
    assert done.stdout == "a.py A = 1\npkg/b.py B = 1\npkg/c.py C = 1\n"


def test_replaced_objects_are_not_used(repo, git):
    blob = git(repo, "rev-parse", "HEAD:a.py")
    other = git(repo, "hash-object", "-w", "--stdin", data=b"evil")
    git(repo, "replace", blob, other)
    tree = open_tree(repo, "HEAD")
    assert next(iter(tree.read(tree.entries)))[1] == b"A = 1\n"

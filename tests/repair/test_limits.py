"""Proposals that are large or deep are refused in words, and soon."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.errors import ProposalError
from sherloc.repair import Workshop, plan_changes, read_proposal
from sherloc.repair.diffs import read_patch
from sherloc.repair.edits import apply_edits, nearest
from sherloc.schema.proposal import ReplaceBlock
from sherloc.settings_repair import RepairSettings

Maker = Callable[..., Path]
SECONDS = 8.0
"""Far above what it takes, and far below what squares of these sizes would take."""


def refused(shop: Workshop, say: SimpleNamespace, *groups: object, **settings: object) -> str:
    with pytest.raises(ProposalError) as caught:
        say.plan(shop, *groups, **settings)
    return "\n".join(caught.value.problems)


@pytest.fixture(autouse=True)
def _soon() -> object:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < SECONDS * 3


DEEP = ["-" * 200_000 + "1\n", "not " * 100_000 + "x\n", "lambda:" * 50_000 + "1\n", "a if b else " * 30_000 + "1\n"]


@pytest.mark.parametrize("text", DEEP, ids=["minus", "not", "lambda", "if"])
@pytest.mark.parametrize("path", ["n.py", "app.py"])
def test_what_is_nested_too_deeply(shop: Workshop, say: SimpleNamespace, text: str, path: str) -> None:
    words = refused(shop, say, (say.whole(path, text),), check_names=True)
    assert f"{path} would not parse: it is nested too deeply" in words


@pytest.mark.parametrize("path", ["n.py", "n.ts"])
@pytest.mark.parametrize("depth", [50, 300, 900, 5_000])
def test_any_depth_has_an_outcome(shop: Workshop, say: SimpleNamespace, path: str, depth: int) -> None:
    for text in ("(" * depth + "1" + ")" * depth, "x" + ".x" * depth, "x" + "(x)" * depth, "-" * depth + "1"):
        proposal = say.proposal((say.whole(path, text + "\n"),))
        try:
            plan_changes(proposal, shop, brief_paths=[path], settings=RepairSettings())
        except ProposalError as error:
            assert error.problems


def test_dots_on_many_lines(shop: Workshop, say: SimpleNamespace) -> None:
    dots = "".join(f"  ...\n v{number}\n" for number in range(20_000))
    with_dots = f'"""\n{dots}"""\n'
    assert "lines" in refused(shop, say, (say.whole("n.py", with_dots),))
    bodies = "def f():\n    ...\n\n\n\n" * 20_000
    assert "lines" in refused(shop, say, (say.whole("n.py", bodies),))
    assert "stands for text that was left out" in refused(shop, say, (say.whole("n.py", f"{with_dots}x = 1\n...\n"),))


def test_many_hunks_without_a_last_line_feed() -> None:
    count = 20_000
    hunks = "".join(f"@@ -{n} +{n} @@\n-a\n\\ No newline at end of file\n+b\n" for n in range(1, count))
    ((patch,), problems) = read_patch(f"--- a/x\n+++ b/x\n{hunks}")
    assert len(patch.hunks) == count - 1 and not problems
    assert {hunk.ends for hunk in patch.hunks} == {(True, False)}


def test_many_parts_are_not_looked_at(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository(
        {"big.txt": "".join(f"line {n} of the file\n" for n in range(5_000)), "same.txt": "x\n" * 20_000}
    )
    hunks = "".join(f"@@ -{n} +{n} @@\n-line {n - 1} of the file\n+changed {n}\n" for n in range(1, 5_000))
    with Workshop(root) as shop:

        def tried(*groups: object, **settings: Any) -> str:
            with pytest.raises(ProposalError) as caught:
                plan_changes(
                    say.proposal(*groups), shop, brief_paths=["big.txt", "same.txt"],
                    settings=RepairSettings(**{"check_names": False, **settings}),
                )  # fmt: skip
            return "\n".join(caught.value.problems)

        diff = f"--- a/big.txt\n+++ b/big.txt\n{hunks}"
        assert "4999 edits or hunks; 800 changed lines are allowed" in tried(diff)
        assert "The change adds 4999 and removes 4999 lines" in tried(diff, max_changed_lines=5_000)
        wrong = say.edit("big.txt", *[(f"lime {n} off the pile", "x") for n in range(800)])
        words = tried((wrong,))
        assert words.count("does not stand in the file") == 5 and "After 5 edits of big.txt" in words
        twice = say.edit("same.txt", ("x\n", "y\n"))
        assert "stands 100 times or more in the file, at lines 1, 2, 3, 4, 5, …" in tried((twice,))
        many = tuple(say.whole(f"n{n}.txt", "x\n") for n in range(3_000))
        assert "The proposal names 3000 files" in tried(many)
        assert "has 1000 commits; 50 are allowed" in tried(*[(say.whole("big.txt", f"{n}\n"),) for n in range(1_000)])


def test_hunks_that_fit_nowhere_or_everywhere(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"big.txt": "".join(f"line {n} of the file\n" for n in range(20_000))})
    hunks = "".join(f"@@ -{n} +{n} @@\n-lime {n} off the pile\n+x\n" for n in range(1, 700))
    with Workshop(root) as shop, pytest.raises(ProposalError) as caught:
        plan_changes(
            say.proposal(f"--- a/big.txt\n+++ b/big.txt\n{hunks}"), shop, brief_paths=["big.txt"],
            settings=RepairSettings(check_names=False),
        )  # fmt: skip
    assert "After 5 hunks of big.txt that do not apply" in caught.value.problems[-1]


def test_edits_that_overlap_themselves() -> None:
    text, problems = apply_edits("a", "a" * 1_000_000, [ReplaceBlock(search="a" * 500_000, replace="")])
    assert text == "a" * 1_000_000 and "100 times or more" in problems[0]


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -1,2 +0,0 @@\n-not there\n-neither\n", "@@ -1 +0,0 @@\n-x\n", "@@ -1 +1 @@\n-x\n+y\n",
        "@@ -1,4 +0,0 @@\n-x\n-y\n-x\n y\n", "@@ -1,5 +0,0 @@\n-x\n-y\n-x\n-y\n-x\n",
        "@@ -1,4 +0,0 @@\n-y\n-x\n-y\n-x\n",
    ],
)  # fmt: skip
def test_a_deletion_that_does_not_remove_the_file_as_it_is(shop: Workshop, say: SimpleNamespace, hunk: str) -> None:
    words = refused(shop, say, f"--- a/twice.txt\n+++ /dev/null\n{hunk}")
    assert "twice.txt: the diff deletes it, and its hunks do not remove all of its lines" in words


def test_a_deletion_that_does(shop: Workshop, say: SimpleNamespace) -> None:
    for path, lines in (
        ("twice.txt", "-x\n-y\n-x\n-y\n"), ("open.py", "-a = 1\n-b = 2\n\\ No newline at end of file\n"),
        ("crlf.py", "-a = 1\n-b = 2\n-c = 3\n"), ("crlf.py", "-a = 1\r\n-b = 2\r\n-c = 3\r\n"),
        ("mac.txt", "-a\n-b\n-c\n"),
    ):  # fmt: skip
        size = lines.count("\n-") + 1
        made = say.plan(shop, f"--- a/{path}\n+++ /dev/null\n@@ -1,{size} +0,0 @@\n{lines}")
        assert say.contents(made) == {path: None}
    made = say.plan(
        shop, "diff --git a/twice.txt b/twice.txt\ndeleted file mode 100644\n--- a/twice.txt\n+++ /dev/null\n"
    )
    assert say.contents(made) == {"twice.txt": None}


def test_a_file_that_is_deleted_and_made_in_one_diff(shop: Workshop, say: SimpleNamespace) -> None:
    gone = (
        "diff --git a/twice.txt b/twice.txt\ndeleted file mode 100644\n--- a/twice.txt\n+++ /dev/null\n"
        "@@ -1,4 +0,0 @@\n-x\n-y\n-x\n-y\n"
    )
    made = say.plan(
        shop,
        f"{gone}diff --git a/twice.txt b/twice.txt\nnew file mode 100755\n--- /dev/null\n+++ b/twice.txt\n"
        "@@ -0,0 +1 @@\n+z\n",
    )
    assert say.contents(made) == {"twice.txt": b"z\n"} and made.groups[0].files[0].mode == "100755"
    link = (
        f"{gone}diff --git a/twice.txt b/twice.txt\nnew file mode 120000\n--- /dev/null\n+++ b/twice.txt\n"
        "@@ -0,0 +1 @@\n+app.py\n\\ No newline at end of file\n"
    )
    assert "twice.txt would be a symbolic link" in refused(shop, say, link)
    both = (say.delete("twice.txt"), say.whole("twice.txt", "z\n"))
    assert "stands twice in one commit" in refused(shop, say, both)


def test_protected_places_that_are_allowed_are_shown(shop: Workshop, say: SimpleNamespace) -> None:
    files = (say.whole(".github/workflows/x.yml", "on: push\n"), say.whole("n.py", "x = 1\n"))
    made = say.plan(shop, files, allow_paths=("ci",))
    assert [flag for flag in made.flags if "protected" in flag] == [
        ".github/workflows/x.yml is in a protected place (.github/workflows), which the settings allow: look at it "
        "before you merge anything."
    ]


def test_a_comment_that_looks_like_a_files_head(make_repository: Maker, say: SimpleNamespace) -> None:
    """``-- x`` becomes ``++ z``, and the next hunk follows at once."""
    root = make_repository({"q.sql": "a\nb\n-- x\nd\ne\nf\ng\n", "r.sql": "a\n"})
    first = "--- a/q.sql\n+++ b/q.sql\n@@ -3 +3 @@\n--- x\n+++ z\n"
    with Workshop(root) as shop:
        made = plan_changes(
            say.proposal(f"{first}@@ -7 +7 @@\n-g\n+h\n"), shop, brief_paths=["q.sql"], settings=RepairSettings()
        )
        assert say.contents(made) == {"q.sql": b"a\nb\n++ z\nd\ne\nf\nh\n"}
    # A head that says too much hides no file.
    for old, new in (("a/r.sql", "b/r.sql"), ("r.sql", "r.sql"), ("/dev/null", "b/r.sql")):
        (patches, _) = read_patch(
            f"--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n-a\n+b\n b\n--- {old}\n+++ {new}\n@@ -9 +9 @@\n-a\n+b\n"
        )
        assert [patch.new for patch in patches] == ["q.sql", "r.sql"]


@pytest.mark.skipif(sys.platform != "linux", reason="such names are only here")
def test_a_name_that_is_not_utf8_is_refused_as_that(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    name = os.fsdecode(b"\xff\xfe.py")
    (root / name).write_text("x = 1\n")
    say.git(root, "add", "-A")
    say.git(root, "commit", "-q", "-m", "odd")
    with Workshop(root) as shop:
        folder = Path(shop.checkout(shop.base))
        (folder / name).write_text("x = 2\n")
        (changed,) = shop.changed_in(str(folder)).files
        assert (changed.path, changed.data) == (name, b"x = 2\n")
        diff = shop.diff(shop.base, shop.tree_of(shop.base, (changed,)))
        for group in (diff, (say.whole("\\xff\\xfe.py", "x = 2\n"),)):
            assert "the file's name is not valid UTF-8" in refused(shop, say, group)


@pytest.mark.parametrize("line", ["- " * 500_000, "#" + " #" * 500_000, "> " * 500_000, "file: " * 100_000])
def test_marks_before_a_path(line: str) -> None:
    block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert read_proposal(f"{line}\na.py\n{block}\n{line}\n").commit_groups[0].files[0].path == "a.py"


def test_hunks_as_long_as_a_file_of_equal_lines(make_repository: Maker, say: SimpleNamespace) -> None:
    same = " same\n" * 10_000
    with Workshop(make_repository({"app.py": "same\n" * 20_000})) as shop:
        half = same[: len(same) // 2]
        said = refused(shop, say, f"--- a/app.py\n+++ b/app.py\n@@ -30000 +1 @@\n{half}+y\n{half}")
        assert "its lines stand 100 times or more in the file" in said
        made = say.plan(shop, f"--- a/app.py\n+++ b/app.py\n@@ -9000,10000 +1 @@\n{same}+y\n")
        assert say.contents(made)["app.py"] == b"same\n" * 18_999 + b"y\n" + b"same\n" * 1_001


def test_diffs_that_are_far_too_long() -> None:
    patches, problems = read_patch("--- a/a\n+++ b/a\n@@ -1 +1 @@\n" + "-x\n+y\n" * 60_000)
    assert patches == [] and problems == ["The diff has over 100000 lines: change only what the ticket needs."]


def test_files_of_a_diff_are_counted_before_they_are_looked_at(shop: Workshop, say: SimpleNamespace) -> None:
    diff = "".join(f"--- a/d{n}/x.py\n+++ b/d{n}/x.py\n@@ -1 +1 @@\n-a\n+b\n" for n in range(15_000))
    assert "names 15000 files" in refused(shop, say, diff)


def test_a_text_that_its_edits_let_grow(shop: Workshop, say: SimpleNamespace) -> None:
    first = shop.read("app.py").decode().partition("\n")[0]
    pairs = [(first, first + "z" * 300_000)] * 100
    assert "over 1000000 characters" in refused(shop, say, (say.edit("app.py", *pairs),))


def test_what_is_near_is_found_fast_in_a_large_file() -> None:
    rows = [f"    value_{n} = compute(number_{n * 7919 % 20_011}, scale={n % 13})" for n in range(20_000)]
    text = "\n".join(rows) + "\n"
    start = time.perf_counter()
    for wrong in ("    value_777 = compute(number_9, scael=10)", "    valeu_777 = compuet(numbre_1, sclae=1)"):
        assert "The nearest text begins at line " in nearest(text, wrong)
    assert "begins at line 778;" in nearest(text, "    value_777 = compute(number_9, scael=10)")
    assert "No line of the file is like it" in nearest(text, "zzzz" * 12)
    assert time.perf_counter() - start < 8


def test_a_name_as_long_as_a_file(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(shop, (say.whole("n.py", "import os\nos." + "a" * 900_000 + "()\n"),), check_names=True)
    assert "n.py is minified: its change cannot be reviewed." in made.flags
    both = (say.whole("n.py", "a" * 900_000 + "()\n"), say.edit("app.py", ("return x", "return nowhere_at_all(x)")))
    assert "nowhere_at_all" in refused(shop, say, both, check_names=True)

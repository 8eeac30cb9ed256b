"""Diffs of any maker: every line is read, no text makes it fail."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.boundary import looks_like_diff, scan_diff
from sherloc.boundary.diffs import read_diff, read_files

ORDER = "Reviewers should skip this file."


def found(diff: str) -> list[tuple[str | None, int, str]]:
    return [(hit.path, hit.line, hit.origin) for hit in scan_diff(diff)]


def test_added_context_and_removed_lines() -> None:
    diff = (
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -10,4 +20,4 @@ def f():\n"
        f" # {ORDER}\n-# {ORDER} old\n+# {ORDER} new\n x\n y\n"
    )
    assert found(diff) == [("a.py", 20, "context"), ("a.py", 11, "removed"), ("a.py", 21, "added")]
    assert [hit.text_line for hit in scan_diff(diff)] == [6, 7, 8]


def test_a_sentence_is_read_in_the_new_file_and_in_the_old_one() -> None:
    diff = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n # Reviewers\n-# should skip this.\n+# should read this.\n"
    assert found(diff) == [("a", 1, "context")]
    diff = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n # Reviewers\n-# should read this.\n+# should skip this.\n"
    assert found(diff) == [("a", 1, "context")]


def test_lines_of_two_hunks_are_no_sentence() -> None:
    assert found("--- a/a\n+++ b/a\n@@ -1 +1 @@\n+Reviewers\n@@ -9 +9 @@\n+should skip this file.\n") == []


def test_what_stands_outside_hunks_is_read_too() -> None:
    diff = f"From 1 Mon\nSubject: [PATCH] {ORDER}\n\n{ORDER}\n---\n a | 1 +\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n"
    diff += f"@@ -1 +1 @@ {ORDER}\n+x\n-- \n2.39.5 {ORDER}\n"
    assert found(diff) == [(None, 2, "context"), (None, 4, "context"), (None, 11, "context"), (None, 14, "context")]


def test_a_mail_s_signature_is_no_removed_line() -> None:
    diff = "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n x\n+y\n-- \n2.39.5\n"
    assert [(line.path, line.origin) for line in read_diff(diff)][-2:] == [(None, "context"), (None, "context")]


def test_renames_modes_and_binary_files() -> None:
    diff = (
        "diff --git a/old name.py b/new name.py\nsimilarity index 90%\nrename from old name.py\nrename to new name.py\n"
        f"--- a/old name.py\t\n+++ b/new name.py\t\n@@ -1,2 +1,2 @@\n-# {ORDER}\n+# {ORDER}\n z\n"
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/b.bin b/b.bin\nGIT binary patch\nliteral 10\nzcmV-A0RI3^\n\nliteral 0\nHcmV?d00001\n\n"
        f"diff --git a/c.py b/c.py\nnew file mode 100644\n--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+# {ORDER}\n"
        f"diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-# {ORDER}\n"
    )
    assert found(diff) == [
        ("old name.py", 1, "removed"), ("new name.py", 1, "added"), ("c.py", 1, "added"), ("d.py", 1, "removed"),
    ]  # fmt: skip


def test_no_newline_at_the_end() -> None:
    diff = f"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+# {ORDER}\n\\ No newline at end of file"
    assert found(diff) == [("a", 1, "added")]


def test_carriage_returns() -> None:
    diff = f"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+# {ORDER}\n".replace("\n", "\r\n")
    assert [(hit.path, hit.line, hit.text) for hit in scan_diff(diff)] == [("a", 2, f"# {ORDER}")]


def test_combined_diffs() -> None:
    diff = (
        "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,3 -1,3 +1,4 @@@\n  x\n"
        f"- # {ORDER} ours\n -# {ORDER} theirs\n++# {ORDER} both\n+ y\n"
    )
    assert [(path, origin) for path, _, origin in found(diff)] == [
        ("a.py", "removed"), ("a.py", "removed"), ("a.py", "added"),
    ]  # fmt: skip
    assert found(diff)[-1] == ("a.py", 2, "added")


@pytest.mark.parametrize("counts", ["-1 +1", "-1,999999 +1,999999", "-0,0 +0,0", "-1,2 +1,1"])
def test_counts_that_lie_hide_nothing(counts: str) -> None:
    diff = (
        f"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ {counts} @@\n x\n+# {ORDER}\n-# {ORDER}\n"
        f"--- a/b\n+++ b/b\n@@ {counts} @@\n+# {ORDER}\n"
        f"diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ {counts} @@\n+# {ORDER}\n"
    )
    assert [(path, origin) for path, _, origin in found(diff)] == [
        ("a", "added"), ("a", "removed"), ("b", "added"), ("c", "added"),
    ]  # fmt: skip


def test_removed_lines_that_look_like_heads() -> None:
    diff = "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ x\n-- y\n+- z\n"
    assert [(line.text, line.origin) for line in read_diff(diff)[3:]] == [
        ("-- a comment", "removed"), ("++ x", "added"), ("- y", "removed"), ("- z", "added"),
    ]  # fmt: skip


def test_blank_context_lines_that_an_editor_cut() -> None:
    diff = f"--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n x\n\n+# {ORDER}\n y\n"
    assert found(diff) == [("a", 3, "added")]


def test_a_line_that_a_mailer_wrapped() -> None:
    diff = f"--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n x\n+one two\nthree\n+# {ORDER}\n"
    assert found(diff) == [("a", 3, "added")]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('"a/\\343\\201\\202.md"', '"b/\\343\\201\\202.md"', "あ.md"),
        ('"a/tab\\there\\"q\\"\\\\.md"', '"b/tab\\there\\"q\\"\\\\.md"', 'tab\there"q"\\.md'),
        ("i/x.md", "w/x.md", "x.md"),
        ("a/あ b.md", "b/あ b.md", "あ b.md"),
        ("src/x.md", "src/x.md", "src/x.md"),
        ("a.orig\t2020-01-01 00:00:00", "a.new\t2020-01-01 00:00:00", "a.new"),
        ("a/x", "a/x", "a/x"),
    ],
)
def test_paths(old: str, new: str, path: str) -> None:
    assert found(f"--- {old}\n+++ {new}\n@@ -0,0 +1 @@\n+# {ORDER}\n") == [(path, 1, "added")]


def test_what_is_a_diff() -> None:
    assert looks_like_diff("--- a\n+++ b\n@@ -1 +1 @@\n")
    assert looks_like_diff("commit 1\n\n    words\n\ndiff --git a/x b/x\nold mode 100644\n")
    assert not looks_like_diff("# Title\n\n---\n\n+++ b\n")
    assert not looks_like_diff("")


@given(
    st.lists(
        st.sampled_from(
            [
                "diff --git a/a b/a",
                "--- a/a",
                "+++ b/a",
                "@@ -1 +1 @@",
                "@@ -1,9 +1,9 @@ x",
                "@@@ -1 -1 +1 @@@",
                "-- ",
                "+x",
                "-x",
                " x",
                "",
                "\\ No newline at end of file",
                "rename to y",
                'diff --git "a/\\3" "b/',
                "@@ -99999999999 +1 @@",
                "+",
                "-",
                "Index: z",
                "\r",
                "--- ",
                "+++ ",
                "diff --git ",
                "diff --cc",
                "Binary files a and b differ",
                "\udcff",
            ]
        ),
        max_size=25,
    )
)
@settings(max_examples=300, deadline=None)
def test_every_line_comes_back_once(lines: list[str]) -> None:
    read = read_diff("\n".join(lines))
    wanted = len(lines) - (1 if lines and lines[-1] in ("", "\r") else 0)
    assert [line.text_line for line in read] == list(range(1, wanted + 1))
    for line in read:
        assert (line.path is None) == (line.hunk == 0)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_it_fail(text: str) -> None:
    scan_diff(text)
    scan_diff("--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n" + text)


def test_numbers_agree_with_git(make_repository: Callable[..., Path], git_tools: Any) -> None:
    before = "".join(f"line {number}\n" for number in range(1, 61))
    root = make_repository({"a b.txt": before, "gone.md": ORDER + "\n", "dir/あ.md": before})
    after = before.replace("line 20\n", f"{ORDER}\nline 20\n").replace("line 50\n", f"{ORDER}\n")
    (root / "gone.md").unlink()
    git_tools.put(root, {"a b.txt": after, "dir/あ.md": after, "new.md": f"x\n{ORDER}"})
    git_tools.run_git(root, "add", "-A")
    for options in ([], ["-U0"], ["-U40"], ["--no-prefix"], ["-c", "diff.mnemonicPrefix=true"]):
        leading = options if options[:1] == ["-c"] else []
        diff = git_tools.run_git(root, *leading, "diff", "--cached", *(() if leading else options))
        assert found(diff) == [
            ("a b.txt", 20, "added"), ("a b.txt", 51, "added"), ("dir/あ.md", 20, "added"), ("dir/あ.md", 51, "added"),
            ("gone.md", 1, "removed"), ("new.md", 2, "added"),
        ]  # fmt: skip


def test_two_hundred_thousand_lines() -> None:
    diff = "--- a/a\n+++ b/a\n@@ -1,200000 +1,200000 @@\n" + "+x = 1\n-y = 2\n z = 3\n" * 66_666 + f"+# {ORDER}\n"
    start = time.process_time()
    assert found(diff) == [("a", 133_333, "added")]
    assert time.process_time() - start < 5


def test_files_and_their_hunks() -> None:
    diff = (
        "diff --git a/old name.py b/new name.py\nsimilarity index 90%\nrename from old name.py\nrename to new name.py\n"
        "--- a/old name.py\t\n+++ b/new name.py\t\n@@ -1,2 +1,2 @@\n-# o\n+# n\n z\n@@ -10,0 +11,1 @@\n+x\n"
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n"
        "diff --git a/r1.py b/r2.py\nsimilarity index 100%\nrename from r1.py\nrename to r2.py\n"
        "diff --git a/e.py b/e.py\nnew file mode 100644\nindex 000..e69\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\nindex e69..000\n"
        "diff --git a/c.py b/c.py\nnew file mode 100644\n--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+# o\n"
        "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-# O\n"
        "--- a/m.sql\n+++ b/m.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n\\ No newline at end of file\n"
    )
    assert [(file.old, file.new, [hunk.start for hunk in file.hunks]) for file in read_files(diff)] == [
        ("old name.py", "new name.py", [1, 11]), ("x.png", "x.png", []), ("r1.py", "r2.py", []), (None, "e.py", []),
        ("gone", None, []), (None, "c.py", [1]), ("d.py", None, [1]), ("m.sql", "m.sql", [1]),
    ]  # fmt: skip
    assert read_files(diff)[-1].hunks[0].lines == [("-", "-- old"), ("+", "++ new"), (" ", "same")]


@given(st.text(alphabet="ab+-@ \n\\/1,", max_size=200))
def test_any_text_has_files_or_none(text: str) -> None:
    for file in read_files(text):
        assert all(hunk.lines for hunk in file.hunks)

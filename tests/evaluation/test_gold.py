from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.errors import DataError
from sherloc.evaluation.gold import Gold, gold_of_patch, stretches
from sherloc.evaluation.golds import gold_of
from sherloc.evaluation.instances import Instance

SOURCE = (
    "import os\n\nX = 1\n\nclass A:\n    y = 2\n\n    @property\n    def f(self):\n        a = 1\n"
    "        return a\n\ndef g(x):\n    def h():\n        return x\n    return h\n"
)


def gold(body: str, path: str = "m.py", source: str = SOURCE, language: str = "python") -> Gold:
    patch = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{body}"
    return gold_of_patch(patch, lambda p: source.encode(), lambda p: language, lambda p: True)


def test_a_replaced_line_belongs_to_the_innermost_function_and_class() -> None:
    found = gold("@@ -10,2 +10,2 @@\n         a = 1\n-        return a\n+        return 2\n")
    assert (found.files, found.functions, found.classes) == (["m.py"], ["m.py::A.f"], ["m.py::A"])
    assert (found.lines, found.chunks) == ([("m.py", 11)], [("m.py", 11, 11)])
    nested = gold("@@ -15,1 +15,1 @@\n-        return x\n+        return 1\n")
    assert (nested.functions, nested.outer_functions, nested.classes) == (["m.py::g.h"], ["m.py::g"], [])
    assert nested.owners == {("m.py", "g.h")}


def test_a_changed_decorator_is_inside_its_function() -> None:
    found = gold("@@ -8,1 +8,1 @@\n-    @property\n+    @cached\n")
    assert found.functions == ["m.py::A.f"]


def test_an_insertion_touches_its_neighbours() -> None:
    found = gold("@@ -11,2 +11,3 @@\n         return a\n+        raise X\n \n")
    assert (found.functions, found.lines) == (["m.py::A.f"], [("m.py", 11), ("m.py", 12)])
    assert found.chunks == [("m.py", 11, 12)]


def test_an_insertion_without_context_comes_after_the_line_that_its_head_names() -> None:
    found = gold("@@ -11,0 +12,1 @@\n+        raise X\n")
    assert (found.functions, found.lines) == (["m.py::A.f"], [("m.py", 11), ("m.py", 12)])
    assert gold("@@ -0,0 +1,1 @@\n+# first\n").lines == [("m.py", 1)]
    assert gold("@@ -16,0 +17,1 @@\n+# last\n", source=SOURCE.rstrip("\n")).lines == [("m.py", 16)]


def test_a_new_method_has_a_class_but_no_function_that_existed() -> None:
    found = gold("@@ -11,2 +11,5 @@\n         return a\n+\n+    def n(self):\n+        pass\n \n")
    assert (found.functions, found.classes) == ([], ["m.py::A"])
    assert ("m.py", "A.f") in found.owners


def test_module_code_is_owned_by_the_module() -> None:
    found = gold("@@ -3,1 +3,1 @@\n-X = 1\n+X = 2\n")
    assert (found.functions, found.classes, found.owners) == ([], [], {("m.py", "")})


def test_a_hunk_that_moved_is_placed_where_it_stands() -> None:
    found = gold("@@ -40,2 +40,2 @@\n         a = 1\n-        return a\n+        return 2\n")
    assert (found.lines, found.unplaced) == ([("m.py", 11)], 0)


def test_of_equal_places_the_nearest_counts() -> None:
    source = "x = 1\ny\nx = 1\ny\nx = 1\n"
    assert gold("@@ -4,1 +4,1 @@\n-x = 1\n+x = 2\n", source=source).lines == [("m.py", 3)]
    assert gold("@@ -99,1 +99,1 @@\n-x = 1\n+x = 2\n", source=source).lines == [("m.py", 5)]


def test_hunks_that_stand_nowhere_are_counted_and_do_no_harm() -> None:
    body = "@@ -11,1 +11,1 @@\n-no such line\n+x\n@@ -900,2 +900,2 @@\n no such line\n-either\n+y\n"
    found = gold(body)
    assert (found.unplaced, found.functions) == (2, ["m.py::A.f"])


def test_trailing_blanks_and_carriage_returns_do_not_move_a_hunk() -> None:
    source = SOURCE.replace("\n", "\r\n")
    found = gold("@@ -10,2 +10,2 @@\n         a = 1  \n-        return a\n+        return 2\n", source=source)
    assert (found.lines, found.unplaced) == ([("m.py", 11)], 0)


def test_new_files_renames_and_files_that_do_not_count() -> None:
    patch = (
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,1 @@\n+x\n--- a/README.md\n+++ b/README.md\n@@ -1,1 +1,1 @@\n-a\n+b\n"
        "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
        "--- a/old.py\n+++ b/new.py\n@@ -1,1 +1,1 @@\n-a\n+b\n"
        "diff --git a/moved.py b/there.py\nsimilarity index 100%\nrename from moved.py\nrename to there.py\n"
        "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"
    )
    found = gold_of_patch(patch, lambda p: b"a\n", lambda p: "", lambda p: p.endswith(".py"))
    assert (found.files, found.new_files) == (["old.py", "moved.py", "gone.py"], 1)
    assert found.renamed == {"old.py": "new.py", "moved.py": "there.py"}
    assert found.lines == [("old.py", 1), ("gone.py", 1)]


def test_lines_that_look_like_headers_inside_a_hunk_are_content() -> None:
    patch = "--- a/m.sql\n+++ b/m.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n same\n"
    found = gold_of_patch(patch, lambda p: b"-- old comment\nsame\n", lambda p: "", lambda p: True)
    assert (found.files, found.lines) == (["m.sql"], [("m.sql", 1)])


@pytest.mark.parametrize(
    ("language", "source", "body", "functions", "classes"),
    [
        (
            "go",
            "package c\n\ntype Clock struct {\n\tnow int\n}\n\nfunc (c *Clock) Advance(by int) {\n\tc.now += by\n}\n",
            "@@ -8 +8 @@\n-\tc.now += by\n+\tc.now = by\n",
            ["m::Clock.Advance"],
            [],
        ),
        (
            "java",
            "class A {\n  int x;\n  int f() {\n    return x;\n  }\n}\n",
            "@@ -4 +4 @@\n-    return x;\n+    return 1;\n",
            ["m::A.f"],
            ["m::A"],
        ),
        (
            "rust",
            "struct T;\nimpl T {\n    fn f(&self) -> i32 {\n        1\n    }\n}\n",
            "@@ -4 +4 @@\n-        1\n+        2\n",
            ["m::T::f"],
            [],
        ),
        (
            "cpp",
            "namespace n {\nclass T {\n  int f() {\n    return 1;\n  }\n};\n}\n",
            "@@ -4 +4 @@\n-    return 1;\n+    return 2;\n",
            ["m::n::T::f"],
            ["m::n::T"],
        ),
        (
            "typescript",
            "export class T {\n  f(): number {\n    return 1;\n  }\n}\n",
            "@@ -3 +3 @@\n-    return 1;\n+    return 2;\n",
            ["m::T.f"],
            ["m::T"],
        ),
    ],
)
def test_other_languages(language: str, source: str, body: str, functions: list[str], classes: list[str]) -> None:
    found = gold(body, path="m", source=source, language=language)
    assert (found.functions, found.classes) == (functions, classes)


def test_gold_is_read_at_the_base_revision(make_repository: Callable[..., Path], git_tools: Any) -> None:
    files = {"a.py": SOURCE, "tests/test_a.py": "def test():\n    pass\n", "a.pyi": "x: int\n", "README.md": "a\n"}
    repository = make_repository(files)
    base = git_tools.run_git(repository, "rev-parse", "HEAD")
    git_tools.put(repository, {name: text.replace("a", "b") for name, text in files.items()})
    git_tools.commit(repository, "fix")
    patch = git_tools.run_git(repository, "diff", base, "HEAD") + "\n"
    both = Instance("i", str(repository), base, "x", patch)
    assert gold_of(both, str(repository)).files == ["a.py"]
    python = Instance("i", str(repository), base, "x", patch, language="python")
    assert gold_of(python, str(repository)).files == ["a.py", "tests/test_a.py"]


def test_gold_that_the_data_set_states() -> None:
    stated = Instance("i", "r", "", "x", functions=("a.py::f",), lines=(("b.py", 2, 3),), files=("c.py",))
    found = gold_of(stated, "")
    assert (found.files, found.functions) == (["c.py", "a.py", "b.py"], ["a.py::f"])
    assert (found.lines, found.chunks) == ([("b.py", 2), ("b.py", 3)], [("b.py", 2, 3)])
    with pytest.raises(DataError, match="neither a patch"):
        gold_of(Instance("i", "r", "", "x"), "")


@given(st.sets(st.integers(1, 60)))
def test_stretches_hold_exactly_the_lines(lines: set[int]) -> None:
    runs = list(stretches(sorted(lines)))
    assert [n for first, last in runs for n in range(first, last + 1)] == sorted(lines)
    assert all(b[0] > a[1] + 1 for a, b in zip(runs, runs[1:], strict=False))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_diff_that_git_could_have_made_is_placed_whole(data: st.DataObject) -> None:
    import difflib

    old = data.draw(st.lists(st.sampled_from(["a", "b", "  c", ""]), max_size=12))
    new = data.draw(st.lists(st.sampled_from(["a", "b", "  c", "d"]), max_size=12))
    context = data.draw(st.integers(0, 3))
    lines = list(difflib.unified_diff(old, new, "a/m.py", "b/m.py", n=context, lineterm=""))
    found = gold_of_patch(
        "\n".join(lines) + "\n", lambda p: "\n".join([*old, ""]).encode(), lambda p: "", lambda p: True
    )
    assert found.unplaced == 0
    assert bool(found.files) == (old != new)
    removed = [line for line in lines[2:] if line.startswith("-")]
    assert len(found.lines) >= min(len(removed), 1)


@given(st.text(alphabet="ab+-@ \n\\/1,", max_size=200))
def test_any_text_is_a_patch_of_something_or_nothing(text: str) -> None:
    gold_of_patch(text, lambda p: b"a\nb\n", lambda p: "", lambda p: True)


def test_a_large_patch_takes_linear_time() -> None:
    source = "".join(f"line {n}\n" for n in range(20_000))
    body = "".join(f"@@ -{n},1 +{n},1 @@\n-line {n - 1}\n+x\n" for n in range(1, 20_000, 4))
    lost = "".join(f"@@ -{n},1 +{n},1 @@\n-no such line {n}\n+x\n" for n in range(1, 20_000, 4))
    start = time.process_time()
    found = gold(body, source=source, language="")
    assert (len(found.lines), found.unplaced) == (5000, 0)
    assert gold(lost, source=source, language="").unplaced == 5000
    assert time.process_time() - start < 2

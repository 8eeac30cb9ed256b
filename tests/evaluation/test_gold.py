from __future__ import annotations

from sherloc.evaluation.gold import Gold, gold_of_patch, parse_patch

SOURCE = (
    "import os\n\nX = 1\n\nclass A:\n    y = 2\n\n    @property\n    def f(self):\n        a = 1\n"
    "        return a\n\ndef g(x):\n    def h():\n        return x\n    return h\n"
)


def gold(body: str, path: str = "m.py") -> Gold:
    patch = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{body}"
    return gold_of_patch(patch, lambda p: SOURCE.encode(), lambda p: "python", lambda p: p.endswith(".py"))


def test_a_replaced_line_belongs_to_the_innermost_function() -> None:
    found = gold("@@ -10,2 +10,2 @@\n         a = 1\n-        return a\n+        return 2\n")
    assert (found.files, found.functions, found.lines) == (["m.py"], ["m.py::A.f"], [("m.py", 11)])
    nested = gold("@@ -15,1 +15,1 @@\n-        return x\n+        return 1\n")
    assert (nested.functions, nested.owners) == (["m.py::g.h"], {("m.py", "g.h")})


def test_an_insertion_touches_its_neighbours() -> None:
    found = gold("@@ -11,2 +11,3 @@\n         return a\n+        raise X\n \n")
    assert (found.functions, found.lines, found.chunks) == (
        ["m.py::A.f"],
        [("m.py", 11), ("m.py", 12)],
        [("m.py", 11, 12)],
    )


def test_a_new_method_has_no_function_that_existed() -> None:
    found = gold("@@ -11,2 +11,5 @@\n         return a\n+\n+    def n(self):\n+        pass\n \n")
    assert found.functions == []
    assert ("m.py", "A.f") in found.owners


def test_module_code_is_owned_by_the_module() -> None:
    found = gold("@@ -3,1 +3,1 @@\n-X = 1\n+X = 2\n")
    assert (found.functions, found.owners) == ([], {("m.py", "")})


def test_a_hunk_that_moved_is_placed_where_it_stands() -> None:
    found = gold("@@ -40,2 +40,2 @@\n         a = 1\n-        return a\n+        return 2\n")
    assert found.lines == [("m.py", 11)]


def test_new_files_and_files_that_do_not_count() -> None:
    patch = (
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,1 @@\n+x\n--- a/README.md\n+++ b/README.md\n@@ -1,1 +1,1 @@\n-a\n+b\n"
    )
    found = gold_of_patch(patch, lambda p: b"a\n", lambda p: "", lambda p: p.endswith(".py"))
    assert (found.files, found.new_files) == ([], 1)


def test_lines_that_look_like_headers_inside_a_hunk_are_content() -> None:
    patch = "--- a/m.sql\n+++ b/m.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n same\n"
    (file,) = parse_patch(patch)
    assert file.hunks[0].body == (("-", "-- old comment"), ("+", "++ new comment"), (" ", "same"))

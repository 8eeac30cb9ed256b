"""Files that no parser likes: nothing is lost in silence, and nothing ends the run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.skeleton import FileSkeleton, Unread, make_skeleton, read_skeletons
from sherloc.syntax import LANGUAGES

SAMPLES = Path(__file__).parent / "samples"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SAMPLES.iterdir()) if path.suffix != ".txt"}


def unaccounted(text: str, language: str) -> list[str]:
    """Lines that are neither shown nor in a hidden range, comments and closing marks aside."""
    made = make_skeleton(text, language)
    seen = {line for first, last in made.hidden for line in range(first, last + 1)} | set(made.lines)
    rows = enumerate(text.split("\n"), 1)
    marks = ("#", "//", "/*", "*", "}", "end", ")", ";")
    return [row for number, row in rows if row.strip() and not row.strip().startswith(marks) and number not in seen]


def test_a_broken_file_is_flagged_and_what_stands_behind_the_fault_stays() -> None:
    text = "def f():\n    return (1\n\n\ndef g():\n    return 10\n\n\nclass A:\n    def h(self):\n        return 20\n"
    made = make_skeleton(text, "python")
    assert made.broken and made.errors
    for name in ("def f", "def g", "class A", "def h"):
        assert name in made.text
    assert not unaccounted(text, "python")


def test_a_body_that_may_have_swallowed_others_is_shown_whole() -> None:
    text = "function a() {\n  if (x) {\n\nfunction b() {\n  return 10;\n}\n"
    made = make_skeleton(text, "javascript")
    assert made.broken and "function b() {" in made.text and "if (x)" in made.text


def test_a_fault_inside_of_a_body_does_not_show_it() -> None:
    text = "int f(int a)\n{\n  FOR_EACH (x) { work(x) y z }\n  return a;\n}\nint g(void) { return compute(1); }\n"
    made = make_skeleton(text, "c")
    assert "return a" not in made.text and "int g(void) { /* ... */ }" in made.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_cut_anywhere_loses_nothing(language: str) -> None:
    text = TEXTS[language]
    for cut in range(7, len(text), max(7, len(text) // 12)):
        assert unaccounted(text[:cut], language) == [], cut
        rest = text[cut:]
        assert unaccounted(rest, language) == [], cut


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(LANGUAGES), st.data())
def test_any_damage_is_survived(language: str, data: st.DataObject) -> None:
    text = TEXTS[language]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 60)))
    noise = data.draw(st.text(alphabet=st.sampled_from("(){}[]\"'`\n \t#/*\\;:é\u2028\0x"), max_size=8))
    damaged = text[:start] + noise + text[end:]
    for docs in ("all", "first", "none"):
        made = make_skeleton(damaged, language, docs=docs)
        rows = made.text.split("\n")
        assert len(made.lines) == len(rows) - (not rows[-1])
        assert list(made.lines) == sorted(made.lines)
        assert all(1 <= line <= damaged.count("\n") + 1 for line in made.lines)
    assert unaccounted(damaged, language) == []


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(LANGUAGES), st.text(max_size=200))
def test_any_text_is_survived(language: str, text: str) -> None:
    make_skeleton(text, language)
    make_skeleton(text, language, docs="none")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f():\n" + "".join(" " * depth + "if x:\n" for depth in range(1, 90)) + " " * 90 + "pass\n"),
        ("javascript", "f(" * 20_000 + ")" * 20_000),
        ("javascript", "function f() {" * 3_000 + "}" * 3_000),
        ("python", "x = " + "[" * 20_000 + "]" * 20_000 + "\n"),
        ("json", "{" * 10),
    ],
)
def test_deep_nesting(language: str, text: str) -> None:
    start = time.process_time()
    make_skeleton(text, language)
    assert time.process_time() - start < 10


@pytest.mark.slow
def test_a_generated_file_of_five_megabytes() -> None:
    text = "".join(f"def f{number}(a, b):\n    x = a + b\n    return x * {number}\n\n\n" for number in range(90_000))
    start = time.process_time()
    made = make_skeleton(text, "python")
    assert len(text) > 4_500_000 and made.text.count("...") == 90_000
    assert time.process_time() - start < 20


def test_one_file_that_fails_does_not_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 10\n")
    (tmp_path / "b.bin").write_bytes(b"\0\1\2")
    (tmp_path / "c.txt").write_text("words\n")
    (tmp_path / "script").write_text("#!/usr/bin/env python3\ndef f():\n    return 10\n")
    (tmp_path / "d.h").write_text("class A { int f() { return compute(1); } };\n")
    (tmp_path / "d.cpp").write_text("")
    names = ["a.py", "missing.py", "b.bin", "c.txt", "script", "d.h"]
    found = list(read_skeletons([str(tmp_path / name) for name in names]))
    assert [type(each) for each in found] == [FileSkeleton, Unread, Unread, FileSkeleton, FileSkeleton, FileSkeleton]
    texts = {Path(each.path).name: each.skeleton for each in found if isinstance(each, FileSkeleton)}
    assert texts["a.py"].text == "def f():\n    ...\n"
    assert texts["c.txt"].text == "words\n" and texts["c.txt"].reason == "no_grammar"
    assert texts["script"].text.endswith("def f():\n    ...\n")
    assert texts["d.h"].language == "cpp" and "{ /* ... */ }" in texts["d.h"].text

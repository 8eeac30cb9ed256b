"""Deep and hostile text ends soon; measured is the processor time of the thread, so that a busy machine is no fault."""

from __future__ import annotations

import time

import pytest

from sherloc.syntax import Outline, outline

_DEEP = 20_000
_SECONDS = 3.0
_SIZE = 480_000


def _outline(language: str, source: str) -> Outline:
    outline(language, b"")
    started = time.thread_time()
    found = outline(language, source.encode())
    spent = time.thread_time() - started
    assert spent < _SECONDS, f"{spent:.1f} s"
    return found


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", "def a(): pass\nx = ", "\ndef b(): pass\n"),
        ("javascript", "function a() {}\nvar x = ", ";\nfunction b() {}\n"),
        ("c", "int a(void) { }\nint x = ", ";\nint b(void) { }\n"),
        ("java", "class A { void a() { int x = ", "; } void b() { } }"),
    ],
)
@pytest.mark.parametrize(
    "middle",
    ["(" * _DEEP + "1" + ")" * _DEEP, "[" * _DEEP + "]" * _DEEP, "1" + " + 1" * _DEEP, "a" + " + f(a)" * _DEEP],
    ids=["parentheses", "brackets", "sum", "sum of calls"],
)
def test_deep_expressions(language: str, before: str, after: str, middle: str) -> None:
    found = _outline(language, before + middle + after)
    if (language, middle[0]) != ("c", "["):  # which is not C
        assert [each.name for each in found.definitions if each.kind != "class"] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * _DEEP + "1" + "}" * _DEEP,
        '[{"a":' * _DEEP + "1" + "}]" * _DEEP,
        "[" + '{"a":[1]},' * _DEEP + "]",
    ],
    ids=["objects", "arrays of objects", "a long array"],
)
def test_json_like_javascript(text: str) -> None:
    found = _outline("javascript", f"module.exports = {text};\nfunction last() {{}}\n")
    assert [each.name for each in found.definitions] == ["last"]


def test_deeply_nested_functions() -> None:
    found = _outline("javascript", "function f() {" * 3_000 + "}" * 3_000)
    assert 1 <= len(found.definitions) <= 3_000
    python = "".join(f"{' ' * depth}def f():\n" for depth in range(300)) + " " * 300 + "pass\n"
    assert len(_outline("python", python).definitions) == 300


def test_many_small_functions() -> None:
    found = _outline("python", "@a\ndef f(x): return g(x)\n\n" * 5_000)
    assert len(found.definitions) == 5_000
    assert [found.definitions[-1].start_line, found.references[-1].owner] == [14_998, 4_999]


@pytest.mark.parametrize(
    ("language", "unit"),
    [
        ("python", "def f(\n"),
        ("javascript", "a => "),
        ("javascript", "/*/ "),
        ("java", "@A(x) "),
        ("c", "#if 1\n"),
        ("go", "func ("),
        ("rust", "/* "),
    ],
)
def test_a_large_adversarial_file(language: str, unit: str) -> None:
    found = _outline(language, (unit * (_SIZE // len(unit) + 1))[:_SIZE])
    assert len(found.errors) <= 50
    assert all(len(each.signature) <= 300 and len(each.docstring) <= 400 for each in found.definitions)


def test_long_words_are_cut() -> None:
    word = "a" * 100_000
    found = _outline("python", f'class {word}({word}):\n    """{word}"""\n    def f(self, {word}): {word}.{word}()\n')
    for each in found.definitions:
        assert len(each.name) <= 200 and len(each.signature) <= 300 and len(each.docstring) <= 400
        assert all(len(base) <= 120 for base in each.bases)

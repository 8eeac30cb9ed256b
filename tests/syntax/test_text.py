"""Bytes and lines: letters of several bytes, odd line ends, files with next to nothing."""

from __future__ import annotations

import pytest

from sherloc.syntax import LANGUAGES, Definition, Outline, outline

_TWO = {
    "python": ("x = '{}'; y = 1\n", "def näme(a):\n    return '{}'", "class Ö:\n    x = 1", "\n"),
    "javascript": ("let x = '{}'; ", "function näme(a) {{\n  return '{}';\n}}", "class Ö {{\n}}", "\n"),
    "java": ("; /* {} */ ", 'class Näme {{\n  String a = "{}";\n}}', "class Ö {{\n}}", "\n"),
    "go": ("package p\nvar x = `{}`; ", "func näme() {{\n\tf(`{}`)\n}}", "type Ö struct {{\n}}", "\n"),
    "rust": ('const X: &str = "{}"; ', 'fn näme() {{\n  f("{}")\n}}', "struct Ö {{\n}}", "\n"),
    "c": ('char *x = "{}"; ', 'int näme(void) {{\n  f("{}");\n}}', "struct Ö {{\n  int a;\n}}", ";\n"),
    "ruby": ("x = '{}'; ", "def näme\n  '{}'\nend", "class Oö\nend", "\n"),
    "csharp": ("using A; /* {} */ ", 'class Näme {{\n  string A = "{}";\n}}', "class Ö {{\n}}", "\n"),
}
_LETTERS = {"é": "é" * 10, "four bytes": "😀" * 5, "separators": "a\u2028b\u2029c\x85d", "combined": "e\u0301" * 7}


def _slices(source: bytes, found: Outline) -> list[str]:
    return [source[each.start_byte : each.end_byte].decode() for each in found.definitions]


@pytest.mark.parametrize("letters", _LETTERS.values(), ids=_LETTERS)
@pytest.mark.parametrize("language", _TWO)
def test_spans_are_bytes_and_lines_end_at_line_feeds_only(language: str, letters: str) -> None:
    before, first, second, after = (part.format(letters) for part in _TWO[language])
    source = f"{before}{first}\n\n\n{second}{after}".encode()
    found = outline(language, source)
    assert _slices(source, found) == [first, second]
    line = 1 + before.count("\n")
    end = line + first.count("\n")
    assert [(each.start_line, each.name_line, each.end_line) for each in found.definitions] == [
        (line, line, end),
        (end + 3, end + 3, end + 3 + second.count("\n")),
    ]
    assert found.definitions[0].name.lower() == "näme" and found.definitions[1].name.lower().endswith("ö")
    texts = [source[zone.start_byte : zone.end_byte].decode() for zone in found.zones]
    assert sum(letters in text for text in texts) == 2


def _only(source: bytes, language: str = "python") -> Definition:
    (definition,) = outline(language, source).definitions
    return definition


def test_a_form_feed_is_white_space() -> None:
    found = outline("python", b"import a\n\x0c\ndef f():\n    pass\n\x0c\n# of g\n\x0cdef g():\n    pass\n")
    assert [(each.name, each.name_line, each.end_line) for each in found.definitions] == [("f", 3, 4), ("g", 7, 8)]


def test_a_lone_carriage_return_ends_no_line() -> None:
    found = _only(b"x = '''a\rb'''\ny = 1\rz = 2\ndef f(): pass\n")
    assert (found.start_line, found.end_line) == (3, 3)


def test_a_byte_order_mark_shifts_nothing() -> None:
    source = b"\xef\xbb\xbfdef f():\n    return 1\n"
    found = _only(source)
    assert (found.start_line, found.end_line, found.end_byte) == (1, 2, len(source) - 1)
    assert source[found.start_byte : found.end_byte] == b"def f():\n    return 1"


def test_no_line_feed_at_the_end() -> None:
    assert (_only(b"def f():\n  return 1").end_line, _only(b"def f():\n  return 1").end_byte) == (2, 19)
    assert _only(b"int f(void) {\n  return 1; }", "c").end_line == 2


def test_a_backslash_joins_lines_without_hiding_them() -> None:
    found = outline("python", b"x = 1 + \\\n    2\ndef f(a, \\\n      b): \\\n    return 1\ndef g(): pass\n")
    assert [(each.name, each.start_line, each.end_line) for each in found.definitions] == [("f", 3, 5), ("g", 6, 6)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_in_nothing(language: str) -> None:
    for source in (b"", b"\n", b" \t\r\n\x0c\n"):
        found = outline(language, source)
        assert (found.definitions, found.references) == ([], [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_comments(language: str) -> None:
    mark = "#" if language in ("python", "ruby") else "//"
    start = "<?php\n" if language == "php" else ""
    source = f"{start}{mark} def f(): é\n\n{mark} class A {{}}".encode()
    found = outline(language, source)
    assert (found.definitions, found.references, found.errors) == ([], [], [])
    zones = [(zone.kind, source[zone.start_byte : zone.end_byte].decode()) for zone in found.zones]
    assert zones == [("comment", f"{mark} def f(): é"), ("comment", f"{mark} class A {{}}")]


def test_a_docstring_alone() -> None:
    source = b'# -*- coding: utf-8 -*-\n"""All\nof it."""\n'
    assert [zone.kind for zone in outline("python", source).zones] == ["comment", "docstring"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    pass\n", (1, 2)),
        ("# a\ndef f():\n    pass\n", (1, 2 + 1)),
        ("# a\n\ndef f():\n    pass\n", (3, 4)),
        ("x = 1  # a\ndef f():\n    pass\n", (2, 3)),
        ("@a\n# b\n@c\ndef f():\n    pass\n", (1, 5)),
        ("# a\n@b\ndef f():\n    pass  # c\n    # d\n", (1, 4)),
        ("@a(\n  1\n)\n\n\ndef f():\n    pass\n\n\n\n", (1, 7)),
    ],
)
def test_what_belongs_to_a_function(source: str, expected: tuple[int, int]) -> None:
    found = _only(source.encode())
    assert (found.start_line, found.end_line) == expected


def test_branches_and_overloads_are_all_kept() -> None:
    source = b"if a:\n    def run(): pass\nelif b:\n    def run(): pass\nelse:\n    def run(): pass\ndef run(): pass\n"
    found = outline("python", source).definitions
    assert [(each.qualified_name, each.start_line, each.parent) for each in found] == [
        ("run", line, -1) for line in (2, 4, 6, 7)
    ]


_BROKEN = {
    "python": ("def a():\n    pass\n\n", "def b():\n    x = = 1\n    y\n", "\ndef c():\n    pass\n"),
    "javascript": ("function a() {\n}\n\n", "function b() {\n  x = = 1;\n}\n", "\nfunction c() {\n}\n"),
    "java": ("class A {\n  void a() {\n  }\n", "  void b() {\n    int = = 1;\n  }\n", "\n  void c() {\n  }\n}\n"),
    "go": ("package p\nfunc a() {\n}\n", "func b() {\n  x := := 1\n}\n", "\nfunc c() {\n}\n"),
}


@pytest.mark.parametrize("language", _BROKEN)
def test_a_broken_function_takes_no_other_with_it(language: str) -> None:
    """All three are found at their lines, and the error is said to be in the one in the middle."""
    before, broken, after = _BROKEN[language]
    found = outline(language, (before + broken + after).encode())
    first = before.count("\n") + 1
    lines = {each.name: (each.start_line, each.end_line) for each in found.definitions}
    good = 2 if language in ("java", "go") else 1
    assert lines["a"] == (good, good + 1)
    assert lines["b"] == (first, first + 2)
    assert lines["c"] == (first + 4, first + 5)
    assert found.errors == [(first + 1, first + 1)]

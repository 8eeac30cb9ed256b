"""Outlines of Python against the ``ast`` module."""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherloc.syntax import outline

# Syntax that the grammar does not know: the class with it ends early, what follows the class is there.
UNKNOWN_SYNTAX = {"test_compile.py"}
LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def library() -> list[Path]:
    return sorted(
        path for path in LIBRARY.rglob("*.py") if "site-packages" not in path.parts and path.name not in UNKNOWN_SYNTAX
    )


def by_ast(data: bytes) -> Iterator[tuple[str, str, int, int]]:
    lines = data.split(b"\n")
    pending: list[tuple[ast.AST, str, bool]] = [(ast.parse(data), "", False)]
    while pending:
        node, prefix, in_class = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                is_class = isinstance(child, ast.ClassDef)
                kind = "class" if is_class else "method" if in_class else "function"
                assert child.name.encode() in lines[child.lineno - 1] or not child.name.isascii()
                yield kind, prefix + child.name, child.lineno, child.end_lineno or 0
                pending.append((child, f"{prefix}{child.name}.", is_class))
            else:
                pending.append((child, prefix, in_class))


def compare(paths: list[Path]) -> int:
    total = 0
    for path in paths:
        data = path.read_bytes()
        try:
            expected = Counter(by_ast(data))
        except (SyntaxError, ValueError):
            continue
        found = outline("python", data)
        assert Counter((d.kind, d.qualified_name, d.name_line, d.end_line) for d in found.definitions) == expected, path
        for definition in found.definitions:
            assert definition.start_line <= definition.name_line <= definition.end_line
            assert data[definition.start_byte : definition.end_byte].strip()
        total += len(expected)
    return total


def test_a_sample_of_the_standard_library() -> None:
    paths = library()
    assert compare(paths[:: max(1, len(paths) // 150)]) > 1000


@pytest.mark.slow
def test_the_whole_standard_library() -> None:
    assert compare(library()) > 20_000


def test_docstrings_are_those_of_ast() -> None:
    for path in library()[::60]:
        data = path.read_bytes()
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        expected = {
            node.lineno: bool((ast.get_docstring(node) or "").strip())
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        for definition in outline("python", data).definitions:
            if expected[definition.name_line]:
                assert definition.docstring, (path, definition.qualified_name)


@pytest.mark.parametrize(
    "source",
    [
        "def f[T: int, *Ts, **P](x: T) -> T: return x",
        "def f(x):\n    match x:\n        case {'a': [1, *r]} if (n := r): return n",
        "def f():\n    try: pass\n    except* (A, B) as g: pass",
        "async def f():\n    async with a as b, c as d:\n        return [x async for x in y]",
        "def f(): return f'{a!r:>{w}} {f\"{b}\"}'",
        "def f(a, /, b, *, c): ...",
        "@a.b[0](lambda x: x)\ndef f(): ...",
        "def f(): print((yield), (lambda: (yield from x)))",
        "def f():\n\tx = 1\n\treturn x",
        "def f(): return b'x' rb'y' \\\n  u'z'",
    ],
)
def test_modern_syntax(source: str) -> None:
    found = outline("python", source.encode())
    assert [(d.qualified_name, d.end_line) for d in found.definitions] == [("f", source.count("\n") + 1)]
    assert found.errors == []


def test_comments_at_the_end_of_a_block_are_not_its_own() -> None:
    source = b"def f():\n    return 1\n    # inside\n# of g\ndef g(): pass\n"
    assert [(d.name, d.start_line, d.end_line) for d in outline("python", source).definitions] == [
        ("f", 1, 2),
        ("g", 4, 5),
    ]


def test_a_comment_behind_a_blank_line_or_code_stays_outside() -> None:
    source = b"# header\n\nx = 1  # of x\ndef f(): pass\n"
    assert outline("python", source).definitions[0].start_line == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b as c, d", "a.b c|d d"),
        ("import a.b", "a.b a.b"),
        ("from . import x", ".x x"),
        ("from ..a import b as c", "..a.b c"),
        ("from a import *", "a.* *"),
        ("from a import (b,\n  c as d,  # why\n)", "a.b b|a.c d"),
        ("from a import b, \\\n   c", "a.b b|a.c c"),
    ],
)
def test_import_statements(text: str, expected: str) -> None:
    found = outline("python", text.encode()).references
    assert "|".join(f"{r.name} {r.alias}" for r in found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c.d.e.f()", "c.d.e.f"),
        ("g(1).h()", "h"),
        ("a[0].b.c()", "b.c"),
        ("a . b()", "a.b"),
        ("'x'.join(y)", "join"),
        ("(a or b)()", ""),
        ("é.ü()", "é.ü"),
    ],
)
def test_names_of_calls(text: str, expected: str) -> None:
    names = [r.name for r in outline("python", text.encode()).references if r.name != "g"]
    assert names == ([expected] if expected else [])

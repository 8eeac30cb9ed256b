"""Which strings are docstrings, beside what Python's own parser says."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.syntax import bodies, outline

PIECES = (
    '"a"\n', '"""b\nc"""\n', "'d' 'e'\n", "# f\n", "\n", "x = 1\n", '"g"; y = 2\n', '("h")\n', "r'i'\n", '"j".k\n',
    "pass\n",
)  # fmt: skip


def block(pieces: list[str], depth: int) -> str:
    """Statements, indented; a line of a long string counts as one of them."""
    lines = "".join(pieces).splitlines(keepends=True)
    return "".join(("    " * depth if line.strip() else "") + line for line in lines) + "    " * depth + "pass\n"


def documented(source: str) -> set[int]:
    """Lines at which ``ast`` has docstrings of one piece."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            statement = node.body[0]
            assert isinstance(statement, ast.Expr)
            line = source.encode().split(b"\n")[statement.lineno - 1]
            # What ast calls one string may be two in a row, or stand in parentheses.
            if b"'d'" not in line and b"(" not in line:
                found.add(statement.lineno)
    return found


statements = st.lists(st.sampled_from(PIECES), max_size=4)


@given(statements, statements, statements)
def test_as_python_sees_them(module: list[str], function: list[str], class_: list[str]) -> None:
    source = block(module, 0) + "def f():\n" + block(function, 1) + "class C:\n" + block(class_, 1)
    data = source.encode()
    found = {
        data[: zone.start_byte].count(b"\n") + 1 for zone in outline("python", data).zones if zone.kind == "docstring"
    }
    assert found == documented(source)


@pytest.mark.parametrize(
    "source",
    ["f(\n'x'\n", "= 1\n'x'\n", "class A:\ndef g():\n    1\n'x'\n", "def f():\n\n'x'\n1\n", "class A:\n# c\n\n'x' 1\n"],
)  # fmt: skip
def test_a_string_behind_rubble_is_none(source: str) -> None:
    assert [zone for zone in outline("python", source.encode()).zones if zone.kind == "docstring"] == []
    assert bodies("python", source.encode()).docs == []

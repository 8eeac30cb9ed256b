"""Grammars: loaded one by one, and what happens when one is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sherloc
from sherloc.errors import MissingExtraError, UsageError
from sherloc.syntax import LANGUAGES, GrammarUnavailable, available, grammars, outline

CODE = """
import sys
from sherloc.syntax import LANGUAGES, available, outline
def loaded(): return sorted(name for name in sys.modules if name.startswith("tree_sitter") and "." not in name)
assert loaded() == [], loaded()
assert all(available(language) for language in LANGUAGES)
assert loaded() == [], loaded()
outline("python", b"x")
assert loaded() == ["tree_sitter", "tree_sitter_python"], loaded()
"""

SMALLEST = {
    "python": "def f(): pass",
    "javascript": "function f() {}",
    "typescript": "function f(): void {}",
    "tsx": "const f = () => <a/>;",
    "java": "class A { void f() {} }",
    "go": "package p\nfunc f() {}",
    "rust": "fn f() {}",
    "c": "int f(void) { return 1; }",
    "cpp": "int f() { return 1; }",
    "ruby": "def f; end",
    "php": "<?php function f() {}",
    "kotlin": "fun f() {}",
    "csharp": "class A { void f() {} }",
}


def test_nothing_is_loaded_before_it_is_needed() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, cwd=Path(sherloc.__file__).parents[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_grammar_parses(language: str) -> None:
    found = outline(language, SMALLEST[language].encode())
    assert found.definitions[-1].name == "f"
    assert found.errors == []


def test_a_missing_grammar_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    grammars._load.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_kotlin", None)
    with pytest.raises(GrammarUnavailable, match="tree-sitter-kotlin") as caught:
        outline("kotlin", b"fun f() {}")
    assert isinstance(caught.value, MissingExtraError)
    assert caught.value.language == "kotlin"
    assert caught.value.exit_code == 5
    assert outline("python", b"def f(): pass").definitions
    monkeypatch.undo()
    assert outline("kotlin", b"fun f() {}").definitions


def test_an_unknown_language() -> None:
    assert not available("cobol")
    with pytest.raises(UsageError, match="cobol"):
        outline("cobol", b"")


def test_only_one_module_imports_tree_sitter() -> None:
    folder = Path(sherloc.__file__).parent
    importing = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "import tree_sitter" in path.read_text() or "from tree_sitter" in path.read_text()
    }
    assert importing == {"syntax/grammars.py"}

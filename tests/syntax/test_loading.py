"""Grammars that are there and cannot be used, and the one door to tree-sitter."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import sherloc
from sherloc.syntax import LANGUAGES, GrammarUnavailable, grammars, outline


@pytest.fixture
def fresh() -> Iterator[None]:
    """No grammar is kept from before, none is kept after."""
    grammars._load.cache_clear()
    yield
    grammars._load.cache_clear()


def _hide(monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    original = importlib.import_module

    def load(name: str, package: str | None = None) -> ModuleType:
        if name == hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(name, package)

    monkeypatch.setattr(importlib, "import_module", load)
    monkeypatch.setitem(sys.modules, hidden, None)


@pytest.mark.parametrize(
    ("language", "package"),
    [(language, entry[0].replace("_", "-")) for language, entry in grammars._GRAMMARS.items()],
)
def test_the_error_names_what_to_install(
    fresh: None, monkeypatch: pytest.MonkeyPatch, language: str, package: str
) -> None:
    _hide(monkeypatch, package.replace("-", "_"))
    with pytest.raises(GrammarUnavailable) as caught:
        outline(language, b"x")
    assert (caught.value.language, caught.value.package) == (language, package)
    assert package in caught.value.message and language in caught.value.message
    assert caught.value.hint == f"Install it with: pip install {package}"


def test_a_grammar_of_another_time(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module lacks the function, or what that gives does not fit the binding."""
    odd = ModuleType("tree_sitter_go")
    monkeypatch.setitem(sys.modules, "tree_sitter_go", odd)
    with pytest.raises(GrammarUnavailable, match="tree-sitter-go"):
        outline("go", b"package p")

    def language() -> int:
        raise ValueError("Incompatible Language version 99. Must be between 13 and 15")

    monkeypatch.setattr(odd, "language", language, raising=False)
    with pytest.raises(GrammarUnavailable, match="tree-sitter-go"):
        outline("go", b"package p")


def test_a_failure_is_not_remembered(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as hidden:
        _hide(hidden, "tree_sitter_ruby")
        for _ in range(2):
            with pytest.raises(GrammarUnavailable):
                outline("ruby", b"def f; end")
    assert [each.name for each in outline("ruby", b"def f; end").definitions] == ["f"]


def test_every_language_is_declared_as_a_dependency() -> None:
    project = Path(sherloc.__file__).parents[1] / "pyproject.toml"
    if not project.is_file():
        pytest.skip("not a checkout")
    text = project.read_text(encoding="utf-8")
    for language in LANGUAGES:
        assert f'"{grammars._GRAMMARS[language][0].replace("_", "-")}>=' in text


def test_only_one_module_mentions_tree_sitter_in_code() -> None:
    """Also not by a name that is imported later: strings count, docstrings do not."""
    folder = Path(sherloc.__file__).parent
    importing: set[str] = set()
    naming: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            elif isinstance(node, ast.Constant) and str(node.value).startswith("tree_sitter"):
                naming.add(path.relative_to(folder).as_posix())
            if any(module.startswith("tree_sitter") for module in modules):
                importing.add(path.relative_to(folder).as_posix())
    assert importing == naming == {"syntax/grammars.py"}

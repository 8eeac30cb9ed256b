"""What users may rely on: names, import cost, the layers, the exit codes."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import sherloc
from sherloc import errors, protocols

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sherloc"


def test_the_public_names_are_frozen() -> None:
    assert sherloc.__all__ == [
        "ChangeSet", "FixReport", "Issue", "Locator", "Report", "Settings", "SherlocError", "SurgeryBrief", "ToolBelt",
        "__version__", "alocate", "fix", "locate",
    ]  # fmt: skip
    for name in sherloc.__all__:
        assert getattr(sherloc, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = sherloc.nonsense


def test_the_seams_are_frozen() -> None:
    seams = {
        name
        for name, value in vars(protocols).items()
        if inspect.isclass(value) and getattr(value, "_is_protocol", False) and value.__module__ == protocols.__name__
    }
    assert seams == {
        "Arbiter", "Channel", "ChatModel", "CodeIndex", "Diagnoser", "Embedder", "Forge", "PatchGenerator", "Reranker",
        "Tokenizer", "VectorStore",
    }  # fmt: skip


def test_sherlocs_own_parts_fit_the_seams() -> None:
    from sherloc.change_set import RuleArbiter
    from sherloc.diagnoser import OfflineDiagnoser
    from sherloc.indexer.index import Index
    from sherloc.llm import ScriptedModel
    from sherloc.settings import ChangeSetSettings, DiagnosisSettings

    assert isinstance(ScriptedModel([]), protocols.ChatModel)
    assert isinstance(OfflineDiagnoser(DiagnosisSettings()), protocols.Diagnoser)
    assert isinstance(RuleArbiter(ChangeSetSettings()), protocols.Arbiter)
    assert {name for name in dir(protocols.CodeIndex) if not name.startswith("_")} <= set(dir(Index))


LAZY = [path.parent for path in sorted(PACKAGE.rglob("__init__.py")) if "lazy_exports(" in path.read_text("utf-8")]


def printed(code: str) -> str:
    """What a fresh interpreter prints, its warnings included."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout


@pytest.mark.parametrize("folder", LAZY, ids=lambda folder: folder.name)
def test_names_that_are_loaded_when_used_are_there_before(folder: Path) -> None:
    package = ".".join(folder.relative_to(ROOT).parts)
    told = printed(f"import {package} as p; print(sorted(set(p.__all__) - set(dir(p)))); from {package} import *")
    assert told == "[]\n"


@pytest.mark.parametrize("folder", LAZY, ids=lambda folder: folder.name)
def test_no_module_takes_the_place_of_a_public_name(folder: Path) -> None:
    package = ".".join(folder.relative_to(ROOT).parts)
    public = importlib.import_module(package).__all__
    for name in {path.stem for path in folder.iterdir()} & set(public):
        told = printed(
            f"import {package}.{name}\nfrom {package} import {name} as before\n"
            f"import {package} as p\nfor other in p.__all__: getattr(p, other)\n"
            f"print(before is p.{name}, type(p.{name}).__name__)"
        )
        assert told == "True function\n"


@pytest.mark.slow
def test_type_checkers_know_misspelt_names(tmp_path: Path) -> None:
    packages = [".".join(folder.relative_to(ROOT).parts) for folder in LAZY]
    script = tmp_path / "script.py"
    names = {package: importlib.import_module(package).__all__ for package in packages}
    lines = [f"from {package} import {name}" for package in packages for name in (*names[package], "misspelt")]
    script.write_text("\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", f"--cache-dir={tmp_path}", str(script)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    wrong = [number for number, line in enumerate(lines, 1) if line.endswith("misspelt")]
    assert [int(line.split("script.py:")[1].split(":")[0]) for line in told[:-1]] == wrong, told


def test_a_program_that_sets_up_no_logging_hears_nothing() -> None:
    asked = [path for path in PACKAGE.rglob("*.py") if "getLogger(" in path.read_text("utf-8")]
    assert asked == [PACKAGE / "logs.py"]
    assert printed("from sherloc.llm.model import _log; _log.error('loud')") == ""
    told = printed(
        "import logging, sys; logging.getLogger('sherloc').addHandler(logging.StreamHandler(sys.stdout))\n"
        "from sherloc.llm.model import _log; _log.error('loud')"
    )
    assert told == "loud\n"


def test_importing_locate_loads_nothing_heavy() -> None:
    code = "import sys; from sherloc import locate; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {
        "numpy",
        "pydantic",
        "networkx",
        "community",
        "tree_sitter",
        "rich",
        "click",
        "sqlite3",
        "asyncio",
    }
    assert not loaded & {"torch", "chromadb", "openai", "anthropic", "litellm"}


def test_every_error_has_its_place_in_the_drawn_tree_and_an_exit_code() -> None:
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.SherlocError):
            assert name in drawn
            assert value.exit_code in range(1, 13)


def test_every_module_is_imported_without_side_effects_and_stays_small() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 500, path
        if path.name != "__main__.py":
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))


def test_nothing_dangerous_is_called() -> None:
    banned = {"eval", "exec", "print", "__import__"}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in banned, (path, node.lineno)
            if isinstance(node, ast.Call):
                assert not any(k.arg == "shell" for k in node.keywords), (path, node.lineno)
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                assert "pickle" not in ast.unparse(node), path
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, (path, node.lineno)


def test_the_dependencies_are_few_and_bounded_below_only() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("tomllib")
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [d for d in project["dependencies"] if not d.startswith("tree-sitter-")]
    assert len(names) <= 10
    assert [d for d in names if "==" in d or "<" in d.split(";")[0]] == ["tree-sitter>=0.25,<0.27"]
    assert not any("tree-sitter-languages" in d or "language-pack" in d for d in project["dependencies"])

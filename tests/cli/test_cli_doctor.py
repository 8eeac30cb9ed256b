"""``sherloc doctor`` and ``sherloc schema``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.cli import checks
from sherloc.errors import GitError
from sherloc.syntax import LANGUAGES, GrammarUnavailable

Run = Callable[..., Any]


def outcome(run: Run, *more: object) -> tuple[int, dict[str, dict[str, Any]]]:
    result = run("doctor", "--json", *more)
    value = json.loads(result.stdout)
    assert value["ok"] is (result.exit_code == 0)
    return result.exit_code, {check["name"]: check for check in value["checks"]}


def test_all_is_well(run: Run) -> None:
    code, found = outcome(run)
    assert code == 0
    assert {"sherloc", "Python", "numpy", "git", "cache", *LANGUAGES} <= set(found)
    assert found["network"]["words"].startswith("sherloc opens no connection but to")


def test_for_a_person(run: Run) -> None:
    text = run("doctor").stdout
    assert "All is well." in text
    assert "+ grammars: python, javascript" in text
    assert "python: loads and parses" in run("doctor", "-v").stdout


def test_every_language_has_a_sample() -> None:
    assert set(checks._SAMPLES) == set(LANGUAGES)


def test_dependencies_are_those_of_the_project() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("tomllib comes with Python 3.11")
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    names = {checks._name(line) for line in project["dependencies"]}
    assert names - {"tomli"} == {*checks._DEPENDENCIES} | {name for name in names if name.startswith("tree-sitter-")}


def test_a_missing_grammar_is_broken(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sherloc.syntax

    real = sherloc.syntax.outline

    def outline(language: str, source: bytes) -> Any:
        if language == "go":
            raise GrammarUnavailable("go", "tree-sitter-go")
        return real(language, source)

    monkeypatch.setattr(sherloc.syntax, "outline", outline)
    code, found = outcome(run)
    assert code == 1
    assert found["go"]["status"] == "broken"
    assert found["go"]["hint"] == "Install it with: pip install tree-sitter-go"
    text = run("doctor").stdout
    assert "! go: " in text
    assert text.endswith("1 broken\n")


def test_a_missing_dependency_is_broken(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_DEPENDENCIES", ("numpy", "no-such-package-here"))
    code, found = outcome(run)
    assert code == 1
    assert found["no-such-package-here"]["status"] == "broken"


def test_without_git(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.repository.git import Git

    def refuse(self: Git, *arguments: str) -> bytes:
        raise GitError("git is not installed.")

    monkeypatch.setattr(Git, "run", refuse)
    code, found = outcome(run)
    assert code == 1
    assert found["git"]["words"] == "git is not installed."


def test_an_old_git(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.repository.git import Git

    monkeypatch.setattr(Git, "run", lambda self, *arguments: b"git version 1.8.3\n")
    assert outcome(run)[1]["git"]["status"] == "broken"


def test_a_cache_that_cannot_be_written(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("SHERLOC_CACHE", str(blocker / "below"))
    code, found = outcome(run)
    assert code == 1
    assert "SHERLOC_CACHE" in found["cache"]["hint"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_cache_where_even_the_superuser_cannot_write(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHERLOC_CACHE", "/proc/nope")
    code, found = outcome(run)
    assert (code, found["cache"]["status"]) == (1, "broken")
    assert "All is well" not in run("doctor").stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[index\n", "is not valid TOML"),
        ("[index]\nnope = 1\n", "index.nope"),
        ("[retrieval]\nk1 = -1\n", "retrieval.k1"),
    ],
)
def test_settings_that_no_command_can_use_are_broken(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str, words: str
) -> None:
    (tmp_path / "x.toml").write_text(content)
    monkeypatch.setenv("SHERLOC_CONFIG", str(tmp_path / "x.toml"))
    code, found = outcome(run)
    assert (code, found["settings"]["status"]) == (1, "broken")
    assert words in found["settings"]["words"]
    assert found["cache"]["status"] == "ok"
    assert "All is well" not in run("doctor").stdout


def test_the_cache_folder_of_the_settings_is_looked_at(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SHERLOC_CACHE", raising=False)
    (tmp_path / "file").write_text("")
    (tmp_path / "x.toml").write_text(f"[cache]\nfolder = '{tmp_path / 'file' / 'below'}'\n")
    monkeypatch.setenv("SHERLOC_CONFIG", str(tmp_path / "x.toml"))
    assert outcome(run)[1]["cache"]["status"] == "broken"


def test_doctor_makes_no_cache_folder(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path / "new"))
    assert outcome(run)[1]["cache"]["status"] == "ok"
    assert not (tmp_path / "new").exists()


def test_a_repository(run: Run, repo: Path) -> None:
    code, found = outcome(run, "--repo", repo)
    assert code == 0
    assert "index absent" in found["repository"]["words"]
    assert outcome(run, "--repo", repo / "nowhere")[0] == 1


def test_extras_of_an_installed_sherloc(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Distribution:
        metadata: Any = type("M", (), {"get_all": staticmethod(lambda name: ["all", "odd"])})
        requires = ["numpy>=1", "numpy>=1; extra == 'all'", 'no-such-package-here[x]>2; extra == "odd"']

    patched = SimpleNamespace(
        distribution=lambda name: Distribution,
        version=metadata.version,
        PackageNotFoundError=metadata.PackageNotFoundError,
    )
    monkeypatch.setattr(checks, "metadata", patched)
    found = outcome(run)[1]
    assert found["extra all"]["words"] == "installed"
    assert found["extra odd"]["words"] == "not installed: no-such-package-here"


@pytest.mark.parametrize("name", ["report", "brief", "settings", "diagnosis", "change_set", "issue"])
def test_schema(run: Run, name: str) -> None:
    value = json.loads(run("schema", name).stdout)
    assert value["type"] == "object"
    assert value["properties"]


def test_schema_of_the_brief_has_the_fixed_keys(run: Run) -> None:
    value = json.loads(run("schema", "brief").stdout)
    assert {"issue_summary", "change_sets", "global_context"} <= set(value["properties"])


def test_schema_list(run: Run) -> None:
    lines = run("schema", "--list").stdout.splitlines()
    names = ["report", "brief", "settings", "diagnosis", "change_set", "issue", "proposal", "fix"]
    assert [line.split()[0] for line in lines] == names


def test_schema_is_the_reports_without_a_name(run: Run) -> None:
    assert run("schema").stdout == run("schema", "report").stdout


def test_an_unknown_schema(run: Run) -> None:
    result = run("schema", "reprt")
    assert result.exit_code == 2
    assert "report" in result.stderr

"""Settings from every place, in their order, and ``sherloc settings`` says which."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

from sherloc.errors import SettingsError
from sherloc.settings import load_settings
from sherloc.settings_sources import of_environment, user_file, user_overrides

Run = Callable[..., click.testing.Result]
REPOSITORY = "[retrieval]\nk1 = 2.0\nb = 0.5\n[index]\nmax_snippet_lines = 60\n"
USER = "[retrieval]\nk1 = 3.0\ncommits = 7\n[models]\ndefault = 'command:cat'\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(USER)
    monkeypatch.setenv("SHERLOC_CONFIG", str(path))
    return path


def test_later_places_win(config: Path) -> None:
    overrides = user_overrides({"output": {"top": 3}}, {"SHERLOC_CONFIG": str(config), "SHERLOC_RETRIEVAL__B": "0.25"})
    settings = load_settings(overrides, repository_toml=REPOSITORY.encode())
    assert (settings.retrieval.k1, settings.retrieval.b, settings.retrieval.commits) == (2.0, 0.25, 7)
    assert (settings.index.max_snippet_lines, settings.models.default, settings.output.top) == (60, "command:cat", 3)


def test_each_value_says_where_it_came_from(
    run: Run, repo: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".sherloc.toml").write_text(REPOSITORY)
    monkeypatch.setenv("SHERLOC_RETRIEVAL__B", "0.25")
    done = run("settings", "--repo", repo, "--json", "--set", "index.exclude=a/*,b/*")
    assert done.exit_code == 0, done.output
    found = {row["name"]: (row["value"], row["source"]) for row in json.loads(done.stdout)}
    assert found["retrieval.k1"] == (2.0, "repository's .sherloc.toml")
    assert found["retrieval.b"] == (0.25, "environment SHERLOC_RETRIEVAL__B")
    assert found["retrieval.commits"] == (7, str(config))
    assert found["index.exclude"] == (["a/*", "b/*"], "--set")
    assert found["diagnosis.candidates"] == (20, "default")
    shown = run("settings", "--repo", repo, "--changed").stdout.splitlines()
    assert len(shown) == 5
    assert run("settings", "retrieval.k1", "--repo", repo).stdout.split() == [
        "retrieval.k1", "2.0", "repository's", ".sherloc.toml",
    ]  # fmt: skip


def test_they_are_used(run: Run, repo: Path, issue: Path, config: Path) -> None:
    config.write_text("[output]\ntop = 1\n")
    assert len(json.loads(run("locate", issue, "--repo", repo, "--json").stdout)["ranked_files"]) == 1


def test_a_folder_that_is_no_repository_is_no_hindrance(run: Run, tmp_path: Path) -> None:
    done = run("settings", "output", "--repo", tmp_path / "nothing")
    assert done.exit_code == 0
    assert "without a repository" in done.stderr
    assert "output.top" in done.stdout


def test_where_the_users_file_is(run: Run, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("settings", "--path").stdout == f"{config}\n"
    assert user_file({}).name == "config.toml"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[retrieval]\nk2 = 1\n", "There is no setting 'retrieval.k2'"),
        ("[retrieva]\nk1 = 1\n", "retrieval.k1"),
        ("k1 = 1\n", "outside of a section"),
        ("[retrieval]\nk1 = 'x'\n", "retrieval.k1"),
        ("[retrieval\n", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_with_its_path(run: Run, repo: Path, config: Path, text: str, words: str) -> None:
    config.write_text(text)
    done = run("settings", "--repo", repo)
    assert done.exit_code == 2
    assert words in done.stderr
    assert str(config) in done.stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("variables", "sections"),
    [
        ({"SHERLOC_INDEX__INCLUDE_TESTS": "true"}, {"index": {"include_tests": True}}),
        ({"SHERLOC_INDEX__EXCLUDE": "a, b"}, {"index": {"exclude": ["a", "b"]}}),
        (
            {"SHERLOC_VECTORS__EMBEDDER": "none", "SHERLOC_CACHE": "/x", "OTHER__X": "1"},
            {"vectors": {"embedder": "none"}},
        ),
        ({"SHERLOC_MODEL": "x"}, {}),
    ],
)
def test_variables(variables: dict[str, str], sections: dict[str, Any]) -> None:
    assert of_environment(variables) == sections


def test_a_mistyped_variable() -> None:
    with pytest.raises(SettingsError, match="Did you mean SHERLOC_RETRIEVAL__K1"):
        of_environment({"SHERLOC_RETRIEVAL__K": "1"})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.exit_code == 0
    assert "_SHERLOC_COMPLETE" in done.stdout
    assert "sherloc" in done.stdout


def test_completion_completes(launch: Callable[..., Any]) -> None:
    done = launch(env={"_SHERLOC_COMPLETE": "bash_complete", "COMP_WORDS": "sherloc lo", "COMP_CWORD": "1"})
    assert done.stdout.decode().split() == ["plain,locate"]


def test_an_unknown_shell(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("completion")
    assert done.exit_code == 2
    assert "Name it" in done.stderr


def test_a_repositorys_value_steers_no_terminal(run: Run, repo: Path) -> None:
    (repo / ".sherloc.toml").write_text('[index]\nexclude = ["\\u202e\\u009b2J\\u001b[31m"]\n')
    done = run("settings", "index.exclude", "--repo", repo)
    assert done.exit_code == 0
    assert '["\\u202e\\x9b2J\\u001b[31m"]' in done.stdout
    assert json.loads(run("settings", "index.exclude", "--repo", repo, "--json").stdout)[0]["value"] == [
        "\u202e\x9b2J\x1b[31m"
    ]


@pytest.mark.parametrize(
    "command",
    ["locate ISSUE", "brief ISSUE", "explain ISSUE a.py", "index", "index --status", "settings", "mcp", "report ISSUE"],
)
def test_a_file_that_was_named_must_be_there(
    run: Run, repo: Path, issue: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.chdir(repo)
    monkeypatch.setenv("SHERLOC_CONFIG", str(tmp_path / "nope" / "x.toml"))
    done = run(*command.replace("ISSUE", str(issue)).split())
    assert done.exit_code == 2
    assert "SHERLOC_CONFIG names the settings file" in done.stderr and "there is no such file" in done.stderr
    assert run("settings", "--path").stdout.strip() == str(tmp_path / "nope" / "x.toml")


def test_a_wrong_value_says_in_which_file_it_stands(run: Run, repo: Path, issue: Path, config: Path) -> None:
    (repo / ".sherloc.toml").write_text("[retrieval]\nk1 = -3\n")
    done = run("locate", issue, "--repo", repo)
    assert done.exit_code == 2
    assert "Setting 'retrieval.k1' in the repository's .sherloc.toml: " in done.stderr
    assert "Setting 'retrieval.k1': " in run("locate", issue, "--repo", repo, "--set", "retrieval.k1=-4").stderr
    (repo / ".sherloc.toml").unlink()
    config.write_text("[output]\ntop = -3\n")
    assert f"Your settings file {config}: Setting 'output.top': " in run("locate", issue, "--repo", repo).stderr


@pytest.mark.parametrize("value", ["{a: 1}", "3", '{"a": 1}', "[1]"])
def test_a_setting_that_is_an_object_says_so(run: Run, repo: Path, issue: Path, value: str) -> None:
    done = run("locate", issue, "--repo", repo, "--set", f"models.prices={value}")
    assert done.exit_code == 2
    assert "Setting 'models.prices" in done.stderr and "A JSON object such as" in done.stderr


@pytest.mark.parametrize("variable", ["SHERLOC_CONFIG", "SHERLOC_CACHE", "SHERLOC_STATE"])
def test_a_home_that_there_is_not(run: Run, repo: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "~no-user-of-this-name/x")
    done = run("tasks", "list") if variable == "SHERLOC_STATE" else run("index", repo)
    assert done.exit_code == 2
    assert f"{variable} is '~no-user-of-this-name/x', and there is no such home folder." in done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only the superuser can be somebody else")
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["settings", "--path"], 0, "/dev/null/sherloc/config.toml"),
        (["settings", "retrieval.k1"], 0, "default"),
        (["install", "cursor", "--dry-run"], 0, '"sherloc": {'),
        (["install", "claude-desktop", "--dry-run"], 2, "this user has no home folder"),
        (["tasks", "list"], 9, "give another folder for the tasks"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_user_without_a_home(arguments: list[str], status: int, words: str) -> None:
    # Whose home is asked for is the real user's; what may be read is the effective one's.
    code = "import os; os.setresuid(54321, -1, -1); from sherloc.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd="/", capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr

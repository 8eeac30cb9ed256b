"""The command line with a model: modes, estimate, prompts, and what was used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click.testing
import pytest

from sherloc.cli import root
from with_model.conftest import ISSUE

QUICK = ("--set", "cache.workers=1", "--set", "vectors.embedder=none", "--set", "plan.tasks=false")


def run(*arguments: object) -> click.testing.Result:
    return click.testing.CliRunner().invoke(root, [str(each) for each in arguments], prog_name="sherloc")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.jsonl"
    path.write_text(json.dumps({"text": "no idea"}) + "\n")
    return path


def test_an_estimate_is_a_table_and_asks_nothing(repo: Path) -> None:
    done = run("locate", ISSUE, "--repo", repo, "--model", "command:false", "--mode", "explore", "--estimate", *QUICK)
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()[:7]] == [
        "role", "explore", "filter", "rerank", "diagnose", "arbitrate", "together"
    ]  # fmt: skip
    assert [line[:8].strip() for line in done.stdout.splitlines()[7:9]] == ["long", "at most"]
    assert "price unknown" in done.stdout and "Set models.prices" in done.stdout


@pytest.mark.parametrize("form", [("--json",), ("--format", "json")])
def test_an_estimate_in_json_has_the_numbers_of_the_table(repo: Path, form: tuple[str, ...]) -> None:
    given = ("locate", ISSUE, "--repo", repo, "--model", "command:false", "--mode", "explore", *QUICK)
    given = (*given, "--set", 'models.prices={"command:false": {"input": 1, "output": 2}}')
    table = run(*given, "--estimate").stdout.splitlines()
    done = run(*given, "--estimate", *form)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    rows = [(each["role"], each) for each in found["roles"]]
    rows += [("together", found["together"]), ("long", found["long"]), ("at most", found["most"])]
    numbers = [
        [str(a["calls"]), f"{a['input_tokens']:,}", f"{a['output_tokens']:,}", f"${a['cost']:.4f}"] for _, a in rows
    ]
    assert [row.split()[-4:] for row in table[1:9]] == numbers
    assert [name for name, _ in rows] == [
        "explore", "filter", "rerank", "diagnose", "arbitrate", "together", "long", "at most"
    ]  # fmt: skip
    assert {each["model"] for each in found["roles"]} == {"command:false"} and found["mode"] == "explore"
    shown = json.loads(run(*given, "--show-prompts", *form).stdout)
    assert shown["prompts"][0]["role"] == "explore" and len(shown["prompts"]) >= len(found["roles"])


def test_an_estimate_in_json_has_null_for_an_unknown_price_and_no_roles_offline(repo: Path) -> None:
    given = ("locate", ISSUE, "--repo", repo, "--estimate", "--json", *QUICK)
    found = json.loads(run(*given, "--model", "command:false").stdout)
    assert found["together"]["cost"] is None and found["together"]["calls"] == sum(r["calls"] for r in found["roles"])
    offline = json.loads(run(*given).stdout)
    assert (offline["mode"], offline["roles"], offline["together"]["calls"]) == ("offline", [], 0)


def test_prompts_are_shown(repo: Path) -> None:
    done = run("locate", ISSUE, "--repo", repo, "--model", "command:false", "--show-prompts", *QUICK)
    assert done.exit_code == 0, done.output
    assert "===== 1. filter: narrow" in done.stdout and "----- system -----" in done.stdout
    assert "Discount makes the price negative" in done.stdout
    hostile = ISSUE + "\x1b[31mred\x1b]8;;http://evil\x07 \u202e"
    done = run("locate", hostile, "--repo", repo, "--model", "command:false", "--show-prompts", *QUICK)
    assert "\\x1b[31mred\\x1b]8;;http://evil\\x07 \\u202e" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)


@pytest.mark.parametrize("options", [("--estimate",), ("--show-prompts",)])
def test_offline_asks_no_model(repo: Path, options: tuple[str, ...]) -> None:
    done = run("locate", ISSUE, "--repo", repo, *options, *QUICK)
    assert (done.exit_code, done.stdout) == (0, "mode offline: no model would be asked\n")


def test_a_run_says_what_it_used_and_what_went_wrong(repo: Path, script: Path) -> None:
    done = run("locate", ISSUE, "--repo", repo, "--model", f"scripted:{script}", "--json", *QUICK)
    assert done.exit_code == 0, done.output
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["run"]["mode"] == "diagnose" and report["run"]["model_calls"] > 1
    assert "mode diagnose:" in done.stderr and "model calls" in done.stderr
    assert "model's verdicts were set aside" in done.stderr
    assert report["ranked_files"]


def test_a_mode_without_a_model_has_words_and_a_code(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHERLOC_MODEL", raising=False)
    done = run("locate", ISSUE, "--repo", repo, "--mode", "diagnose", *QUICK)
    assert (done.exit_code, "needs a model" in done.stderr) == (2, True)
    done = run("locate", ISSUE, "--repo", repo, "--model", "nonsense", *QUICK)
    assert done.exit_code == 2
    done = run("brief", ISSUE, "--repo", repo, "--mode", "auto", *QUICK)
    assert done.exit_code == 0

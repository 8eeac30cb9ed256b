"""``sherloc eval`` as people type it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

from sherloc.cli import root
from sherloc.cli.evaluating.progress import RunProgress, in_words
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.runner import Progress

ROOT = Path(__file__).parents[2]
SOURCE = "def total_price(items):\n    return sum(items)\n"
QUICK = ("--set", "vectors.embedder=none")


@pytest.fixture
def data(tmp_path: Path, make_repository: Callable[..., Path], git_tools: Any) -> Path:
    """Own issues about one repository: one with a patch, one with stated gold."""
    repository = make_repository({"shop/basket.py": SOURCE, "shop/mail.py": "def send():\n    pass\n"}, name="shop")
    base = git_tools.run_git(repository, "rev-parse", "HEAD")
    git_tools.put(repository, {"shop/basket.py": SOURCE.replace("sum(items)", "sum(items) * 1.2")})
    git_tools.commit(repository, "fix")
    patch = git_tools.run_git(repository, "diff", base, "HEAD") + "\n"
    rows = [
        {"id": "s-1", "issue": "total_price forgets VAT", "repo": str(repository), "revision": base, "patch": patch},
        {
            "id": "s-2", "title": "send fails", "body": "in shop/mail.py", "repo": str(repository), "revision": base,
            "functions": ["shop/mail.py::send"], "lines": [["shop/mail.py", 1, 2]],
        },
    ]  # fmt: skip
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def call(*arguments: str | Path) -> click.testing.Result:
    return click.testing.CliRunner().invoke(root, ["eval", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Path:
    done = call("run", data, "--out", tmp_path / "base", *QUICK)
    assert done.exit_code == 0, done.output
    assert f"2 located, 0 failed; kept in {tmp_path / 'base'}" in done.stdout
    assert "2 of 2: s-2" in done.stderr
    return tmp_path / "base"


def test_score_by_group_and_as_json(run: Path) -> None:
    done = call("score", run, "--by", "cue", "--measure", "file Acc@1")
    assert done.exit_code == 0, done.output
    assert "| file Acc@1 | 2 | 100.0 (34.2-100.0) |" in done.stdout
    assert "| function Acc@1 | 2 | 100.0 (34.2-100.0) |" in done.stdout
    assert "base, by cue:" in done.stdout
    assert "| path | 1 | 100.0 |" in done.stdout
    assert done.stderr == "base: 2 instances with gold\n"
    document = json.loads(call("score", run, "--json", "--no-intervals", "-q").stdout)
    assert document["runs"][0]["measures"]["file Acc@1"] == {"value": 1.0, "n": 2}
    assert "file nDCG@3" in call("score", run, "--all", "--no-intervals").stdout


def test_other_systems_side_by_side(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "locagent.jsonl"
    other.write_text(json.dumps({"instance_id": "s-1", "found_files": ["shop/mail.py"], "found_entities": []}) + "\n")
    done = call("score", f"{run}/", f"theirs={other}", "--no-intervals")
    assert "| file | n | base | theirs |" in done.stdout
    assert "| file Acc@1 | 2 | 100.0 | 0.0 |" in done.stdout
    assert "theirs: 2 instances with gold, 1 not answered" in done.stderr
    named = call("score", f"ours={run}/", "--no-intervals", "--id", "s-2", "--data", tmp_path / "own.jsonl")
    assert "| file Acc@1 | 1 | 100.0 |" in named.stdout
    assert "ours: 1 instances with gold" in named.stderr


def test_compare(run: Path, data: Path, tmp_path: Path) -> None:
    call("run", data, "--out", tmp_path / "other", *QUICK, "--set", "retrieval.channels=lexical")
    done = call("compare", run, tmp_path / "other", "--measure", "file Acc@1")
    assert done.exit_code == 0, done.output
    assert "|  | n | base | other | difference (95%) | gained | lost |" in done.stdout
    assert "file Acc@1, gained: " in done.stdout
    context = call("compare", run, tmp_path / "other", "--context", "--json", "-q")
    names = [measure["name"] for measure in json.loads(context.stdout)["measures"]]
    assert names == [
        "context tokens", "context lines", "context recall", "context density", "input tokens", "output tokens",
        "seconds",
    ]  # fmt: skip


def test_seconds_are_compared_under_the_same_conditions_only(run: Path, data: Path, tmp_path: Path) -> None:
    call("run", data, "--out", tmp_path / "other", *QUICK, "--set", "retrieval.channels=lexical")
    for name in ("base", "other"):
        (tmp_path / name / "sessions.jsonl").write_text('{"machine": "one", "workers": 1}\n')
    lines = (run / "predictions.jsonl").read_text()
    (run / "predictions.jsonl").write_text(re.sub('"files_parsed":[0-9]+', '"files_parsed":0', lines))
    other = tmp_path / "other" / "predictions.jsonl"
    other.write_text(re.sub('"files_parsed":[0-9]+', '"files_parsed":0', other.read_text()))
    for place, text in ((run, lines), (tmp_path / "other", other.read_text())):
        assert ('"files_parsed"' in text) is True, place
    assert "not comparable" not in call("compare", run, tmp_path / "other", "--measure", "seconds").output
    (run / "predictions.jsonl").write_text(re.sub('"files_parsed":[0-9]+', '"files_parsed":2', lines))
    told = call("compare", run, tmp_path / "other", "--measure", "seconds").output
    assert "seconds: not comparable, the index was not equally warm: base parsed 4 files, other 0." in told
    (run / "sessions.jsonl").write_text('{"machine": "two", "workers": 2}\n')
    notes = json.loads(call("compare", run, tmp_path / "other", "--measure", "seconds", "--json", "-q").stdout)["notes"]
    assert "the machines differ: base on two, 2 workers and other on one, 1 workers" in notes[0]
    (run / "sessions.jsonl").unlink()
    told = call("compare", run, tmp_path / "other", "--measure", "seconds").output
    assert "it is not known on which machine, or with how much of an index, base was timed" in told
    assert "not comparable" not in call("compare", run, tmp_path / "other", "--measure", "file Acc@1").output


def test_predictions_of_other_instances(run: Path, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    rows = [{"instance_id": f"x-{number}", "found_files": ["a.py"]} for number in range(7)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = call("score", path, "--data", data, "--no-intervals")
    assert done.exit_code == 1 and "all of its 7 are of others: x-0, x-1, x-2, x-3, x-4 and 2 more" in done.stderr
    assert "s-1, s-2" in done.stderr and done.stdout == ""
    path.write_text(path.read_text() + json.dumps({"instance_id": "s-1", "found_files": ["a.py"]}) + "\n")
    done = call("score", path, "--data", data, "--no-intervals")
    assert done.exit_code == 0 and "7 predictions are of no chosen instance and left out: x-0" in done.stderr
    path.write_text("")
    done = call("score", path, "--data", data, "--no-intervals")
    assert done.exit_code == 1 and "it has none at all" in done.stderr
    path.write_text(json.dumps({"instance_id": "s-1", "model_patch": "no diff"}) + "\n")
    done = call("score", path, "--data", data, "--no-intervals")
    assert done.exit_code == 1 and "is a unified diff" in done.stderr


def test_a_run_without_an_answer_is_an_error(data: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) | {"repo": "acme/none"} for line in data.read_text().splitlines()]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = call("run", data, "--out", tmp_path / "none", "--mirrors", tmp_path / "mirrors", *QUICK)
    assert done.exit_code == 3 and str(tmp_path / "mirrors") in done.stderr and "--clones" in done.stderr
    assert not (tmp_path / "none").exists() and done.stdout == ""


def test_report_and_export(run: Path, tmp_path: Path) -> None:
    done = call("report", run, "--out", tmp_path / "r.html", "--title", "Ours")
    assert done.exit_code == 0, done.output
    assert "<title>Ours</title>" in (tmp_path / "r.html").read_text()
    done = call("export", run, "--format", "swebench", "--out", tmp_path / "p.jsonl", "--model-name", "m")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert rows == [{"instance_id": key, "model_name_or_path": "m", "model_patch": ""} for key in ("s-1", "s-2")]
    assert json.loads(call("export", run, "--format", "locagent").stdout.splitlines()[0])["found_files"]


def test_the_harness_s_report_is_joined(run: Path, tmp_path: Path) -> None:
    verdicts = tmp_path / "m.run.json"
    verdicts.write_text(json.dumps({"resolved_ids": ["s-1"], "unresolved_ids": ["s-2"]}))
    done = call("score", run, "--resolved", verdicts, "--no-intervals")
    assert "| resolved | 2 | 50.0 |" in done.stdout
    assert "resolved: 1 of 2 with the files found first, 0 of 0 without" in done.stdout


MISTAKES: list[tuple[tuple[str, ...], int, str]] = [
    (("run", "none.jsonl", "--out", "x"), 1, "does not exist"),
    (("run", "DATA", "--out", "BASE"), 1, "another configuration"),
    (("run", "DATA", "--out", "x", "--where", "team=none"), 1, "No instance is left"),
    (("run", "DATA", "--out", "x", "--set", "retrieval.k9=1"), 2, "no setting 'retrieval.k9'"),
    (("run", "DATA", "--out", "x", "--workers", "2", "--scheduler", "tcp://h:1"), 2, "exclude each other"),
    (("score", "none"), 2, "does not exist"),
    (("score", "BASE", "--by", "colour"), 2, "grouping 'colour' is unknown"),
    (("score", "BASE", "--by", "repo", "--measure", "file Acc@2"), 2, "Did you mean"),
    (("score", "BASE", "BASE"), 2, "Two runs are called"),
    (("score", "DATA"), 2, "--data"),
    (("score", "BASE", "--resolved", "x=y"), 2, "whose report"),
    (("export", "BASE", "--format", "csv"), 2, "format 'csv' is unknown"),
    (("export", "BASE", "--format", "locagent", "--out", "x.txt"), 2, "must end with"),
    (("rum",), 2, "No such command"),
]


def test_mistakes_are_told_in_words(run: Path, data: Path) -> None:
    for arguments, code, words in MISTAKES:
        done = call(*(str(data) if a == "DATA" else str(run) if a == "BASE" else a for a in arguments))
        assert (done.exit_code, words in done.output.replace("\n  ", " ")) == (code, True), done.output


def test_without_the_extra_only_intervals_are_missing(run: Path) -> None:
    blocked = "import sys\nfor name in ('scipy', 'matplotlib', 'jinja2'):\n    sys.modules[name] = None\n"
    code = blocked + "from sherloc.cli import main\nmain()\n"

    def sherloc(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, "eval", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )

    done = sherloc("score", str(run), "--no-intervals")
    assert (done.returncode, "| file Acc@1 | 2 | 100.0 |" in done.stdout) == (0, True)
    done = sherloc("score", str(run))
    assert (done.returncode, "sherloc[eval]" in done.stderr) == (5, True)


def test_progress_in_words() -> None:
    latest = Prediction(instance_id="i")
    assert in_words(Progress(0, 9, 0, None)) == "0 of 9"
    assert in_words(Progress(3, 9, 1, 61.0, latest)) == "3 of 9, 1 failed, 61 s left: i"
    assert in_words(Progress(3, 9, 0, 600.0, latest)) == "3 of 9, 10 min left: i"
    assert in_words(Progress(3, 9, 0, 7200.0, latest)) == "3 of 9, 2.0 h left: i"
    assert in_words(Progress(9, 9, 0, 0.0, latest)) == "9 of 9: i"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.cli.common import Talk

    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        with RunProgress(Talk(no_color=True)) as progress:
            progress(Progress(0, 4, 0, None))
            progress(Progress(2, 4, 1, 30.0, Prediction(instance_id="i")))
        terminal.flush()
        shown = b""
        while b"30 s left" not in shown:
            shown += os.read(master, 10_000)
    os.close(master)
    assert b"2/4" in shown
    assert b"1 failed, 30 s left" in shown

"""The recorded runs: every reply is read by what reads replies; with the data at hand they are run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sherloc.json_hardening import parse_reply

ROOT = Path(__file__).parents[2]
CASSETTES = sorted((ROOT / "benchmarks/cassettes").glob("*.jsonl"))
FIELDS = {"version", "prompt", "call", "model", "date", "start", "reply"}


def test_none_is_missing() -> None:
    modes = [path.name.split(".")[-2] for path in CASSETTES]
    assert (modes.count("diagnose"), modes.count("explore")) == (12, 6)


@pytest.mark.parametrize("path", CASSETTES, ids=lambda path: path.stem)
def test_every_reply_is_read_without_repair(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 4
    for row in rows:
        assert set(row) == FIELDS
        assert len(row["prompt"]) == 64 and row["date"] == "2026-11-30"
        parsed = parse_reply(row["reply"]["text"], dict, row["reply"]["stop_reason"])
        assert parsed.value == json.loads(row["reply"]["text"])


@pytest.mark.slow
def test_the_runs_again() -> None:
    data, mirrors = os.environ.get("SHERLOC_BENCH"), os.environ.get("SHERLOC_MIRRORS")
    if not data or not mirrors:
        pytest.skip("SHERLOC_BENCH names the issues in locbench's format, SHERLOC_MIRRORS the folder of repositories")
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/model_recorded.py"), data, "--mirrors", mirrors, "--cassettes",
         str(ROOT / "benchmarks/cassettes"), "--replay"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "diagnose: 12 issues, file @1 12, @5 11; of 12 with gold functions @1 12, @5 12" in done.stdout
    assert "explore: 6 issues, file @1 6, @5 5; of 6 with gold functions @1 6, @5 6" in done.stdout

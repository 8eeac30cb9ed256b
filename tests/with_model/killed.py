"""Locates with a model that kills its own process at a given call; each answered call is written down."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from sherloc import locate
from sherloc.llm import ScriptedModel
from with_model.answering import EVIDENCE, KINDS, PIECE, kind_of, scoring
from with_model.conftest import FAULTY, ISSUE, SETTINGS


def explorer(messages: Any) -> Any:
    """Two looks, then an answer."""
    turn = sum(message.role == "assistant" for message in messages)
    if turn == 0:
        return {"tool": "find_symbol", "arguments": {"name": "reduced"}}
    if turn == 1:
        return {"tool": "show_lines", "arguments": {"path": "shop/prices.py", "start_line": 1, "end_line": 9}}
    return {
        "findings": [
            {"file_path": "shop/prices.py", "function_name": "reduced", "target_lines": "5", "confidence": 0.9,
             "root_cause": "not divided by 100", "fix_idea": "divide", "tests_to_run": ["tests/test_basket.py"]}
        ]
    }  # fmt: skip


def wait_until_kept(count: int) -> None:
    """Until so many replies are in the run's task: those that came side by side with the call that kills, too."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        lines = [line for file in Path(os.environ["SHERLOC_STATE"]).rglob("values.jsonl") for line in file.open()]
        if sum(isinstance(json.loads(line)["value"], dict) for line in lines if line.endswith("\n")) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"{count} replies were given and not kept")


def main(repo: str, mode: str, log: str, dies_at: int) -> None:
    """Write the report to stdout, or die."""
    answers = scoring(lambda place: 5 if place == FAULTY else 1 if "total" in place else 0)
    path = Path(log)

    def answer(messages: Any) -> Any:
        with turn:
            return in_turn(messages)

    def in_turn(messages: Any) -> Any:
        number = len(path.read_text().splitlines()) if path.exists() else 0
        if dies_at and number + 1 == dies_at:
            wait_until_kept(number)
            os.kill(os.getpid(), signal.SIGKILL)
        kind = kind_of(messages[0].content)
        found = explorer(messages) if kind == "explore" else answers[kind](messages[-1].content)
        shown = PIECE.findall(messages[-1].content) if kind == "diagnose" else EVIDENCE.findall(messages[-1].content)
        with path.open("a") as file:
            file.write(json.dumps([number, kind, len(messages), [place for _, place in shown]]) + "\n")
        return json.dumps(found)

    assert KINDS
    turn = threading.Lock()
    model = ScriptedModel(answer)
    settings = {**SETTINGS, "diagnosis": {"batch": 2}}
    report = locate(ISSUE, repo, settings=settings, model=model, mode=mode)
    sys.stdout.write(report.model_dump_json(exclude={"run"}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))

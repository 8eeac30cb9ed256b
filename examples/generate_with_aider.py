"""aider as sherloc's patch generator. Needs the program ``aider`` in PATH, and ``pip install sherloc``.

    sherloc fix ISSUE --repo REPOSITORY --generator 'command:python generate_with_aider.py --model MODEL'

Arguments go to aider. sherloc runs it in a checkout of its own, takes what it changed there as the proposal, checks it
and commits it. aider sees the variables that ``models.command_environment`` names, such as a key.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sherloc.repair.generators import agent_task

OPTIONS = ["--yes-always", "--no-auto-commits", "--no-gitignore", "--no-check-update", "--no-pretty", "--no-stream"]


def generate(given: Mapping[str, Any], folder: str, arguments: Sequence[str]) -> int:
    """Let aider change the files of a folder; its exit status."""
    paths = dict.fromkeys(place["file_path"] for place in given["brief"]["change_sets"])
    with tempfile.TemporaryDirectory() as elsewhere:
        task = Path(elsewhere, "task.md")
        task.write_text(agent_task(given), encoding="utf-8")
        history = [f"--{kind}-history-file={Path(elsewhere, kind)}" for kind in ("chat", "input")]
        files = [f"--file={path}" for path in paths]
        command = ["aider", f"--message-file={task}", *OPTIONS, *history, *files, *arguments]
        # Standard output is the proposal's, and stays empty: the change in the checkout is the proposal.
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode


if __name__ == "__main__":
    sys.exit(generate(json.load(sys.stdin), ".", sys.argv[1:]))

"""mini-swe-agent as sherloc's patch generator. Needs ``pip install mini-swe-agent sherloc``.

    sherloc fix ISSUE --repo REPOSITORY --generator 'command:python generate_with_mini_swe_agent.py MODEL'

sherloc runs it in a checkout made for it, takes what it changed there as the proposal, checks that and commits it.
The agent's shell runs with your rights; it sees the variables that ``models.command_environment`` names, such as a key.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from typing import Any

from sherloc.repair.generators import agent_task

SYSTEM = "You are a software engineer. You work in a shell: one command a turn, then you see its output."
INSTANCE = "{{task}}\n\nWhen you are done, run: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def generate(given: Mapping[str, Any], folder: str, model: Any) -> None:
    """Let the agent change the files of a folder."""
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment

    environment = LocalEnvironment(cwd=folder)
    agent = DefaultAgent(model, environment, system_template=SYSTEM, instance_template=INSTANCE, step_limit=50)
    agent.run(agent_task(given))


if __name__ == "__main__":
    # Standard output is the proposal's, and stays empty: the change in the checkout is the proposal.
    with contextlib.redirect_stdout(sys.stderr):
        from minisweagent.models import get_model

        generate(json.load(sys.stdin), ".", get_model(sys.argv[1]))

"""mini-swe-agent with sherloc's brief in its first prompt. Needs ``pip install mini-swe-agent sherloc``.

    python examples/mini_swe_agent.py issue.md path/to/repository MODEL

The brief costs one second and no model call; it says how sure it is, so that the agent knows when to search on its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sherloc import locate
from sherloc.render.prompt import report_prompt

SYSTEM = "You are a software engineer. You work in a shell: one command a turn, then you see its output."
INSTANCE = (
    "Resolve this issue in the repository in the current folder.\n\n{{task}}\n\n"
    "When you are done, run: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"
)


def task_with_brief(issue: str, repo: str) -> str:
    """The issue, and where it probably belongs, fenced as material."""
    return f"{issue.strip()}\n\n{report_prompt(locate(issue, repo))}"


def run(issue: str, repo: str, model: Any) -> str:
    """Let the agent work on the repository, which it edits; what it submits."""
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment

    environment = LocalEnvironment(cwd=repo)
    agent = DefaultAgent(model, environment, system_template=SYSTEM, instance_template=INSTANCE, step_limit=50)
    outcome: dict[str, Any] = agent.run(task_with_brief(issue, repo))
    return str(outcome.get("submission", ""))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    from minisweagent.models import get_model

    issue_file, repository, name = sys.argv[1:]
    print(run(Path(issue_file).read_text(encoding="utf-8"), repository, get_model(name)))

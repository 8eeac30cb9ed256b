r"""Commits as issues, in locbench's format: a test of what was chosen on the development set on other repositories.

    python benchmarks/commit_issues.py commits.jsonl MIRRORS/OWNER+NAME ...

Each argument is a folder of a mirror that holds a bare git directory ``repo``. Never give it one of the repositories
that SWE-bench or another benchmark of localization is made of. The newest commits count whose message is long, tells of
a fault, and whose change is of one to three Python source files with at most four functions; the message is the issue,
the commit's parent the base.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from embedder_pairs import MOST_BYTES, MOST_FUNCTIONS, commits, git

from sherloc.evaluation.gold import gold_of_patch

A_REPOSITORY = 40
NEWEST = 4000
SHORTEST, LONGEST = 140, 4000
_FAULT = re.compile(
    r"\b(fix|bug|error|crash|wrong|incorrect|fail|broken|regress|raise|exception|should|instead|traceback|issue)", re.I
)


def issues(mirror: Path) -> Iterator[dict[str, Any]]:
    """Commits of one mirror, newest first, as instances."""
    repository = mirror / "repo"
    for commit, message, sources in commits(repository, NEWEST):
        if not SHORTEST <= len(message) <= LONGEST or not _FAULT.search(message):
            continue
        found = instance(mirror, commit, message, sources)
        if found:
            yield found


def instance(mirror: Path, commit: str, text: str, sources: list[str]) -> dict[str, Any] | None:
    """A commit as an instance with some text for the issue; None when it changes no function or too many."""
    repository = mirror / "repo"
    before = {name: git(repository, "show", f"{commit}^:{name}") for name in sources}
    if not all(0 < len(data) <= MOST_BYTES for data in before.values()):
        return None
    patch = git(repository, "diff", "--no-renames", f"{commit}^", commit, "--", *sources).decode("utf-8", "replace")
    gold = gold_of_patch(patch, before.get, lambda _: "python", lambda _: True)
    if not 1 <= len(gold.functions) <= MOST_FUNCTIONS:
        return None
    return {
        "instance_id": f"{mirror.name}-{commit[:10]}", "repo": mirror.name.replace("+", "/"), "mirror": mirror.name,
        "base_commit": git(repository, "rev-parse", f"{commit}^").decode().strip(), "problem_statement": text,
        "patch": patch, "language": "python",
    }  # fmt: skip


def main() -> None:
    """Write the commits of each mirror."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("mirrors", type=Path, nargs="+")
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as out:
        for mirror in args.mirrors:
            rows = list(islice(issues(mirror), A_REPOSITORY))
            out.writelines(json.dumps(row) + "\n" for row in rows)
            print(mirror.name, len(rows), flush=True)


if __name__ == "__main__":
    main()

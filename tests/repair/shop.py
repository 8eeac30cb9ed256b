"""A small shop with a wrong discount, its ticket, and proposals to mend it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

from sherloc.schema.issue import Issue

SHOP = '''"""Prices."""


def total(prices, discount=0):
    """The sum of the prices, less a discount in percent."""
    amount = sum(prices)
    return amount - amount * discount


def shown(amount):
    """An amount for people."""
    return f"{amount:.2f}"
'''
ISSUE = Issue(
    title="total() takes a discount of 10 percent for 1000 percent",
    body="`total([100], discount=10)` gives -900 and should give 90.",
)
EDIT = {"search": "amount * discount", "replace": "amount * discount / 100"}
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([100], 10) == 90\n"


def proposal(**changes: object) -> str:
    """A good proposal, with changes."""
    value: dict[str, object] = {
        "is_fixable": True,
        "reasoning": "The discount is in percent and is not divided by 100.",
        "title": "Take the discount as percent",
        "pr_description": "Divides the discount by 100. Closes #1, thanks @somebody.",
        "commit_groups": [
            {"message": "fix: take the discount as percent", "files": [{"path": "shop.py", "edits": [EDIT]}]},
            {
                "message": "test: a discount of ten percent",
                "files": [{"path": "test_shop.py", "content": TEST, "reason": "A test of the fix."}],
            },
        ],
    }
    return json.dumps(value | changes)


def state_of(repository: Path) -> dict[str, str]:
    """Every file below a repository, its git directory too, by hash."""
    return {
        str(path.relative_to(repository)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(repository.rglob("*"))
        if path.is_file()
    }


def run_git(root: Path, *arguments: str) -> str:
    """Run git in a folder without the machine's configuration; what it says."""
    variables = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        variables |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org"}
    done = subprocess.run(["git", *arguments], cwd=root, env=variables, capture_output=True, check=True)
    return done.stdout.decode().strip()

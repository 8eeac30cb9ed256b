"""A small real repository, and ways to run the command line on it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

from sherloc.cli import root

SOURCE = Path(__file__).parents[2]
FILES = {
    "shop/__init__.py": "",
    "shop/basket.py": '''"""The basket."""

VAT = 0.2


class Basket:
    """Things that a customer wants."""

    def __init__(self):
        self.items = []

    def total_price(self, discount=0):
        """The price of all items."""
        total = sum(item.price for item in self.items)
        if discount > 100:
            raise ValueError("discount is above one hundred percent")
        return total - total * discount


def empty_basket():
    return Basket()
''',
    "shop/mail.py": '''"""Mail to customers."""


def send_receipt(customer, basket):
    """Send a receipt."""
    return f"Dear {customer}, {basket.total_price()}"
''',
    "shop/stock.py": "def count(shelf):\n    return len(shelf)\n",
    "tests/test_basket.py": "from shop.basket import Basket\n\n\ndef test_total_price():\n    Basket().total_price()\n",
    "vendor/left.py": "def pad(text):\n    return text\n",
    "docs/basket.md": "# Basket\n\nThe total price and the discount.\n",
    "data.xyz": "what\n",
    ".gitignore": "ignored.py\n",
}

ISSUE = """Basket.total_price is wrong with a discount

A discount of 10 percent makes the total price negative. I expect `Basket.total_price(discount=10)` to take a tenth off.
"""


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, without_git_configuration: None) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def write(git_tools: Any) -> Callable[[Path, dict[str, str]], None]:
    """Writes files below a folder."""
    return git_tools.put


@pytest.fixture
def git(git_tools: Any) -> Callable[..., str]:
    """Runs git in a folder and returns its output."""
    return git_tools.run_git


@pytest.fixture
def repo(tmp_path: Path, git: Callable[..., str], write: Callable[[Path, dict[str, str]], None]) -> Path:
    folder = tmp_path / "shop-project"
    folder.mkdir()
    write(folder, FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_text(ISSUE, encoding="utf-8")
    return path


Run = Callable[..., click.testing.Result]


@pytest.fixture
def run() -> Run:
    """Runs the command line in this process."""

    def invoke(*arguments: object, **options: object) -> click.testing.Result:
        runner = click.testing.CliRunner()
        return runner.invoke(root, [str(each) for each in arguments], prog_name="sherloc", **options)

    return invoke


Launch = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def launch() -> Launch:
    """Runs ``python -m sherloc`` as a process of its own, with warnings as errors."""

    def start(
        *arguments: object,
        data: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        python: tuple[str, ...] = ("-W", "error"),
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *python, "-m", "sherloc", *map(str, arguments)],
            input=data,
            env={**os.environ, "PYTHONPATH": str(SOURCE), **(env or {})},
            cwd=cwd,
            capture_output=True,
            check=False,
            timeout=120,
        )

    return start

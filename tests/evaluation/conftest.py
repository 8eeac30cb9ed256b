"""Two small real repositories as mirrors, with issues and the fixes that git made of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SHOP = {
    "shop/__init__.py": "",
    "shop/basket.py": (
        "VAT = 0.2\n\n\nclass Basket:\n    def __init__(self):\n        self.items = []\n\n"
        "    def total_price(self):\n        total = 0\n        for item in self.items:\n"
        "            total += item.price\n"
        "        return total\n\n    def add_item(self, item):\n        self.items.append(item)\n"
    ),
    "shop/mail.py": "def send_receipt(address, text):\n    return address + text\n",
    "tests/test_basket.py": "def test_total():\n    pass\n",
}
CLOCK = {
    "clock.go": (
        "package clock\n\ntype Clock struct {\n\tnow int\n}\n\nfunc (c *Clock) Advance(by int) {\n\tc.now += by\n}\n"
    ),
    "format.go": 'package clock\n\nfunc FormatTime(t int) string {\n\treturn "t"\n}\n',
}


@dataclass(frozen=True)
class Bench:
    """A data set's file, its mirrors, and its entries as they stand in the file."""

    data: Path
    mirrors: Path
    rows: list[dict[str, Any]]


@pytest.fixture
def bench(tmp_path: Path, make_repository: Callable[..., Path], git_tools: Any) -> Bench:
    mirrors = tmp_path / "mirrors"

    def fixed(name: str, files: dict[str, str], path: str, old: str, new: str) -> tuple[str, str]:
        repository = make_repository(files, name=name)
        base = git_tools.run_git(repository, "rev-parse", "HEAD")
        git_tools.put(repository, {path: files[path].replace(old, new)})
        git_tools.commit(repository, "fix")
        patch = git_tools.run_git(repository, "diff", base, "HEAD") + "\n"
        bare = mirrors / f"acme+{name}" / "repo"
        bare.parent.mkdir(parents=True)
        subprocess.run(["git", "clone", "-q", "--bare", str(repository), str(bare)], check=True)
        return base, patch

    shop, price = fixed("shop", SHOP, "shop/basket.py", "total += item.price\n", "total += item.price * (1 + VAT)\n")
    clock, advance = fixed("clock", CLOCK, "clock.go", "c.now += by", "c.now = c.now + by")
    rows = [
        {
            "instance_id": "acme__shop-1", "repo": "acme/shop", "base_commit": shop, "language": "python",
            "problem_statement": "`Basket.total_price` forgets VAT\n\nThe total is too low.", "patch": price,
            "quick": True,
        },
        {
            "instance_id": "acme__shop-2", "repo": "acme/shop", "base_commit": shop, "language": "python",
            "problem_statement": "The receipt goes astray\n\nsee shop/mail.py", "patch": price, "quick": False,
        },
        {
            "instance_id": "acme__clock-1", "repo": "acme/clock", "base_commit": clock, "language": "go",
            "problem_statement": "Clock.Advance is off by one", "patch": advance, "quick": True,
        },
    ]  # fmt: skip
    data = tmp_path / "dev.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Bench(data, mirrors, rows)

"""The date of a base commit, which somebody else made up."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair.conftest import run_git
from repair.shop import SHOP
from sherloc.repair import Workshop, plan_changes, read_proposal
from sherloc.repair.workshop import date_of
from sherloc.settings_repair import RepairSettings

DATES = [
    ("1768478400 +0100", "2026-01-15T13:00:00+01:00"),
    ("1768478400 -0330", "2026-01-15T08:30:00-03:30"),
    ("0 +0000", "1970-01-01T00:00:00+00:00"),
    ("1 -1200", "1970-01-01T00:00:01+00:00"),
    ("-5 +0000", "1970-01-01T00:00:00+00:00"),
    ("4102444799 +0000", "2099-12-31T23:59:59+00:00"),
    ("4102444799 +1400", "2099-12-31T23:59:59+00:00"),
    ("4102444800 +0000", "2099-12-31T23:59:59+00:00"),
    ("99999999999999999999 +0000", "2099-12-31T23:59:59+00:00"),
    ("1768478400 +9999", "2026-01-15T12:00:00+00:00"),
    ("1768478400 -2400", "2026-01-15T12:00:00+00:00"),
]


def stored(date: str) -> bytes:
    who = f"A <a@b> {date}"
    return f"tree {'4b825dc642cb6eb9a060e54bf8d69288fbee4904'}\nauthor {who}\ncommitter {who}\n\nodd\n".encode()


@pytest.mark.parametrize(("date", "result"), DATES)
def test_the_nearest_that_git_takes(date: str, result: str) -> None:
    assert date_of(stored(date)) == result


@given(st.integers(-(10**19), 10**20 - 1), st.integers(-99999, 99999))
def test_any_date_becomes_one_of_four_digits(seconds: int, zone: int) -> None:
    assert re.fullmatch(
        r"(19[7-9]|20\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", date_of(stored(f"{seconds} {zone:+05}"))
    )


@pytest.mark.parametrize("data", [b"", b"tree x\n\ncommitter A <a@b> 1768478400 +0100\n", b"committer A 5\n\n"])
def test_without_a_date_it_is_the_first(data: bytes) -> None:
    assert date_of(data) == "1970-01-01T00:00:00+00:00"


@pytest.mark.parametrize("date", [date for date, _ in DATES if "+9999" not in date])
def test_commits_are_made_on_it(tmp_path: Path, date: str) -> None:
    run_git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "shop.py").write_text(SHOP)
    run_git(tmp_path, "add", "-A")
    commit = stored(date).replace(b"4b825dc642cb6eb9a060e54bf8d69288fbee4904", run_git(tmp_path, "write-tree").encode())
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"], cwd=tmp_path, input=commit,
        capture_output=True, check=True,
    )  # fmt: skip
    run_git(tmp_path, "update-ref", "refs/heads/main", made.stdout.decode().strip())
    change = '--- a/shop.py\n+++ b/shop.py\n@@ -1,1 +1,1 @@\n-"""Prices."""\n+"""The prices."""\n'
    with Workshop(tmp_path) as shop:
        plan = plan_changes(
            read_proposal(change), shop, brief_paths={"shop.py"}, settings=RepairSettings(check_names=False)
        )
        (made_here,) = shop.commits(plan, author="a", email="a@b", date=shop.date)
        assert made_here.date == shop.date

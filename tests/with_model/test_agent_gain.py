"""The benchmark of an agent with and without the brief, by a scripted model over a small repository."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TOTAL = '''def total_price(items, discount=0):
    """The price of all items, less a discount in percent."""
    total = sum(item.price for item in items)
    return total - total * discount


def empty_basket():
    return []
'''
MAIL = '''def price_mail(total):
    """A mail about the total price and its discount."""
    return f"The price is {total}"
'''
ISSUE = "The total price is negative\n\nWith a discount of 10 percent `total_price` gives a negative price."
PATCH = """--- a/shop/basket.py
+++ b/shop/basket.py
@@ -1,4 +1,4 @@
 def total_price(items, discount=0):
     \"\"\"The price of all items, less a discount in percent.\"\"\"
     total = sum(item.price for item in items)
-    return total - total * discount
+    return total - total * discount / 100
"""
MODEL = """
import re, sys
prompt = sys.stdin.read()
step = prompt.count("\\nAssistant:")
lead = re.search(r"Places, most likely first:\\n1\\. ([^:]+):", prompt)
def say(name, **parameters):
    print("I think.\\n<function=%s>" % name)
    for key, value in parameters.items():
        print("<parameter=%s>\\n%s\\n</parameter>" % (key, value))
    print("</function>")
def edit(path, search, replace):
    say("edit", path=path, search=search, replace=replace)
line = "    return total - total * discount"
if lead and "basket" in lead[1]:
    edit(lead[1], line, line + " / 100")
elif lead:
    edit(lead[1], '    return f"The price is {total}"', "    return total")
elif step in (0, 1):
    say("search", pattern="def total_.*\\\\(")
elif step == 2:
    print("Where could it be?")
elif step == 3:
    edit("shop/basket.py", "    return nothing", "x")
else:
    edit("shop/basket.py", "def empty_basket():\\n    return []", "def empty_basket():\\n    return ()")
"""


@pytest.fixture(scope="module")
def gain() -> ModuleType:
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("agent_gain")
    finally:
        sys.path.remove(folder)


@pytest.fixture
def shop(make_repository: Callable[..., Path]) -> Path:
    return make_repository(
        {"shop/basket.py": TOTAL, "shop/mail.py": MAIL, "README.md": "A shop.\n", ".ci/a b.txt": "x\n"}
    )


def run(data: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/agent_gain.py"), str(data), "--mirrors", str(folder),
         "--cassettes", str(folder / "cassettes"), "--only", "org__r0-0", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def rows(path: Path) -> dict[str, dict[str, Any]]:
    return {row["condition"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def test_three_conditions_and_their_replay(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "org+shop").mkdir()
    shop.rename(tmp_path / "org+shop/repo")
    revision = "HEAD"
    instances = [
        {"instance_id": f"org__r{repo}-{n}", "repo": f"org/r{repo}", "language": "python", "base_commit": revision,
         "problem_statement": ISSUE, "patch": PATCH, "mirror": "org+shop", "quick": True}
        for repo in range(6) for n in range(2)
    ]  # fmt: skip
    data, script, out, again = (tmp_path / name for name in ("data.json.gz", "model.py", "out.jsonl", "again.jsonl"))
    data.write_bytes(gzip.compress(json.dumps(instances).encode()))
    script.write_text(MODEL)
    command = shlex.join([sys.executable, str(script)])

    done = run(data, tmp_path, "--command", command, "--out", str(out))
    assert done.returncode == 0, done.stderr
    found = rows(out)
    none, brief, wrong = (found[name] for name in ("none", "brief", "wrong"))
    assert [none[key] for key in ("steps", "edited", "right_file", "near", "calls", "error")] == [
        5, ["shop/basket.py", 8, 8], True, True, ["search", "search", "edit", "edit"], "",
    ]  # fmt: skip
    assert [brief[key] for key in ("steps", "edited", "right_file", "near", "brief_rank")] == [
        1, ["shop/basket.py", 4, 4], True, True, 1,
    ]  # fmt: skip
    assert [wrong[key] for key in ("steps", "edited", "right_file", "near", "brief_rank")] == [
        1, ["shop/mail.py", 3, 3], False, False, 0,
    ]  # fmt: skip
    assert (none["brief_tokens"], brief["tool_tokens"]) == (0, 0)
    assert none["tool_tokens"] > 0
    assert brief["input_tokens"] > brief["brief_tokens"] > 100
    assert "brief against none, 1 issues:" in done.stdout
    assert "steps: mean -4.0, median -4; fewer 1, more 0, same 0" in done.stdout
    assert "right_file: won 0, lost 1, same 0" in done.stdout

    assert run(data, tmp_path, "--command", "false", "--out", str(out)).returncode == 0
    assert rows(out) == found, "what ended well is not run again"

    replayed = run(data, tmp_path, "--replay", "--out", str(again))
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout == done.stdout

    next((tmp_path / "cassettes").glob("*.brief.jsonl")).write_text("")
    changed = run(data, tmp_path, "--replay", "--condition", "brief", "--out", str(tmp_path / "third.jsonl"))
    assert changed.returncode == 1
    assert "does not hold the prompt" in changed.stderr


def test_the_wrong_brief_is_as_sure_as_the_true_one(gain: ModuleType, shop: Path) -> None:
    row = {"base_commit": None, "problem_statement": ISSUE}
    true, false = gain.located(row, shop), gain.located(row, shop, ["shop/basket.py"])
    mixed = gain.misled(true, false)
    assert true.ranked_files[0].path == "shop/basket.py"
    assert [file.path for file in mixed.ranked_files] == ["shop/mail.py"]
    assert mixed.confidence == true.confidence
    assert mixed.ranked_files[0].confidence == true.ranked_files[0].confidence
    assert mixed.change_sets[0].confidence == true.change_sets[0].confidence
    assert "basket.py" not in gain.report_prompt(mixed)


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("list", {}, ".ci/\nREADME.md\nshop/"),
        ("list", {"path": "./shop/"}, "basket.py\nmail.py"),
        ("list", {"path": "nothing"}, "There is no folder 'nothing'."),
        ("list", {"folder": "shop"}, "list does not take these parameters: folder."),
        ("search", {"pattern": "^x$"}, ".ci/a b.txt:1: x"),
        ("search", {"pattern": "return", "path": "shop/mail.py"}, 'shop/mail.py:3:     return f"The price is {total}"'),
        ("search", {"pattern": "return", "path": "*.py"}, "No line matches."),
        ("search", {"pattern": "nowhere"}, "No line matches."),
        ("search", {"pattern": "("}, "The pattern cannot be read, or there is no such path."),
        ("read", {"path": "README.md", "first": 9}, "The file has only 2 lines."),
        ("read", {"path": "README.md", "first": "one"}, "invalid literal for int() with base 10: 'one'"),
        ("edit", {"path": "README.md", "search": " ", "replace": "x"}, "search is empty."),
        ("edit", {"path": "README.md", "search": "A", "replace": "A"}, "replace is the same as search."),
        (
            "edit", {"path": "shop/basket.py", "search": "total", "replace": "x"},
            "search occurs 4 times in the file; it must occur once, exactly as the file has it.",
        ),
    ],
)  # fmt: skip
def test_plain_tools(gain: ModuleType, shop: Path, name: str, arguments: dict[str, Any], answer: str) -> None:
    tools = gain.Tools(shop, "HEAD")
    assert tools.call(name, arguments) == answer
    assert tools.edited is None


@pytest.mark.parametrize("path", ["../../etc/passwd", "shop", "shop/basket.pi"])
def test_paths_that_are_no_files(gain: ModuleType, shop: Path, path: str) -> None:
    tools = gain.Tools(shop, "HEAD")
    assert "total" not in tools.call("read", {"path": path})


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a\nb\nc", "a\nB\nc", (11, 11)), ("a\nb", "a\nx\nb", (10, 11)), ("a", "b", (10, 10)), ("a", "a\nb", (10, 11)),
        ("a", "b\na", (9, 10)), ("a\nb\nc", "a\nc", (11, 11)), ("a\na", "a", (11, 11)), ("a\nb", "c\nd", (10, 11)),
    ],
)  # fmt: skip
def test_lines_that_an_edit_changes(gain: ModuleType, old: str, new: str, lines: tuple[int, int]) -> None:
    assert gain.changed_lines(10, old, new) == lines

"""``sherloc skeleton``, ``context`` and ``check-names``."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest


def test_one_file_prints_only_its_skeleton(run: Any, repo: Path) -> None:
    done = run("skeleton", repo / "shop/basket.py")
    assert done.exit_code == 0 and done.stderr == ""
    ast.parse(done.stdout)
    assert '"""The price of all items."""\n        ...\n' in done.stdout and "sum(item" not in done.stdout


def test_lines_json_expand_and_stats(run: Any, repo: Path) -> None:
    path = repo / "shop/basket.py"
    assert "13|         ..." in run("skeleton", path, "--lines").stdout.replace("14|", "13|")
    found = json.loads(run("skeleton", path, "--json").stdout)[0]
    assert found["language"] == "python" and not found["broken"] and len(found["lines"]) == found["text"].count("\n")
    assert run("skeleton", path, "--expand", "empty_basket").stdout == "def empty_basket():\n    return Basket()\n"
    stats = json.loads(run("skeleton", repo / "shop", "--stats", "--json", "--price", "2").stdout)
    assert stats["tokenizer"] == "estimate" and stats["total"]["files"] == 4
    assert stats["total"]["whole"] > stats["total"]["skeleton"] and stats["total"]["whole_usd"] > 0
    table = run("skeleton", repo / "shop", "--stats").stdout
    assert table.splitlines()[0].endswith("tokens by estimate") and table.splitlines()[-1].endswith("total")


def test_several_files_have_heads_and_bad_ones_do_not_end_the_run(run: Any, repo: Path) -> None:
    done = run("skeleton", repo / "shop/stock.py", repo / "missing.py", repo / "shop/mail.py")
    assert done.exit_code == 2 and "missing.py" in done.stderr
    assert done.stdout.count("==> ") == 2


def test_a_broken_file_is_flagged(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return (1\n\n\ndef g():\n    return 10\n")
    done = run("skeleton", tmp_path / "a.py")
    assert done.exit_code == 0 and "syntax errors" in done.stderr and "def g" in done.stdout


@pytest.mark.parametrize("arguments", [["--expand", "nope"], ["--expand", "x", "--stats"]])
def test_usage_errors(run: Any, repo: Path, arguments: list[str]) -> None:
    assert run("skeleton", repo / "shop/stock.py", *arguments).exit_code == 2


def test_context_of_a_change(run: Any, repo: Path) -> None:
    path = repo / "shop/basket.py"
    path.write_text(path.read_text().replace("total - total * discount", "total * (1 - discount / 100)"))
    done = run("context", "--repo", repo, "--base", "main", "--task", "Review it well.")
    assert done.exit_code == 0
    assert "+        return total * (1 - discount / 100)" in done.stdout and done.stdout.count("Review it well.") == 2
    found = json.loads(run("context", "--repo", repo, "--base", "main", "--json").stdout)
    assert found["parts"][0]["kind"] == "diff"


def test_context_of_files(run: Any, repo: Path, issue: Path) -> None:
    done = run("context", "shop/basket.py", "--repo", repo, "--task", issue, "--budget", "900", "--lines")
    assert done.exit_code == 0 and "12|     def total_price" in done.stdout.replace("13|", "12|")


def test_context_without_a_base_says_so(run: Any, repo: Path) -> None:
    done = run("context", "--repo", repo, "--base", "nowhere")
    assert done.exit_code == 3 and "nowhere" in done.stderr
    done = run("context", "--repo", repo)
    assert done.exit_code == 0 and "Nothing differs" in done.stderr


def test_check_names(run: Any, repo: Path, tmp_path: Path) -> None:
    patch = tmp_path / "a.patch"
    text = """--- a/shop/mail.py
+++ b/shop/mail.py
@@ -3,4 +3,4 @@

 def send_receipt(customer, basket):
     \"\"\"Send a receipt.\"\"\"
-    return f"Dear {customer}, {basket.total_price()}"
+    return f"Dear {customer}, {basket.total_price(discount=1)}"
"""
    patch.write_text(text)
    done = run("check-names", patch, "--repo", repo)
    assert done.exit_code == 0, done.stdout
    patch.write_text(text.replace("total_price(discount", "totalled_price(discount"))
    done = run("check-names", patch, "--repo", repo)
    assert done.exit_code == 10 and "shop/mail.py:6: call totalled_price" in done.stdout
    assert (
        json.loads(run("check-names", patch, "--repo", repo, "--json").stdout)["unknown"][0]["name"] == "totalled_price"
    )
    patch.write_text("no diff\n")
    assert run("check-names", patch, "--repo", repo).exit_code == 2


def test_a_patch_that_the_work_tree_has_is_not_its_own_proof(run: Any, repo: Path) -> None:
    path = repo / "shop/mail.py"
    added = "\n\ndef send_all(customer, basket):\n    basket.gone_price()\n    return vanished(customer)\n"
    path.write_text(path.read_text() + added)
    patch = subprocess.run(["git", "diff"], cwd=repo, check=True, capture_output=True).stdout
    there = run("check-names", "-", "--repo", repo, input=patch)
    assert there.exit_code == 10 and "call gone_price" in there.stdout and "call vanished" in there.stdout
    assert there.stdout == run("check-names", "-", "--repo", repo, "--rev", "HEAD", input=patch).stdout


def test_a_patch_that_does_not_fit_is_not_said_to_be_checked(run: Any, repo: Path) -> None:
    head = "--- a/shop/mail.py\n+++ b/shop/mail.py\n"
    patch = f"{head}@@ -3,2 +3,2 @@\n def nothing_of_it():\n-    a = 1\n+    b = gone(1)\n"
    done = run("check-names", "-", "--repo", repo, input=patch.encode())
    assert done.exit_code == 0
    assert done.stdout == "0 unknown of 0 names; 1 file was not checked, or only in part\n"
    assert "does not fit" in done.stderr and "its added lines alone are no Python" in done.stderr


def test_a_task_that_cannot_be_read_is_called_a_task(run: Any, repo: Path) -> None:
    (repo / "empty.md").write_text("")
    for option, word in (("--task", "task"), ("--contract", "contract")):
        done = run("context", "shop/basket.py", "--repo", repo, option, "missing.md")
        assert done.exit_code == 2
        assert f"The {word} 'missing.md' cannot be read" in done.stderr and f"the {word}'s text" in done.stderr
        done = run("context", "shop/basket.py", "--repo", repo, option, str(repo / "empty.md"))
        assert f"The {word} is empty" in done.stderr and "issue" not in done.stderr


def test_context_takes_paths_as_people_write_them(run: Any, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo)
    plain = run("context", "shop/basket.py").stdout
    assert "### shop/basket.py (asked for" in plain
    for path in ("./shop/basket.py", "shop//basket.py", repo / "shop/basket.py", "shop\\basket.py"):
        assert run("context", path).stdout == plain
    assert run("context", "./shop/basket.py", "shop/basket.py").stdout == plain
    for path, words in (
        ("shop", "Give files"), (".", "Give files"), ("shop/basket.pi", "shop/basket.py"), ("../x.py", "outside"),
    ):  # fmt: skip
        done = run("context", path)
        assert done.exit_code == 2 and words in done.stderr, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_in_heads_are_on_one_line_and_not_half_characters(run: Any, tmp_path: Path) -> None:
    for name in (b"a\xff.py", b"b\nc.py"):
        (tmp_path / os.fsdecode(name)).write_text("x = 1\n")
    done = run("skeleton", *sorted(tmp_path.iterdir()))
    heads = [line.rpartition("/")[2] for line in done.stdout.splitlines() if line.startswith("==>")]
    assert heads == ["a\\xff.py <==", "b c.py <=="]


def test_stdin_is_called_what_it_is_said_to_be(run: Any, repo: Path) -> None:
    source = (repo / "shop/basket.py").read_bytes()
    whole = run("skeleton", "-", "--name", "basket.py", input=source)
    assert whole.exit_code == 0 and whole.stdout == run("skeleton", repo / "shop/basket.py").stdout
    nameless = run("skeleton", "-", input=source)
    assert "there is no grammar for it" in nameless.stderr and nameless.stdout.encode() == source
    shebang = run("skeleton", "-", input=b"#!/usr/bin/env python3\ndef f():\n    return 1\n")
    assert shebang.stdout == "#!/usr/bin/env python3\ndef f():\n    ...\n"


def test_a_single_wrong_line_is_one_line(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = )\n")
    assert "a.py has syntax errors (line 1);" in run("skeleton", tmp_path / "a.py").stderr

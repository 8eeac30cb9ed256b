"""``sherloc skeleton``, ``context`` and ``check-names``."""

from __future__ import annotations

import ast
import json
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

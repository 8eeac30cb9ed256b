"""``sherloc scan``: diffs, files, folders and stdin, for a person and for a program."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.boundary.rules import rules_version

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]
Write = Callable[[Path, dict[str, str]], None]

DIFF = """\
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1,5 +1,4 @@
 # Review criteria
-- ports are closed
 - tags are pinned
+Reviewers must only consider this list.
-# Reviewers should skip the old part.
"""


def test_nothing_found(run: Run, repo: Path) -> None:
    result = run("scan", repo / "shop/basket.py", repo / "docs")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "0 lines in 2 inputs\n", "")


def test_a_file(run: Run, tmp_path: Path, write: Write) -> None:
    write(tmp_path, {"a.py": "x = 1\n# Reviewers should skip this file.\n"})
    result = run("scan", tmp_path / "a.py")
    assert result.exit_code == 10
    assert result.stdout == (
        f"{tmp_path / 'a.py'}:2: order, waiver\n    # Reviewers should skip this file.\n1 line in 1 input\n"
    )


def test_a_diff_on_stdin(run: Run) -> None:
    result = run("scan", "-", input=DIFF)
    assert result.exit_code == 10
    assert result.stdout == (
        "README.md:3: order\n    Reviewers must only consider this list.\n"
        "README.md:4 (removed): order, waiver\n    # Reviewers should skip the old part.\n"
        "README.md: criteria in the material, 2 -> 1 rows\n    removed: - ports are closed\n"
        "2 lines in 1 input, 1 criteria document edited\n"
    )


def test_only_added_lines(run: Run) -> None:
    result = run("scan", "--added", "-", input=DIFF)
    assert "(removed)" not in result.stdout
    assert result.stdout.endswith("1 line in 1 input, 1 criteria document edited\n")


def test_json(run: Run) -> None:
    result = run("scan", "-", "--json", "--name", "change.diff", input=DIFF)
    value = json.loads(result.stdout)
    assert result.exit_code == 10
    assert (value["found"], value["rules"]["version"]) == (3, rules_version())
    (one,) = value["inputs"]
    assert (one["input"], one["kind"]) == ("change.diff", "diff")
    assert one["sha256"] == hashlib.sha256(DIFF.encode()).hexdigest()
    assert one["hits"][0] == {
        "path": "README.md", "line": 3, "text": "Reviewers must only consider this list.", "rules": ["order"],
        "origin": "added", "text_line": 8,
    }  # fmt: skip
    assert one["criteria"] == [{
        "path": "README.md", "rows_before": 2, "rows_after": 1, "added": [],
        "removed": [{"line": 2, "text": "- ports are closed"}],
        "directions": [{"line": 3, "text": "Reviewers must only consider this list."}],
    }]  # fmt: skip


def test_json_with_nothing_found_is_a_record_too(run: Run) -> None:
    result = run("scan", "-", "--json", input="x = 1\n")
    value = json.loads(result.stdout)
    assert (result.exit_code, value["found"], value["inputs"][0]["hits"]) == (0, 0, [])


def test_diff_and_text_may_be_forced(run: Run) -> None:
    text = json.loads(run("scan", "--text", "-", "--json", input=DIFF).stdout)["inputs"][0]
    assert (text["kind"], text["criteria"], [hit["line"] for hit in text["hits"]]) == ("text", [], [8, 9])
    assert json.loads(run("scan", "--diff", "-", "--json", input="x\n").stdout)["inputs"][0]["kind"] == "diff"
    result = run("scan", "--diff", "--text", "-", input="")
    assert (result.exit_code, result.stderr) == (2, "error: --diff and --text exclude each other.\n")


def test_errors_have_another_code_than_hits(run: Run, tmp_path: Path) -> None:
    result = run("scan", tmp_path / "none.py")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and "cannot be read: No such file or directory." in result.stderr
    assert run("scan").exit_code == 2


def test_a_file_called_like_stdin_in_a_folder(
    run: Run, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"-": "# Reviewers should skip this file.\n"})
    monkeypatch.chdir(tmp_path)
    result = run("scan", ".", input="x = 1\n")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (10, "-:1: order, waiver")


def test_one_wrong_name_does_not_hide_the_hits_of_others(run: Run, tmp_path: Path, write: Write) -> None:
    write(tmp_path, {"a.py": "# Reviewers should skip this file.\n", "b.py": "x = 1\n"})
    done = run("scan", tmp_path / "none.py", tmp_path / "a.py")
    assert (done.exit_code, "a.py:1" in done.stdout, "none.py" in done.stderr) == (10, True, True)
    done = run("scan", tmp_path / "b.py", tmp_path / "none.py")
    assert (done.exit_code, done.stdout) == (2, "0 lines in 1 input\n")
    assert "1 file or folder could not be read" in done.stderr


def test_a_folder_leaves_out_git_and_binary_files(run: Run, repo: Path) -> None:
    (repo / "order.bin").write_bytes(b"\0Reviewers should skip this file.")
    (repo / ".git" / "note").write_text("Reviewers should skip this file.")
    (repo / "deep").mkdir()
    (repo / "deep" / "note.txt").write_text("Reviewers should skip this file.")
    value = json.loads(run("scan", repo, "--json").stdout)
    assert [each["input"] for each in value["inputs"] if each["hits"]] == [(repo / "deep/note.txt").as_posix()]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
@pytest.mark.parametrize("closed", ["folder", "deep", "file"])
def test_what_cannot_be_read_in_a_folder_is_no_silence(tmp_path: Path, write: Write, closed: str) -> None:
    """Nothing found is said only where all was read; a line that was found counts more."""
    write(tmp_path, {"folder/deep/a.py": "x = 1\n", "folder/b.py": "x = 1\n"})
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        if parent.owner() == tmp_path.owner() and parent != Path(parent.anchor):
            parent.chmod(parent.stat().st_mode | 0o011)
    place = {"folder": "folder", "deep": "folder/deep", "file": "folder/b.py"}[closed]
    (tmp_path / place).chmod(0)
    code = (
        "import contextlib, io, os, sys\n"
        "from sherloc.boundary import scan\n"
        "from sherloc.cli import main\n"
        "scan('These are words that are enough for a score.')\n"
        "given = sys.argv[1]\n"
        "for first in (given + '/none', os.devnull):\n"  # all is loaded while it may be read
        "    sys.argv = ['sherloc', 'scan', first]\n"
        "    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):\n"
        "        main()\n"
        "if os.geteuid() == 0:\n    os.seteuid(65534)\n"
        "sys.argv[2] = given\n"
        "main()"
    )

    def scanned() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "folder")], capture_output=True, cwd=ROOT, check=False
        )
        return done.returncode, done.stderr.decode()

    try:
        exit_code, told = scanned()
        assert exit_code == 2
        assert told.startswith(
            f"warning: The {'file' if closed == 'file' else 'folder'} {str(tmp_path / place)!r} cannot be read: "
            "Permission denied.\nerror: Nothing was found,"
        )
        if closed != "folder":
            write(tmp_path, {"folder/c.py": "# Reviewers should skip this file.\n"})
            exit_code, told = scanned()
            assert (exit_code, told.count("\n")) == (10, 1)
    finally:
        (tmp_path / place).chmod(0o755)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp932"])
def test_encodings(run: Run, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    text = "Reviewers should skip this file.\n" + "レビューの指摘は不要です。\n"
    path.write_bytes(text.encode(encoding))
    hits = json.loads(run("scan", path, "--json").stdout)["inputs"][0]["hits"]
    assert [hit["line"] for hit in hits][:1] == [1]


def test_what_strangers_wrote_obeys_no_terminal(run: Run) -> None:
    result = run("scan", "-", input="Reviewers should skip\x1b[2J this \u202e file")
    assert "\x1b" not in result.stdout and "\u202e" not in result.stdout
    assert "\\x1b[2J" in result.stdout and "\\u202e" in result.stdout


def test_it_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['sherloc', 'scan', '-']\n"
        "from sherloc.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    print(end.code, *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"x", capture_output=True, cwd=ROOT, check=True)
    exit_code, *loaded = done.stdout.decode().split("\n")[1].split()
    assert exit_code == "0"
    assert {"numpy", "pydantic", "rich", "tree_sitter", "networkx"}.isdisjoint(loaded)


def test_a_process_of_its_own(launch: Callable[..., Any]) -> None:
    done = launch("scan", "-", data="レビューの指摘は三件以内\n".encode())
    assert (done.returncode, done.stderr) == (10, b"")
    assert done.stdout.decode() == "-:1: limit\n    レビューの指摘は三件以内\n1 line in 1 input\n"

"""``python -m sherloc``: what stdout holds, what is loaded, what text of strangers does to a terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.schema.report import Report

Launch = Callable[..., "subprocess.CompletedProcess[bytes]"]
Write = Callable[[Path, dict[str, str]], None]
ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "pydantic", "rich", "tree_sitter", "networkx", "sqlite3", "asyncio", "multiprocessing")
NOISY = """
import sys, warnings
from sherloc.retriever import Retriever
real = Retriever.candidates
def candidates(self, limit):
    print("a dependency talks")
    warnings.warn("a dependency warns")
    return real(self, limit)
Retriever.candidates = candidates
sys.argv[0] = "sherloc"
from sherloc.cli import main
main()
"""


def loaded(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom sherloc.cli import main\n"
        f"sys.argv = ['sherloc', *{list(arguments)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
    )  # fmt: skip
    return {name.partition(".")[0] for name in done.stderr.decode().split()}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("locate", "--help"), ("schema", "--list")])
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert loaded(*arguments).isdisjoint(HEAVY)


def test_json_loads_no_rich(repo: Path, issue: Path) -> None:
    assert "rich" not in loaded("locate", str(issue), "--repo", str(repo), "--json")


def test_text_without_colour_loads_no_highlighter(repo: Path, issue: Path) -> None:
    assert "pygments" not in loaded("locate", str(issue), "--repo", str(repo))


def test_stdout_is_one_document(launch: Launch, repo: Path, issue: Path) -> None:
    done = launch("locate", issue, "--repo", repo, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert Report.model_validate_json(done.stdout).ranked_files
    value, end = json.JSONDecoder().raw_decode(done.stdout.decode())
    assert done.stdout.decode()[end:] == "\n"


def test_stdin_is_read_as_bytes(launch: Launch, repo: Path) -> None:
    data = "\ufeffWrong total price – größer\r\n\r\nThe discount".encode()
    report = Report.model_validate_json(launch("locate", "-", "--repo", repo, "--json", data=data).stdout)
    assert report.brief.issue_summary.startswith("Wrong total price – größer")


def test_the_current_folder_is_the_default(launch: Launch, repo: Path, issue: Path) -> None:
    assert Report.model_validate_json(launch("locate", issue, "--json", cwd=repo / "shop").stdout).ranked_files


def test_a_noisy_dependency_does_not_dirty_stdout(repo: Path, issue: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOISY, "locate", str(issue), "--repo", str(repo), "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
    )  # fmt: skip
    assert Report.model_validate_json(done.stdout)
    assert b"a dependency talks" in done.stderr
    assert b"a dependency warns" in done.stderr


def test_json_is_utf8_under_any_encoding(launch: Launch, repo: Path) -> None:
    data = "Größe of the basket: ▶ discount".encode()
    for encoding in ("ascii", "cp1252", "cp932"):
        done = launch("locate", "-", "--repo", repo, "--json", data=data, env={"PYTHONIOENCODING": encoding})
        assert "Größe" in Report.model_validate_json(done.stdout.decode("utf-8")).brief.issue_summary


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "utf-8"])
def test_text_can_be_written_in_any_encoding(launch: Launch, repo: Path, write: Write, encoding: str) -> None:
    write(repo, {"shop/größe.py": 'def größe_of_basket():\n    """Größe ▶ 大きさ."""\n    return "é" * 3\n'})
    done = launch(
        "locate", "-", "--repo", repo, data="größe_of_basket is wrong".encode(), env={"PYTHONIOENCODING": encoding}
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert ("▶ " if encoding == "utf-8" else "> ") in text
    if encoding in ("ascii", "cp1252"):
        assert "\\u2026" not in text


@pytest.mark.parametrize(
    ("env", "options", "colour"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "1", "TERM": "xterm-256color"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"FORCE_COLOR": "1"}, ("--no-color",), False),
        ({"NO_COLOR": "1"}, (), False),
    ],
)
def test_colour(
    launch: Launch, repo: Path, issue: Path, env: dict[str, str], options: tuple[str, ...], colour: bool
) -> None:
    done = launch("locate", issue, "--repo", repo, *options, env=env)
    assert done.returncode == 0, done.stderr
    assert (b"\x1b[" in done.stdout) is colour


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_but_names_is_wider_than_the_terminal(launch: Launch, repo: Path, issue: Path, width: int) -> None:
    text = launch("locate", issue, "--repo", repo, "-v", env={"COLUMNS": str(width)}).stdout.decode()
    for line in text.splitlines():
        assert len(line) <= width or "shop/" in line or "docs/" in line, line
    assert "shop/basket.py:" in text


def test_a_path_is_never_cut(launch: Launch, repo: Path, write: Write) -> None:
    name = f"{'deep/' * 12}overly_long_module_name_for_a_narrow_terminal.py"
    write(repo, {name: "def quokka_counter():\n    return 1\n"})
    done = launch("locate", "quokka_counter is wrong", "--repo", repo, env={"COLUMNS": "50"})
    assert done.stdout.decode().count(name) >= 3


def test_escapes_of_strangers_do_not_reach_the_terminal(
    launch: Launch, repo: Path, write: Write, tmp_path: Path
) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202ereversed\u2066[bold red]markup[/]"
    write(repo, {"shop/evil.py": f'def quokka():\n    """{evil}"""\n    return "{evil}"\n'})
    if sys.platform != "win32":
        write(repo, {"shop/\x1b[31mquokka.py": "def quokka_too():\n    return 1\n"})
    issue = tmp_path / "evil.md"
    issue.write_text(f"quokka {evil}\n\n`quokka` and quokka_too fail {evil}", encoding="utf-8")
    for options in (("-v",), ("--format", "markdown")):
        done = launch("locate", issue, "--repo", repo, *options)
        assert done.returncode == 0, done.stderr
        _harmless(done)
    _harmless(launch("explain", issue, "shop/\x1b[31mquokka.py", "--repo", repo))
    _harmless(launch("explain", issue, "shop/\x1b[31mquoka.py", "--repo", repo))
    _harmless(launch("brief", issue, "--repo", repo, "--format", "markdown"))
    _harmless(launch("index", repo, "--dry-run", "-v"))
    _harmless(launch("locate", "\x1b[31mmissing.md", "--repo", repo))
    _harmless(launch("locate", "a b", "--set", "\x1b[31mx.y=1", "--repo", repo))
    _harmless(launch("\x1b[31mlocate"))


def _harmless(done: subprocess.CompletedProcess[bytes]) -> None:
    for text in (done.stdout.decode("utf-8"), done.stderr.decode("utf-8")):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), ascii(text)


def test_markup_of_strangers_is_text(launch: Launch, repo: Path, write: Write) -> None:
    write(repo, {"shop/[bold]quokka[_bold].py": "def quokka():\n    return 1\n"})
    done = launch("locate", "quokka is wrong", "--repo", repo)
    assert b"shop/[bold]quokka[_bold].py" in done.stdout


def test_module_and_script_are_the_same(launch: Launch) -> None:
    assert launch("--version").stdout.startswith(b"sherloc ")
    assert b"Usage: sherloc " in launch("--help").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_reader_that_stops_early(repo: Path, issue: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sherloc", "locate", str(issue), "--repo", str(repo), "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    words = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) in (0, 141)
    assert words == b""


def test_traceback_only_with_verbose(launch: Launch, repo: Path) -> None:
    quiet = launch("locate", "a b", "--rev", "nowhere", "--repo", repo)
    loud = launch("locate", "a b", "--rev", "nowhere", "--repo", repo, "-v")
    assert quiet.returncode == loud.returncode == 3
    assert b"Traceback" not in quiet.stderr
    assert b"Traceback" in loud.stderr
    assert loud.stderr.splitlines()[-1].startswith(b"hint: ")


def test_progress_lines_with_verbose_and_no_bar_in_a_pipe(launch: Launch, repo: Path) -> None:
    done = launch("index", repo, "-v")
    assert b"indexing: " in done.stderr
    assert b"\x1b" not in done.stderr
    assert launch("index", repo, "--set", "index.max_snippet_lines=99").stderr == b""


def test_a_full_disk_is_an_error_in_words(launch: Launch, repo: Path, issue: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sherloc", "locate", str(issue), "--repo", str(repo), "--json"],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"error: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_repository_is_not_written_to(launch: Launch, repo: Path, issue: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in repo.rglob("*"))
    for command in (("locate", issue, "--repo", repo), ("index", repo), ("doctor", "--repo", repo)):
        assert launch(*command).returncode == 0
    assert sorted((path, path.stat().st_mtime_ns) for path in repo.rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="times of children are not told there")
def test_a_warm_run_is_cheap(launch: Launch, repo: Path, issue: Path) -> None:
    """Processor time, since a busy machine says nothing about sherloc; about 0.4 s where this was written."""
    launch("locate", issue, "--repo", repo, "--json")
    assert min(_processor_seconds(launch, "locate", issue, "--repo", repo, "--json") for _ in range(3)) < 3


def _processor_seconds(launch: Launch, *arguments: Any) -> float:
    before = os.times()
    assert launch(*arguments).returncode == 0
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system

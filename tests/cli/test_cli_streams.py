"""Standard streams that are closed, full or without a reader: words and an exit code, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sherloc.schema.report import Report

ROOT = Path(__file__).parents[2]
TEXT = b"The total price of the basket is wrong"
COMMANDS = {
    "locate-json": ("locate", "-", "--json"),
    "locate": ("locate", "-"),
    "brief": ("brief", "-", "--format", "markdown"),
    "explain": ("explain", "-", "shop/basket.py"),
    "index": ("index",),
    "status": ("index", "--status"),
    "doctor": ("doctor",),
    "schema": ("schema",),
    "version": ("--version",),
    "help": ("--help",),
    "command-help": ("locate", "--help"),
}
OFTEN = ("locate-json", "locate", "version")
EACH = [name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS]
READING = {"locate-json", "locate", "brief", "explain"}
NO_OUTPUT = {
    "closed": (">&-", b"error: standard output cannot be written: Bad file descriptor\n"),
    "full": (">/dev/full", b"error: standard output cannot be written: No space left on device\n"),
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def sherloc(
    arguments: tuple[str, ...], redirect: str, repo: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command line in a repository with redirections of a shell."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirect}', "sh", sys.executable, "-W", "error", "-m", "sherloc", *arguments],
        input=TEXT, env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}, cwd=repo, capture_output=True,
        check=False, timeout=120,
    )  # fmt: skip


def need(device: str) -> None:
    if "/dev/full" in device and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")


@pytest.mark.parametrize("command", EACH)
@pytest.mark.parametrize("kind", NO_OUTPUT)
def test_stdout_that_takes_nothing_is_an_error(repo: Path, command: str, kind: str) -> None:
    redirect, words = NO_OUTPUT[kind]
    need(redirect)
    done = sherloc(COMMANDS[command], redirect, repo)
    assert done.returncode == 1
    assert done.stderr == words


@pytest.mark.parametrize("redirect", ["2>&-", pytest.param("2>/dev/full", marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", EACH)
def test_nobody_who_listens_to_talk_is_none(repo: Path, command: str, redirect: str) -> None:
    need(redirect)
    done = sherloc(COMMANDS[command], redirect, repo)
    assert done.returncode == 0
    assert done.stdout
    if command == "locate-json":
        assert Report.model_validate_json(done.stdout).ranked_files


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full", pytest.param("<&- >&- 2>&-", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("locate", "no-such-file"), 2), (("nonsense",), 2), (("locate", "a b", "--rev", "nowhere"), 3)],
)
def test_an_error_that_nobody_hears_keeps_its_code(
    repo: Path, arguments: tuple[str, ...], code: int, redirect: str
) -> None:
    need(redirect)
    env = {"PYTHONIOENCODING": "ascii"} if code == 3 else {}
    assert sherloc(arguments, redirect, repo, env).returncode == code


@pytest.mark.parametrize("command", EACH)
def test_a_closed_stdin_matters_to_who_reads_it(repo: Path, command: str) -> None:
    done = sherloc(COMMANDS[command], "<&-", repo)
    if command in READING:
        assert done.returncode == 2
        assert done.stderr.startswith(b"error: The issue cannot be read from stdin: Bad file descriptor.\nhint: ")
    else:
        assert done.returncode == 0, done.stderr


def test_closed_streams_do_not_reach_the_store(repo: Path) -> None:
    """The next file that is opened takes a closed descriptor, and would take what is written there, too."""
    for redirect in ("2>&-", "<&- >&- 2>&-"):
        sherloc(("index", "-v"), redirect, repo)
    done = sherloc(("index", "-v"), "", repo)
    assert done.returncode == 0
    assert b"damaged" not in done.stderr


@pytest.mark.parametrize("command", EACH)
def test_a_reader_that_went_away(repo: Path, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "sherloc", *COMMANDS[command]], input=TEXT, stdout=gone,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=repo, stderr=subprocess.PIPE, check=False, timeout=120,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, b"")


def test_head_takes_one_line(repo: Path) -> None:
    if not shutil.which("head"):
        pytest.skip("needs head")
    for command in ("locate-json", "help", "schema"):
        done = sherloc(COMMANDS[command], "| head -n 1", repo)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\n") == 1


def test_talk_and_data_into_one_pipe_without_a_reader(repo: Path) -> None:
    done = sherloc(("locate", "-", "-v"), "2>&1 | true", repo)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_pipe_that_does_not_block_gets_all(repo: Path) -> None:
    (repo / "many.py").write_text("".join(f"def total_price_{n}(x):\n    return x\n" for n in range(400)))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "sherloc", "locate", "total price", "--json", "--top", "400"], stdout=writing,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=repo, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(writing)
    time.sleep(0.5)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert len(data) > 70_000
    assert Report.model_validate_json(data).ranked_functions

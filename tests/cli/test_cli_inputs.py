"""Files, pipes and devices that a command line names."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sherloc.errors import UsageError
from sherloc.input_files import InputFile, read_input, read_whole

needs_devices = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")


def test_begin_and_end_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    given = str(tmp_path / "a")
    assert read_input(given, "It", 10) == InputFile(b"0123456789", False)
    assert read_input(given, "It", 4) == InputFile(b"0123", True)
    assert read_input(given, "It", 4, end=True) == InputFile(b"6789", True)
    assert read_input(given, "It", 11, end=True) == InputFile(b"0123456789", False)
    assert read_whole(given, "It", 10) == b"0123456789"
    with pytest.raises(UsageError, match="larger than 9 bytes"):
        read_whole(given, "It", 9)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes with names")
@pytest.mark.parametrize("size", [0, 3, 4, 5, 3_000_000])
def test_begin_and_end_of_a_pipe(size: int) -> None:
    data = (b"0123456789" * (size // 10 + 1))[:size]
    for end, wanted in ((False, data[:4]), (True, data[-4:] if size else b"")):
        reading, writing = os.pipe()
        writer = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.stdout.buffer.write((b'0123456789' * {size // 10 + 1})[:{size}])"],
            stdout=writing, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(writing)
        assert read_input(f"/dev/fd/{reading}", "It", 4, end=end) == InputFile(wanted, size > 4)
        os.close(reading)
        writer.wait()


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc")))
    assert read_input("-", "It", 2) == InputFile(b"ab", True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc")))
    assert read_input("-", "It", 2, end=True) == InputFile(b"bc", True)


@pytest.mark.parametrize("given", ["missing", "a\0b", "."])
def test_what_cannot_be_read_says_why(given: str) -> None:
    with pytest.raises(UsageError, match="The log .* cannot be read: .*") as caught:
        read_input(given, "The log", 4, hint="Give a file.")
    assert caught.value.hint == "Give a file."


@needs_devices
@pytest.mark.parametrize(
    "command", [["skeleton", "/dev/zero"], ["check-names", "/dev/zero"], ["scan", "/dev/zero"],
                ["locate", "--junit", "/dev/zero"]],
)  # fmt: skip
def test_devices_without_end_are_refused(command: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sherloc", *command], cwd=tmp_path, capture_output=True, text=True, check=False,
        timeout=60, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 2 and "larger than" in done.stderr and done.stdout == ""


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")
def test_the_log_of_a_command_in_brackets(repo: Path) -> None:
    log = 'Traceback (most recent call last):\n  File "shop/basket.py", line 9, in total_price\nValueError: no price'
    done = subprocess.run(
        ["/bin/bash", "-c", f"{sys.executable} -m sherloc locate --json --log <(printf '%s' '{log}')"],
        cwd=repo, capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 0 and '"path": "shop/basket.py"' in done.stdout

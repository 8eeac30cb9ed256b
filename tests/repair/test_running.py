from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.processes import can_deny_network
from sherloc.repair import running
from sherloc.repair.running import network_notes, plain, run_tests
from sherloc.settings_repair import RepairSettings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
KEY = "sk-proj-" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv"
SECRETS = {
    "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": "a", "GITHUB_TOKEN": "g", "GH_TOKEN": "g", "GITLAB_TOKEN": "l",
    "AWS_SECRET_ACCESS_KEY": "w", "SSH_AUTH_SOCK": "/tmp/agent", "DATABASE_URL": "d", "PYTHONPATH": "/elsewhere",
    "GIT_DIR": "/elsewhere/.git", "XDG_CONFIG_HOME": "/home/somebody/.config", "MY_OWN": "1",
}  # fmt: skip


def settings(**values: object) -> RepairSettings:
    return RepairSettings(**values)  # type: ignore[arg-type]


def variables(output: str) -> dict[str, str]:
    return dict(line.partition("=")[::2] for line in output.split("\n") if "=" in line)


def test_tests_that_pass_and_fail(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    passed = run_tests("test -f here && echo fine", tmp_path, settings())
    assert (passed.exit_code, passed.passed, passed.output) == (0, True, "fine")
    assert passed.command == "test -f here && echo fine"
    failed = run_tests("echo one; echo two >&2; exit 4", tmp_path, settings())
    assert (failed.exit_code, failed.passed, failed.output) == (4, False, "one\ntwo")


def test_what_cannot_be_started_is_a_result(tmp_path: Path) -> None:
    missing = run_tests("no-such-program-anywhere --all", tmp_path, settings())
    assert (missing.exit_code, missing.passed) == (127, False)
    assert "not found" in missing.output
    nowhere = run_tests("true", tmp_path / "none", settings())
    assert (nowhere.exit_code, nowhere.passed) == (127, False)
    assert nowhere.output == f"The tests cannot be started in {tmp_path / 'none'}: No such file or directory."
    assert run_tests("a\0b", tmp_path, settings()).exit_code == 127


def test_the_childs_whole_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VIRTUAL_ENV", "/some/venv")
    monkeypatch.setenv("HOME", "/home/somebody")
    seen = variables(run_tests("env", tmp_path, settings()).output)
    assert seen.keys().isdisjoint(SECRETS)
    assert seen["VIRTUAL_ENV"] == "/some/venv"
    assert seen["PATH"] == os.environ["PATH"]
    assert seen["HOME"] != "/home/somebody"
    assert seen["TMPDIR"] == f"{seen['HOME']}/tmp"
    assert not Path(seen["HOME"]).exists()
    assert KEY not in str(seen)


def test_variables_that_a_setting_names_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_OWN", "1")
    monkeypatch.setenv("HOME", "/home/somebody")
    seen = variables(run_tests("env", tmp_path, settings(test_environment=("MY_OWN", "HOME", "NOT_SET"))).output)
    assert (seen["MY_OWN"], seen["HOME"]) == ("1", "/home/somebody")
    assert "NOT_SET" not in seen


def test_the_time_limit(tmp_path: Path) -> None:
    run = run_tests("echo begun; sleep 60", tmp_path, settings(test_seconds=0.5))
    assert (run.exit_code, run.passed) == (None, False)
    assert run.output == "begun\n\n[sherloc: stopped after 0.5 seconds]"
    assert 0.5 <= run.seconds < 10


def test_too_much_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_MOST_BYTES", 50_000)
    run = run_tests("yes", tmp_path, settings())
    assert (run.exit_code, run.passed) == (None, False)
    assert run.output.endswith("[sherloc: stopped after 50000 bytes of output]")


def test_the_end_of_the_output_is_kept(tmp_path: Path) -> None:
    run = run_tests("seq 1 20000", tmp_path, settings())
    assert run.output.endswith("19999\n20000")
    assert len(run.output) <= 20_000


def test_output_is_plain_text_without_secrets(tmp_path: Path) -> None:
    code = f"""printf '\\033[31mred\\033[0m \\377 \\033]8;;http://x\\007link\\033]8;;\\007\\r\\nkey {KEY}\\n'"""
    assert run_tests(code, tmp_path, settings()).output == "red \ufffd link\nkey [redacted openai_key]"


@given(st.binary(max_size=300))
def test_any_output_is_text(data: bytes) -> None:
    text = plain(data)
    text.encode("utf-8")
    assert all(ch in "\n\t" or ord(ch) >= 32 for ch in text)


def test_the_network_is_closed_where_that_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "cat /proc/net/dev 2>/dev/null | grep -c :"
    if can_deny_network():
        assert run_tests(code, tmp_path, settings()).output == "1"
        assert network_notes(settings()) == ()
    monkeypatch.setattr(running, "can_deny_network", lambda: False)
    (note,) = network_notes(settings())
    assert (note.code, note.severity) == ("network_open", "warning")
    assert network_notes(settings(test_network=True)) == ()
    assert run_tests("echo ran", tmp_path, settings()).output == "ran"

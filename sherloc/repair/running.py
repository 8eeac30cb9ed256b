"""Runs the project's own tests on a candidate: without keys, without network where that can be had, to a time limit."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from sherloc.llm import redact
from sherloc.processes import USUAL, Program, allowed_environment, can_deny_network, held_folder
from sherloc.schema.fix import TestRun
from sherloc.schema.report import Diagnostic
from sherloc.settings_repair import RepairSettings

TOOLS = (
    "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "JAVA_HOME", "MAVEN_HOME",
    "GRADLE_HOME", "GOROOT", "GOPATH", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "NVM_DIR",
    "GEM_HOME", "GEM_PATH", "DOTNET_ROOT",
)  # fmt: skip
"""Where tools and what they installed are, since the home folder is not the user's."""

_HIDDEN = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
_TAIL_BYTES, _TAIL_CHARACTERS = 200_000, 20_000
_MOST_BYTES = 200_000_000
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00-\x08\x0b-\x1f\x7f]")
_NOT_FOUND = 127
_FAILING = re.compile(
    r"^(?:(?:FAILED|ERROR) (\S+(?:::.*?)?)(?: - .*)?|(?:FAIL|ERROR): (.+)|\s*--- FAIL: (\S+).*|not ok \d+ -? ?(.+))$",
    re.MULTILINE,
)


def run_tests(command: str, folder: Path, settings: RepairSettings) -> TestRun:
    """Run a test command; a test that fails is a result, no error.

    The command is a line for the shell (``sh``; on Windows ``cmd``). It sees the variables of ``processes.USUAL`` and
    ``TOOLS`` and those that ``test_environment`` names, no keys and no tokens; its home folder and its folder for
    temporary files are new and empty, and removed afterwards. It has nothing to read. When it ends, or its time is up,
    all that it started is killed (on Linux also what went into a session of its own). Memory and processor time are not
    limited, and it may write wherever the user may.

    Args:
        command: The command.
        folder: Where it runs: a checkout with the candidate's changes.
        settings: ``test_seconds``, ``test_environment``, ``test_network``.

    Returns:
        Exit code 127 when the folder or the shell is not there, None when the time was up. ``output`` is the end of
        what it wrote, without colours and secrets: at most 20,000 characters.
    """
    with held_folder("tests") as home:
        try:
            program = Program(
                _shell(command),
                folder=folder,
                environment=_environment(Path(home), settings),
                merged=True,
                supervised=True,
                deny_network=not settings.test_network and can_deny_network(),
            )
        except (OSError, ValueError) as error:
            reason = f"The tests cannot be started in {folder}: {getattr(error, 'strerror', None) or error}."
            return TestRun(command=command, exit_code=_NOT_FOUND, passed=False, output=reason)
        with program:
            ended = program.wait(settings.test_seconds, _MOST_BYTES)
            output = plain(program.output(last=_TAIL_BYTES))
    if ended.cause == "time":
        output += f"\n[sherloc: stopped after {settings.test_seconds:g} seconds]"
    elif ended.cause == "size":
        output += f"\n[sherloc: stopped after {_MOST_BYTES} bytes of output]"
    return TestRun(
        command=command,
        exit_code=ended.status if ended.cause == "exit" else None,
        passed=ended.cause == "exit" and ended.status == 0,
        output=output.strip(),
        failing=failing_in(output),
        seconds=round(ended.seconds, 3),
        too_much=ended.cause == "size",
    )


def failing_in(output: str) -> tuple[str, ...]:
    """The tests that an output names as failed: pytest's summary, unittest, Go, TAP; sorted, empty when it names none.

    Args:
        output: Of a test command.
    """
    return tuple(sorted({next(filter(None, found.groups())).strip() for found in _FAILING.finditer(output)}))


def network_notes(settings: RepairSettings) -> tuple[Diagnostic, ...]:
    """What the user should know about the network of tests; nothing when it is denied, or allowed by a setting."""
    if settings.test_network or can_deny_network():
        return ()
    message = (
        "The tests run with the network of this machine: it cannot be denied to them here (that takes Linux and user "
        "namespaces)."
    )
    return (Diagnostic(code="network_open", severity="warning", message=message),)


def plain(data: bytes) -> str:
    """A program's output as text: the end of it, without colours, control characters and secrets."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return redact(_ESCAPES.sub("", text))[0][-_TAIL_CHARACTERS:]


def _shell(command: str) -> list[str]:
    if sys.platform == "win32":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    return ["/bin/sh", "-c", command]


def _environment(home: Path, settings: RepairSettings) -> dict[str, str]:
    allowed = allowed_environment([name for name in (*USUAL, *TOOLS) if not name.startswith("XDG_")])
    temporary = home / "tmp"
    temporary.mkdir()
    allowed |= dict.fromkeys(_HIDDEN if sys.platform == "win32" else ("HOME",), str(home))
    allowed |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    allowed |= {"NO_COLOR": "1", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
    return allowed | allowed_environment(settings.test_environment)

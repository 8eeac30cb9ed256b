"""An outside command as a model: the prompt on its standard input, the reply on its standard output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import IO

from sherloc.errors import ModelCommandError
from sherloc.llm.request import Request
from sherloc.llm.secrets.redaction import redact
from sherloc.protocols import Message, Reply

ENVIRONMENT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
)  # fmt: skip
_TAIL_BYTES = 2_000
_TAIL_CHARACTERS = 500
_FIRST_POLL, _LONGEST_POLL = 0.002, 0.05


class CommandProvider:
    """Runs a command once for each request, without a shell, in an empty folder.

    Input and output go through unnamed temporary files, so that neither side can block the other and a grandchild that
    keeps the output open holds nothing up. When the time is up, the caller is cancelled, or the output grows too large,
    the command's whole process group is killed.

    Args:
        arguments: Program and arguments. The program is looked up in ``PATH`` at once.
        name: What the model is called in reports.
        environment: Variables passed on besides ``ENVIRONMENT``; all others are hidden from the command.
        max_bytes: Longest output.

    Raises:
        ModelCommandError: The program is not found.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        name: str = "",
        environment: Sequence[str] = (),
        max_bytes: int = 4_000_000,
    ) -> None:
        if not arguments:
            raise ModelCommandError("The command of a model is empty.", hint="Name it as command:PROGRAM ARGUMENTS.")
        # An absolute path, since a relative one would be looked up in the current folder: maybe the repository's.
        program = shutil.which(arguments[0])
        if program is None or not (os.path.isabs(program) or os.path.isabs(arguments[0])):
            raise ModelCommandError(
                f"The command {arguments[0]!r} is not found in PATH.", hint="Install it, or give its absolute path."
            )
        self._arguments = [program, *arguments[1:]]
        self._name = name or f"command:{' '.join(arguments)}"
        self._environment = (*ENVIRONMENT, *environment)
        self._max_bytes = max_bytes

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._name

    async def ask(self, request: Request) -> Reply:
        """Run the command; its output without surrounding space is the reply.

        Raises:
            ModelCommandError: It ended with another status than 0, was killed, or wrote too much or nothing.
        """
        with contextlib.ExitStack() as files:
            source, output, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            folder = files.enter_context(tempfile.TemporaryDirectory(prefix="sherloc-", ignore_cleanup_errors=True))
            source.write(prompt_text(request).encode("utf-8", "replace"))
            source.seek(0)
            status = await self._run(source, output, errors, folder)
            text = self._read(output)
            if status != 0:
                raise ModelCommandError(f"The command {self._name} ended with status {status}.{_tail(errors)}")
            if not text.strip():
                raise ModelCommandError(f"The command {self._name} wrote nothing.{_tail(errors)}")
        return Reply(text=text.strip(), model=self._name)

    async def _run(self, source: IO[bytes], output: IO[bytes], errors: IO[bytes], folder: str) -> int:
        allowed = {name: os.environ[name] for name in self._environment if name in os.environ}
        allowed |= {name: value for name, value in os.environ.items() if name.startswith("LC_")}
        process = self._start(source, output, errors, folder, allowed)
        try:
            pause = _FIRST_POLL
            while process.poll() is None:
                if max(map(_size, (output, errors))) > self._max_bytes:
                    raise ModelCommandError(f"The command {self._name} wrote more than {self._max_bytes} bytes.")
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_POLL)
        finally:
            _kill_group(process)
        return process.returncode

    def _start(
        self, source: IO[bytes], output: IO[bytes], errors: IO[bytes], folder: str, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._arguments,
                stdin=source,
                stdout=output,
                stderr=errors,
                cwd=folder,
                env=environment,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            message = f"The command {self._name} cannot be started: {error.strerror or error}."
        raise ModelCommandError(message, billed=False)

    def _read(self, output: IO[bytes]) -> str:
        if _size(output) > self._max_bytes:
            raise ModelCommandError(f"The command {self._name} wrote more than {self._max_bytes} bytes.")
        output.seek(0)
        return output.read().decode("utf-8", "replace")


def prompt_text(request: Request) -> str:
    """A conversation as one text: system prompt first, further turns under headings, the wished schema last."""
    system = [m.content for m in request.messages if m.role == "system"]
    turns = [m for m in request.messages if m.role != "system"]
    parts = [*system, *(_turn(m, alone=len(turns) == 1) for m in turns)]
    if request.schema is not None:
        parts.append(f"Answer with JSON only, of this schema:\n{json.dumps(request.schema)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _turn(message: Message, *, alone: bool) -> str:
    calls = "".join(f"\n[calls {call.name} {call.arguments}]" for call in message.tool_calls)
    return message.content if alone else f"{message.role.capitalize()}:\n{message.content}{calls}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and its children; it leads a group of its own, which may outlive it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _tail(errors: IO[bytes]) -> str:
    errors.seek(max(0, _size(errors) - _TAIL_BYTES))
    text = redact(errors.read().decode("utf-8", "replace").strip())[0]
    return f" It said: {text[-_TAIL_CHARACTERS:]}" if text else ""

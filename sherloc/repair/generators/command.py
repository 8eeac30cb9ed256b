"""An outside command as a patch generator: the brief as JSON on its standard input, a proposal on its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from sherloc.errors import GeneratorError
from sherloc.llm import redact
from sherloc.llm.command import error_tail
from sherloc.processes import USUAL, Program, allowed_environment, find_program, held_folder, why_not_found
from sherloc.protocols import PatchRequest
from sherloc.settings import Settings

INPUT_SCHEMA_VERSION = "1.0"


class Scratch(Protocol):
    """A checkout that a command may change as it likes."""

    @property
    def folder(self) -> Path:
        """Where it is; the command runs there."""

    def diff(self) -> str:
        """All that was changed in it, as a unified diff; empty for nothing."""


class CommandGenerator:
    """A patch generator that runs a command once for each request, without a shell.

    The command reads one JSON object (see ``command_input``) and writes a proposal's JSON, or a unified diff, with
    status 0. It runs in an empty folder; or in a checkout made for it, and then what it changed there is its proposal
    when it writes nothing. It sees the variables of ``processes.USUAL`` and those that ``models.command_environment``
    names. When its time is up or its output grows too large, it and all that it started are killed.

    Args:
        arguments: Program and arguments; the program is looked up in ``PATH`` at once.
        settings: ``repair.generator_seconds``; ``models.command_environment``, ``max_reply_bytes``, ``redact_secrets``.
        name: What it is called in reports.
        scratch: Makes a checkout for a request, and removes it at the end.

    Raises:
        GeneratorError: The program is not found.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        settings: Settings,
        *,
        name: str = "",
        scratch: Callable[[PatchRequest], AbstractContextManager[Scratch]] | None = None,
    ) -> None:
        if not arguments:
            raise GeneratorError("The generator's command is empty.", hint="Name it as command:PROGRAM ARGUMENTS.")
        program = find_program(arguments[0])
        if program is None:
            why, hint = why_not_found(arguments[0])
            raise GeneratorError(f"The generator {arguments[0]!r} {why}.", hint=hint)
        self._arguments = [program, *arguments[1:]]
        self._settings = settings
        self._name = name or f"command:{' '.join(arguments)}"
        self._scratch = scratch or _empty

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._name

    def propose(self, request: PatchRequest) -> str:
        """What the command wrote, or what it changed.

        Raises:
            GeneratorError: It cannot be started, ended with another status than 0, took too long, wrote too much, or
                neither wrote nor changed anything.
        """
        source = json.dumps(command_input(request, redacted=self._settings.models.redact_secrets), ensure_ascii=False)
        with self._scratch(request) as scratch:
            text = self._run(source.encode("utf-8", "backslashreplace"), scratch.folder)
            text = text if text.strip() else scratch.diff()
        if not text.strip():
            raise GeneratorError(f"The generator {self._name} neither wrote a proposal nor changed anything.")
        return text

    def _run(self, source: bytes, folder: Path) -> str:
        seconds, most = self._settings.repair.generator_seconds, self._settings.models.max_reply_bytes
        environment = allowed_environment((*USUAL, *self._settings.models.command_environment))
        try:
            program = Program(
                self._arguments, folder=folder, environment=environment, stdin=source, supervised=True
            )  # fmt: skip
        except OSError as error:
            raise GeneratorError(f"The generator {self._name} cannot be started: {error.strerror or error}.") from error
        with program:
            ended = program.wait(seconds, most)
            # What is too long may be so by far (a hole of many gigabytes costs it nothing): it is not read.
            tail, output = error_tail(program), b"" if ended.cause == "size" else program.output()
        if ended.cause == "time":
            raise GeneratorError(
                f"The generator {self._name} was stopped after {seconds:g} seconds.{tail}",
                hint="Give it more time: repair.generator_seconds.",
            )
        if ended.cause == "size":
            raise GeneratorError(f"The generator {self._name} wrote more than {most} bytes.{tail}")
        if ended.status != 0:
            raise GeneratorError(f"The generator {self._name} ended with status {ended.status}.{tail}")
        return output.decode("utf-8", "replace")


def command_input(request: PatchRequest, *, redacted: bool = True) -> dict[str, Any]:
    """The JSON that a command reads.

    Keys: ``schema_version``, ``brief``, ``issue``, ``sources`` (path to text), ``context``, ``language``,
    ``candidate``, ``previous``, ``problems``; see ``PatchRequest``.

    Args:
        request: The request.
        redacted: Whether keys and passwords are taken out of every text.
    """
    record = {
        "schema_version": INPUT_SCHEMA_VERSION,
        "brief": request.brief.model_dump(mode="json"),
        "issue": request.issue.model_dump(mode="json"),
        "sources": dict(request.sources),
        "context": request.context,
        "language": request.language,
        "candidate": request.candidate,
        "previous": request.previous,
        "problems": list(request.problems),
    }
    clean: dict[str, Any] = _redacted(record) if redacted else record
    return clean


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)[0]
    if isinstance(value, Mapping):
        return {key: _redacted(each) for key, each in value.items()}
    return [_redacted(each) for each in value] if isinstance(value, list) else value


class _Empty:
    """An empty folder; what a command leaves there is no change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def diff(self) -> str:
        """Nothing."""
        return ""


@contextmanager
def _empty(_: PatchRequest) -> Iterator[Scratch]:
    with held_folder("generator") as folder:
        yield _Empty(Path(folder))

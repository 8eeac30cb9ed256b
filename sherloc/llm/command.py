"""An outside command as a model: the prompt on its standard input, the reply on its standard output."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from sherloc.errors import ModelCommandError
from sherloc.llm.request import Request
from sherloc.llm.secrets.redaction import redact
from sherloc.processes import USUAL, Program, allowed_environment, find_program, held_folder, why_not_found
from sherloc.protocols import Message, Reply

_TAIL_BYTES = 2_000
_TAIL_CHARACTERS = 500
_FIRST_POLL, _LONGEST_POLL = 0.002, 0.05


class CommandProvider:
    """Runs a command once for each request, without a shell, in an empty folder.

    When the time is up, the caller is cancelled, or the output grows too large, all processes of the command are
    killed; on Linux also when this process ends in whatever way (``processes.Program``, supervised).

    Args:
        arguments: Program and arguments. The program is looked up in ``PATH`` at once.
        name: What the model is called in reports.
        environment: Variables passed on besides ``processes.USUAL``; all others are hidden from the command.
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
        program = find_program(arguments[0])
        if program is None:
            why, hint = why_not_found(arguments[0])
            raise ModelCommandError(f"The command {arguments[0]!r} {why}.", hint=hint)
        self._arguments = [program, *arguments[1:]]
        self._name = name or f"command:{' '.join(arguments)}"
        self._environment = (*USUAL, *environment)
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
        source = prompt_text(request).encode("utf-8", "replace")
        with (
            held_folder("command") as folder,
            self._start(source, folder) as program,
        ):
            status = await self._run(program)
            text, tail = program.output().decode("utf-8", "replace"), error_tail(program)
        if status != 0:
            raise ModelCommandError(f"The command {self._name} ended with status {status}.{tail}")
        if not text.strip():
            raise ModelCommandError(f"The command {self._name} wrote nothing.{tail}")
        return Reply(text=text.strip(), model=self._name)

    async def _run(self, program: Program) -> int:
        pause = _FIRST_POLL
        while (status := program.poll()) is None and program.written <= self._max_bytes:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_POLL)
        program.kill()
        if status is None or program.written > self._max_bytes:
            raise ModelCommandError(f"The command {self._name} wrote more than {self._max_bytes} bytes.")
        return status

    def _start(self, source: bytes, folder: str) -> Program:
        environment = allowed_environment(self._environment)
        try:
            return Program(self._arguments, folder=folder, environment=environment, stdin=source, supervised=True)
        except OSError as error:
            message = f"The command {self._name} cannot be started: {error.strerror or error}."
        raise ModelCommandError(message, billed=False)


def error_tail(program: Program) -> str:
    """What an ended program said last, as a sentence to add to an error; without secrets."""
    text = redact(program.errors(last=_TAIL_BYTES).decode("utf-8", "replace").strip())[0]
    return f" It said: {text[-_TAIL_CHARACTERS:]}" if text else ""


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

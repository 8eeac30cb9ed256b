"""Asking a model one question: prompt, material, limits, reading the reply, and what it cost by role."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from sherloc.errors import ModelError, ReplyError, UsageLimitError
from sherloc.json_hardening import Asking, aask_for
from sherloc.llm import loop
from sherloc.llm.material import Part, direction_diagnostics, frame
from sherloc.llm.prices import add_usage
from sherloc.llm.prompts import Prompt
from sherloc.llm.request import Request
from sherloc.llm.roles import Role
from sherloc.protocols import ChatModel, Message, Reply, Usage
from sherloc.schema.report import Diagnostic

T = TypeVar("T", bound=BaseModel)
Problem = Literal["", "budget", "call", "reply"]
Done = Callable[[int, int], None]
"""Called with how many of a number of works have ended, and that number."""

_PATIENCE: Mapping[Problem, int] = {"call": 3, "reply": 6}
"""Failures in a row after which a role is not asked any more in this run."""


class CallLog(Protocol):
    """Where replies are kept, so that a run that was cut short can go on without asking again."""

    def recall(self, key: str) -> Reply | None:
        """The reply that a request got before, or None."""

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Keep a reply; it is durable when this returns."""


class NoLog:
    """Keeps nothing."""

    def recall(self, key: str) -> Reply | None:
        """Nothing was kept."""
        return None

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Nothing is kept."""


class Models(Protocol):
    """Which model has which role; ``ModelRoles`` is one."""

    def get(self, role: Role) -> ChatModel | None:
        """The model of a role, or None."""


@dataclass(frozen=True, slots=True)
class RoleUse:
    """What a role's model did in a run: ``calls`` are replies received; ``recalled`` those of them from the log."""

    model: str
    calls: int
    recalled: int
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One question.

    Attributes:
        role: Who is asked.
        prompt: The fixed parts.
        parts: The material, most relevant first.
        schema: What the reply must fit.
        max_tokens: Longest reply.
        closing: Said after the material, before the reply's form; sherloc's own words only.
    """

    role: Role
    prompt: Prompt
    parts: tuple[Part, ...]
    schema: type[T]
    max_tokens: int
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The answer to a question: a value, or what went wrong.

    Attributes:
        value: Fits the question's schema; None when there is none.
        problem: ``budget`` (a limit is reached), ``call`` (the model failed), ``reply`` (it cannot be read).
        why: The same in words.
        notes: What the user should know.
    """

    value: T | None
    problem: Problem = ""
    why: str = ""
    notes: tuple[Diagnostic, ...] = ()


class Asker:
    """Asks models by role; thread-safe. No question raises for what a model does: the answer says what went wrong.

    Args:
        models: By role.
        log: Where replies are kept.
        attempts: Calls a question, with what was wrong said in between.
        stopped: Called before each call; raises to end the run.
        recalled: Called with the usage of each reply that came from the log.
    """

    def __init__(
        self,
        models: Models,
        *,
        log: CallLog | None = None,
        attempts: int = 2,
        stopped: Callable[[], None] = lambda: None,
        recalled: Callable[[Usage], None] = lambda _: None,
    ) -> None:
        self._models = models
        self._log = log or NoLog()
        self._attempts = attempts
        self._stopped, self._recalled = stopped, recalled
        self._lock = threading.Lock()
        self._in_vain: dict[tuple[Role, Problem], int] = {}
        self.uses: dict[Role, RoleUse] = {}
        self.notes: dict[tuple[str, str, str], Diagnostic] = {}

    def model_name(self, role: Role) -> str:
        """What the role's model is called; empty when there is none."""
        model = self._models.get(role)
        return model.name if model is not None else ""

    async def complete(
        self,
        role: Role,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        schema: dict[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """One call, through the log.

        Raises:
            ModelError: There is no model, it failed, or a limit is reached.
        """
        model = self._models.get(role)
        if model is None:
            raise ModelError(f"There is no model for the role {role}.", hint="Name one: --model provider:model")
        request = Request.of(messages, tools, schema, max_tokens)
        key = hashlib.sha256(f"{model.name}\0{request.digest()}".encode()).hexdigest()
        reply = self._log.recall(key)
        recalled = reply is not None
        start = time.monotonic()
        if reply is None:
            self._stopped()
            reply = await model.acomplete(messages, tools=tools, schema=schema, max_tokens=max_tokens)
            self._log.record(key, role, model.name, request, reply)
        else:
            self._recalled(reply.usage)
        self._count(role, model.name, reply, recalled=recalled, seconds=time.monotonic() - start)
        return reply

    async def ask(self, question: Question[T]) -> Answer[T]:
        """Ask, read the reply, and ask again when it cannot be read; a role that fails on and on is left alone."""
        for kind in _PATIENCE:
            if self._in_vain.get((question.role, kind), 0) >= _PATIENCE[kind]:
                return Answer(None, kind, f"the model asked to {question.role} failed too often in a row")
        answer = await self._ask(question)
        for kind in _PATIENCE:
            key = (question.role, kind)
            self._in_vain[key] = self._in_vain.get(key, 0) + 1 if answer.problem == kind else 0
        return answer

    async def _ask(self, question: Question[T]) -> Answer[T]:
        framed = frame(question.parts, "\n\n".join(filter(None, [question.closing, question.prompt.reply])))
        messages = (Message("system", question.prompt.system), Message("user", framed.text))
        schema = question.schema.model_json_schema()

        async def once(asked: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
            reply = await self.complete(question.role, asked, schema=schema, max_tokens=max_tokens)
            return reply.text, reply.stop_reason

        how = Asking(attempts=self._attempts, max_tokens=question.max_tokens, token_ceiling=2 * question.max_tokens)
        try:
            parsed, _ = await aask_for(once, messages, question.schema, how)
        except UsageLimitError as error:
            return Answer(None, "budget", error.message)
        except ReplyError as error:
            return Answer(None, "reply", error.message)
        except ModelError as error:
            return Answer(None, "call", error.message)
        value: T = parsed.value
        listed = getattr(value, "directions_in_material", ())
        notes = direction_diagnostics(framed.hits, listed, role=question.role) if listed or framed.hits else ()
        return Answer(value, notes=notes)

    def ask_all(self, questions: Iterable[Question[T]], done: Done | None = None) -> list[Answer[T]]:
        """The answers to several questions, asked side by side, in their order.

        Args:
            questions: What to ask; the model's own bound on concurrency holds.
            done: Called with the number of answers so far, and of all.
        """
        return self.run_all([self.ask(question) for question in questions], done)

    def run_all(self, works: Sequence[Awaitable[Any]], done: Done | None = None) -> list[Any]:
        """Results of works that ask models, run side by side on the models' loop; an interrupt cancels them."""
        return loop.run(_gathered(works, done))

    def tell(self, notes: Iterable[Diagnostic]) -> None:
        """Keep what the user should know, each once."""
        with self._lock:
            for note in notes:
                key = (note.code, note.message, note.path)
                held = self.notes.get(key)
                self.notes[key] = replace_count(held, note) if held else note

    def _count(self, role: Role, name: str, reply: Reply, *, recalled: bool, seconds: float) -> None:
        with self._lock:
            held = self.uses.get(role) or RoleUse(name, 0, 0, Usage(cost=0.0), 0.0)
            # A reply from the log was paid for by the run that got it.
            usage = held.usage if recalled else add_usage(held.usage, reply.usage)
            self.uses[role] = replace(
                held, calls=held.calls + 1, recalled=held.recalled + recalled, usage=usage,
                seconds=held.seconds + (0.0 if recalled else seconds),
            )  # fmt: skip
        self.tell(note for note in reply.diagnostics if note.code != "usage_estimated")


def replace_count(held: Diagnostic, more: Diagnostic) -> Diagnostic:
    """A diagnostic that was told before, counted once more."""
    return held.model_copy(update={"count": held.count + more.count})


async def _gathered(works: Sequence[Awaitable[Any]], done: Done | None) -> list[Any]:
    finished = 0

    async def told(work: Awaitable[Any]) -> Any:
        nonlocal finished
        result = await work
        finished += 1
        if done:
            done(finished, len(works))
        return result

    tasks = [asyncio.ensure_future(told(work)) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise

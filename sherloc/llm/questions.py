"""Asking a model one question: prompt, material, limits, reading the reply, and what it cost by role."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from sherloc.errors import ModelAuthError, ModelError, ModelStoppedError, Refused, ReplyError, UsageLimitError
from sherloc.json_hardening import Asking, Parsed, aask_for
from sherloc.llm import loop
from sherloc.llm.material import Part, direction_diagnostics, frame
from sherloc.llm.model import AsyncModel
from sherloc.llm.patience import Failures, Patience
from sherloc.llm.prices import add_usage
from sherloc.llm.prompts import Prompt
from sherloc.llm.records import without_secrets_in
from sherloc.llm.request import Request, identity_of
from sherloc.llm.roles import Role
from sherloc.protocols import ChatModel, Message, Reply, Usage
from sherloc.schema.report import Diagnostic

T = TypeVar("T", bound=BaseModel)
Problem = Literal["", "budget", "call", "reply", "refused", "stopped"]
Done = Callable[[int, int], None]
"""Called with how many of a number of works have ended, and that number."""


class CallLog(Protocol):
    """Where replies are kept, so that a run that was cut short can go on without asking again."""

    def recall(self, key: str) -> Reply | None:
        """The reply that a request got before, or None."""

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Keep a reply; it is durable when this returns."""

    def same(self, key: str, value: list[str]) -> list[str]:
        """What an earlier part of the run had here, or else the value, which is kept for the later ones."""


class NoLog:
    """Keeps nothing."""

    def recall(self, key: str) -> Reply | None:
        """Nothing was kept."""
        return None

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Nothing is kept."""

    def same(self, key: str, value: list[str]) -> list[str]:
        """The value."""
        return value


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
        useful: Whether an answer says anything; one that does not counts as one that cannot be read when it is decided
            whether the model is asked on.
    """

    role: Role
    prompt: Prompt
    parts: tuple[Part, ...]
    schema: type[T]
    max_tokens: int
    closing: str = ""
    useful: Callable[[T], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The answer to a question: a value, or what went wrong.

    Attributes:
        value: Fits the question's schema; None when there is none.
        problem: ``budget`` (a limit is reached), ``call`` (the model failed), ``reply`` (it cannot be read),
            ``refused`` (the model declined), ``stopped`` (the model failed too often before and was not asked).
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
        side_by_side: How many works of ``run_all`` run at once.

    Attributes:
        uses: What was used, by role.
        notes: What the user should know, each once.
        patience: Which models are not asked any more in this run.
    """

    def __init__(
        self,
        models: Models,
        *,
        log: CallLog | None = None,
        attempts: int = 2,
        stopped: Callable[[], None] = lambda: None,
        recalled: Callable[[Usage], None] = lambda _: None,
        side_by_side: int = 4,
    ) -> None:
        self._models = models
        self._log = log or NoLog()
        self._attempts = attempts
        self._stopped, self._recalled = stopped, recalled
        self._lock = threading.Lock()
        self._side_by_side = side_by_side
        self.patience = Patience()
        self.uses: dict[Role, RoleUse] = {}
        self.notes: dict[tuple[str, str, str], Diagnostic] = {}

    def model_name(self, role: Role) -> str:
        """What the role's model is called; empty when there is none."""
        model = self._models.get(role)
        return model.name if model is not None else ""

    def model_identity(self, role: Role) -> str:
        """By what caches and logs tell the role's model from others; empty when there is none."""
        model = self._models.get(role)
        return identity_of(model) if model is not None else ""

    def key_of(self, role: Role, request: Request) -> str:
        """By what the log keeps the reply to a request: everything that it depends on."""
        return hashlib.sha256(f"{self.model_identity(role)}\0{request.digest()}".encode()).hexdigest()

    def same(self, key: str, value: list[str]) -> list[str]:
        """A value that decides what is asked, as it was when the run began: it goes on as it began."""
        return self._log.same(key, value)

    def count_kept(self, role: Role, key: str) -> None:
        """Count a reply that is in the log, where what was made of it is kept, too, and it is not asked for."""
        reply = self._log.recall(key)
        if reply is not None:
            self._recalled(reply.usage)
            self._count(role, self.model_name(role), reply, recalled=True)

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
            ModelStoppedError: The model failed too often before, and is not asked.
        """
        model = self._models.get(role)
        if model is None:
            raise ModelError(f"There is no model for the role {role}.", hint="Name one: --model provider:model")
        self.patience.check(model.name)
        request = Request.of(messages, tools, schema, max_tokens)
        key = self.key_of(role, request)
        reply = self._log.recall(key)
        if reply is not None:
            self._recalled(reply.usage)
            self._count(role, model.name, reply, recalled=True)
            return reply
        self._stopped()
        start = time.monotonic()
        try:
            reply = await model.acomplete(messages, tools=tools, schema=schema, max_tokens=max_tokens)
        except UsageLimitError:
            raise
        except ModelError as error:
            self.patience.failed(model.name, "final" if isinstance(error, ModelAuthError) else "call")
            raise
        finally:
            self._count_seconds(role, model.name, time.monotonic() - start)
        # Whether a reply comes from the model or from the log, it is the same.
        reply = without_secrets_in(reply)
        self._log.record(key, role, model.name, request, reply)
        self._count(role, model.name, reply, recalled=False)
        return reply

    async def ask(self, question: Question[T]) -> Answer[T]:
        """Ask, read the reply, and ask again when it cannot be read; a refusal is not asked again."""
        framed = frame(question.parts, "\n\n".join(filter(None, [question.closing, question.prompt.reply])))
        messages = (Message("system", question.prompt.system), Message("user", framed.text))
        schema, model = question.schema.model_json_schema(), self.model_name(question.role)
        unread = 0

        async def once(asked: Sequence[Message], max_tokens: int | None) -> tuple[str, str | None]:
            nonlocal unread
            self.patience.failed(model, "reply", times=unread)  # else this would be the first call
            unread = 0
            reply = await self.complete(question.role, asked, schema=schema, max_tokens=max_tokens)
            unread = 1
            return reply.text, reply.stop_reason

        how = Asking(attempts=self._attempts, max_tokens=question.max_tokens, token_ceiling=2 * question.max_tokens)
        try:
            parsed, _ = await aask_for(once, messages, question.schema, how)
        except ReplyError as error:
            self.patience.failed(model, "reply", times=unread)
            return Answer(None, "refused" if isinstance(error, Refused) else "reply", error.message)
        except ModelError as error:
            return Answer(None, _problem_of(error), error.message)
        value: T = parsed.value
        if question.useful(value):
            self.patience.worked(model)
        else:
            self.patience.failed(model, "reply")
        listed = getattr(value, "directions_in_material", ())
        notes = direction_diagnostics(framed.hits, listed) if listed or framed.hits else ()
        return Answer(value, notes=(*dropped_items(parsed, question.prompt.name), *notes))

    def ask_all(self, questions: Iterable[Question[T]], done: Done | None = None) -> list[Answer[T]]:
        """The answers to several questions, asked side by side, in their order.

        Args:
            questions: What to ask; the model's own bound on concurrency holds.
            done: Called with the number of answers so far, and of all.
        """
        return self.run_all([self.ask(question) for question in questions], done)

    def run_all(self, works: Sequence[Awaitable[Any]], done: Done | None = None) -> list[Any]:
        """Results of works that ask models, in their order; an interrupt cancels them.

        They run on the models' loop, ``side_by_side`` at a time. What fails in some counts for the others only when
        these have ended, in their order: so what is asked does not depend on which reply came first.

        Args:
            works: Coroutines.
            done: As for ``ask_all``.
        """
        return loop.run(_gathered(works, self._side_by_side, self.patience, done))

    def tell(self, notes: Iterable[Diagnostic]) -> None:
        """Keep what the user should know, each once."""
        with self._lock:
            for note in notes:
                key = (note.code, note.message, note.path)
                held = self.notes.get(key)
                self.notes[key] = replace_count(held, note) if held else note

    def _count(self, role: Role, name: str, reply: Reply, *, recalled: bool) -> None:
        with self._lock:
            held = self.uses.get(role) or _unused(name)
            # A reply from the log was paid for by the run that got it; what is not known of its cost stays unknown.
            more = Usage(cost=None if reply.usage.cost is None else 0.0) if recalled else reply.usage
            self.uses[role] = replace(
                held, calls=held.calls + 1, recalled=held.recalled + recalled, usage=add_usage(held.usage, more)
            )
        self.tell(note for note in reply.diagnostics if note.code != "usage_estimated")

    def _count_seconds(self, role: Role, name: str, seconds: float) -> None:
        with self._lock:
            held = self.uses.get(role) or _unused(name)
            self.uses[role] = replace(held, seconds=held.seconds + seconds)


class AskedModel(AsyncModel):
    """A role's model behind an ``Asker``, for what takes a ``ChatModel``: its replies are kept and counted like others.

    Args:
        asker: Asks.
        role: The role.

    Attributes:
        last_key: By what the log keeps the last reply.
    """

    def __init__(self, asker: Asker, role: Role) -> None:
        self._asker, self._role = asker, role
        self.last_key = ""

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._asker.model_name(self._role)

    async def answer(self, request: Request) -> Reply:
        """The reply, through the log."""
        self.last_key = self._asker.key_of(self._role, request)
        return await self._asker.complete(
            self._role, request.messages, tools=[dict(tool) for tool in request.tools],
            schema=None if request.schema is None else dict(request.schema), max_tokens=request.max_tokens,
        )  # fmt: skip


def _unused(name: str) -> RoleUse:
    return RoleUse(name, 0, 0, Usage(cost=0.0), 0.0)


def _problem_of(error: ModelError) -> Problem:
    if isinstance(error, UsageLimitError):
        return "budget"
    return "stopped" if isinstance(error, ModelStoppedError) else "call"


def dropped_items(parsed: Parsed[Any], asked: str) -> tuple[Diagnostic, ...]:
    """What to tell the user about items of a reply that could not be read, while the rest of it counts.

    Args:
        parsed: A reply.
        asked: What the model was asked for.
    """
    return tuple(
        Diagnostic(
            code="reply_item_dropped", severity="warning",
            message=f"Of a model's reply ({asked}) was left out what cannot be read: {repair.detail}",
        )
        for repair in parsed.repairs
        if repair.kind == "dropped_item"
    )  # fmt: skip


def replace_count(held: Diagnostic, more: Diagnostic) -> Diagnostic:
    """A diagnostic that was told before, counted once more."""
    return held.model_copy(update={"count": held.count + more.count})


async def _gathered(
    works: Sequence[Awaitable[Any]], side_by_side: int, patience: Patience, done: Done | None
) -> list[Any]:
    finished, results = 0, []

    async def told(work: Awaitable[Any], failures: Failures) -> Any:
        nonlocal finished
        with patience.collecting(failures):
            result = await work
        finished += 1
        if done:
            done(finished, len(works))
        return result

    for start in range(0, len(works), side_by_side):
        wave = works[start : start + side_by_side]
        failures: list[Failures] = [[] for _ in wave]
        tasks = [asyncio.ensure_future(told(*pair)) for pair in zip(wave, failures, strict=True)]
        try:
            results += await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for work in works[start + side_by_side :]:
                if inspect.iscoroutine(work):
                    work.close()
            raise
        finally:
            for each in failures:
                patience.add(each)
    return results

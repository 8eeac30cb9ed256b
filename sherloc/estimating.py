"""What a run with a model would ask, before anything is asked: calls, tokens, price, and the prompts themselves."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from sherloc.errors import SherlocError, UsageError, UsageLimitError
from sherloc.evidence.weighing import Trust
from sherloc.llm.factory import get_model, price_of
from sherloc.llm.limits import usage_of
from sherloc.llm.material import Part, frame
from sherloc.llm.questions import Answer, Asker, Question
from sherloc.llm.request import Request, identity_of
from sherloc.llm.roles import ModelRoles, Role
from sherloc.model_plans import PLANS
from sherloc.model_work import open_work
from sherloc.plans import Work
from sherloc.protocols import ChatModel, Message, Reply
from sherloc.settings import LimitSettings, Settings

T = TypeVar("T", bound=BaseModel)

_USUAL_REPLY = {"expand": 190, "narrow": 40, "rerank": 50, "arbitrate": 250, "diagnose": 90, "filter": 20}
"""Tokens, as in the 18 recorded runs (benchmarks/cassettes); of ``diagnose`` and ``filter`` for each piece."""
_RERANK_PERCENT = 110
"""What a model named before joins the list: up to 3 % more in the recorded runs, up to 26 % on this repository."""
_USUAL_TURNS, _TOKENS_A_TURN = 3, 600
"""Two or three turns in the six recorded explorations, each with 400 to 600 tokens more than the one before."""
_LONG_TURNS, _TOKENS_A_LONG_TURN = 8, 1_500
_REPLY_A_TURN = 130
_CORRECTION_TOKENS = 250
"""What was wrong with a reply, and how it began."""
_REPLY_BASE = 200
_MOST_CALLS = 4
_FRAME_PARTS = 1
"""The issue, in front of the pieces."""
_FOLDER = re.compile(r"^(.+/) \([0-9]+ files?\)$", re.M)
_FOLDERS = 8
_ENTRY = re.compile(r"^\[p-[0-9a-f]+\] ", re.M)


@dataclass(frozen=True, slots=True)
class Prompted:
    """A question that would be asked.

    Attributes:
        role: Who would be asked.
        name: Which question.
        system: The system prompt.
        user: All else.
        input_tokens: About how long all of it is, with tools and the form of the reply.
        output_tokens: About how long a usual reply is.
        longest_reply: Most that a reply may be. Tokens.
        pieces: Of a diagnosis, how many snippets it shows; else 1.
        alone_tokens: About how long the same question would be for each of them alone, together.
    """

    role: Role
    name: str
    system: str
    user: str
    input_tokens: int
    output_tokens: int
    longest_reply: int
    pieces: int = 1
    alone_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Amount:
    """Calls and tokens, and what they cost in US dollars; None without a price."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one role would use: in a usual run (``calls`` ... ``cost``), where an exploration goes far, and at most."""

    role: Role
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    long: Amount
    most: Amount


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would use.

    Attributes:
        mode: The plan.
        roles: By role, in the order of their first question.
        prompts: In the order in which they would be asked. What depends on an earlier reply (a new order, files that a
            model names, turns of an exploration) is shown as it would be without that reply.
        limits: What the settings allow at most.
    """

    mode: str
    roles: tuple[RoleEstimate, ...]
    prompts: tuple[Prompted, ...]
    limits: LimitSettings = LimitSettings()

    @property
    def calls(self) -> int:
        """All calls of a usual run."""
        return sum(role.calls for role in self.roles)

    @property
    def input_tokens(self) -> int:
        """All input of it."""
        return sum(role.input_tokens for role in self.roles)

    @property
    def output_tokens(self) -> int:
        """All output of it."""
        return sum(role.output_tokens for role in self.roles)

    @property
    def cost(self) -> float | None:
        """US dollars; None when a price is unknown."""
        return _sum([role.cost for role in self.roles])

    @property
    def long(self) -> Amount:
        """A run whose exploration takes eight turns and reads much; without an exploration the same as a usual one."""
        return self._bounded([role.long for role in self.roles])

    @property
    def most(self) -> Amount:
        """What a run uses at most: every question asked as often as it may be, every reply as long as it may be.

        Calls that fail and are tried again are not in it, nor summaries of a long exploration. Limits bound it.
        """
        return self._bounded([role.most for role in self.roles])

    def record(self) -> dict[str, Any]:
        """As JSON, without the prompts; a cost is None without a price."""
        usual = Amount(self.calls, self.input_tokens, self.output_tokens, self.cost)
        sums = {"together": asdict(usual), "long": asdict(self.long), "most": asdict(self.most)}
        return {"mode": self.mode, "roles": [asdict(role) for role in self.roles], **sums}

    def _bounded(self, amounts: Sequence[Amount]) -> Amount:
        limits, cost = self.limits, _sum([each.cost for each in amounts])
        return Amount(
            _bounded(sum(each.calls for each in amounts), limits.calls),
            _bounded(sum(each.input_tokens for each in amounts), limits.input_tokens),
            _bounded(sum(each.output_tokens for each in amounts), limits.output_tokens),
            cost if cost is None or limits.cost is None else min(cost, limits.cost),
        )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _bounded(count: int, limit: int | None) -> int:
    return count if limit is None else min(count, limit)


class DryAsker(Asker):
    """Writes down what it would ask, and asks nothing.

    Args:
        settings: Names of models.
        model: The default for all roles.

    Attributes:
        prompts: What would have been asked.
    """

    def __init__(self, settings: Settings, model: ChatModel | str | None) -> None:
        super().__init__(ModelRoles(settings))
        self._settings = settings
        self._own, self._default = settings.models, model if isinstance(model, str) else model.name if model else ""
        self._given = model
        self._identities: dict[Role, str] = {}
        self.prompts: list[Prompted] = []

    def model_name(self, role: Role) -> str:
        """The name that the role's model would have."""
        chosen: str = getattr(self._own, role)
        return chosen or self._default or self._own.default or os.environ.get("SHERLOC_MODEL", "")

    def model_identity(self, role: Role) -> str:
        """The identity that the role's model would have; its name where it cannot be made."""
        if role not in self._identities:
            name = self.model_name(role)
            given = self._given if not getattr(self._own, role) else None
            with contextlib.suppress(SherlocError):
                name = identity_of(given if isinstance(given, ChatModel) else get_model(name, settings=self._settings))
            self._identities[role] = name
        return self._identities[role]

    async def ask(self, question: Question[T]) -> Answer[T]:
        """Nothing: the question is written down. Where folders are shown it goes on as if the first were named."""
        closing = "\n\n".join(filter(None, [question.closing, question.prompt.reply]))
        system, schema = question.prompt.system, question.schema.model_json_schema()

        def tokens(parts: Sequence[Part]) -> int:
            messages = (Message("system", system), Message("user", frame(parts, closing).text))
            return Request.of(messages, (), schema, question.max_tokens).estimated_tokens()

        many = question.prompt.name in ("diagnose", "filter")
        pieces = question.parts[_FRAME_PARTS:] if many else ()
        alone = sum(tokens((*question.parts[:_FRAME_PARTS], piece)) for piece in pieces) if len(pieces) > 1 else 0
        self.prompts.append(
            Prompted(
                question.role, question.prompt.name, system, frame(question.parts, closing).text,
                tokens(question.parts), _USUAL_REPLY[question.prompt.name] * max(1, len(pieces)), question.max_tokens,
                max(1, len(pieces)), alone if question.prompt.name == "diagnose" else 0,
            )
        )  # fmt: skip
        folders = _FOLDER.findall(question.parts[-1].text)[:_FOLDERS] if question.prompt.name == "narrow" else []
        if folders:
            return Answer(question.schema.model_validate({"folders": folders}))
        return Answer(None, "budget", "nothing was asked")

    async def complete(
        self,
        role: Role,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        schema: dict[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Nothing: the conversation so far is written down.

        Raises:
            UsageLimitError: Always.
        """
        user = "\n\n".join(message.content for message in messages[1:])
        tokens = Request.of(messages, tools, schema, max_tokens).estimated_tokens()
        self.prompts.append(
            Prompted(role, role, messages[0].content, user, tokens, _REPLY_A_TURN, max_tokens or _REPLY_A_TURN)
        )
        raise UsageLimitError("Nothing was asked.")


def estimate_run(mode: str, work: Work, model: ChatModel | str | None, held: ExitStack) -> Estimate:
    """What a run would ask; the retriever runs, no model does.

    Args:
        mode: ``diagnose``, ``explore`` or ``auto``; ``offline`` asks nothing.
        work: What an offline run begins with.
        model: The default for all roles.
        held: Closes what is opened.

    Raises:
        UsageError: The mode needs a model, and none is named.
    """
    if mode == "offline":
        return Estimate(mode, (), ())
    asker = DryAsker(work.settings, model)
    if not asker.model_name("diagnose"):
        raise UsageError(f"The mode {mode} needs a model.", hint="Name one: --model provider:model")
    dry = open_work(work, ModelRoles(work.settings), held, asker=asker)
    for stage in PLANS[mode].stages:
        stage.run(dry)
        if stage.name == "weigh" and asker.prompts:
            dry.trust = Trust(True)  # so that the arbiter's question is seen, too
    asked = dict.fromkeys(prompt.role for prompt in asker.prompts)
    roles = tuple(_of_role(role, asker, work.settings) for role in asked)
    return Estimate(mode, roles, tuple(asker.prompts), work.settings.limits)


def _of_role(role: Role, asker: DryAsker, settings: Settings) -> RoleEstimate:
    prompts = [prompt for prompt in asker.prompts if prompt.role == role]
    usual, long, most = _exploration(prompts, settings) if role == "explore" else _questions(prompts, settings)
    name = asker.model_name(role)
    price = price_of(name, settings)
    costs = [usage_of(read, written, price).cost for _, read, written in (usual, long, most)]
    return RoleEstimate(role, name, *usual, costs[0], Amount(*long, costs[1]), Amount(*most, costs[2]))


_Counts = tuple[int, int, int]
"""Calls, input tokens, output tokens."""


def _questions(prompts: Sequence[Prompted], settings: Settings) -> tuple[_Counts, _Counts, _Counts]:
    """What questions use in a usual run, twice, and when each is asked as often as it may be."""
    grown = sum(p.input_tokens * _RERANK_PERCENT // 100 for p in prompts if p.name == "rerank")
    shown = sum(p.input_tokens for p in prompts if p.name != "rerank")
    usual = (len(prompts), shown + grown, sum(p.output_tokens for p in prompts))
    attempts = settings.plan.attempts
    calls = read = written = 0
    for prompt in prompts:
        alone = prompt.pieces if prompt.alone_tokens else 0
        asked, tokens = 1 + alone, _grown(prompt, settings) + prompt.alone_tokens
        calls += attempts * asked
        read += attempts * tokens + (attempts - 1) * asked * _CORRECTION_TOKENS
        # A reply that was cut off may be twice as long the next time.
        written += (1 + 2 * (attempts - 1)) * (prompt.longest_reply * (1 + bool(alone)) + _REPLY_BASE * alone)
    narrowing = [prompt for prompt in prompts if prompt.name == "narrow"]
    if len(narrowing) > 1:
        rounds = settings.narrowing.rounds - len(narrowing)
        calls += attempts * rounds
        read += attempts * rounds * (narrowing[0].input_tokens + settings.narrowing.tree_tokens)
        written += (2 * attempts - 1) * rounds * settings.narrowing.reply_tokens
    return usual, usual, (calls, read, written)


def _grown(prompt: Prompted, settings: Settings) -> int:
    """How long a prompt becomes when earlier replies bring in as much as they may."""
    if prompt.name == "rerank":
        shown = max(1, len(_ENTRY.findall(prompt.user)))
        return prompt.input_tokens * max(shown, settings.rerank.pool) // shown
    if prompt.name == "diagnose":
        return max(prompt.input_tokens, prompt.input_tokens // 2 + settings.diagnosis.batch_tokens)
    return prompt.input_tokens


def _exploration(prompts: Sequence[Prompted], settings: Settings) -> tuple[_Counts, _Counts, _Counts]:
    """What an exploration uses in few turns, in many, and in all of them with the longest answers."""
    explore, first = settings.explore, prompts[0].input_tokens

    def taking(turns: int, tokens: int) -> _Counts:
        turns = min(turns, explore.turns)
        return turns, sum(first + turn * tokens for turn in range(turns)), turns * _REPLY_A_TURN

    calls = explore.turns + 1
    a_turn = explore.reply_tokens + _MOST_CALLS * explore.tool_tokens
    longest = max(first, explore.context_tokens) + a_turn
    read = sum(min(first + turn * a_turn, longest) for turn in range(calls))
    usual, long = taking(_USUAL_TURNS, _TOKENS_A_TURN), taking(_LONG_TURNS, _TOKENS_A_LONG_TURN)
    return usual, long, (calls, read, calls * explore.reply_tokens)

"""What a run with a model would ask, before anything is asked: calls, tokens, price, and the prompts themselves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from sherloc.errors import UsageError, UsageLimitError
from sherloc.evidence.weighing import Trust
from sherloc.llm.material import frame
from sherloc.llm.prices import cost_of
from sherloc.llm.questions import Answer, Asker, Question
from sherloc.llm.roles import ModelRoles, Role
from sherloc.model_plans import PLANS
from sherloc.model_work import open_work
from sherloc.plans import Work
from sherloc.protocols import ChatModel, Message, Reply, Usage
from sherloc.settings import Settings
from sherloc.tokens import estimate_tokens

T = TypeVar("T", bound=BaseModel)

_USUAL_REPLY = {"expand": 150, "narrow": 120, "rerank": 150, "arbitrate": 300, "diagnose": 160, "filter": 20}
"""Tokens; of ``diagnose`` and ``filter`` for each piece."""
_USUAL_TURNS = 8
_TOKENS_A_TURN = 1_500
_REPLY_A_TURN = 200
_FRAME_PARTS = 1
"""The issue, in front of the pieces."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """A question that would be asked."""

    role: Role
    name: str
    system: str
    user: str
    output_tokens: int

    @property
    def input_tokens(self) -> int:
        """About how long it is."""
        return estimate_tokens(self.system) + estimate_tokens(self.user)


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one role would use; ``cost`` is in US dollars, None without a price."""

    role: Role
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would use.

    Attributes:
        mode: The plan.
        roles: By role, in the order of their first question.
        prompts: In the order in which they would be asked. What depends on an earlier reply (a new order, files that a
            model names, turns of an exploration) is shown as it would be without that reply.
    """

    mode: str
    roles: tuple[RoleEstimate, ...]
    prompts: tuple[Prompted, ...]

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(role.calls for role in self.roles)

    @property
    def input_tokens(self) -> int:
        """All input."""
        return sum(role.input_tokens for role in self.roles)

    @property
    def output_tokens(self) -> int:
        """All output."""
        return sum(role.output_tokens for role in self.roles)

    @property
    def cost(self) -> float | None:
        """US dollars; None when a price is unknown."""
        costs = [role.cost for role in self.roles]
        return None if any(cost is None for cost in costs) else sum(cost for cost in costs if cost is not None)


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
        self._own, self._default = settings.models, model if isinstance(model, str) else model.name if model else ""
        self.prompts: list[Prompted] = []

    def model_name(self, role: Role) -> str:
        """The name that the role's model would have."""
        chosen: str = getattr(self._own, role)
        return chosen or self._default or self._own.default or os.environ.get("SHERLOC_MODEL", "")

    async def ask(self, question: Question[T]) -> Answer[T]:
        """Nothing: the question is written down."""
        closing = "\n\n".join(filter(None, [question.closing, question.prompt.reply]))
        user = frame(question.parts, closing).text
        pieces = max(1, len(question.parts) - _FRAME_PARTS) if question.prompt.name in ("diagnose", "filter") else 1
        usual = _USUAL_REPLY[question.prompt.name] * pieces
        self.prompts.append(Prompted(question.role, question.prompt.name, question.prompt.system, user, usual))
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
        self.prompts.append(Prompted(role, role, messages[0].content, user, _REPLY_A_TURN))
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
    roles = dict.fromkeys(prompt.role for prompt in asker.prompts)
    return Estimate(mode, tuple(_of_role(role, asker, work.settings) for role in roles), tuple(asker.prompts))


def _of_role(role: Role, asker: DryAsker, settings: Settings) -> RoleEstimate:
    prompts = [prompt for prompt in asker.prompts if prompt.role == role]
    calls, read = len(prompts), sum(prompt.input_tokens for prompt in prompts)
    written = sum(prompt.output_tokens for prompt in prompts)
    if role == "explore":
        calls = min(_USUAL_TURNS, settings.explore.turns)
        read = sum(prompts[0].input_tokens + turn * _TOKENS_A_TURN for turn in range(calls))
        written = calls * _REPLY_A_TURN
    name = asker.model_name(role)
    prices = settings.models.prices
    price = prices.get(name) or prices.get(name.partition(":")[2])
    cost = cost_of(Usage(input_tokens=read, output_tokens=written), price)
    return RoleEstimate(role, name, calls, read, written, cost)

"""Which model does what: one for each role, with a fallback for each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from sherloc.errors import CassetteError, ModelError, UsageError, UsageLimitError
from sherloc.llm.factory import get_model, guard
from sherloc.llm.limits import Budget
from sherloc.llm.model import AsyncModel
from sherloc.llm.request import Request, identity_of
from sherloc.logs import logger
from sherloc.protocols import ChatModel, Reply
from sherloc.schema.report import Diagnostic
from sherloc.settings import Settings

Role = Literal["filter", "diagnose", "arbitrate", "rerank", "explore", "repair", "summarise"]
ROLES: tuple[Role, ...] = get_args(Role)

_log = logger(__name__)


class FallbackModel(AsyncModel):
    """Asks its models in turn until one replies; the reply's diagnostics say which ones failed.

    A reached limit or an unknown recording ends it: the next model would only hide that.

    Args:
        models: At least one.
    """

    def __init__(self, models: Sequence[AsyncModel]) -> None:
        if not models:
            raise UsageError("A fallback needs at least one model.")
        self._models = tuple(models)

    @property
    def name(self) -> str:
        """The first model's name."""
        return self._models[0].name

    @property
    def identity(self) -> str:
        """The first model's."""
        return identity_of(self._models[0])

    async def answer(self, request: Request) -> Reply:
        """The first reply.

        Raises:
            ModelError: All failed; the error is the last one's, and its message tells how the others failed.
        """
        failed: list[Diagnostic] = []
        for model in self._models[:-1]:
            try:
                reply = await model.answer(request)
                return replace(reply, diagnostics=(*failed, *reply.diagnostics))
            except (UsageLimitError, CassetteError):
                raise
            except ModelError as error:
                _log.warning("%s failed, asking the next model: %s", model.name, error.message)
                note = f"The model {model.name} failed, another one was asked: {error.message}"
                failed.append(Diagnostic(code="model_fallback", severity="warning", message=note))
        try:
            reply = await self._models[-1].answer(request)
        except ModelError as error:
            error.message = " ".join([error.message, *(f"Before it: {each.message}" for each in failed)])
            raise
        return replace(reply, diagnostics=(*failed, *reply.diagnostics))


class ModelRoles:
    """The models of a run, one for each role, all within one budget.

    A role's model is, in this order: its own setting, ``model``, ``models.default``, ``SHERLOC_MODEL``. After it stand
    ``models.fallback``. The same name gives the same object, so that its bound on concurrency holds for all roles.

    Args:
        settings: Sections ``models`` and ``limits``.
        model: The default for this run, as an object or a name.

    Attributes:
        budget: Limits, and what was spent so far.
    """

    def __init__(self, settings: Settings | None = None, *, model: ChatModel | str | None = None) -> None:
        self._settings = settings or Settings()
        self.budget = Budget(self._settings.limits)
        self._default = model or self._settings.models.default or os.environ.get("SHERLOC_MODEL", "")
        self._made: dict[str, AsyncModel] = {}
        self._roles: dict[str, AsyncModel | None] = {}

    def get(self, role: Role) -> ChatModel | None:
        """The model of a role, or None when there is none at all.

        Raises:
            UsageError: The role is unknown.
            SettingsError: The model's name cannot be understood, or money is limited and it has no price.
            MissingExtraError: Its SDK is not installed.
            ModelAuthError: Its key is missing.
        """
        if role not in ROLES:
            raise UsageError(f"There is no role {role!r}; roles are {', '.join(ROLES)}.")
        if role not in self._roles:
            self._roles[role] = self._find(role)
        return self._roles[role]

    def _find(self, role: Role) -> AsyncModel | None:
        first = getattr(self._settings.models, role) or self._default
        if not first:
            return None
        models = [self._make(first), *(self._make(name) for name in self._settings.models.fallback if name != first)]
        return models[0] if len(models) == 1 else FallbackModel(models)

    def _make(self, model: ChatModel | str) -> AsyncModel:
        key = model if isinstance(model, str) else f"object {id(model)}"
        if key not in self._made:
            if isinstance(model, str):
                self._made[key] = get_model(model, settings=self._settings, budget=self.budget)
            else:
                self._made[key] = guard(model, settings=self._settings, budget=self.budget)
        return self._made[key]

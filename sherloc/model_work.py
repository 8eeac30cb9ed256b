"""What a run with a model has besides an offline one: models, questions, what they said, and what it cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from sherloc.diagnoser.model import Examined
from sherloc.diagnoser.verdict_cache import VerdictCache
from sherloc.errors import UsageError, UsageLimitError
from sherloc.evidence.weighing import Trust
from sherloc.explorer.explore import Exploration, ExplorationLog
from sherloc.indexer.cache_files import cache_folder
from sherloc.llm.pieces import issue_text
from sherloc.llm.questions import Asker, CallLog
from sherloc.llm.roles import ModelRoles, Role
from sherloc.plans import Work
from sherloc.protocols import ChatModel
from sherloc.query.narrowing import Narrowed
from sherloc.retriever import Retriever
from sherloc.retriever.pool import Key
from sherloc.retriever.rerank import Ranker
from sherloc.schema.candidate import Candidate, Candidates
from sherloc.schema.finding import Finding
from sherloc.schema.report import ModelUse, RunInfo
from sherloc.schema.snippet import Snippet
from sherloc.settings import Settings

ROLES_OF_MODES: Mapping[str, tuple[Role, ...]] = {
    "diagnose": ("filter", "rerank", "diagnose", "arbitrate"),
    "explore": ("filter", "rerank", "diagnose", "arbitrate", "explore"),
    "auto": ("filter", "rerank", "diagnose", "arbitrate"),
}


@dataclass
class ModelWork(Work):
    """What the stages of one run with a model hand on, besides what offline stages do.

    Attributes:
        asker: Asks; counts what was spent by role.
        roles: The models, and the budget that they share.
        cache: Verdicts from earlier runs.
        tell: Progress: (stage, done, total).
        found: What the retriever found, before a model said anything.
        retriever: Made it.
        narrowed: Files that the model named from the paths.
        expanded: What the expanded query found.
        exploration: How the exploration went.
        explored: Its findings by the snippet that each stands in.
        explored_units: The numbers of these snippets.
        log: Where it is kept.
        inherited: What an earlier run on the same issue came to, in words.
        stage_done: Keeps what a stage came to (name, JSON).
        ranker: The cross-encoder, where one is named.
        task: The run's task in context storage, or empty.
        pool: Candidates that a model looks at.
        ranked: Positions in the pool that the reranker put first.
        examined: Verdicts on the snippets of ``chosen``, behind them those on probes.
        chosen: Snippets of the pool that were diagnosed.
        trust: Whether the verdicts are heard.
    """

    asker: Asker = field(default_factory=lambda: Asker(ModelRoles()))
    roles: ModelRoles | None = None
    cache: VerdictCache | None = None
    tell: Callable[[str, int, int], None] = lambda *_: None
    found: Candidates = field(default_factory=Candidates)
    retriever: Retriever | None = None
    narrowed: Narrowed = Narrowed()
    expanded: Candidates | None = None
    exploration: Exploration | None = None
    explored: dict[Key, Finding] = field(default_factory=dict)
    explored_units: list[int] = field(default_factory=list)
    log: ExplorationLog = field(default_factory=ExplorationLog)
    inherited: str = ""
    stage_done: Callable[[str, Any], None] = lambda *_: None
    pool: tuple[Candidate, ...] = ()
    ranked: tuple[int, ...] = ()
    ranker: Ranker | None = None
    examined: Examined = Examined((), (), 0, ())
    chosen: tuple[Candidate, ...] = ()
    trust: Trust = Trust(False)
    cached: int = 0
    task: str = ""

    @property
    def issue_shown(self) -> str:
        """The issue as prompts show it."""
        return issue_text(self.issue, self.settings.plan.issue_characters)

    def hidden(self, snippet: Snippet) -> Sequence[tuple[int, int]]:
        """Ranges of lines of a class or of module code that belong to other snippets, ascending and apart."""
        if snippet.kind not in ("class", "module"):
            return ()
        arrays, inner = self.index.code.arrays, []
        for unit in self.index.units_of(snippet.path):
            start, end = int(arrays["start"][unit]), int(arrays["end"][unit])
            whole = (start, end) == (snippet.start_line, snippet.end_line)
            if self.index.code.kind(unit) != "block" and not whole and snippet.start_line <= start <= snippet.end_line:
                inner.append((start, end))
        return _apart(inner)


def _apart(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def open_roles(settings: Settings, model: ChatModel | str | None, mode: str) -> ModelRoles | None:
    """The models of a run; None in mode ``auto`` when there is none at all.

    Raises:
        UsageError: The mode needs a model, and none is named.
        SettingsError: A model's name cannot be understood, or money is limited and it has no price.
        MissingExtraError: Its SDK is not installed.
        ModelAuthError: Its key is missing.
    """
    roles = ModelRoles(settings, model=model)
    missing = [role for role in ROLES_OF_MODES[mode] if roles.get(role) is None]
    if not missing:
        return roles
    if mode == "auto":
        return None
    raise UsageError(
        f"The mode {mode} needs a model for the role {missing[0]}.",
        hint="Name one: --model provider:model, locate(model=...), models.default, or SHERLOC_MODEL.",
    )


def open_work(
    work: Work,
    roles: ModelRoles,
    held: ExitStack,
    *,
    log: CallLog | None = None,
    tell: Callable[[str, int, int], None] = lambda *_: None,
    asker: Asker | None = None,
) -> ModelWork:
    """The work of a run with a model.

    Args:
        work: What an offline run begins with.
        roles: The models.
        held: Closes what is opened.
        log: Where replies are kept.
        tell: Progress.
        asker: Asks in place of the usual one.
    """
    plan = work.settings.plan

    def stopped() -> None:
        if work.seconds_left() <= 0:
            raise UsageLimitError("The deadline has passed.", hint="Give more time, or fewer candidates.")

    asker = asker or Asker(
        roles, log=log, attempts=plan.attempts, stopped=stopped, recalled=roles.budget.count_recalled,
        side_by_side=work.settings.models.concurrency,
    )  # fmt: skip
    cache = None
    if work.settings.diagnosis.cache:
        folder = cache_folder(work.settings.cache).parent / "verdicts"
        cache = VerdictCache(folder / "verdicts.sqlite", work.settings.diagnosis.cache_bytes)
        held.callback(cache.close)
    values = {each.name: getattr(work, each.name) for each in dataclasses.fields(work)}
    return ModelWork(**values, asker=asker, roles=roles, cache=cache, tell=tell)


def with_model_use(run: RunInfo, work: ModelWork) -> RunInfo:
    """The run with what its models used.

    Args:
        run: Times and mode.
        work: A finished run.
    """
    assert work.roles is not None
    spent = work.roles.budget.spent
    uses = tuple(
        ModelUse(
            role=role, model=use.model, calls=use.calls, recalled=use.recalled, input_tokens=use.usage.input_tokens,
            output_tokens=use.usage.output_tokens, cached_tokens=use.usage.cached_tokens,
            cost=None if use.usage.cost is None else round(use.usage.cost, 6), estimated=use.usage.estimated,
            seconds=round(use.seconds, 3),
        )
        for role, use in sorted(work.asker.uses.items())
    )  # fmt: skip
    return run.model_copy(
        update={
            "model_calls": spent.calls,
            "input_tokens": spent.usage.input_tokens,
            "output_tokens": spent.usage.output_tokens,
            "cost": None if spent.usage.cost is None else round(spent.usage.cost, 6),
            "model_seconds": round(sum(use.seconds for use in uses), 3),
            "models": uses,
            "diagnoses_cached": work.cached,
            "task": work.task,
        }
    )

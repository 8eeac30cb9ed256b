"""Plans that ask a model: ``diagnose``, ``explore`` and ``auto``. Loaded only when one of them is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest

from sherloc.change_set import names_its_place
from sherloc.change_set.model_arbiter import ModelArbiter
from sherloc.diagnoser.model import Missing, ModelDiagnoser
from sherloc.diagnoser.prefilter import let_through
from sherloc.errors import SherlocError
from sherloc.exploring import explore
from sherloc.llm.pieces import place_of
from sherloc.model_tasks import TaskRun, end_run, open_run
from sherloc.model_weighing import weigh
from sherloc.model_work import ModelWork, open_roles, open_work, with_model_use
from sherloc.plans import (
    MODEL,
    OFFLINE,
    Plan,
    Stage,
    Work,
    choose_change_sets,
    make_query,
    open_retriever,
    weigh_evidence,
    write_brief,
)
from sherloc.plans import diagnose as diagnose_offline
from sherloc.protocols import ChatModel
from sherloc.query.expansion import Expansion, expand_issue, expanded_query
from sherloc.query.narrowing import Narrowed, narrow
from sherloc.repository import classify
from sherloc.retriever import Retriever
from sherloc.retriever.pool import Key, build_pool, key_of, unrelated_units
from sherloc.retriever.rerank import CrossEncoderReranker, ListwiseReranker, Ranker
from sherloc.retriever.scope import Scope
from sherloc.retriever.weights import Weights
from sherloc.schema.candidate import Candidate
from sherloc.schema.report import Diagnostic
from sherloc.schema.snippet import Snippet

_ALWAYS_DIAGNOSED = 5
"""So many of the best files have their best snippet diagnosed whatever a reranker says."""
_UNFILTERED = 3
_NARROWED_BESIDE = frozenset({"config", "template"})


def find_candidates(work: ModelWork) -> None:
    """Query to candidates, as offline."""
    work.retriever = open_retriever(work)
    work.candidates = work.found = work.retriever.candidates(max(50, work.settings.output.top))


def open_ranker(work: ModelWork) -> None:
    """Load a cross-encoder, where one is named: that it is not there must not be found out after calls were paid for.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: The model is not on this machine.
    """
    method = work.settings.rerank.method
    if method not in ("model", "none") and work.ranker is None:
        work.ranker = CrossEncoderReranker(method.partition(":")[2])


def narrow_down(work: ModelWork) -> None:
    """Ask for the files that matter by their paths alone, and for the issue in technical terms."""
    settings, issue = work.settings.narrowing, work.issue_shown
    scope = Scope(work.scope)
    beside = [path for path in work.index.side.paths if classify(path).partition in _NARROWED_BESIDE]
    paths = sorted(path for path in (*work.index.code.paths, *beside) if scope.holds(path))
    jobs = []
    if settings.narrow and paths:
        jobs.append(narrow(work.asker, issue, paths, settings))
    if settings.expand:
        jobs.append(expand_issue(work.asker, issue, settings))  # type: ignore[arg-type]
    for said in work.asker.run_all(jobs):
        work.asker.tell(said.notes)
        if isinstance(said, Narrowed):
            new = tuple(each for each in said.new_files if scope.holds(each.path))
            work.narrowed = replace(said, new_files=new)
            work.stage_done("narrow", list(said.files))
        elif isinstance(said, Expansion) and (said.terms or said.description):
            query = expanded_query(work.query, said)
            work.stage_done("expand", {"description": said.description, "terms": list(said.terms)})
            again = Retriever(query, work.index, work.settings.retrieval, Weights(), work.scope)
            work.expanded = again.candidates(30)


def rerank(work: ModelWork) -> None:
    """Pool what was found, and order it anew."""
    assert work.retriever is not None
    settings = work.settings.rerank
    work.pool = build_pool(
        work.retriever, work.found, settings, work.settings.narrowing, explored=work.explored_units,
        narrowed=work.narrowed.files, expanded=work.expanded,
    )  # fmt: skip
    work.sources.load({candidate.snippet.path for candidate in work.pool})
    if settings.method == "none":
        return
    ranker: Ranker | None = work.ranker
    if ranker is None:
        weights = dict(work.found.term_weights)
        ranker = ListwiseReranker(
            work.asker, weights, lines=settings.lines, issue_characters=work.settings.plan.issue_characters
        )
    ranked = ranker.rank(work.issue, work.pool, work.sources)
    work.asker.tell(ranked.notes)
    work.ranked = ranked.named
    work.stage_done("rerank", [place_of(work.pool[at].snippet) for at in work.ranked])


def diagnose(work: ModelWork) -> None:
    """Verdicts on the best of the pool, with a few unrelated snippets among them."""
    assert work.retriever is not None
    settings = work.settings.diagnosis
    chosen = _to_diagnose(work)
    if work.settings.models.filter:
        snippets = [candidate.snippet for candidate in chosen]
        passed, notes = let_through(
            work.asker, work.issue_shown, snippets, work.sources, work.hidden, always=_UNFILTERED
        )
        work.asker.tell(notes)
        chosen = [candidate for candidate, through in zip(chosen, passed, strict=True) if through]
    used = {file.path for file in work.found.files} | {candidate.snippet.path for candidate in work.pool}
    units = unrelated_units(work.retriever, used | set(work.narrowed.files), settings.probes)
    probes = [work.index.snippet(unit) for unit in units]
    work.sources.load({probe.path for probe in probes})
    snippets = [candidate.snippet for candidate in chosen]
    asked = _spread(snippets, probes)
    diagnoser = ModelDiagnoser(
        work.asker, settings, work.issue, cache=work.cache, hidden=work.hidden,
        issue_characters=work.settings.plan.issue_characters,
        done=lambda calls, of: work.tell("diagnosis", calls, of),
    )  # fmt: skip
    examined = diagnoser.examine(asked, work.sources)
    work.asker.tell(examined.notes)
    places = {key_of(snippet): at for at, snippet in enumerate(asked)}
    order = [places[key_of(snippet)] for snippet in (*snippets, *probes)]
    work.examined = replace(
        examined,
        verdicts=tuple(examined.verdicts[at] for at in order), pieces=tuple(examined.pieces[at] for at in order),
    )  # fmt: skip
    work.chosen = tuple(chosen)
    work.cached += examined.cached
    _tell_missing(work)


def _to_diagnose(work: ModelWork) -> list[Candidate]:
    """What an exploration found, then the reranker's and the retriever's best in turn, and each best file's best."""
    count = work.settings.diagnosis.candidates
    by_key = {key_of(candidate.snippet): candidate for candidate in work.pool}
    order: dict[Key, None] = dict.fromkeys(key for key in work.explored if key in by_key)
    for file in work.found.files[:_ALWAYS_DIAGNOSED]:
        best = next((key_of(c.snippet) for c in work.pool if c.snippet.path == file.path), None)
        if best is not None:
            order[best] = None
    ranked = [key_of(work.pool[at].snippet) for at in work.ranked]
    for pair in zip_longest(ranked, by_key):
        order.update(dict.fromkeys(key for key in pair if key is not None))
    return [by_key[key] for key in list(order)[:count]]


def _spread(snippets: Sequence[Snippet], probes: Sequence[Snippet]) -> list[Snippet]:
    """Probes at even distances among the snippets."""
    asked = list(snippets)
    step = (len(snippets) + len(probes)) / (len(probes) + 1)
    for number, probe in enumerate(probes, 1):
        asked.insert(min(len(asked), round(step * number)), probe)
    return asked


def _tell_missing(work: ModelWork) -> None:
    reasons: dict[tuple[str, str], int] = {}
    for verdict in work.examined.verdicts[: len(work.chosen)]:
        if isinstance(verdict, Missing):
            reasons[verdict.reason, verdict.why] = reasons.get((verdict.reason, verdict.why), 0) + 1
    work.asker.tell(
        Diagnostic(
            code="undiagnosed", severity="warning", count=count,
            message=f"{count} candidate{'s have' if count > 1 else ' has'} no model's diagnosis ({reason}): {why}",
        )
        for (reason, why), count in reasons.items()
    )  # fmt: skip


def arbitrate(work: ModelWork) -> None:
    """Ranked evidence to the minimal set, by the model where it is heard."""
    choose_change_sets(work)
    if not work.trust.heard:
        return
    best = [work.diagnoses[at] for at in work.evidence.selected]
    new_files = {each.path: each.sibling for each in work.narrowed.new_files}
    arbiter = ModelArbiter(
        work.asker, work.settings.change_set, [*work.index.code.paths, *work.index.side.paths], new_files=new_files,
        issue_characters=work.settings.plan.issue_characters,
    )  # fmt: skip
    decision = arbiter.judge(work.issue, best, work.sources, candidates=work.candidates)
    work.asker.tell(decision.notes)
    if decision.by_model:
        work.change_sets, work.reasoning = decision.change_sets, decision.reasoning
    siblings = [new_files[each.file_path] for each in work.change_sets if each.new_file]
    work.context = tuple(
        (work.index.snippet(work.index.units_of(path)[0]), "is the file most like the new one")
        for path in siblings
        if path and work.index.units_of(path)
    )


def end_with_notes(work: ModelWork) -> None:
    """Change sets to the brief, and what the user should know of the models."""
    for name, why in work.asker.patience.all_given_up().items():
        work.degraded = tuple(sorted({*work.degraded, MODEL}))
        message = f"The model {name} {why}; it was not asked any more, and for the rest the offline evidence stands."
        work.notes = (*work.notes, Diagnostic(code="model_stopped", severity="warning", message=message))
    work.notes = (*work.notes, *work.asker.notes.values())
    write_brief(work)


def _if_unsure(run: Callable[[ModelWork], None]) -> Callable[[ModelWork], None]:
    """A stage that is left out when the best file is sure enough, or the issue names its place outright."""

    def run_if_unsure(work: ModelWork) -> None:
        if not is_sure(work):
            run(work)

    return run_if_unsure


def explore_if_still_unsure(work: ModelWork) -> None:
    """The dearest look comes last: only if a model of its own is named for it, and the cheaper one left doubt."""
    if is_sure(work) or not work.settings.models.explore:
        return
    best = work.candidates.files[0].confidence if work.candidates.files else 0.0
    if work.trust.heard and best >= work.settings.plan.auto_confidence:
        return
    explore(work)
    for stage in (rerank, diagnose, weigh):
        stage(work)


def is_sure(work: ModelWork) -> bool:
    """Whether a model is not needed."""
    if names_its_place(work.found, work.settings.change_set):
        return True
    best = work.found.files[0].confidence if work.found.files else 0.0
    return not work.query.vague and best >= work.settings.plan.auto_confidence


_OPEN = Stage("open", open_ranker)
_LOOK = (Stage("narrow", narrow_down), Stage("rerank", rerank), Stage("diagnose", diagnose), Stage("weigh", weigh))
_BEGIN = (Stage("query", make_query), Stage("retrieve", find_candidates))
_END = (Stage("evidence", weigh_evidence), Stage("change_set", arbitrate), Stage("brief", end_with_notes))

PLANS: Mapping[str, Plan] = {
    "diagnose": Plan("diagnose", (*_BEGIN, _OPEN, *_LOOK, *_END), with_model_use),
    "explore": Plan("explore", (*_BEGIN, _OPEN, Stage("explore", explore), *_LOOK, *_END), with_model_use),
    "auto": Plan(
        "auto",
        (
            *_BEGIN,
            Stage("first_look", diagnose_offline),
            *(Stage(stage.name, _if_unsure(stage.run)) for stage in (_OPEN, *_LOOK)),
            Stage("explore", explore_if_still_unsure),
            *_END,
        ),
        with_model_use,
    ),
}


def open_plan(
    mode: str,
    work: Work,
    model: ChatModel | str | None,
    held: ExitStack,
    *,
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[Plan, Work]:
    """The plan of a mode with a model, and the work for it.

    Args:
        mode: ``diagnose``, ``explore`` or ``auto``; the last one is the offline plan where there is no model.
        work: What an offline run begins with.
        model: The default for all roles.
        held: Closes what is opened.
        tell: Progress.

    Raises:
        UsageError: The mode needs a model, and there is none.
        SettingsError: A model's name cannot be understood, or money is limited and it has no price.
        MissingExtraError: Its SDK is not installed.
        ModelAuthError: Its key is missing.
    """
    roles = open_roles(work.settings, model, mode)
    if roles is None:
        work.notes = (*work.notes, Diagnostic(code="no_model", severity="info", message=_NO_MODEL))
        return OFFLINE, work
    run = _open_task(work, mode)
    opened = open_work(work, roles, held, tell=tell, log=run)
    if run is not None:
        run.asker = opened.asker if mode != "diagnose" and roles.get("summarise") is not None else None
        opened.log, opened.inherited, opened.stage_done, opened.task = run, run.inherited, run.stage_done, run.task.uuid

        def end(_: object, error: BaseException | None, __: object) -> None:
            end_run(run, error, summary_of(opened))

        held.push(end)
    return PLANS[mode], opened


def _open_task(work: Work, mode: str) -> TaskRun | None:
    """The task of a run; None, with a word in the report, where none can be had."""
    if not work.settings.plan.tasks:
        return None
    try:
        return open_run(work, mode)
    except SherlocError as error:
        note = f"The run is not kept as a task, and cannot go on if it is interrupted: {error.message}"
        work.notes = (*work.notes, Diagnostic(code="task_unavailable", severity="warning", message=note))
        return None


def summary_of(work: Work) -> str:
    """What a run came to, in words for a later one on the same issue."""
    lines = [
        f"{each.file_path}:{each.target_location.start_line or '-'} {each.target_location.function_name}"
        f" ({each.confidence:.0%}): {each.expected_change_nature}"
        for each in work.change_sets
    ]
    return "\n".join([f"Issue: {work.issue.title}", *lines, work.reasoning, *(f.sentence for f in work.findings)])


_NO_MODEL = "The mode auto had no model to ask; the answer is the offline one."

"""One plan a mode: a short list of stages. What a stage makes, later ones read from the ``Work``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sherloc.change_set import RuleArbiter, build_brief, names_its_place
from sherloc.diagnoser import OfflineDiagnoser
from sherloc.evidence import EvidenceGraph, rank_evidence
from sherloc.indexer.builder import build_index
from sherloc.indexer.graph import relations
from sherloc.indexer.index import Index
from sherloc.meaning import Meaning
from sherloc.query import build_query
from sherloc.repository.history import History
from sherloc.repository.sources import Sources
from sherloc.repository.tree import Tree
from sherloc.retriever import Retriever
from sherloc.retriever.weights import Weights
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.candidate import Candidates
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.failures import FailureEvidence
from sherloc.schema.finding import Finding
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query
from sherloc.schema.report import Diagnostic, RunInfo
from sherloc.schema.snippet import Snippet
from sherloc.settings import Settings

MODEL = "model"
"""In ``degraded``: a model that was not asked any more. It has a diagnostic of its own (``model_stopped``)."""

_FILES_READ = 8
_CONTEXT_SNIPPETS = 6
_CONTEXT_CLASSES = 2


@dataclass
class Work:
    """What the stages of one run hand on."""

    issue: Issue
    tree: Tree
    index: Index
    settings: Settings
    sources: Sources
    scope: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    history: History | None = None
    failures: FailureEvidence | None = None
    meaning: Meaning = field(default_factory=Meaning)
    seconds_left: Callable[[], float] = lambda: math.inf
    query: Query = field(default_factory=Query)
    candidates: Candidates = field(default_factory=Candidates)
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: EvidenceGraph = field(default_factory=EvidenceGraph)
    change_sets: tuple[ChangeSet, ...] = ()
    short_cut: bool = False
    reasoning: str = ""
    findings: tuple[Finding, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    context: tuple[tuple[Snippet, str], ...] = ()
    brief: SurgeryBrief | None = None


class Stage(NamedTuple):
    """A step of a plan: its name in reports, and what it does to the plan's kind of ``Work``."""

    name: str
    run: Callable[[Any], None]


class Plan(NamedTuple):
    """The stages of a mode, in order; ``run_info`` adds what they used to what is known of the run."""

    mode: str
    stages: tuple[Stage, ...]
    run_info: Callable[[RunInfo, Any], RunInfo] = lambda run, _: run


def make_query(work: Work) -> None:
    """Issue to query."""
    work.query = build_query(work.issue)


def open_retriever(work: Work) -> Retriever:
    """The retriever of a query, with all that its channels need."""
    comparison = None
    if "semantic" in work.settings.retrieval.channels:
        comparison = work.meaning.comparison(work.issue, work.index, work.sources, work.settings, work.seconds_left)
    retriever = Retriever(
        work.query, work.index, work.settings.retrieval, Weights(), work.scope,
        history=work.history, similarity=comparison,
        failures=work.failures, with_tests=_with_tests(work),
    )  # fmt: skip
    if work.meaning.failed if comparison is None else comparison.skipped:
        work.degraded = (*work.degraded, "semantic")
    if comparison is not None and comparison.problem:
        work.problems = (*work.problems, comparison.problem)
    return retriever


def _with_tests(work: Work) -> Index | None:
    """The index of code and tests together, when the channel ``tests`` is in use."""
    if "tests" not in work.settings.retrieval.channels:
        return None
    index = work.settings.index.model_copy(update={"include_tests": True})
    return build_index(work.tree, work.settings.model_copy(update={"index": index}))


def find_candidates(work: Work) -> None:
    """Query to candidates."""
    work.candidates = open_retriever(work).candidates(max(50, work.settings.output.top))


def diagnose(work: Work) -> None:
    """Candidates to diagnoses."""
    chosen = work.candidates.snippets[: work.settings.diagnosis.candidates]
    work.sources.load({c.snippet.path for c in chosen} | {f.path for f in work.candidates.files[:_FILES_READ]})
    work.diagnoses = OfflineDiagnoser(work.settings.diagnosis).diagnose(work.query, work.candidates, work.sources)


def weigh_evidence(work: Work) -> None:
    """Diagnoses to ranked evidence."""
    units = [_unit_of(work.index, d.path, d.qualified_name, d.start_line) for d in work.diagnoses]
    known = [unit for unit in units if unit is not None]
    places = [at for at, unit in enumerate(units) if unit is not None]
    related = [(places[a], places[b], kind) for a, b, kind in relations(work.index.graph, known)]
    work.evidence = rank_evidence(work.diagnoses, related, work.settings.evidence)


def choose_change_sets(work: Work) -> None:
    """Ranked evidence to the minimal set."""
    best = [work.diagnoses[at] for at in work.evidence.selected]
    arbiter = RuleArbiter(work.settings.change_set)
    work.change_sets = arbiter.decide(work.issue, best, work.sources, candidates=work.candidates)
    work.short_cut = names_its_place(work.candidates, work.settings.change_set)


def write_brief(work: Work) -> None:
    """Change sets to the surgery brief."""
    context, contracts = [*_context(work), *work.context], _contracts(work)
    shown = [*(snippet for snippet, _ in context), *(owner for owner, _, _ in contracts)]
    work.sources.load({snippet.path for snippet in shown} | {c.file_path for c in work.change_sets})
    work.brief = build_brief(
        work.issue, work.change_sets, work.sources, settings=work.settings.change_set, query=work.query,
        context=context, contracts=contracts, reasoning=work.reasoning or _reasoning(work),
        findings=[f.sentence for f in work.findings], repository=work.tree.name, revision=work.tree.revision,
        stale=work.sources.stale,
    )  # fmt: skip
    work.change_sets = work.brief.change_sets


OFFLINE = Plan(
    "offline",
    (
        Stage("query", make_query),
        Stage("retrieve", find_candidates),
        Stage("diagnose", diagnose),
        Stage("evidence", weigh_evidence),
        Stage("change_set", choose_change_sets),
        Stage("brief", write_brief),
    ),
)


def _unit_of(index: Index, path: str, qualified_name: str, start_line: int) -> int | None:
    for unit in index.units_of(path):
        if index.code.qualified_names[unit] == qualified_name and int(index.code.arrays["start"][unit]) == start_line:
            return unit
    return None


def _context(work: Work) -> list[tuple[Snippet, str]]:
    """Callers and overridden methods of the functions that must change, of the surest one first."""
    found: dict[tuple[str, int], tuple[Snippet, str]] = {}
    targets = {(c.file_path, c.target_location.function_name) for c in work.change_sets}
    for unit, name in _targets(work):
        related = [(other, f"calls {name}") for other in work.index.graph.callers(unit)[:3]]
        related += [(other, f"overrides or is overridden by {name}") for other in work.index.graph.overrides(unit)[:2]]
        for other, purpose in related:
            snippet = work.index.snippet(other)
            if (snippet.path, snippet.qualified_name) not in targets:
                found.setdefault((snippet.path, snippet.start_line), (snippet, purpose))
    return list(found.values())[:_CONTEXT_SNIPPETS]


def _contracts(work: Work) -> list[tuple[Snippet, int, str]]:
    """The classes around the methods that must change, each with the line of the first one's head."""
    found: dict[int, tuple[Snippet, int, str]] = {}
    for unit, name in _targets(work):
        owner = work.index.graph.class_of(unit)
        if owner >= 0:
            near = work.index.snippet(unit).start_line
            found.setdefault(owner, (work.index.snippet(owner), near, f"is the class of {name}, without bodies"))
    return list(found.values())[:_CONTEXT_CLASSES]


def _targets(work: Work) -> Iterator[tuple[int, str]]:
    """The definitions that change sets name, in their order, each once."""
    for path, name in dict.fromkeys((c.file_path, c.target_location.function_name) for c in work.change_sets):
        for unit in work.index.units_of(path):
            if name and work.index.code.qualified_names[unit] == name and work.index.code.kind(unit) != "block":
                yield unit, name


def _reasoning(work: Work) -> str:
    if not work.change_sets:
        return "Nothing in the repository shares enough with the issue to name a place."
    first = work.change_sets[0]
    place = first.target_location.function_name or first.file_path
    why = [item.description for item in first.diagnostic_evidence[:3]] or ["It shares words with the issue."]
    outright = ["The issue names its place outright."] if work.short_cut else []
    return " ".join([*outright, f"{place} comes first.", *why])

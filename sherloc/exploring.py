"""The stage that explores: a model with tools, and what it found as evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sherloc.explorer import Explorer, ToolBelt
from sherloc.explorer.findings import FindingChecker
from sherloc.explorer.looking import Lookups
from sherloc.indexer.index import Index
from sherloc.llm.factory import price_of
from sherloc.llm.limits import Budget, usage_of
from sherloc.model_work import ModelWork
from sherloc.paths import KnownPaths
from sherloc.repository.history import Commit
from sherloc.repository.sources import Sources
from sherloc.repository.tree import Tree
from sherloc.retriever.pool import key_of
from sherloc.retriever.scope import Scope
from sherloc.schema.path_text import shown_path

_SHARE = 0.5
"""Of what the limits leave, an exploration uses so much at most; diagnosis and arbitration come after it."""
_FILES, _FUNCTIONS_A_FILE = 15, 3


def explore(work: ModelWork) -> None:
    """Explore the repository; findings join the pool, and each is diagnosed like any other candidate."""
    assert work.roles is not None
    commits = work.history.commits if work.history is not None else list
    belt = belt_of(work.tree, work.index, work.sources, commits, work.settings.explore.tool_characters)
    paths = [shown_path(entry.path) for entry in work.tree.entries]
    checker = FindingChecker(
        Lookups(work.index, work.sources), work.sources, KnownPaths(paths),
        {shown_path(entry.path): entry.content_id for entry in work.tree.entries},
    )  # fmt: skip
    explorer = Explorer(
        work.asker, belt, checker, work.settings.explore, fits=_fits(work, work.roles.budget), log=work.log,
        tell=lambda turn, most: work.tell("exploration", turn, most),
    )  # fmt: skip
    overview = _overview(work)
    if work.inherited:
        overview += f"\n\nAn earlier run on this issue came to this; it may be wrong:\n{work.inherited}"
    with work.roles.budget.share(_SHARE, "the exploration"):
        result = explorer.explore(work.issue_shown, overview, work.tree.key)
    work.asker.tell(result.notes)
    work.findings = tuple(each.finding for each in result.findings)
    work.exploration = result
    work.stage_done("explore", [finding.sentence for finding in work.findings])
    scope = Scope(work.scope)
    for each in result.findings:
        # What lies outside of the scope is told, and is no candidate.
        if each.unit is not None and scope.holds(each.finding.file_path):
            key = key_of(work.index.snippet(each.unit))
            if key not in work.explored:
                work.explored[key] = each.finding
                work.explored_units.append(each.unit)


def belt_of(
    tree: Tree, index: Index, sources: Sources, commits: Callable[[], Sequence[Commit]], characters: int
) -> ToolBelt:
    """The tools over a tree.

    Args:
        tree: The repository.
        index: Its index.
        sources: Its files' text.
        commits: Gives its history, newest first.
        characters: Longest answer of a tool.
    """
    return ToolBelt(
        index, sources, [shown_path(entry.path) for entry in tree.entries],
        commits=commits, characters=characters,
    )  # fmt: skip


def _overview(work: ModelWork) -> str:
    """The retriever's best files, each with its best functions; a place to start, not an answer."""
    by_file: dict[str, list[str]] = {file.path: [] for file in work.found.files[:_FILES]}
    for candidate in work.found.snippets:
        names = by_file.get(candidate.snippet.path)
        if names is not None and candidate.snippet.qualified_name and len(names) < _FUNCTIONS_A_FILE:
            names.append(
                f"{candidate.snippet.qualified_name} ({candidate.snippet.start_line}-{candidate.snippet.end_line})"
            )
    lines = [f"{path}: {', '.join(names)}" if names else path for path, names in by_file.items()]
    head = f"Of {work.index.code.file_count} code files a search without a model found these first, best on top:"
    return "\n".join([head, *lines]) if lines else "A search without a model found nothing."


def _fits(work: ModelWork, budget: Budget) -> Callable[[int, int, int], bool]:
    """Whether so many calls of the exploration's model, each of so many tokens, are within the limits."""
    price = price_of(work.asker.model_name("explore"), work.settings)
    return lambda calls, read, written: budget.fits(calls, usage_of(read, written, price))

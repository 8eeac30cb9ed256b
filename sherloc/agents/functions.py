"""The tools as plain functions: typed arguments in, a typed answer out, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sherloc.agents.answers import (
    ContextAnswer,
    ExplainAnswer,
    FileAnswer,
    FunctionAnswer,
    IndexAnswer,
    LocateAnswer,
    PlaceAnswer,
    bounded,
    short,
)
from sherloc.errors import UsageError

if TYPE_CHECKING:
    from sherloc.arguments import Progress
    from sherloc.indexer.index import Index
    from sherloc.locator import Locator
    from sherloc.render.explanation import Explanation
    from sherloc.schema.change_set import ChangeSet
    from sherloc.schema.report import Report
    from sherloc.schema.snippet import Snippet

_AROUND = 6
_CUT_CODE = 4000
_EVIDENCE = 4
_MOST = 50


def locate_issue(
    issue: str,
    repo: str = ".",
    *,
    top: int = 10,
    scope: Iterable[str] = (),
    revision: str | None = None,
    settings: Mapping[str, Any] | None = None,
    locator: Locator | None = None,
    on_progress: Progress | None = None,
) -> LocateAnswer:
    """Find the files, functions and lines that must change for an issue.

    Args:
        issue: Its text: the title on the first line, then all that is known (messages, tracebacks, what was expected).
        repo: A work tree, folder or bare git directory.
        top: How many files and functions, 1 to 50.
        scope: Only files under these paths or matching these globs.
        revision: A commit, branch or tag; None for the files as they are.
        settings: Nested sections, as for ``sherloc.locate``.
        locator: One that is open already; then ``repo``, ``revision`` and ``settings`` are not used.
        on_progress: Called with (stage, done, total).

    Raises:
        SherlocError: As ``sherloc.locate``.
    """
    _check_top(top)
    if locator is not None:
        report = locator.locate(issue, scope=scope, on_progress=on_progress)
    else:
        from sherloc.locator import locate

        report = locate(
            issue, repo, revision=revision, settings=settings, scope=scope, on_progress=on_progress
        )  # fmt: skip
    return answer_of(report, top)


def _check_top(top: int) -> None:
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= _MOST:
        raise UsageError(f"top must be a number from 1 to {_MOST}, not {top!r}.")


def answer_of(report: Report, top: int = 10) -> LocateAnswer:
    """A report as an answer.

    Args:
        report: What ``locate`` gave.
        top: How many files and functions.
    """
    from sherloc.render.words import why

    answer = LocateAnswer(
        confidence=report.confidence,
        confidence_reasons=tuple(map(short, report.confidence_reasons)),
        places=tuple(_place(each) for each in report.change_sets),
        files=tuple(
            FileAnswer(path=each.path, chance=each.confidence, why=short(why(each.signals)))
            for each in report.ranked_files[:top]
        ),
        functions=tuple(
            FunctionAnswer(
                path=each.path, name=each.qualified_name, start_line=each.start_line, end_line=each.end_line,
                chance=each.confidence, why=short(why(each.signals)),
            )
            for each in report.ranked_functions[:top]
        ),
        warnings=tuple(short(each.message) for each in report.diagnostics if each.severity != "info")[:5],
        repository=report.repository,
        revision=report.revision,
        how_to_go_on=_next_step(report),
    )  # fmt: skip
    return bounded(
        answer, ("warnings", "functions", "files", "places"),
        "Ask again with a smaller top or a scope, or get_context of one place.",
    )  # fmt: skip


def _next_step(report: Report) -> str:
    if report.confidence == "low":
        return "Low confidence: look at the first files yourself and search on; more detail in the issue helps."
    return "Read the first place (get_context shows its callers) before editing."


def _place(change_set: ChangeSet) -> PlaceAnswer:
    from sherloc.render.words import evidence_in_words

    target = change_set.target_location
    return PlaceAnswer(
        path=change_set.file_path, start_line=target.start_line, end_line=target.end_line,
        function=target.function_name, change_type=change_set.change_type.value, chance=change_set.confidence,
        evidence=tuple(
            short(evidence_in_words(item.source, item.description))
            for item in change_set.diagnostic_evidence
            if item.source != "unknown"
        )[:_EVIDENCE],
        code=_suspect(change_set),
    )  # fmt: skip


def _suspect(change_set: ChangeSet) -> str:
    lines = change_set.context_code_snippet.rstrip("\n").split("\n")
    first = change_set.context_start_line or 1
    target = change_set.target_location
    start, end = target.start_line or first, target.end_line or first
    kept = [line for number, line in enumerate(lines, first) if start - _AROUND <= number <= end + _AROUND]
    return "\n".join(kept)[:_CUT_CODE]


def explain_file(
    issue: str,
    path: str,
    repo: str = ".",
    *,
    revision: str | None = None,
    settings: Mapping[str, Any] | None = None,
    on_progress: Progress | None = None,
) -> ExplainAnswer:
    """Say why a file is, or is not, among those to change for an issue.

    Args:
        issue: As for ``locate_issue``.
        path: The file, relative to the repository.
        repo: As for ``locate_issue``.
        revision: As for ``locate_issue``.
        settings: As for ``locate_issue``.
        on_progress: Called while the index is built.

    Raises:
        SherlocError: The repository cannot be read, or nothing of that path is known.
    """
    from sherloc.arguments import check_issue
    from sherloc.inspection.standing import Place
    from sherloc.inspection.standing import explain_file as explain
    from sherloc.inspection.status import read_plan

    checked = check_issue(issue)
    place = Place(*read_plan(repo=repo, revision=revision, settings=settings))
    return _explained(explain(path, checked, place, on_progress=on_progress))


def _explained(found: Explanation) -> ExplainAnswer:
    from sherloc.render.words import place, sign_in_words

    answer = ExplainAnswer(
        path=found.path, standing=found.standing, reason=found.reason, rank=found.rank,
        ranked_files=found.ranked_files, chance=found.chance,
        signs=tuple(short(sign_in_words(each)) for each in found.signals),
        words=tuple(f"{short(word)} {weight:.1f}" for word, weight, _ in found.words[:15]),
        lacks=tuple(map(short, found.lacks[:15])),
        functions=tuple(
            f"{each.rank}. {short(each.qualified_name)} {place(found.path, each.start_line, each.end_line)}"
            for each in found.functions[:10]
        ),
        instead=found.instead[:5],
    )  # fmt: skip
    return bounded(answer, ("lacks", "words", "functions", "signs"), "get_context shows the file's code by line.")


def get_context(
    path: str,
    repo: str = ".",
    *,
    line: int | None = None,
    function: str = "",
    revision: str | None = None,
    settings: Mapping[str, Any] | None = None,
    locator: Locator | None = None,
) -> ContextAnswer:
    """The code of a place, and of what calls it, what it calls and what it overrides; skeletons of the files around.

    Args:
        path: The file, relative to the repository.
        repo: As for ``locate_issue``.
        line: A line of the place; 1-based.
        function: Or the function's name, with its class where that is needed.
        revision: As for ``locate_issue``.
        settings: As for ``locate_issue``.
        locator: One that is open already; then ``repo``, ``revision`` and ``settings`` are not used.

    Raises:
        UsageError: There is no such place; the message names near ones.
        SherlocError: The repository cannot be read.
    """
    if locator is not None:
        return _context_in(locator, path, line, function)
    from sherloc.locator import Locator as OpenLocator

    with OpenLocator(repo, revision=revision, settings=settings) as opened:
        return _context_in(opened, path, line, function)


def _context_in(locator: Locator, path: str, line: int | None, function: str) -> ContextAnswer:
    index, sources = locator.read()
    unit = _unit(index, path, line, function)
    from sherloc.agents.surroundings import surroundings_of

    return surroundings_of(unit, index, sources)


def _unit(index: Index, path: str, line: int | None, function: str) -> int:
    """The innermost snippet that is meant."""
    units = index.units_of(path)
    if not units:
        from sherloc.paths import nearest_paths

        near = ", ".join(nearest_paths(path, index.code.paths))
        raise UsageError(f"No code file {path!r} is indexed.", hint=f"Did you mean {near}?" if near else "")
    snippets = {unit: index.snippet(unit) for unit in units}
    if function:
        named = [unit for unit in units if _is_called(snippets[unit], function) and snippets[unit].kind != "block"]
        if not named:
            names = ", ".join(sorted({s.qualified_name for s in snippets.values() if s.qualified_name})[:20])
            raise UsageError(f"{path} defines no {function!r}.", hint=f"It defines {names}." if names else "")
        return named[0]
    if line is None:
        return units[0]
    holding = [unit for unit in units if snippets[unit].start_line <= line <= snippets[unit].end_line]
    if not holding:
        last = max(snippet.end_line for snippet in snippets.values())
        raise UsageError(f"Line {line} of {path} belongs to no code.", hint=f"Its code ends at line {last}.")
    return min(holding, key=lambda unit: (snippets[unit].lines, unit))


def _is_called(snippet: Snippet, function: str) -> bool:
    return function in (snippet.qualified_name, snippet.name)


def index_status(
    repo: str = ".", *, revision: str | None = None, settings: Mapping[str, Any] | None = None
) -> IndexAnswer:
    """What is stored of a repository; nothing is parsed or written.

    Args:
        repo: As for ``locate_issue``.
        revision: As for ``locate_issue``.
        settings: As for ``locate_issue``.

    Raises:
        SherlocError: The repository cannot be read.
    """
    from sherloc.inspection.status import read_status

    state = read_status(repo=str(Path(repo)), revision=revision, settings=settings)
    return IndexAnswer(
        status=state.status, repository=state.repository, revision=state.revision, files=state.files,
        parsed=state.parsed, why=state.why, how_to_go_on="" if state.status == "ready" else "locate builds it.",
    )  # fmt: skip

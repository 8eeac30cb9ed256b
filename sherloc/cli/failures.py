"""What the command line says of failing tests: a log, ids, JUnit reports, coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sherloc.errors import UsageError
from sherloc.input_files import read_input, read_whole

if TYPE_CHECKING:
    from sherloc.schema.failures import FailingCase, FailureEvidence
    from sherloc.schema.issue import Issue

_MOST_LOG = 64_000_000
_MOST_JUNIT = 64_000_000
_HINT = "Give a file."


class Asked(NamedTuple):
    """What is to be located: an issue, which may be empty, and what failing tests showed."""

    issue: Issue | str
    failures: FailureEvidence | None


def taken_apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a command: those of ``failure_options``, and the others.

    Args:
        options: By name.
    """
    own = ("log", "failing", "junit", "coverage")
    return {name: options[name] for name in own}, {k: v for k, v in options.items() if k not in own}


def read_asked(
    issue: str | None, *, log: str | None, failing: tuple[str, ...], junit: tuple[str, ...], coverage: tuple[str, ...]
) -> Asked:
    """The issue of a command line and the evidence of its options.

    Args:
        issue: The argument; None when it was left out.
        log: --log.
        failing: --failing-test.
        junit: --junit.
        coverage: --coverage.

    Raises:
        UsageError: There is neither an issue nor a failing test, or a file cannot be read.
        EmptyIssueError: The issue holds no text.
    """
    if log is not None and issue is not None:
        raise UsageError("--log stands in for ISSUE; give one of them.")
    if issue is None and log is None and not failing and not junit:
        raise UsageError(
            "There is nothing to locate.",
            hint="Give an ISSUE: a file, - for stdin or a text in quotes; or --log, --junit or --failing-test.",
        )
    text = _decoded(read_input(log, "The log", _MOST_LOG, end=True, hint=_HINT).data) if log is not None else ""
    if not failing and not junit and not coverage and log is None:
        from sherloc.issue_files import read_issue

        return Asked(read_issue(str(issue)), None)
    from sherloc.failures import gather, issue_from_log
    from sherloc.failures.logs import cases_in_log

    cases = [*_named(failing), *_reported(junit), *cases_in_log(text)]
    evidence = gather(cases, coverage)
    if log is not None:
        found = issue_from_log(text)
        return Asked(found if found.text.strip() else _nothing_in(log), evidence)
    if issue is not None:
        from sherloc.issue_files import read_issue

        return Asked(read_issue(issue), evidence)
    if not evidence.cases:
        raise UsageError("No test failed in the JUnit reports, so there is nothing to locate.")
    return Asked("", evidence)


def _nothing_in(log: str) -> Issue:
    raise UsageError(f"The log {log} holds no text.")


def _named(failing: tuple[str, ...]) -> list[FailingCase]:
    from sherloc.schema.failures import FailingCase

    return [FailingCase(each, each.partition("::")[0] if "::" in each else "") for each in failing]


def _reported(junit: tuple[str, ...]) -> list[FailingCase]:
    from sherloc.failures import read_junit

    return [
        case
        for path in junit
        for case in read_junit(read_whole(path, "The JUnit report", _MOST_JUNIT, hint=_HINT), path)
    ]


def _decoded(data: bytes) -> str:
    from sherloc.indexer.decoding import decode

    return decode(data)[0]

"""The report of a repair in words, for a terminal."""

from __future__ import annotations

from sherloc.schema.fix import FixReport, ProducedPatch, TestRun
from sherloc.visible import visible

_HEADS = {
    "proposed": "A patch is proposed; nothing was changed (--apply makes the branch, --push opens a pull request).",
    "applied": "The branch {branch} has the patch.",
    "opened": "A pull request is open.",
    "not_fixable": "The ticket does not say enough to fix it.",
    "failed": "No patch was good enough.",
}
_MOST_PROBLEMS, _LAST_LINES, _LONGEST_LINE = 10, 8, 200


def fix_text(report: FixReport) -> str:
    """What happened, as plain text with nothing invisible in it.

    Args:
        report: Of the run.
    """
    parts = [_HEADS[report.outcome].format(branch=report.branch), report.diagnostic_summary]
    if report.pull_request is not None:
        request = report.pull_request
        kind = "existing" if request.existed else "draft" if request.draft else "plain"
        parts.append(f"pull request {request.number} ({kind}): {request.address}")
    elif report.branch:
        parts.append(f"branch: {report.branch} on {report.base[:12]}")
    if report.commits:
        rows = [f"  {c.sha[:12]} {c.message.partition(chr(10))[0]} ({', '.join(c.paths)})" for c in report.commits]
        parts.append("\n".join(("commits:", *rows)))
    parts += [_patch(patch) for patch in report.produced_patches]
    if report.base_tests is not None:
        parts.append(f"tests without any change: {_tests(report.base_tests)}")
    parts += [report.choice, report.comment.strip()]
    if report.comment_address:
        parts.append(f"comment: {report.comment_address}")
    return visible("\n\n".join(part for part in parts if part))


def _patch(patch: ProducedPatch) -> str:
    head = f"candidate {patch.candidate}{' (chosen)' if patch.chosen else ''} by {patch.generator}"
    head += f", {patch.attempts} {'attempt' if patch.attempts == 1 else 'attempts'}"
    rows = []
    if patch.diff:
        rows.append(f"+{patch.added} -{patch.removed} in {', '.join(patch.paths)}")
    if patch.tests is not None:
        rows.append(f"tests: {_tests(patch.tests)}")
        rows += [f"  | {line}" for line in _last_lines(patch.tests)]
    rows += [f"look at: {flag}" for flag in patch.flags]
    rows += [f"mended: {problem}" for problem in patch.mended[:_MOST_PROBLEMS]]
    rows += [f"refused: {problem}" for problem in patch.problems[:_MOST_PROBLEMS]]
    if patch.proposal is not None and not patch.proposal.is_fixable:
        rows.append("says that the ticket cannot be fixed as it is")
    return "\n  ".join((head, *rows))


def _last_lines(run: TestRun) -> list[str]:
    """The end of what failing tests said."""
    return [] if run.passed else [line[:_LONGEST_LINE] for line in run.output.splitlines()[-_LAST_LINES:]]


def _tests(run: TestRun) -> str:
    if run.passed:
        return f"passed ({run.seconds:.1f} s)"
    if run.exit_code is not None:
        return f"failed with exit code {run.exit_code}"
    return "stopped: they wrote too much" if run.too_much else "stopped when their time was up"

"""What becomes of a repair: a folder, a branch, a pull request, or a comment that says what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.forge import branch_name, branch_stem, comment_once, cut_body, harmless, publish
from sherloc.protocols import Forge, PullRequest, Ticket
from sherloc.repair.outputs import REPORT, write_folder
from sherloc.repair.pipeline import Repaired
from sherloc.repair.tickets import branch_reference
from sherloc.repair.wording import (
    PullRequestFacts,
    missing_information_comment,
    pull_request_body,
    pull_request_title,
)
from sherloc.repair.workshop import Workshop
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.fix import FixReport, MadeCommit, OpenedPullRequest
from sherloc.schema.report import Diagnostic

if TYPE_CHECKING:
    from sherloc.settings import Settings

_MARKER = "not-fixable"


def dry_report(repaired: Repaired, workshop: Workshop, settings: Settings, task: str) -> FixReport:
    """What was found, proposed and chosen, before anything is changed.

    Args:
        repaired: What the stages came to.
        workshop: Made the commits.
        settings: ``repair.branch_prefix``.
        task: The run's task.
    """
    chosen, declined = repaired.chosen, repaired.declined
    patches = tuple(
        candidate.patch.model_copy(update={"chosen": candidate is chosen}) for candidate in repaired.candidates
    )
    report = FixReport(
        outcome="failed", ticket=repaired.ticket.reference, issue=repaired.ticket.issue, language=repaired.language,
        diagnostic_summary=summary_of(repaired.brief), brief=repaired.brief, produced_patches=patches,
        base=workshop.base, base_tests=repaired.base_tests, choice=repaired.choice.why,
        diagnostics=repaired.notes, task=task,
    )  # fmt: skip
    if chosen is not None:
        return report.model_copy(update=_proposed(repaired, report, workshop, settings))
    if declined is not None and declined.patch.proposal is not None:
        comment = missing_information_comment(declined.patch.proposal, repaired.language, harmless)
        choice = "The ticket cannot be fixed as it is; the comment says what is missing."
        return report.model_copy(update={"outcome": "not_fixable", "comment": comment, "choice": choice})
    return report


def _proposed(repaired: Repaired, report: FixReport, workshop: Workshop, settings: Settings) -> dict[str, object]:
    chosen, ticket = repaired.chosen, repaired.ticket
    assert chosen is not None
    commits = tuple(
        MadeCommit(
            sha=commit.sha, tree=commit.tree, message=commit.message, paths=tuple(file.path for file in commit.files)
        )
        for commit in chosen.commits
    )
    facts = PullRequestFacts(
        ticket, repaired.brief, chosen.patch, commits, len(repaired.candidates), repaired.mode, repaired.confidence
    )
    last = commits[-1].tree
    return {
        "outcome": "proposed",
        "commits": commits,
        "branch": branch_name(
            settings.repair.branch_prefix, branch_reference(ticket), ticket.revision, workshop.base, last
        ),
        "pull_request_title": pull_request_title(
            chosen.patch.proposal, ticket.issue, repaired.language, harmless
        ),
        "pull_request_body": cut_body(pull_request_body(facts, repaired.language, harmless)),
    }  # fmt: skip


def write_out(report: FixReport, workshop: Workshop, folder: Path) -> None:
    """The folder of a run: ``report.json``, ``brief.json``, and what belongs to its outcome.

    ``changes.diff`` is the whole change; ``commits/0001.patch`` and so on are for ``git am``; ``pull_request.md`` and
    ``comment.md`` are what the forge would get.

    Args:
        report: Of the run.
        workshop: Made the commits.
        folder: As for ``write_folder``.

    Raises:
        UsageError: It cannot be written.
    """
    files = {
        REPORT: report.model_dump_json(indent=2).encode() + b"\n",
        "brief.json": report.brief.model_dump_json(indent=2).encode() + b"\n",
    }
    if report.commits:
        diff = workshop.diff(workshop.base, report.commits[-1].sha)
        files["changes.diff"] = diff.encode("utf-8", "surrogateescape")
        for number, commit in enumerate(report.commits, 1):
            files[f"commits/{number:04}.patch"] = workshop.mail(commit.sha)
        text = f"# {report.pull_request_title}\n\n{report.pull_request_body}"
        files["pull_request.md"] = text.encode("utf-8", "backslashreplace")
    if report.comment:
        files["comment.md"] = report.comment.encode("utf-8", "backslashreplace")
    write_folder(folder, files)


def apply_commits(report: FixReport, workshop: Workshop) -> FixReport:
    """Make the branch in the repository; nothing else there changes.

    Args:
        report: With commits.
        workshop: Made them.

    Raises:
        ApplyError: The branch cannot be made.
    """
    workshop.deliver(report.branch, report.commits[-1].sha)
    return report.model_copy(update={"outcome": "applied"})


def open_request(
    report: FixReport, repaired: Repaired, workshop: Workshop, forge: Forge, settings: Settings
) -> FixReport:
    """Publish the branch and open the pull request, or find that it is there.

    Args:
        report: With commits.
        repaired: What the stages came to.
        workshop: Made the commits.
        forge: Where.
        settings: ``forge``.

    Raises:
        ForgeError: The forge refused or cannot be reached.
    """
    assert repaired.chosen is not None
    done = publish(
        forge, git_dir=workshop.git_dir, commits=repaired.chosen.commits,
        base_branch=settings.forge.base_branch or forge.default_branch(), base_sha=workshop.base, branch=report.branch,
        title=report.pull_request_title, body=report.pull_request_body, settings=settings.forge,
    )  # fmt: skip
    notes = (*report.diagnostics, *done.diagnostics)
    return report.model_copy(update={"outcome": "opened", "pull_request": done.pull_request, "diagnostics": notes})


def existing_request(ticket: Ticket, base: str, forge: Forge, settings: Settings, task: str) -> FixReport | None:
    """The report of a ticket for which a pull request is open already; None when there is none.

    Args:
        ticket: What would be fixed.
        base: The commit that it would start from.
        forge: Where to look.
        settings: ``repair.branch_prefix``.
        task: The run's task.

    Raises:
        ForgeError: The forge refused or cannot be reached.
    """
    request = next(_open_requests(ticket, forge, settings), None)
    if request is None:
        return None
    return FixReport(
        outcome="opened", ticket=ticket.reference, issue=ticket.issue, language="", diagnostic_summary="",
        brief=SurgeryBrief(issue_summary=ticket.issue.title), base=base, branch=request.head,
        pull_request=_opened(request), pull_request_title=request.title, pull_request_body=request.body, task=task,
    )  # fmt: skip


def rival_request(report: FixReport, ticket: Ticket, forge: Forge, settings: Settings) -> FixReport | None:
    """The report with the pull request that another run opened for the ticket, from another branch, meanwhile.

    Args:
        report: Of this run's patch, which is then not published; or of what it has to say on the ticket.
        ticket: What was fixed.
        forge: Where to look.
        settings: ``repair.branch_prefix``.

    Returns:
        None when there is none, or the report has nothing to publish.

    Raises:
        ForgeError: The forge refused or cannot be reached.
    """
    if not (report.commits or report.comment):
        return None
    request = next((each for each in _open_requests(ticket, forge, settings) if each.head != report.branch), None)
    if request is None:
        return None
    words = (
        f"Another run opened pull request #{request.number} for this ticket, from {request.head}; nothing of this "
        "one was published (--again makes another patch, and a pull request of its own)."
    )
    note = Diagnostic(code="opened_by_another", severity="warning", message=words)
    return report.model_copy(
        update={
            "outcome": "opened", "pull_request": _opened(request), "diagnostics": (*report.diagnostics, note),
        }
    )  # fmt: skip


def _open_requests(ticket: Ticket, forge: Forge, settings: Settings) -> Iterator[PullRequest]:
    """Open pull requests from sherloc's branches for a ticket, by the names of the branches."""
    stem = branch_stem(settings.repair.branch_prefix, branch_reference(ticket))
    for branch in forge.branches(stem):
        if re.fullmatch("[0-9a-f]{8}", branch.removeprefix(stem)):
            yield from (each for each in forge.pull_requests(branch) if each.state == "open")


def _opened(request: PullRequest) -> OpenedPullRequest:
    return OpenedPullRequest(
        number=request.number, address=request.address, branch=request.head, base=request.base, draft=request.draft,
        existed=True,
    )  # fmt: skip


def comment_on(report: FixReport, number: int, forge: Forge) -> FixReport:
    """Say on the ticket what is missing, once.

    Args:
        report: With a comment.
        number: Of the ticket.
        forge: Where it lives.

    Raises:
        ForgeError: The forge refused or cannot be reached.
    """
    return report.model_copy(update={"comment_address": comment_once(forge, number, report.comment, _MARKER) or ""})


def summary_of(brief: SurgeryBrief) -> str:
    """A brief in a few lines: what is wrong, and where it probably is.

    Args:
        brief: Of the located issue.
    """
    rows = [brief.issue_summary]
    for each in brief.change_sets:
        target = each.target_location
        lines = f":{target.start_line}-{target.end_line}" if target.start_line else ""
        name = f" in {target.function_name}" if target.function_name else ""
        rows.append(f"- {each.file_path}{lines}{name}, confidence {each.confidence:.2f}: {each.change_type.value}")
    return "\n".join(rows)

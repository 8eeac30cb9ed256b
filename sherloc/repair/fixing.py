"""``fix``: from a ticket to commits and a draft pull request, or to the reason why there is none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sherloc.errors import EmptyIssueError, UsageError
from sherloc.issue_files import read_issue
from sherloc.protocols import ChatModel, Forge, PatchGenerator, Ticket
from sherloc.repair.tickets import project_of, ticket_of
from sherloc.schema.issue import Issue
from sherloc.schema.report import Diagnostic

if TYPE_CHECKING:
    from sherloc.forge import Reference
    from sherloc.repair.pipeline import Repaired, Wanted
    from sherloc.repair.steps import Steps
    from sherloc.repair.workshop import Workshop
    from sherloc.schema.fix import FixReport
    from sherloc.settings import Settings

Progress = Callable[[str, int, int], None]
_CONTINUED = "Goes on with an earlier run on this ticket: {} steps were known (--again begins anew)."


def fix(
    ticket: str | os.PathLike[str] | Issue | Ticket,
    repo: str | os.PathLike[str] = ".",
    *,
    generator: PatchGenerator | str = "model",
    settings: Settings | Mapping[str, Any] | None = None,
    model: ChatModel | str | None = None,
    mode: str | None = None,
    revision: str = "HEAD",
    forge: Forge | None = None,
    apply: bool = False,
    push: bool = False,
    again: bool = False,
    out: str | os.PathLike[str] | None = None,
    on_progress: Progress | None = None,
) -> FixReport:
    """Locate an issue, have a patch made for it, check it, and turn it into commits.

    A dry run unless told otherwise: nothing in the repository changes. Every step is kept as a task of the type
    ``fix``; a run that was interrupted goes on where it was, and asks no generator or model twice. A later run on the
    same ticket and commit takes over what an earlier one got: the patch of a dry run is what ``apply`` applies.

    Args:
        ticket: A reference (``owner/repo#12`` or an issue's address), the text of an issue, the path of a file with it
            (a ``Path``, not a text), or an object of either.
        repo: The top of a git work tree, or a git directory. Its committed state counts, not edits in the work tree.
        generator: What proposes patches: an object, ``model``, ``command:PROGRAM ARGUMENTS``, or the name of a
            generator that another package registers.
        settings: ``Settings`` or nested sections; ``repair`` and ``forge`` hold what matters here.
        model: A language model, or its name (``provider:model``), for locating and repairing.
        mode: As for ``locate``.
        revision: The commit to start from.
        forge: Where the ticket lives and the pull request goes; None: made from settings and environment when needed.
        apply: Make the branch with its commits in the repository.
        push: Publish the branch and open a draft pull request, or comment on the ticket that information is missing.
        again: Begin anew, whatever earlier runs did, and although a pull request for this ticket is open.
        out: A folder for the diff, the commits as mails, the pull request's text and the report.
        on_progress: Called with (stage, done, total).

    Returns:
        A ``FixReport``.

    Raises:
        UsageError: An argument cannot mean anything.
        RepositoryError: The repository or revision cannot be read, or is not under git.
        GeneratorError: The generator cannot be opened.
        ModelError: A model failed; run again to go on.
        ForgeError: The forge refused or cannot be reached; run again to go on.
        ApplyError: The branch cannot be made.
        TaskError: What was done cannot be kept.
    """
    from sherloc.arguments import check_callback, check_model, check_repository
    from sherloc.repair.pipeline import Wanted

    check_repository(repo, revision)
    check_model(model, mode)
    check_callback(on_progress)
    if isinstance(ticket, os.PathLike):
        ticket = ticket_of(read_issue(os.fspath(ticket)), os.path.basename(ticket))
    if not isinstance(ticket, (str, Issue, Ticket)):
        raise UsageError(f"The ticket must be a text, a Path, an Issue or a Ticket, not {type(ticket).__name__}.")
    wanted = Wanted(repo, generator, model, mode, on_progress or _silent)
    actions = Actions(apply, push, again, None if out is None else Path(out))
    return _Fix(wanted, actions, revision, settings, forge).run(ticket)


def _silent(stage: str, done: int, total: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class Actions:
    """What is done with a patch; see ``fix``."""

    apply: bool = False
    push: bool = False
    again: bool = False
    out: Path | None = None


class _Fix:
    """One run of ``fix``."""

    def __init__(
        self,
        wanted: Wanted,
        actions: Actions,
        revision: str,
        settings: Settings | Mapping[str, Any] | None,
        forge: Forge | None,
    ) -> None:
        self._wanted, self._actions, self._revision = wanted, actions, revision
        self._overrides, self._forge = settings, forge
        self._number: int | None = None

    def run(self, given: str | Issue | Ticket) -> FixReport:
        from sherloc.locator import settings_for
        from sherloc.processes import held_lock
        from sherloc.repair.outputs import check_out
        from sherloc.repair.pipeline import Repair
        from sherloc.repair.steps import open_steps
        from sherloc.repair.workshop import Workshop

        with Workshop(self._wanted.repo, self._revision) as workshop:
            self._settings = settings_for(workshop.tree, self._overrides)
            ticket = self._ticket(given)
            if not ticket.issue.text.strip():
                raise EmptyIssueError("The ticket is empty.", hint="Give its title and description.")
            if self._actions.push:
                self._find_project(ticket)
            if self._actions.out is not None:
                check_out(self._actions.out, workshop.tree.location)
            repository = f"{workshop.tree.name}-{workshop.tree.store_key[:16]}"
            with open_steps(
                ticket, workshop.base, repository, self._settings, again=self._actions.again
            ) as steps:  # fmt: skip
                report = self._published(ticket, workshop.base, steps)
                if report is None:
                    repaired = Repair(self._wanted, workshop, self._settings, steps).run(ticket)
                    # Two runs at once on one ticket make two patches of it; one may become a pull request.
                    with held_lock(steps.lock, self._settings.forge.max_wait):
                        report = self._deliver(repaired, workshop, steps)
                steps.complete(report)
            return report

    def _ticket(self, given: str | Issue | Ticket) -> Ticket:
        from sherloc.forge import parse_reference
        from sherloc.repair.tickets import is_reference

        if isinstance(given, Ticket):
            return given
        if isinstance(given, str) and not is_reference(given):
            given = Issue.from_text(given)
        if isinstance(given, Issue):
            return ticket_of(given)
        self._wanted.tell("read", 0, 1)
        reference = parse_reference(given, self._settings.forge.project)
        return self._open(reference).read_ticket(reference.number)

    def _open(self, project: str | Reference) -> Forge:
        """The forge, opened once."""
        from sherloc.forge import open_forge

        if self._forge is None:
            self._forge = open_forge(project, self._settings.forge)
        return self._forge

    def _find_project(self, ticket: Ticket) -> None:
        """Where a pull request would go.

        Raises:
            UsageError: The project is unknown.
        """
        project, self._number = project_of(ticket)
        project = self._settings.forge.project or project
        if self._forge is None and not project:
            raise UsageError(
                "There is no project that the pull request could go to.", hint="Name it: --set forge.project=owner/repo"
            )
        self._open(project).ready()

    def _published(self, ticket: Ticket, base: str, steps: Steps) -> FixReport | None:
        """The report of a ticket that has an open pull request already, of this machine or of another."""
        if not self._actions.push or self._actions.again or not steps.is_new:
            return None
        from sherloc.repair.delivering import existing_request

        assert self._forge is not None
        return existing_request(ticket, base, self._forge, self._settings, steps.uuid)

    def _deliver(self, repaired: Repaired, workshop: Workshop, steps: Steps) -> FixReport:
        from sherloc.repair.delivering import (
            apply_commits,
            comment_on,
            dry_report,
            open_request,
            rival_request,
            write_out,
        )

        report = dry_report(repaired, workshop, self._settings, steps.uuid)
        if steps.reused:
            note = Diagnostic(code="continued", severity="info", message=_CONTINUED.format(steps.reused))
            report = report.model_copy(update={"diagnostics": (*report.diagnostics, note)})
        out = self._actions.out
        if out is not None:
            write_out(report, workshop, out)
        done = report
        if report.commits and self._actions.apply:
            done = apply_commits(done, workshop)
        if self._actions.push:
            self._wanted.tell("publish", 0, 1)
            forge = self._forge
            assert forge is not None
            rival = None if self._actions.again else rival_request(report, repaired.ticket, forge, self._settings)
            if rival is not None:
                done = rival
            elif report.commits:
                done = open_request(done, repaired, workshop, forge, self._settings)
            elif report.comment and self._number is not None:
                done = comment_on(done, self._number, forge)
        if out is not None and done is not report:
            write_out(done, workshop, out)
        return done

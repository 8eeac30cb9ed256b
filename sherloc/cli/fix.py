"""``sherloc fix``: from a ticket to commits and a draft pull request."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import Talk, repository_options, stdout_kept_clean, talk_of, talk_options, write_data
from sherloc.cli.models import model_options

if TYPE_CHECKING:
    from sherloc.protocols import Ticket
    from sherloc.schema.fix import FixReport

_HELP = """Have a patch made for a TICKET, check it, and turn it into commits.

TICKET is an issue on a forge (owner/repo#12, or its address), a text, Markdown or JSON file (summary, description), -
for stdin, or the text itself in quotes.

The default is a dry run: diff, commits and the text of the pull request go to a folder, and nothing else changes. A run
that is interrupted goes on when it is started again.

\b
  sherloc fix issue.md --model openai:MODEL --tests "pytest -q"
  sherloc fix owner/repo#12 --model openai:MODEL --push
  sherloc fix issue.md --generator "command:python $PWD/propose.py"
"""


@click.command(help=_HELP, short_help="A patch for a ticket: commits, draft pull request.")
@click.argument("ticket")
@repository_options
@model_options
@click.option(
    "--generator",
    metavar="SPEC",
    default="model",
    show_default=True,
    help="What proposes the patch: model, command:PROGRAM ARGUMENTS, or a registered name.",
)
@click.option("--candidates", type=click.IntRange(1, 16), metavar="N", help="Patches to ask for; the best is taken.")
@click.option("--tests", metavar="COMMAND", help="The project's tests, run on each candidate in a checkout of its own.")
@click.option("--out", metavar="DIR", help="The folder for diff, commits and report.  [default: in the state folder]")
@click.option("--apply", is_flag=True, help="Make the branch with its commits in the repository.")
@click.option("--push", is_flag=True, help="Publish the branch and open a draft pull request, or comment.")
@click.option("--again", is_flag=True, help="Begin anew, whatever earlier runs did.")
@click.option("--json", "as_json", is_flag=True, help="The whole report as one JSON document.")
@talk_options
@click.pass_context
def fix(ctx: click.Context, /, ticket: str, as_json: bool, **options: Any) -> None:  # noqa: D103 - its help is above
    talk = talk_of(ctx)
    report, folder = _fixed(ticket, talk, **options)
    if as_json:
        write_data(report.model_dump_json(indent=2))
    else:
        from sherloc.render.fix import fix_text

        write_data(fix_text(report))
    for diagnostic in report.diagnostics:
        if diagnostic.severity != "info" or diagnostic.code == "continued":
            talk.say(diagnostic.message, mark="note" if diagnostic.severity == "info" else diagnostic.severity)
        else:
            talk.detail(f"note: {diagnostic.message}")
    talk.say(f"written to {folder}")
    if report.outcome == "failed":
        from sherloc.errors import RepairError

        sys.exit(RepairError.exit_code)


def _fixed(
    given: str,
    talk: Talk,
    *,
    repo: str,
    revision: str | None,
    assignments: tuple[str, ...],
    model: str | None,
    mode: str | None,
    generator: str,
    candidates: int | None,
    tests: str | None,
    out: str | None,
    apply: bool,
    push: bool,
    again: bool,
) -> tuple[FixReport, Path]:
    from sherloc.cli.assignments import read_assignments
    from sherloc.cli.progress import Progress
    from sherloc.repair import fix as run

    settings = read_assignments(assignments)
    section = settings.setdefault("repair", {})
    section.update({name: value for name, value in (("candidates", candidates), ("test_command", tests)) if value})
    ticket = _ticket(given)
    folder = Path(out) if out else _folder(ticket, settings)
    with stdout_kept_clean(), Progress(talk) as progress:
        report = run(
            ticket, repo, generator=generator, settings=settings, model=model, mode=mode, revision=revision or "HEAD",
            apply=apply, push=push, again=again, out=folder, on_progress=progress,
        )  # fmt: skip
    return report, folder


def _ticket(given: str) -> str | Ticket:
    """A reference stays one, unless a file is called so."""
    from sherloc.issue_files import read_issue
    from sherloc.repair.tickets import is_reference, ticket_of

    if is_reference(given) and not os.path.lexists(given):
        return given
    issue = read_issue(given)
    return ticket_of(issue, os.path.basename(given) if os.path.lexists(given) else "")


def _folder(ticket: str | Ticket, settings: Any) -> Path:
    """A folder for this ticket, beside the tasks."""
    from sherloc.context_storage import contexts_folder
    from sherloc.repair.tickets import slug
    from sherloc.settings import load_settings

    name, text = (ticket, ticket) if isinstance(ticket, str) else (ticket.reference, ticket.revision)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return contexts_folder(load_settings(settings).context).parent / "fixes" / f"{slug(name)}-{digest}"

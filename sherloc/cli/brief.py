"""``sherloc brief``: the surgery brief alone."""

from __future__ import annotations

from typing import Any

import click

from sherloc.cli.common import failure_options, issue_options, talk_of, talk_options, write_data
from sherloc.cli.failures import read_asked, taken_apart
from sherloc.cli.locate import make_report, tell_diagnostics
from sherloc.cli.models import model_options


@click.command(short_help="The surgery brief alone.")
@click.argument("issue", required=False)
@issue_options
@model_options
@failure_options
@click.option(
    "--format",
    "form",
    type=click.Choice(("json", "markdown", "prompt")),
    default="json",
    show_default=True,
    help="prompt: short, fenced, for an agent's first message.",
)
@talk_options
@click.pass_context
def brief(ctx: click.Context, /, issue: str | None, form: str, **where: Any) -> None:
    """Print the surgery brief for an ISSUE: all that somebody needs who makes the change.

    ISSUE is given as for locate.
    """
    talk = talk_of(ctx)
    failed, where = taken_apart(where)
    report = make_report(read_asked(issue, **failed), talk, **where)
    if form == "json":
        write_data(report.brief.model_dump_json(indent=2))
    elif form == "prompt":
        from sherloc.render.prompt import report_prompt

        write_data(report_prompt(report))
    else:
        from sherloc.render.markdown import brief_markdown

        write_data(brief_markdown(report.brief))
    tell_diagnostics(report, talk)

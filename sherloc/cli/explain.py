"""``sherloc explain``: why a file is, or is not, in the list."""

from __future__ import annotations

import sys
from typing import Any

import click

from sherloc.cli.common import issue_options, stdout_kept_clean, talk_of, talk_options, write_json


@click.command(short_help="Why a file is, or is not, in the list.")
@click.argument("issue")
@click.argument("path")
@issue_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@talk_options
@click.pass_context
def explain(ctx: click.Context, /, issue: str, path: str, as_json: bool, scope: tuple[str, ...], **where: Any) -> None:
    """Say why the file at PATH is, or is not, in the list for an ISSUE.

    Its rank and chance, the signs and words behind them and its best functions; or why it has no rank: left out, not in
    the scope, no word shared, not there.
    """
    from sherloc.cli.assignments import read_assignments
    from sherloc.cli.progress import Progress
    from sherloc.inspection.standing import Place, explain_file
    from sherloc.inspection.status import read_plan
    from sherloc.issue_files import read_issue

    talk = talk_of(ctx)
    with stdout_kept_clean(), Progress(talk) as progress:
        read = read_issue(issue)
        settings = read_assignments(where.pop("assignments"), include_tests=where.pop("include_tests"))
        place = Place(*read_plan(settings=settings, **where))
        explanation = explain_file(path, read, place, scope=scope, on_progress=progress)
    if as_json:
        write_json(explanation.record())
        return
    from sherloc.render.console import make_console
    from sherloc.render.explanation import print_explanation

    print_explanation(explanation, make_console(sys.stdout, no_color=talk.no_color), verbose=talk.verbose)

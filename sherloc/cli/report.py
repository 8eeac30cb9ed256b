"""``sherloc report``: a report as a file, from an issue or from a report that was kept."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import failure_options, issue_options, talk_of, talk_options, write_data, write_file
from sherloc.cli.failures import read_asked, taken_apart
from sherloc.errors import UsageError

if TYPE_CHECKING:
    from sherloc.schema.issue import Issue
    from sherloc.schema.report import Report

_FORMATS = ("html", "markdown", "prompt", "comment", "sarif", "annotations", "mermaid", "graphml", "dot", "json")
_MOST_BYTES = 64_000_000
_HELP = """Write a report on an ISSUE: as one HTML page, or in any other form.

ISSUE is given as for locate, or is a report that was kept (locate --json), which is then not made anew.

\b
  sherloc report issue.md -o report.html
  sherloc locate issue.md --json > kept.json && sherloc report kept.json --format sarif -o kept.sarif
"""


@click.command(help=_HELP, short_help="A report as an HTML page, SARIF, comment ...")
@click.argument("issue", required=False)
@issue_options
@failure_options
@click.option("--format", "form", type=click.Choice(_FORMATS), default="html", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Where to; - is stdout.  [default: -]")
@click.option("--issue", "issue_text", metavar="ISSUE", help="The issue of a kept report, to show its text in HTML.")
@talk_options
@click.pass_context
def report(
    ctx: click.Context, /, issue: str | None, form: str, output: str | None, issue_text: str | None, **where: Any
) -> None:  # fmt: skip
    """See ``_HELP``."""
    from sherloc.cli.locate import make_report, tell_diagnostics
    from sherloc.issue_files import read_issue
    from sherloc.render.formats import render

    talk = talk_of(ctx)
    if form == "html" and output is None and sys.stdout.isatty():
        raise UsageError("An HTML page is of no use on a terminal.", hint="Give a file: -o report.html")
    failed, where = taken_apart(where)
    kept = _kept(issue) if issue is not None else None
    shown: Issue | None = read_issue(issue_text) if issue_text else None
    if kept is None:
        asked = read_asked(issue, **failed)
        shown = shown or (None if isinstance(asked.issue, str) else asked.issue)
        found = make_report(asked, talk, **where)
        tell_diagnostics(found, talk)
    else:
        found = kept
    if form == "html":
        from sherloc.render.html import report_html

        text = report_html(found, shown)
    else:
        text = render(found, form)
    if output in (None, "-"):
        write_data(text)
    else:
        write_file(str(output), text)
        talk.say(f"wrote {output}")


def _kept(given: str) -> Report | None:
    """The report in a file; None for what is no report."""
    from pydantic import ValidationError

    from sherloc.schema.report import Report

    if given == "-" or not os.path.isfile(given):
        return None
    try:
        with open(given, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:
        return None  # read_issue says what is wrong with it
    if not data.lstrip().startswith(b"{") or b'"ranked_files"' not in data or b'"brief"' not in data:
        return None
    try:
        return _whole(Report.model_validate_json(data), given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"{given} is no report that this version can read: {where}: {first['msg']}.",
            hint="Make it anew: sherloc locate ISSUE --json",
        ) from error


def _whole(report: Report, given: str) -> Report:
    """The report, if its parts fit together: a graph's nodes are its diagnoses."""
    graph, count = report.evidence, len(report.diagnoses)
    fits = len(graph.nodes) == count and all(edge.first < edge.second < count for edge in graph.edges)
    if fits and all(node.community < len(graph.communities) for node in graph.nodes):
        return report
    raise UsageError(
        f"{given} is no report that this version can read: its evidence graph and its diagnoses do not fit together.",
        hint="Make it anew: sherloc locate ISSUE --json",
    )

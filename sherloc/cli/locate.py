"""``sherloc locate``: the report, for a person or a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import (
    Talk,
    failure_options,
    issue_options,
    stdout_kept_clean,
    talk_of,
    talk_options,
    write_data,
)
from sherloc.cli.failures import Asked, read_asked, taken_apart
from sherloc.cli.models import model_options, use_in_words, write_estimate, write_prompts

if TYPE_CHECKING:
    from sherloc.estimating import Estimate
    from sherloc.locator import Locator
    from sherloc.schema.report import Report

_FORMATS = ("text", "json", "markdown", "prompt", "comment", "sarif", "annotations", "mermaid", "graphml", "dot")


@click.command(short_help="Files, functions and lines to change.")
@click.argument("issue", required=False)
@issue_options
@failure_options
@model_options
@click.option("--estimate", is_flag=True, help="Only show calls, tokens and price of the mode; ask nothing.")
@click.option("--show-prompts", is_flag=True, help="Only show what the models would be asked; ask nothing.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Length of the lists: 5, in JSON 50.")
@click.option("--json", "as_json", is_flag=True, help="The report, the estimate or the prompts as one JSON document.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="--json is short for json.")
@click.option("--strict", is_flag=True, help="Exit with 7 when the report has a warning or an error.")
@talk_options
@click.pass_context
def locate(
    ctx: click.Context,
    /,
    issue: str | None,
    as_json: bool,
    form: str,
    top: int | None,
    strict: bool,
    estimate: bool,
    show_prompts: bool,
    **where: Any,
) -> None:
    """Find the files, functions and lines to change for an ISSUE.

    ISSUE is a text, Markdown or JSON file (title and body), - for stdin, or the text itself in quotes. A failing test
    or the log of a failing run may stand in for it, or add to it.
    """
    talk = talk_of(ctx)
    failed, where = taken_apart(where)
    asked = read_asked(issue, **failed)
    if estimate or show_prompts:
        found = make_estimate(asked, talk, top=top, **where)
        (write_prompts if show_prompts else write_estimate)(found, as_json=as_json or form == "json")
        return
    report = make_report(asked, talk, top=top, **where)
    if form == "text" and not as_json:
        _print(report, talk, top)
    else:
        from sherloc.render.formats import render

        write_data(render(report, "json" if as_json else form, top=top))
    tell_diagnostics(report, talk)
    if report.run.mode != "offline":
        talk.say(use_in_words(report.run))
    if strict:
        raise_for_diagnostics(report)


def make_report(asked: Asked, talk: Talk, **where: Any) -> Report:
    """Locate what a command line asks for.

    Args:
        asked: The issue and what failing tests showed.
        talk: Where progress goes.
        **where: The options of the command, see ``_open``.

    Raises:
        SherlocError: As ``sherloc.locate``, and for an issue that cannot be read.
    """
    from sherloc.cli.progress import Progress

    scope = where.pop("scope", ())
    with stdout_kept_clean(), Progress(talk) as progress, _open(**where) as locator:
        return locator.locate(asked.issue, scope=scope, on_progress=progress, failures=asked.failures)


def make_estimate(asked: Asked, talk: Talk, **where: Any) -> Estimate:
    """What locating would ask of models; arguments as for ``make_report``.

    Raises:
        SherlocError: As ``sherloc.locate``, and for an issue that cannot be read.
    """
    from sherloc.cli.progress import Progress

    scope = where.pop("scope", ())
    with stdout_kept_clean(), Progress(talk) as progress, _open(**where) as locator:
        return locator.estimate(asked.issue, scope=scope, on_progress=progress)


def _open(
    *,
    repo: str,
    revision: str | None = None,
    include_tests: bool = False,
    assignments: tuple[str, ...] = (),
    top: int | None = None,
    mode: str | None = None,
    model: str | None = None,
) -> Locator:
    """The locator of a command's options: --repo, --rev, --include-tests, --set, --top, --mode and --model."""
    from sherloc.cli.assignments import read_assignments
    from sherloc.locator import Locator

    settings = read_assignments(assignments, include_tests=include_tests)
    if top is not None:
        settings.setdefault("output", {})["top"] = top
    return Locator(repo, revision=revision, settings=settings, mode=mode, model=model)


def tell_diagnostics(report: Report, talk: Talk) -> None:
    """Warnings and errors on stderr; what is only good to know with --verbose."""
    for diagnostic in report.diagnostics:
        about = f"{diagnostic.path}: " if diagnostic.path and diagnostic.path not in diagnostic.message else ""
        if diagnostic.severity == "info":
            talk.detail(f"note: {about}{diagnostic.message}")
        else:
            talk.say(f"{about}{diagnostic.message}", mark=diagnostic.severity)


def raise_for_diagnostics(report: Report) -> None:
    """End with an error when the report has warnings or errors.

    Raises:
        DiagnosticsError: It has.
    """
    from sherloc.errors import DiagnosticsError

    bad = [diagnostic for diagnostic in report.diagnostics if diagnostic.severity != "info"]
    if bad:
        raise DiagnosticsError(f"strict: {len(bad)} warnings or errors: {', '.join(sorted({d.code for d in bad}))}")


def _print(report: Report, talk: Talk, top: int | None) -> None:
    from sherloc.render.console import make_console
    from sherloc.render.terminal import print_report

    print_report(report, make_console(sys.stdout, no_color=talk.no_color), top=top, verbose=talk.verbose)

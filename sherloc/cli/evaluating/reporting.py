"""``sherloc eval report``: one HTML file that is read without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sherloc.cli.common import stdout_kept_clean, talk_of, talk_options
from sherloc.cli.evaluating.common import Asked, infos_of, score_options, scored_runs


@click.command(short_help="One self-contained HTML file with plots and failures.")
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option("--out", required=True, metavar="FILE", help="The .html file to write.")
@click.option("--title", default="Localization", show_default=True, help="Of the page.")
@score_options
@talk_options
@click.pass_context
def report(ctx: click.Context, /, runs: tuple[str, ...], out: str, title: str, **asked: Any) -> None:
    """Write accuracy, calibration, cost and every failure with its evidence as one HTML file. Needs the extra eval.

    With two or more runs, each later one is compared with the first.
    """
    from sherloc.evaluation.report import write_report

    talk = talk_of(ctx)
    with stdout_kept_clean():
        scored, _ = scored_runs(runs, Asked(**asked), talk)
        write_report(scored, Path(out), title=title, infos=infos_of(runs))
    talk.say(f"written to {out}")

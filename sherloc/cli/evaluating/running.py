"""``sherloc eval run``: locate every instance of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from sherloc.cli.common import stdout_kept_clean, talk_of, talk_options, write_data, write_json
from sherloc.cli.evaluating.common import choice_options, place_options
from sherloc.errors import EvaluationError, UsageError


@click.command(short_help="Locate every instance; go on where a run stopped.")
@click.argument("data")
@click.option("--out", required=True, metavar="FOLDER", help="Of the run: configuration and predictions.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Local processes.")
@click.option("--scheduler", default="", metavar="ADDRESS", help="A Dask scheduler (tcp://host:8786) instead.")
@click.option("--retry-failed", is_flag=True, help="Make failed predictions again.")
@click.option("--set", "assignments", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON document.")
@choice_options
@place_options
@talk_options
@click.pass_context
def run(
    ctx: click.Context, /, data: str, out: str, workers: int, scheduler: str, retry_failed: bool,
    assignments: tuple[str, ...], as_json: bool, **where: Any,
) -> None:  # fmt: skip
    """Locate every instance of DATA: a .json, .jsonl or .parquet file (.gz too), or a name for the datasets library.

    A method is only given the issue's text. A run that was stopped goes on; a folder with another configuration's
    results is refused. Failed instances are kept as failures and count as misses; that all failed is an error.
    """
    from sherloc.cli.assignments import given_sections
    from sherloc.cli.evaluating.progress import RunProgress
    from sherloc.evaluation.harness import Source, run_source

    if scheduler and workers > 1:
        raise UsageError("--workers and --scheduler exclude each other: the cluster knows its workers.")
    talk = talk_of(ctx)
    with stdout_kept_clean(), RunProgress(talk) as progress:
        predictions = run_source(
            Source(data, **where), out, settings=given_sections(assignments), workers=workers, scheduler=scheduler,
            retry_failed=retry_failed, on_progress=progress,
        )  # fmt: skip
    failed = {key: prediction.error for key, prediction in predictions.items() if prediction.error}
    if as_json:
        write_json({"folder": out, "located": len(predictions) - len(failed), "failed": failed})
        _check_some(failed, len(predictions))
        return
    write_data(f"{len(predictions) - len(failed)} located, {len(failed)} failed; kept in {out}")
    for key, words in list(failed.items())[:5]:
        talk.say(f"{key}: {words}", mark="warning")
    if failed:
        talk.say("Make failed ones again with --retry-failed.")
    _check_some(failed, len(predictions))


def _check_some(failed: Mapping[str, str], total: int) -> None:
    """Refuse a run without any answer: it measures nothing.

    Raises:
        EvaluationError: Every instance failed.
    """
    if failed and len(failed) == total:
        key, words = next(iter(failed.items()))
        raise EvaluationError(f"Every instance failed, the first ({key}): {words}", hint="Mend that; --retry-failed.")

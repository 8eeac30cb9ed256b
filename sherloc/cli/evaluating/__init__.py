"""``sherloc eval``: run, score, compare, report and export evaluations."""

from __future__ import annotations

import click

from sherloc.cli.evaluating.comparing import compare
from sherloc.cli.evaluating.exporting import export
from sherloc.cli.evaluating.reporting import report
from sherloc.cli.evaluating.running import run
from sherloc.cli.evaluating.scoring import score

_HELP = """Evaluate on issues with known fixes: SWE-bench's data sets, or your own.

\b
  sherloc eval run dev.jsonl --mirrors mirrors/ --out runs/base --workers 2
  sherloc eval score runs/base --by repo
  sherloc eval compare runs/base runs/other
  sherloc eval report runs/base runs/other --out report.html
  sherloc eval export runs/base --format locagent --out loc_outputs.jsonl
"""


@click.group(name="eval", help=_HELP, short_help="Run, score and compare on issues with known fixes.")
def evaluate() -> None:
    """The group; it has nothing to do itself."""


for _command in (run, score, compare, report, export):
    evaluate.add_command(_command)

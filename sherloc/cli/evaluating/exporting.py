"""``sherloc eval export``: predictions in other systems' formats."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sherloc.cli.common import talk_of, talk_options, write_data
from sherloc.errors import UsageError


@click.command(short_help="Predictions in the format of another system.")
@click.argument("run")
@click.option("--format", "form", required=True, metavar="NAME",
              help="locagent, agentless, sherloc-paper, swebench or sherloc.")  # fmt: skip
@click.option("--out", metavar="FILE", help="A .jsonl or .json file; stdout otherwise.")
@click.option("--model-name", metavar="NAME", help="model_name_or_path of SWE-bench predictions.  [default: the run's]")
@click.option("--from", "source_form", default="", metavar="NAME", help="Format of a file; told by its fields.")
@talk_options
@click.pass_context
def export(
    ctx: click.Context, /, run: str, form: str, out: str | None, model_name: str | None, source_form: str
) -> None:
    """Write the predictions of RUN, the folder of a run or a file of any known format, as another system reads them.

    swebench takes the patches (model_patch) of the predictions; instances without one get an empty patch.
    """
    from sherloc.evaluation.formats import export as export_predictions
    from sherloc.evaluation.formats import read_predictions

    predictions = read_predictions(run, form=source_form)
    name = model_name or f"sherloc-{Path(run).resolve().name.split('.')[0]}"
    records = export_predictions(predictions.values(), form, model_name=name)
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if out is None:
        write_data(lines)
        return
    path = Path(out)
    if path.suffix not in (".json", ".jsonl"):
        raise UsageError(f"{out} must end with .jsonl or .json.")
    text = json.dumps(records, indent=2, ensure_ascii=False) + "\n" if path.suffix == ".json" else lines
    unfinished = path.with_suffix(path.suffix + ".tmp")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)
    talk_of(ctx).say(f"{len(records)} predictions written to {out}")

"""``sherloc schema``: JSON schemas of what goes in and comes out."""

from __future__ import annotations

from importlib import import_module

import click

from sherloc.cli.common import write_data, write_json

_MODELS = {
    "report": ("sherloc.schema.report:Report", "what locate gives"),
    "brief": ("sherloc.schema.brief:SurgeryBrief", "the surgery brief"),
    "settings": ("sherloc.settings:Settings", "every setting, with default and unit"),
    "diagnosis": ("sherloc.schema.diagnosis:Diagnosis", "what one piece of code has to do with the issue"),
    "change_set": ("sherloc.schema.change_set:ChangeSet", "a place that must change"),
    "issue": ("sherloc.schema.issue:Issue", "an issue"),
    "proposal": ("sherloc.schema.proposal:PatchProposal", "what a patch generator answers"),
    "fix": ("sherloc.schema.fix:FixReport", "what fix gives"),
}


@click.command(short_help="JSON schemas of what comes out.")
@click.argument("name", type=click.Choice(tuple(_MODELS)), default="report", metavar="[NAME]")
@click.option("--list", "as_list", is_flag=True, help="The names, and what each is.")
def schema(name: str, as_list: bool) -> None:
    """Print a JSON schema: of the report, unless another NAME is given."""
    if as_list:
        write_data("\n".join(f"{each:<12}{words}" for each, (_, words) in _MODELS.items()))
        return
    module, _, model = _MODELS[name][0].partition(":")
    write_json(getattr(import_module(module), model).model_json_schema(mode="serialization"))

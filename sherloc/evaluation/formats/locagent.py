"""LocAgent's ``loc_outputs.jsonl``: ranked files, modules (classes and top-level functions) and entities (functions).

Names are ``path.py:Class.function``. Its own merge step has flat lists; before it, each list holds one list a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sherloc.evaluation.formats._places import clean_path, first_of, merged, unique, wrong
from sherloc.evaluation.predicting import holder
from sherloc.evaluation.predictions import Prediction, prediction_of


def read(record: Mapping[str, Any], where: str) -> Prediction:
    """A prediction out of a record of LocAgent."""
    functions = unique(map(_name, merged(record, "found_entities", where)))
    modules = unique(map(_name, merged(record, "found_modules", where)))
    usage = {} if record.get("usage") is None else record["usage"]
    if not isinstance(usage, dict):
        raise wrong(usage, where, "usage", "an object")
    return prediction_of(
        {
            "instance_id": record["instance_id"],
            "files": list(unique(map(clean_path, merged(record, "found_files", where)))),
            # A module that is itself among the functions is a function at the top, not a class.
            "classes": [name for name in modules if name not in functions],
            "functions": list(functions),
            "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"),
            "cost": first_of(usage, "cost($)", "cost"),
        },
        where,
    )


def _name(text: str) -> str:
    path, colon, name = text.partition(":")
    return f"{clean_path(path)}::{name.strip()}" if colon and name.strip() else ""


def write(prediction: Prediction, _: str) -> dict[str, Any]:
    """A record as LocAgent's evaluation and its follow-up steps read it."""
    entities = [_entity(name) for name in prediction.functions or ()]
    modules = unique(_module(name) for name in prediction.functions or ())
    return {
        "instance_id": prediction.instance_id,
        "found_files": list(prediction.files),
        "found_modules": list(modules),
        "found_entities": entities,
        "raw_output_loc": [],
    }


def _entity(name: str) -> str:
    path, _, qualified = name.partition("::")
    return f"{path}:{qualified}"


def _module(name: str) -> str:
    path, _, qualified = name.partition("::")
    return f"{path}:{holder(qualified) or qualified}"

"""Agentless' ``loc_outputs.jsonl``: files, related locations and edit locations as blocks of text lines.

A block holds lines like ``class: A``, ``function: A.f``, ``variable: X`` and ``line: 12``; blocks stand in lists in the
order of ``found_files`` (with one more level for samples), or in an object by path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sherloc.evaluation.formats._places import clean_path, merged, texts, unique, wrong
from sherloc.evaluation.metrics import Span
from sherloc.evaluation.predicting import holder
from sherloc.evaluation.predictions import Prediction, prediction_of

_ENTRY = re.compile(r"^\s*(class|function|method|line|lines)\s*:\s*(\S.*?)\s*$", re.IGNORECASE)
_LINES = re.compile(r"(?<!\d)(\d{1,9})(?!\d)\s*(?:-\s*(\d{1,9})(?!\d))?")
_BLOCKS = "blocks of text, in lists or by path"


def read(record: Mapping[str, Any], where: str) -> Prediction:
    """A prediction out of a record of Agentless; edit locations come before related ones."""
    files = list(unique(map(clean_path, merged(record, "found_files", where))))
    functions: list[str] = []
    classes: list[str] = []
    spans: list[Span] = []
    for field in ("found_edit_locs", "found_related_locs"):
        for path, kind, text in _entries(record, field, files, where):
            if kind in ("function", "method"):
                functions.append(f"{path}::{text}")
                classes += [f"{path}::{holder(text)}"] if holder(text) else []
            elif kind == "class":
                classes.append(f"{path}::{text}")
            elif field == "found_edit_locs":
                spans += [(path, int(first), int(last or first)) for first, last in _LINES.findall(text)]
    fields: dict[str, Any] = {"instance_id": record["instance_id"], "files": files}
    if "found_edit_locs" in record or "found_related_locs" in record:
        fields |= {"functions": list(unique(functions)), "classes": list(unique(classes))}
        fields["lines"] = _joined(spans)
    return prediction_of(fields, where)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that follow on one another made one: each line stands by itself in a block."""
    found: list[Span] = []
    for path, first, last in dict.fromkeys(spans):
        if found and found[-1][0] == path and found[-1][2] + 1 == first:
            found[-1] = (path, found[-1][1], last)
        else:
            found.append((path, first, last))
    return found


def _entries(record: Mapping[str, Any], field: str, files: Sequence[str], where: str) -> Iterator[tuple[str, str, str]]:
    """(path, kind, text) of each line of each block."""
    for path, block in _blocks(record.get(field), files, where, field):
        for line in block.split("\n"):
            found = _ENTRY.match(line)
            if found:
                yield path, found[1].lower(), found[2].strip("() ")


def _blocks(value: Any, files: Sequence[str], where: str, field: str) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if not isinstance(value, (list, Mapping)):
        raise wrong(value, where, field, _BLOCKS)
    for sample in value if isinstance(value, list) and _is_sampled(value) else [value]:
        if isinstance(sample, Mapping):
            by_path: Iterable[tuple[str, Any]] = ((clean_path(str(path)), blocks) for path, blocks in sample.items())
        elif isinstance(sample, list):
            named = (*files, *("" for _ in range(len(sample) - len(files))))
            by_path = zip(named, sample, strict=False)
        else:
            raise wrong(sample, where, field, _BLOCKS)
        for path, blocks in by_path:
            for block in texts(blocks, where, field):
                if path:
                    yield path, block


def _is_sampled(value: Sequence[Any]) -> bool:
    """Whether the outer list is of samples: then each holds a list, or an object, for its files."""
    inner = [item for item in value if isinstance(item, (list, Mapping)) and item]
    return any(isinstance(item, Mapping) or any(isinstance(x, list) for x in item) for item in inner)


def write(prediction: Prediction, _: str) -> dict[str, Any]:
    """A record as Agentless' repair step reads it: one sample of edit locations."""
    places = prediction.change_sets or ()
    spans = [(path, first, last) for path, first, last, _ in places] or list(prediction.lines or ())[:5]
    related = [_block(path, prediction, ()) for path in prediction.files]
    edits = [_block(path, None, [span for span in spans if span[0] == path]) for path in prediction.files]
    return {
        "instance_id": prediction.instance_id,
        "found_files": list(prediction.files),
        "found_related_locs": [[block] for block in related],
        "found_edit_locs": [[[block] for block in edits]],
        "additional_artifact_loc_file": None,
        "additional_artifact_loc_related": None,
        "additional_artifact_loc_edit_location": None,
        "file_traj": {},
        "related_loc_traj": {},
        "edit_loc_traj": {},
    }


def _block(path: str, names: Prediction | None, spans: Iterable[Span]) -> str:
    rows = [f"line: {line}" for _, first, last in spans for line in range(first, last + 1)]
    if names is not None:
        own = (name.partition("::") for name in names.functions or ())
        rows += [f"function: {qualified}" for where, _, qualified in own if where == path]
    return "\n".join(rows)

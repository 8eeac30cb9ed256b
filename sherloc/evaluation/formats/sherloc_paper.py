"""The records of the SHERLOC paper's release: a set of ``locations`` with line ranges, and findings as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sherloc.errors import DataError
from sherloc.evaluation.formats._places import clean_path, unique, wrong
from sherloc.evaluation.metrics import Span
from sherloc.evaluation.predictions import Prediction, prediction_of

_RAW = re.compile(r"^\s*(?P<path>[^\s:]+):L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?\s*$")
_FAILED = ("failed", "skipped")


def read(record: Mapping[str, Any], where: str) -> Prediction:
    """A prediction out of a record: its locations are suspect lines by rank, and the change set."""
    places = record.get("locations")
    if places is None:
        places = []
    if not isinstance(places, list):
        raise DataError(f"{where}: the field 'locations' must be a list.")
    for place in places:
        _check(place, where)
    spans = list(dict.fromkeys(span for place in places if (span := _span(place))))
    paths = unique(path for place in places if (path := _path(place)))
    for name in ("status", "reason"):
        if not isinstance(record.get(name), (str, type(None))):
            raise wrong(record[name], where, name, "a text")
    failed = record.get("status") in _FAILED and not places
    return prediction_of(
        {
            "instance_id": record["instance_id"],
            "files": list(paths),
            "lines": spans,
            "change_sets": [[*span, 1.0] for span in spans],
            "error": f"{record['status']}: {record.get('reason') or 'no reason given'}" if failed else "",
        },
        where,
    )


def _check(place: Any, where: str) -> None:
    """Refuse a location whose fields have wrong types; a text that names no place is a model's and is passed over."""
    if not isinstance(place, (str, Mapping)):
        raise wrong(place, where, "locations", "objects or texts")
    if isinstance(place, Mapping):
        for name, kinds in (("file_path", str), ("raw", str), ("start_line", int), ("end_line", int)):
            value = place.get(name)
            if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
                raise wrong(value, where, f"locations.{name}", "a text" if kinds is str else "a line's number")


def _span(place: Any) -> Span | None:
    if not isinstance(place, Mapping):
        return _of_text(place)
    path, first = place.get("file_path"), place.get("start_line")
    if isinstance(path, str) and isinstance(first, int):
        last = place.get("end_line")
        return clean_path(path), first, last if isinstance(last, int) else first
    return _of_text(place.get("raw"))


def _of_text(text: Any) -> Span | None:
    found = _RAW.match(text) if isinstance(text, str) else None
    if found is None:
        return None
    return clean_path(found["path"]), int(found["first"]), int(found["last"] or found["first"])


def _path(place: Any) -> str:
    if isinstance(place, Mapping) and isinstance(place.get("file_path"), str):
        return clean_path(place["file_path"])
    span = _span(place)
    return span[0] if span else ""


def write(prediction: Prediction, _: str) -> dict[str, Any]:
    """A record as the release's evaluation reads it: the change set, or the five first suspect spans."""
    places = [(path, first, last) for path, first, last, _ in prediction.change_sets or ()]
    return {
        "instance_id": prediction.instance_id,
        "locations": [
            {"file_path": path, "start_line": first, "end_line": last, "raw": f"{path}:L{first}-L{last}"}
            for path, first, last in places or list(prediction.lines or ())[:5]
        ],
        "findings": _findings(prediction),
        "status": "failed" if prediction.error else "success",
        "reason": prediction.error or None,
    }


def _findings(prediction: Prediction) -> str | None:
    rows = [f"- {each.path}: {' '.join(each.why)}" for each in prediction.evidence if each.why]
    return "\n".join(rows) or None

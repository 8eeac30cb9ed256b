"""The official harness's verdicts, joined in: whether a patch resolves its issue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.errors import DataError


def read_resolved(path: Path) -> dict[str, bool]:
    """Which instances are resolved, by id, out of the harness's report.

    Args:
        path: The report of a run (``MODEL.RUN.json``, with ``resolved_ids`` and others), a ``report.json`` of one
            instance, or a folder that holds such ones at any depth.

    Returns:
        Every instance that the report names; those with an empty patch or an error are not resolved.

    Raises:
        DataError: It is no such report.
    """
    if path.is_dir():
        found: dict[str, bool] = {}
        for each in sorted(path.rglob("report.json")):
            found.update(_verdicts(each))
        if not found:
            raise DataError(f"{path} holds no report.json of the harness.")
        return found
    return _verdicts(path)


def _verdicts(path: Path) -> dict[str, bool]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"The harness's report {path} cannot be read: {error}.") from error
    if isinstance(record, dict) and isinstance(record.get("resolved_ids"), list):
        named = (_ids(record, key) for key in record if key.endswith("_ids"))
        found = {key: False for ids in named for key in ids}
        return found | dict.fromkeys(_ids(record, "resolved_ids"), True)
    if isinstance(record, dict) and record and all(_is_verdict(value) for value in record.values()):
        return {key: value["resolved"] for key, value in record.items()}
    raise DataError(
        f"{path} is not a report of SWE-bench's harness.",
        hint="It has resolved_ids, or an object with 'resolved' an id.",
    )


def _ids(record: Mapping[str, Any], key: str) -> list[str]:
    value = record[key]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _is_verdict(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("resolved"), bool)


@dataclass(frozen=True, slots=True)
class Joined:
    """Localization against repair, by instance: ids of the four cases."""

    found_resolved: tuple[str, ...]
    found_unresolved: tuple[str, ...]
    missed_resolved: tuple[str, ...]
    missed_unresolved: tuple[str, ...]


def join(rows: Mapping[str, Mapping[str, float]], name: str = "file Acc@1") -> Joined:
    """Which instances are located, and which are resolved.

    Args:
        rows: Measures by id, with ``resolved``.
        name: The share that says whether an instance is located.
    """
    cases: dict[tuple[bool, bool], list[str]] = {}
    for key, row in rows.items():
        if name in row and "resolved" in row:
            cases.setdefault((row[name] > 0, row["resolved"] > 0), []).append(key)

    def sorted_ids(*case: bool) -> tuple[str, ...]:
        ids: Iterable[str] = cases.get((case[0], case[1]), ())
        return tuple(sorted(ids))

    return Joined(
        sorted_ids(True, True), sorted_ids(True, False), sorted_ids(False, True), sorted_ids(False, False)
    )  # fmt: skip

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherloc.errors import DataError
from sherloc.evaluation.resolving import join, read_resolved


def test_the_report_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "m.run.json"
    path.write_text(json.dumps({
        "total_instances": 5, "completed_ids": ["a", "b"], "resolved_ids": ["a"], "unresolved_ids": ["b"],
        "empty_patch_ids": ["c"], "error_ids": ["d"], "incomplete_ids": ["e"], "schema_version": 2,
    }))  # fmt: skip
    assert read_resolved(path) == {"a": True, "b": False, "c": False, "d": False, "e": False}


def test_reports_of_instances(tmp_path: Path) -> None:
    for key, resolved in (("a", True), ("b", False)):
        folder = tmp_path / "logs" / key
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps({key: {"patch_exists": True, "resolved": resolved}}))
    assert read_resolved(tmp_path / "logs") == {"a": True, "b": False}
    assert read_resolved(tmp_path / "logs" / "a" / "report.json") == {"a": True}


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"a": 1}', '{"a": {"resolved": "yes"}}'])
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"report\.json"):
        read_resolved(path)
    with pytest.raises(DataError):
        read_resolved(tmp_path / "none.json")


def test_localization_and_repair_by_instance() -> None:
    rows = {
        "a": {"file Acc@1": 1.0, "resolved": 1.0}, "b": {"file Acc@1": 1.0, "resolved": 0.0},
        "c": {"file Acc@1": 0.0, "resolved": 1.0}, "d": {"file Acc@1": 0.0, "resolved": 0.0},
        "e": {"resolved": 1.0},
    }  # fmt: skip
    found = join(rows)
    assert (found.found_resolved, found.found_unresolved) == (("a",), ("b",))
    assert (found.missed_resolved, found.missed_unresolved) == (("c",), ("d",))

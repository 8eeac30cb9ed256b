"""Our gold against the bench's own, on every Python issue of the development set.

SHERLOC_BENCH names the folder with locbench.py and the data, SHERLOC_MIRRORS the one with the repositories.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from sherloc.evaluation.golds import golds_of
from sherloc.evaluation.instances import load_instances
from sherloc.evaluation.metrics import accuracy_at, hit_at, lines_within, reciprocal_rank
from sherloc.evaluation.predictions import read_records
from sherloc.evaluation.repositories import Repositories

BENCH, MIRRORS = os.environ.get("SHERLOC_BENCH", ""), os.environ.get("SHERLOC_MIRRORS", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BENCH or not MIRRORS, reason="SHERLOC_BENCH and SHERLOC_MIRRORS are not set"),
]

EXPLAINED = {
    # A comment that stands right above a nested function was removed with it. Our outline counts leading comments to
    # the function below, so nothing outside of `_find_pivot` and `bareiss` changed; locbench counts the comment to the
    # function around both.
    ("sympy__sympy-13877", "functions"): (["sympy/matrices/matrices.py::MatrixDeterminant._eval_det_bareiss"], []),
}  # fmt: skip


@pytest.fixture(scope="module")
def locbench() -> Any:
    environment = {
        "LOCBENCH_DATA": f"{BENCH}/dev_python.json.gz", "LOCBENCH_MIRRORS": MIRRORS,
    }  # fmt: skip
    os.environ.update(environment)
    spec = importlib.util.spec_from_file_location("locbench", f"{BENCH}/locbench.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ours() -> Any:
    instances = load_instances(f"{BENCH}/dev_python.json.gz")
    return golds_of(instances, Repositories(Path(MIRRORS)))


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_gold_is_the_same_and_each_difference_is_explained(locbench: Any, ours: Any) -> None:
    differences = {}
    for row in locbench.load_instances():
        theirs, gold = locbench.gold_of_instance(row), ours[row["instance_id"]]
        for name, a, b in (
            ("files", theirs["files"], gold.files),
            ("functions", theirs["functions"], gold.functions),
            ("outer functions", theirs["functions_outer"], gold.outer_functions),
            ("classes", theirs["classes"], gold.classes),
            ("lines", [tuple(each) for each in theirs["lines"]], gold.lines),
        ):
            if a != b:
                only = [x for x in a if x not in b], [x for x in b if x not in a]
                differences[row["instance_id"], name] = only
        assert theirs["new_files"] == gold.new_files
        assert gold.unplaced == 0
    assert len(ours) == 407
    assert differences == EXPLAINED


def test_measures_are_the_same_on_a_published_output(locbench: Any, ours: Any) -> None:
    import gzip
    import json
    import tempfile

    data = gzip.decompress(Path(BENCH, "baseline_d_python.jsonl.gz").read_bytes()).decode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.jsonl"
        path.write_text(data)
        rows = {record["instance_id"]: record for _, record in read_records(path)}
    assert rows == {row["instance_id"]: row for row in map(json.loads, data.splitlines())}
    for key, gold in ours.items():
        row = rows.get(key, {})
        files, functions = row.get("files") or [], row.get("functions") or []
        spans = [tuple(span) for span in row.get("lines") or []]
        for k in (1, 3, 5, 10):
            assert accuracy_at(files, gold.files, k) == locbench.acc(locbench.dedup(files), gold.files, k)
            assert hit_at(files, gold.files, k) == locbench.hit(locbench.dedup(files), gold.files, k)
            if gold.functions:
                expected = locbench.acc(locbench.dedup(functions), gold.functions, k)
                assert accuracy_at(functions, gold.functions, k) == expected
        assert reciprocal_rank(files, gold.files) == locbench.rr(locbench.dedup(files), gold.files)
        assert lines_within(spans[:5], gold.lines) == locbench.line_hit(spans, gold.lines)

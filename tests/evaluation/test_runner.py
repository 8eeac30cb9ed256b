from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from sherloc.evaluation.gold import Gold
from sherloc.evaluation.runner import Instance, read_predictions, run
from sherloc.evaluation.table import lines, measure, relevance_auc, summary

FILES = {"a.py": "def parse_header():\n    pass\n", "b.py": "def other():\n    pass\n"}


def instances(repo: Path) -> list[Instance]:
    one = {"cache": {"workers": 1}}
    return [
        Instance("x-1", "`parse_header` is wrong", str(repo), "HEAD", one),
        Instance("x-2", "`other` is wrong", str(repo), "HEAD", one),
        Instance("x-3", "nothing", str(repo), "no-such-revision", one),
    ]


def test_runs_are_resumed_and_half_lines_made_again(make_repository: Callable[..., Path], tmp_path: Path) -> None:
    repo, out = make_repository(FILES), tmp_path / "predictions.jsonl"
    assert [row["instance_id"] for row in run(instances(repo), out)] == ["x-1", "x-2", "x-3"]
    whole = out.read_text().splitlines()
    out.write_text(whole[0] + "\n" + whole[1][: len(whole[1]) // 2])
    assert [row["instance_id"] for row in run(instances(repo), out)] == ["x-2", "x-3"]
    found = read_predictions(out)
    assert found["x-1"]["files"][0] == "a.py"
    assert "no-such-revision" in found["x-3"]["error"]
    assert [row["instance_id"] for row in run(instances(repo), out, retry_failed=True)] == ["x-3"]
    assert all(json.loads(line) for line in out.read_text().splitlines())


def test_processes_give_the_same_predictions(make_repository: Callable[..., Path], tmp_path: Path) -> None:
    repo = make_repository(FILES)
    list(run(instances(repo), tmp_path / "one.jsonl"))
    list(run(instances(repo), tmp_path / "two.jsonl", workers=2))
    one, two = (read_predictions(tmp_path / name) for name in ("one.jsonl", "two.jsonl"))
    assert {k: v.get("files") for k, v in one.items()} == {k: v.get("files") for k, v in two.items()}


def test_a_missing_prediction_is_a_miss() -> None:
    gold = Gold(files=["a.py"], functions=["a.py::f"], lines=[("a.py", 1)], chunks=[("a.py", 1, 1)])
    row = measure({}, gold)
    assert (row["file Acc@10"], row["func Acc@10"], row["MRR"], row["set recall"]) == (0, 0, 0, 0)


def test_the_table_has_each_group_all_and_the_mean_of_groups() -> None:
    groups = {"r1": [{"MRR": 1.0}, {"MRR": 0.0}], "r2": [{"MRR": 1.0}]}
    assert lines(groups, ["MRR"])[2:] == [
        "| r1 | 2 | 0.500 |",
        "| r2 | 1 | 1.000 |",
        "| **all** | 3 | 0.667 |",
        "| *mean of groups* | 2 | 0.750 |",
    ]
    assert summary([{"first lines": 3}, {"first lines": 9}, {"first lines": 4}]) == {"first lines": 4}


def test_auc_of_relevance_is_over_snippets_that_own_a_changed_line() -> None:
    gold = {"i": Gold(owners={("a.py", "f")})}
    rows = {"i": {"diagnoses": [["a.py", "f", 4.0], ["a.py", "g", 1.0], ["b.py", "f", 2.0]]}}
    assert relevance_auc(rows, gold) == 1.0

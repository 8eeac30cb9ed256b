"""From predictions and gold to tables, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from sherloc.evaluation.cues import cue_of, named_in, query_of
from sherloc.evaluation.gold import Gold
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.measures import MEASURES, measure, offered
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.scores import (
    Scored,
    confidence_of,
    groups,
    macro,
    relevance_auc,
    score,
    scores_record,
    summarise,
)
from sherloc.evaluation.tables import formatted, groups_table, runs_cells, runs_table

GOLD = Gold(
    files=["a.py"], functions=["a.py::A.f"], classes=["a.py::A"], lines=[("a.py", 5), ("a.py", 6)],
    chunks=[("a.py", 5, 6)], owners={("a.py", "A.f")},
)  # fmt: skip


def instance(key: str, repo: str = "o/r", text: str = "words only") -> Instance:
    return Instance(key, repo, "c", text)


def prediction(key: str, **fields: Any) -> Prediction:
    return Prediction(instance_id=key, **fields)


def scored(predictions: list[Prediction], golds: dict[str, Gold], repos: dict[str, str] | None = None) -> Scored:
    instances = [instance(key, (repos or {}).get(key, "o/r")) for key in golds]
    return score("run", {p.instance_id: p for p in predictions}, instances, golds)


def test_every_measure_of_one_instance() -> None:
    given = prediction(
        "i", files=["b.py", "a.py"], classes=["a.py::A"], functions=["a.py::g", "a.py::A.f"],
        lines=[("a.py", 20, 24), ("a.py", 6, 9)], change_sets=[("a.py", 5, 8, 0.9), ("b.py", 1, 2, 0.4)],
        context=[("a.py", 1, 10)], context_tokens=40, seconds=1.5, input_tokens=10, output_tokens=3, cost=0.25,
        tests_passed=True, unknown_names=2,
    )  # fmt: skip
    row = measure(given, GOLD, offered([given]))
    assert set(row) == set(MEASURES) - {"resolved"}
    expected = {
        "file Acc@1": 0, "file Acc@3": 1, "file Hit@1": 0, "file MRR": 0.5, "file MAP": 0.5, "class Acc@1": 1,
        "function Acc@1": 0, "function All@3": 1, "function MRR": 0.5, "line Hit@1": 0, "line Hit@3": 1,
        "line All@3": 1, "line Recall@1": 0, "line Recall@3": 0.5, "lines in top 5": 9, "set recall": 1,
        "set precision": 0.5, "set F1": 2 / 3, "set exact": 0, "set all": 1, "places": 2, "chunk recall": 1,
        "chunk tightness": 0.5, "chunk precision": 0.5, "first within 5": 1, "first lines": 4, "context recall": 1,
        "context density": 0.2, "context lines": 10, "context tokens": 40, "seconds": 1.5, "input tokens": 10,
        "output tokens": 3, "cost": 0.25, "tests passed": 1, "unknown names": 2,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected)


def test_a_missing_or_failed_prediction_is_a_miss_of_all_that_the_run_answers() -> None:
    good = prediction("i", files=["a.py"], functions=["a.py::A.f"], lines=[("a.py", 5, 6)])
    failed = prediction("j", error="boom")
    found = scored([good, failed], {"i": GOLD, "j": GOLD, "k": GOLD})
    assert (found.missing, found.failed) == (["k"], ["j"])
    summary = summarise(found.rows.values())
    for name in ("file Acc@1", "function Acc@5", "file MRR", "line Hit@5", "line Recall@10"):
        assert (summary[name].value, summary[name].n) == (pytest.approx(1 / 3), 3), name
    assert "class Acc@1" not in summary  # no prediction of the run says anything of classes
    assert "set recall" not in summary


def test_instances_without_gold_at_a_level_are_in_no_denominator_of_it() -> None:
    golds = {"i": GOLD, "j": Gold(files=["a.py"]), "k": Gold(new_files=1)}
    answers = [prediction(key, files=["a.py"], functions=[], classes=[]) for key in golds]
    found = scored(answers, golds)
    assert found.without_gold == ["k"]
    summary = summarise(found.rows.values())
    assert (summary["file Acc@1"].n, summary["function Acc@1"].n, summary["class Acc@1"].n) == (2, 1, 1)
    assert summary["function Acc@1"].value == 0


def test_micro_and_macro() -> None:
    golds = {"i": GOLD, "j": GOLD, "k": GOLD}
    answers = [prediction("i", files=["a.py"]), prediction("j", files=["a.py"]), prediction("k", files=["b.py"])]
    found = scored(answers, golds, {"i": "o/one", "j": "o/one", "k": "o/two"})
    assert summarise(found.rows.values())["file Acc@1"].value == pytest.approx(2 / 3)
    assert macro(found)["file Acc@1"] == pytest.approx(1 / 2)
    assert groups(found, "repo") == {"o/one": ["i", "j"], "o/two": ["k"]}
    assert groups_table(found, "repo", ["file Acc@1", "file MRR"]) == [
        "| repo | n | file Acc@1 | file MRR |",
        "| --- | --- | --- | --- |",
        "| o/one | 2 | 100.0 | 1.000 |",
        "| o/two | 1 | 0.0 | 0.000 |",
        "| all | 3 | 66.7 | 0.667 |",
        "| mean of groups | 2 | 50.0 | 0.500 |",
    ]
    ((_, head, body),) = runs_cells([found], intervals=False, every=False)
    assert head == ["file", "n", "run", "run, mean of repositories"]
    assert body[0] == ["file Acc@1", "3", "66.7", "50.0"]


def test_intervals_are_wilsons_for_shares_and_bootstrap_for_the_rest() -> None:
    golds = {str(n): GOLD for n in range(10)}
    answers = [prediction(str(n), files=["a.py"] if n < 8 else ["x.py", "a.py"], seconds=n) for n in range(10)]
    summary = summarise(scored(answers, golds).rows.values(), intervals=True)
    acc = summary["file Acc@1"]
    assert (acc.value, acc.low, acc.high) == pytest.approx((0.8, 0.49016, 0.94332), abs=1e-5)
    mrr = summary["file MRR"]
    assert mrr.low is not None
    assert mrr.high is not None
    assert 0.7 < mrr.low < mrr.value == 0.9 < mrr.high <= 1
    assert summary["seconds"].value == 4.5
    assert "80.0 (49.0-94.3)" in runs_table([scored(answers, golds)], intervals=True)[2]


def test_groups_of_all_kinds() -> None:
    golds = {"i": GOLD, "j": Gold(files=["a.py", "b.py"])}
    found = scored([prediction("i", files=["a.py"], level="high")], golds)
    assert groups(found, "files") == {"multi-file": ["j"], "single-file": ["i"]}
    assert groups(found, "level") == {"(none)": ["j"], "high": ["i"]}
    assert groups(found, "language") == {"(unknown)": ["i", "j"]}
    assert groups(found, "cue") == {"words": ["i", "j"]}


@pytest.mark.parametrize(
    ("text", "cue", "named"),
    [
        ("It is slow\n\nvery", "words", "nothing"),
        ("`A.f` is slow", "name", "function or class"),
        ("Slow\n\nsee other/a.py for the reason", "path", "nothing"),
        ("Slow\n\nsee a.py for the reason", "path", "file"),
        ("Slow\n\nsee lib/pkg/a.py for the reason", "path", "file"),
        ('Fails\n\nTraceback (most recent call last):\n  File "/x/pkg/a.py", line 3, in f\n    g()\nValueError: bad\n',
         "traceback", "file"),
        ("Slow\n\n```python\nimport a\na.run(1)\n```\n", "code", "nothing"),
    ],
)  # fmt: skip
def test_cues(text: str, cue: str, named: str) -> None:
    query = query_of(text)
    gold = Gold(files=["pkg/a.py"], functions=["pkg/a.py::A.f"])
    assert (cue_of(query), named_in(query, gold)) == (cue, named)


def test_confidence_is_of_the_first_of_each_ranking() -> None:
    answers = [
        prediction("i", files=["a.py"], file_confidence=[0.9], functions=["a.py::g"], function_confidence=[0.4]),
        prediction("j", files=["b.py"], file_confidence=[0.2]),
    ]
    found = scored(answers, {"i": GOLD, "j": GOLD})
    files, functions = confidence_of(found), confidence_of(found, "function")
    assert files is not None
    assert functions is not None
    assert (files.n, files.auroc, files.brier) == (2, 1.0, pytest.approx(0.025))
    assert (functions.n, functions.brier) == (1, pytest.approx(0.16))


def test_auc_of_relevance_is_over_snippets_that_own_a_changed_line() -> None:
    given = prediction("i", diagnoses=[("a.py", "A.f", 4.0), ("a.py", "g", 1.0), ("b.py", "A.f", 2.0)])
    assert relevance_auc(scored([given], {"i": GOLD})) == 1.0


def test_resolved_is_joined_and_unknown_instances_are_not() -> None:
    instances = [instance("i"), instance("j")]
    found = score("run", {}, instances, {"i": GOLD, "j": GOLD}, resolved={"i": True})
    assert summarise(found.rows.values())["resolved"].value == 0.5


def test_the_record_holds_all_of_it() -> None:
    given = prediction("i", files=["a.py"], file_confidence=[0.9], seconds=1.0)
    record = scores_record(scored([given], {"i": GOLD}), intervals=False)
    assert record["measures"]["file Acc@1"] == {"value": 1.0, "n": 1}
    assert record["groups"]["repo"]["o/r"]["instances"] == 1
    assert record["calibration"]["file"]["n"] == 1
    assert record["relevance_auc"] is None


def test_how_numbers_are_written() -> None:
    assert formatted("file Acc@1", 0.5) == "50.0"
    assert formatted("file MRR", 0.5) == "0.500"
    assert (formatted("seconds", 2.0), formatted("places", 2.25), formatted("cost", 0.5)) == ("2", "2.25", "0.5000")
    assert (formatted("file Acc@1", None), formatted("file Acc@1", float("nan"))) == ("-", "-")

"""Output files of other systems, written in their formats, and back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sherloc.errors import DataError, UsageError
from sherloc.evaluation.formats import FORMATS, export, read_predictions, told_by_fields
from sherloc.evaluation.instances import load_instances
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.repositories import Repositories


def written(tmp_path: Path, *records: Any, name: str = "out.jsonl") -> Path:
    path = tmp_path / name
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(json.dumps(list(records)) if name.endswith(".json") else text)
    return path


def one(tmp_path: Path, record: dict[str, Any]) -> Prediction:
    (found,) = read_predictions(written(tmp_path, record)).values()
    return found


@pytest.mark.parametrize("name", ["out.jsonl", "out.json"])
def test_zipped_files_are_read_as_such(tmp_path: Path, name: str) -> None:
    plain = written(tmp_path, {"instance_id": "i", "files": ["a.py"]}, name=name)
    zipped = plain.with_name(f"{name}.gz")
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_predictions(zipped) == read_predictions(plain)
    zipped.write_bytes(zipped.read_bytes()[:-9])
    with pytest.raises(DataError, match="cannot be read as JSON"):
        read_predictions(zipped)


def test_locagent_merged(tmp_path: Path) -> None:
    found = one(tmp_path, {
        "instance_id": "i", "found_files": ["pkg/a.py", "pkg/b.py"],
        "found_modules": ["pkg/a.py:A", "pkg/b.py:top"],
        "found_entities": ["pkg/a.py:A.f", "pkg/b.py:top"], "raw_output_loc": ["text"],
        "usage": {"prompt_tokens": 900, "completion_tokens": 30, "cost($)": 0.5},
    })  # fmt: skip
    assert found.files == ("pkg/a.py", "pkg/b.py")
    assert (found.classes, found.functions) == (("pkg/a.py::A",), ("pkg/a.py::A.f", "pkg/b.py::top"))
    assert (found.input_tokens, found.output_tokens, found.cost) == (900, 30, 0.5)


def test_locagent_samples_are_merged_by_reciprocal_rank(tmp_path: Path) -> None:
    found = one(tmp_path, {
        "instance_id": "i", "found_files": [["a.py", "b.py"], ["b.py", "c.py"], ["b.py"]],
        "found_modules": [[], [], []], "found_entities": [["a.py:f"], [], ["b.py:g"]],
    })  # fmt: skip
    # a: 1, b: 1/2 + 1 + 1, c: 1/2
    assert found.files == ("b.py", "a.py", "c.py")
    assert found.functions == ("a.py::f", "b.py::g")


@pytest.mark.parametrize(
    "edits",
    [
        [[["class: A\nfunction: A.f\nline: 10\nline: 11"], ["line: 3"]]],  # samples, files, blocks
        [["class: A\nfunction: A.f\nline: 10\nline: 11"], ["line: 3"]],  # files, blocks
        {"a.py": ["class: A\nfunction: A.f\nline: 10\nline: 11"], "b.py": ["line: 3"]},
        [{"a.py": ["class: A\nfunction: A.f\nlines: 10-11"], "b.py": ["line: 3"]}],
    ],
)
def test_agentless_edit_locations_in_all_their_shapes(tmp_path: Path, edits: Any) -> None:
    found = one(tmp_path, {
        "instance_id": "i", "found_files": ["a.py", "b.py"], "found_edit_locs": edits,
        "found_related_locs": [["function: g\nvariable: X"], [""]],
    })  # fmt: skip
    assert found.files == ("a.py", "b.py")
    assert (found.functions, found.classes) == (("a.py::A.f", "a.py::g"), ("a.py::A",))
    assert found.lines == (("a.py", 10, 11), ("b.py", 3, 3))


def test_agentless_with_files_only(tmp_path: Path) -> None:
    found = one(tmp_path, {"instance_id": "i", "found_files": ["./a.py"], "file_traj": {}})
    assert (found.files, found.functions, found.lines) == (("a.py",), None, None)


def test_the_papers_records(tmp_path: Path) -> None:
    found = one(tmp_path, {
        "instance_id": "i", "problem_statement": "x", "status": "success", "findings": "- Root cause: x",
        "locations": [
            {"file_path": "a.py", "start_line": 3, "end_line": 9, "raw": "a.py:L3-L9"},
            {"raw": "b.py:L7"}, {"file_path": "c.py", "raw": "c.py"}, {"raw": "no place"},
        ],
    })  # fmt: skip
    assert found.files == ("a.py", "b.py", "c.py")
    assert found.lines == (("a.py", 3, 9), ("b.py", 7, 7))
    assert found.change_sets == (("a.py", 3, 9, 1.0), ("b.py", 7, 7, 1.0))
    failed = one(tmp_path, {"instance_id": "i", "locations": None, "status": "failed", "reason": "max_steps_exceeded"})
    assert failed.error == "failed: max_steps_exceeded"


def test_swe_bench_predictions_are_the_places_that_the_patch_edits(tmp_path: Path, bench: Any) -> None:
    row = bench.rows[0]
    path = written(tmp_path, {
        "instance_id": row["instance_id"], "model_name_or_path": "m", "model_patch": row["patch"]
    }, {"instance_id": "acme__shop-2", "model_name_or_path": "m", "model_patch": None})  # fmt: skip
    only_files = read_predictions(path)
    assert only_files["acme__shop-1"].files == ("shop/basket.py",)
    assert only_files["acme__shop-2"].model_patch == ""
    found = read_predictions(
        path, instances=load_instances(bench.data), repositories=Repositories(bench.mirrors)
    )["acme__shop-1"]  # fmt: skip
    assert found.functions == ("shop/basket.py::Basket.total_price",)
    assert found.classes == ("shop/basket.py::Basket",)
    assert found.lines == (("shop/basket.py", 11, 11),)


def test_a_json_list_and_an_object_by_id(tmp_path: Path) -> None:
    record = {"instance_id": "i", "model_name_or_path": "m", "model_patch": ""}
    assert list(read_predictions(written(tmp_path, record, name="p.json"))) == ["i"]
    (tmp_path / "by.json").write_text(json.dumps({"i": {"model_patch": "", "model_name_or_path": "m"}}))
    assert list(read_predictions(tmp_path / "by.json")) == ["i"]


FULL = Prediction(
    instance_id="i", files=("a.py", "b.py"), functions=("a.py::A.f", "b.py::g"), classes=("a.py::A",),
    lines=(("a.py", 3, 4),), change_sets=(("a.py", 3, 4, 0.8), ("b.py", 1, 1, 0.3)), model_patch="--- a/a.py",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_exported_is_recognised_and_read_again(tmp_path: Path, form: str) -> None:
    (record,) = export([FULL], form, model_name="sherloc")
    assert told_by_fields(record) == form
    found = one(tmp_path, record)
    if form != "swebench":
        assert found.files == FULL.files
    if form in ("locagent", "agentless", "sherloc"):
        assert found.functions == FULL.functions
        assert found.classes == FULL.classes
    if form in ("agentless", "sherloc-paper"):
        assert found.lines == (("a.py", 3, 4), ("b.py", 1, 1))


def test_the_exports_word_for_word() -> None:
    (locagent,) = export([FULL], "locagent", model_name="")
    assert locagent == {
        "instance_id": "i", "found_files": ["a.py", "b.py"], "found_modules": ["a.py:A", "b.py:g"],
        "found_entities": ["a.py:A.f", "b.py:g"], "raw_output_loc": [],
    }  # fmt: skip
    (agentless,) = export([FULL], "agentless", model_name="")
    assert agentless["found_related_locs"] == [["function: A.f"], ["function: g"]]
    assert agentless["found_edit_locs"] == [[["line: 3\nline: 4"], ["line: 1"]]]
    (paper,) = export([FULL], "sherloc-paper", model_name="")
    assert paper["locations"][0] == {"file_path": "a.py", "start_line": 3, "end_line": 4, "raw": "a.py:L3-L4"}
    (swebench,) = export([FULL], "swebench", model_name="sherloc")
    assert swebench == {"instance_id": "i", "model_name_or_path": "sherloc", "model_patch": "--- a/a.py\n"}
    (empty,) = export([Prediction(instance_id="j")], "swebench", model_name="sherloc")
    assert empty["model_patch"] == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]\n", "not an object with an instance_id"),
        ('{"instance_id": 3}', "not an object with an instance_id"),
        ('{"instance_id": "i", "colour": 1}', "no known format"),
        ('{"instance_id": "i", "files": "a.py"}', "'files'"),
        ('{"instance_id": "i", "found_entities": 3}', "a list was expected"),
        ('{"instance_id": "i", "locations": 3}', "must be a list"),
        ('{"instance_id": "i", "model_patch": 3}', "'model_patch'"),
        ('{"instance_id": "i", "files": [], "cost": -1}', "'cost'"),
        ('{"instance_id": "i", "files": []}\n' * 2, "two predictions for i"),
    ],
)
def test_broken_files_are_told_with_their_place(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "p.jsonl").write_text(text)
    with pytest.raises(DataError, match=words):
        read_predictions(tmp_path / "p.jsonl")


def test_unknown_formats_and_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There are: locagent"):
        read_predictions(tmp_path / "x.jsonl", form="nonsense")
    with pytest.raises(UsageError, match="unknown"):
        export([FULL], "nonsense", model_name="")
    with pytest.raises(DataError, match=r"no run\.json"):
        read_predictions(tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("found_files", "found_entities", "found_modules", "found_edit_locs", "found_related_locs", "locations",
          "model_patch", "files", "functions", "lines", "change_sets", "usage", "status")  # fmt: skip


@example({"found_edit_locs": [None, {"": None}], "found_files": ["a.py"]})
@example({"found_related_locs": [[[3]], "x", {"a": {}}], "found_files": ["a.py"]})
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, min_size=1, max_size=4))
def test_any_json_is_a_prediction_or_one_plain_error(tmp_path_factory: Any, record: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("any") / "p.jsonl"
    path.write_text(json.dumps({"instance_id": "i", **record}))
    try:
        read_predictions(path)
    except DataError as error:
        assert str(path) in str(error)


WRONG: list[Any] = [5, 1.5, True, {"x": 1}, [5], ["a.py", None], [["a.py", 5]], [[None]], [{"a": 1}], [[["x", False]]]]
KNOWN: dict[str, dict[str, list[Any]]] = {
    "locagent": {
        "found_files": [*WRONG, "a.py"], "found_entities": [*WRONG, "a"], "found_modules": [*WRONG, "a"],
        "usage": [5, "x", [1], {"prompt_tokens": []}, {"completion_tokens": "x"}, {"cost": {}}, {"cost($)": -1}],
    },
    "agentless": {
        "found_files": [*WRONG, "a.py"],
        "found_edit_locs": [5, 1.5, True, "line: 1", {"a.py": 5}, {"a.py": [None]}, [5], [[5]], [["x"], 5],
                            [["x", None]]],
        "found_related_locs": [5, "x", {"a.py": {}}, [None], [{"a.py": 5}], [[["x"]], 5]],
    },
    "sherloc-paper": {
        "locations": [5, "a.py:L1", {}, [5], [None], [[]], [{"file_path": 5}], [{"file_path": "a", "start_line": "1"}],
                      [{"file_path": "a", "start_line": True}], [{"file_path": "a", "end_line": []}], [{"raw": 5}]],
        "status": [5, ["failed"], {}], "reason": [5, [], {}],
    },
    "swebench": {"model_patch": [5, 0, False, [], {}, 1.5]},
    "sherloc": {
        "files": [*WRONG, "a.py"], "functions": WRONG, "classes": WRONG,
        "lines": [5, "a", [5], [["a", 1]], [["a", "x", 2]]],
        "change_sets": [5, [5], [["a"]], [["a", 1, 2, "x"]]], "seconds": ["x", -1, [], {}], "error": [5, [], {}],
        "file_confidence": [5, ["x"], [[1]]], "evidence": [5, [5], [{"path": 5}]],
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "field", "value"),
    [(form, field, value) for form, fields in KNOWN.items() for field, values in fields.items() for value in values],
    ids=repr,
)
def test_wrong_types_are_told_with_instance_and_field(tmp_path: Path, form: str, field: str, value: Any) -> None:
    rest = {"found_files": ["a.py", "b.py"]} if form in ("locagent", "agentless") else {}
    path = written(tmp_path, {"instance_id": "acme__shop-7", **rest, field: value})
    with pytest.raises(DataError) as caught:
        read_predictions(path, form=form)
    assert "instance acme__shop-7" in str(caught.value)
    assert (field in str(caught.value)) or (field == "usage" and "tokens" in str(caught.value) + "cost tokens")


def test_numbers_without_end_are_no_lines(tmp_path: Path) -> None:
    digits = "1" * 6000
    agentless = {"instance_id": "i", "found_files": ["a.py"], "found_edit_locs": [[f"line: {digits}\nline: 7"]]}
    assert one(tmp_path, agentless).lines == (("a.py", 7, 7),)
    paper = {"instance_id": "i", "locations": [f"a.py:L{digits}", "a.py:L3"]}
    assert one(tmp_path, paper).lines == (("a.py", 3, 3),)


def test_a_patch_that_is_no_diff_is_a_failed_answer(tmp_path: Path) -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    bad = [{"instance_id": str(n), "model_patch": text} for n, text in enumerate(("I changed a.py.", "```\nx\n```"))]
    found = read_predictions(written(tmp_path, *bad, {"instance_id": "good", "model_patch": patch}))
    assert {key: each.error for key, each in found.items()} == {
        "0": "model_patch is no unified diff", "1": "model_patch is no unified diff", "good": "",
    }  # fmt: skip
    with pytest.raises(DataError, match="no model_patch of its 2 predictions is a unified diff"):
        read_predictions(written(tmp_path, *bad))
    assert one(tmp_path, {"instance_id": "i", "model_patch": None}).error == ""


@pytest.mark.slow
def test_the_official_loader_takes_what_is_exported(tmp_path: Path) -> None:
    utils = pytest.importorskip("swebench.harness.utils")
    records = export([FULL, Prediction(instance_id="j")], "swebench", model_name="sherloc")
    for name in ("p.jsonl", "p.json"):
        path = written(tmp_path, *records, name=name)
        found = utils.get_predictions_from_file(str(path), "unused", "test")
        assert [row["instance_id"] for row in found] == ["i", "j"]
        assert {key for row in found for key in row} == {"instance_id", "model_name_or_path", "model_patch"}

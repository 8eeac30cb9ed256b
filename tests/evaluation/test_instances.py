from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import DataError
from sherloc.evaluation.instances import Instance, load_instances, select

ROWS: list[dict[str, Any]] = [
    {
        "instance_id": "a-1", "repo": "o/a", "base_commit": "c1", "problem_statement": "One\n\nx", "patch": "p",
        "language": "", "quick": True, "hints_text": "", "FAIL_TO_PASS": ["t"],
    },
    {
        "instance_id": "b-1", "repo": "o/b", "base_commit": "c2", "problem_statement": "Two é", "patch": "q",
        "language": "go", "quick": False, "hints_text": "h" * 200, "FAIL_TO_PASS": [],
    },
]  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        return path
    text = json.dumps(rows) if name.endswith(".json") else "".join(json.dumps(row) + "\n\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "d.json.gz", "d.jsonl.gz", "d.parquet"])
def test_every_form_gives_the_same_instances(tmp_path: Path, name: str) -> None:
    found = load_instances(write(tmp_path / name, ROWS))
    assert [(i.instance_id, i.repo, i.base_commit, i.language) for i in found] == [
        ("a-1", "o/a", "c1", ""), ("b-1", "o/b", "c2", "go"),
    ]  # fmt: skip
    assert (found[0].title, found[0].tags.get("quick"), found[1].problem_statement) == ("One", True, "Two é")
    assert "hints_text" not in found[1].tags


def test_an_object_by_id(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps({"x-1": {"repo": "o/x", "issue": "text"}}))
    assert load_instances(path) == [Instance("x-1", "o/x", "", "text")]


def test_own_issues(tmp_path: Path) -> None:
    row = {
        "id": 7, "title": "Wrong total", "body": "See basket.", "repository": "/srv/shop", "revision": "v1",
        "files": ["basket.py"], "functions": ["basket.py::total"], "lines": [["basket.py", 3, 5], ["basket.py", 9]],
        "team": "checkout",
    }  # fmt: skip
    (found,) = load_instances(write(tmp_path / "own.jsonl", [row]))
    assert (found.instance_id, found.repo, found.base_commit) == ("7", "/srv/shop", "v1")
    assert found.problem_statement == "Wrong total\n\nSee basket."
    assert found.lines == (("basket.py", 3, 5), ("basket.py", 9, 9))
    assert found.tags == {"team": "checkout"}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.json", "{", "not JSON"),
        ("d.json", "3", "neither a list nor an object"),
        ("d.jsonl", '{"id": 1}\nnonsense\n', "d.jsonl:2 is not JSON"),
        ("d.jsonl", '{"id": "x", "repo": "o/x"}\n', "no problem_statement"),
        ("d.jsonl", '{"id": "x", "issue": "t"}\n', "no repo"),
        ("d.jsonl", "[1]\n", "not an object"),
        ("d.jsonl", '{"id": "x", "repo": "r", "issue": "t", "files": "a.py"}\n', "must be a list of texts"),
        ("d.jsonl", '{"id": "x", "repo": "r", "issue": "t", "lines": [3]}\n', r"\[path, first, last\]"),
        ("d.jsonl", '{"id": "x", "repo": "r", "issue": "t"}\n' * 2, "two entries"),
        ("d.jsonl", "\n", "no entries"),
        ("d.csv", "a,b\n", "not a data set"),
        ("d.json.gz", "not gzip", "cannot be read"),
        ("d.parquet", "PAR1 not", "Parquet"),
        ("d.json", "[" * 100_000, "not JSON"),
    ],
)
def test_broken_data_is_told_with_its_place(tmp_path: Path, name: str, content: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=words):
        load_instances(path)


def test_a_file_that_is_not_there_is_not_a_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        load_instances(tmp_path / "none.jsonl")


def test_some_of_them(tmp_path: Path) -> None:
    found = load_instances(write(tmp_path / "d.jsonl", ROWS))
    assert [i.instance_id for i in select(found, where=["quick=true"])] == ["a-1"]
    assert [i.instance_id for i in select(found, where=["language=Go", "repo=o/b"])] == ["b-1"]
    assert [i.instance_id for i in select(found, ids=["b-1"])] == ["b-1"]
    assert len(select(found, limit=1)) == 1
    with pytest.raises(DataError, match="no instance c-1"):
        select(found, ids=["c-1"])
    with pytest.raises(DataError, match="No instance is left"):
        select(found, where=["language=rust"])
    with pytest.raises(DataError, match="no '='"):
        select(found, where=["quick"])


def test_the_fingerprint_is_of_what_is_located() -> None:
    one = Instance("a", "r", "c", "text", patch="p")
    assert one.fingerprint == Instance("b", "r", "c", "text", patch="q").fingerprint
    assert one.fingerprint != Instance("a", "r", "c", "text!").fingerprint


@pytest.mark.slow
def test_the_datasets_library_loads_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    pytest.importorskip("datasets")
    (tmp_path / "set").mkdir()
    write(tmp_path / "set" / "test.jsonl", ROWS)
    found = load_instances(tmp_path / "set")
    assert [i.instance_id for i in found] == ["a-1", "b-1"]
    with pytest.raises(DataError, match="cannot be loaded"):
        load_instances(tmp_path / "set", split="nosuchsplit")


def test_half_characters_in_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"id": "\\ud800", "issue": "It fails", "repo": "a/b"}\n')
    with pytest.raises(DataError, match="half a character"):
        load_instances(path)

"""Loose lists and loose models by themselves: what is left out, what is not, and what null stands for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from sherloc.errors import SchemaMismatch
from sherloc.json_hardening import LineRange, LooseList, LooseModel, Score, parse_reply


class Mark(BaseModel):
    lines: LineRange
    why: str = ""


class Item(BaseModel):
    id: str
    score: Score
    marks: LooseList[Mark] = []


class Loose(BaseModel):
    items: LooseList[Item]
    words: LooseList[str] = []


class Strict(BaseModel):
    items: list[Item]


class Nulls(LooseModel):
    id: str
    note: str = ""
    maybe: str | None = "x"
    score: Score = 3.0
    words: LooseList[str] = Field(default=[], validation_alias="terms")


def read(value: Any, schema: Any = Loose) -> tuple[Any, list[tuple[str, str]]]:
    """The value, and what was dropped of it: place and reason."""
    parsed = parse_reply(json.dumps(value), schema)
    dropped = [(r.where, r.detail) for r in parsed.repairs if r.kind == "dropped_item"]
    return parsed.value, dropped


def item(name: str, score: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": name, "score": score, **more}


def test_a_list_that_fits_loses_nothing() -> None:
    found, dropped = read({"items": [item("a"), item("b", "4/5")], "words": ["x"]})
    assert [(each.id, each.score) for each in found.items] == [("a", 1.0), ("b", 4.0)]
    assert (found.words, dropped) == (["x"], [])


def test_items_that_do_not_fit_are_left_out_by_place_and_the_order_stays() -> None:
    found, dropped = read({"items": [item("a"), item("b", 9), {"score": 2}, "words", None, item("c", 0)]})
    assert [each.id for each in found.items] == ["a", "c"]
    assert [place for place, _ in dropped] == ["items[1]", "items[2]", "items[3]", "items[4]"]
    assert dropped[0][1] == "items[1].score: 9 is not between 0 and 5"
    assert dropped[2][1] == "items[3]: an object is needed, not 'words'"


def test_the_last_item_is_never_left_out() -> None:
    with pytest.raises(SchemaMismatch) as error:
        read({"items": [item("a", 9), item("b", True)]})
    assert error.value.message == (
        "items[0].score: 9 is not between 0 and 5\nitems[1].score: True is not a number from 0 to 5"
    )


def test_an_empty_list_is_one_and_no_list_is_none() -> None:
    assert read({"items": []})[0].items == []
    for none in (None, True):
        with pytest.raises(SchemaMismatch, match=f"items: a list is needed, not {none}"):
            read({"items": none})


def test_one_object_stands_for_a_list_of_it() -> None:
    found, dropped = read({"items": item("a")})
    assert [each.id for each in found.items] == ["a"]
    assert dropped == []


def test_a_list_inside_of_an_item_may_lose_all_and_the_item_stays() -> None:
    found, dropped = read({"items": [item("a", marks=[{"lines": "0"}, {"lines": "5-2"}]), item("b", marks=[])]})
    assert [(each.id, each.marks) for each in found.items] == [("a", []), ("b", [])]
    assert [place for place, _ in dropped] == ["items[0].marks[0]", "items[0].marks[1]"]


def test_of_an_item_that_is_left_out_nothing_else_is_told() -> None:
    found, dropped = read({"items": [item("a"), item("b", 9, marks=[{"lines": "0"}])]})
    assert [each.id for each in found.items] == ["a"]
    assert [place for place, _ in dropped] == ["items[1]"]


def test_two_lists_lose_their_own() -> None:
    found, dropped = read({"items": [item("a"), {}], "words": ["x", 5, "y"]})
    assert ([each.id for each in found.items], found.words) == (["a"], ["x", "y"])
    assert [place for place, _ in dropped] == ["items[1]", "words[1]"]


def test_other_lists_stand_or_fall_as_one() -> None:
    with pytest.raises(SchemaMismatch, match="9 is not between 0 and 5"):
        read({"items": [item("a"), item("b", 9)]}, Strict)


def test_of_two_answers_the_one_that_fits_as_a_whole_counts() -> None:
    bad, good = {"items": [item("a"), item("b", 9)]}, {"items": [item("c")]}
    parsed = parse_reply(f"First {json.dumps(bad)} and then {json.dumps(good)}", Loose)
    assert [each.id for each in parsed.value.items] == ["c"]


@given(st.lists(st.sampled_from([0, 2.5, 5, "4/5", -1, 6, "high", None, [], True]), min_size=1, max_size=12))
def test_exactly_what_fits_alone_is_kept(scores: list[Any]) -> None:
    fitting = [at for at, score in enumerate(scores) if score in (0, 2.5, 5, "4/5")]
    value = {"items": [item(str(at), score) for at, score in enumerate(scores)]}
    if not fitting:
        with pytest.raises(SchemaMismatch):
            read(value)
        return
    found, dropped = read(value)
    assert [each.id for each in found.items] == [str(at) for at in fitting]
    assert [place for place, _ in dropped] == [f"items[{at}]" for at in range(len(scores)) if at not in fitting]
    again = parse_reply(found.model_dump_json(), Loose)
    assert (again.value, again.repairs) == (found, ())


@pytest.mark.parametrize(("field", "value"), [("note", ""), ("score", 3.0), ("words", []), ("maybe", None)])
def test_null_is_the_default_where_a_loose_model_has_one(field: str, value: Any) -> None:
    key = {"words": "terms"}.get(field, field)
    parsed = parse_reply(json.dumps({"id": "a", key: None}), Nulls)
    assert getattr(parsed.value, field) == value
    assert [repair.kind for repair in parsed.repairs] == ([] if field == "maybe" else ["null"])


def test_null_is_nothing_where_a_value_is_required_or_the_model_is_not_loose() -> None:
    with pytest.raises(SchemaMismatch, match="id: None is not a text"):
        parse_reply('{"id": null}', Nulls)
    with pytest.raises(SchemaMismatch, match="why: None is not a text"):
        parse_reply('{"lines": "1", "why": null}', Mark)

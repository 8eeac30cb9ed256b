"""Scalars as models write them: the table, value by value."""

from __future__ import annotations

import math
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from sherloc.errors import SchemaMismatch
from sherloc.json_hardening import (
    Confidence,
    ConfidenceReader,
    LineNumber,
    LineRange,
    PercentConfidence,
    ReplyPath,
    Score,
    Synonyms,
    locate_lines,
    parse_reply,
)


def read(schema: Any, value: object) -> Any:
    return TypeAdapter(schema).validate_python(value)


@pytest.mark.parametrize(
    "text",
    "45-52 45–52 45—52 45~52 45～52 45..52 45:52 L45-L52 #L45-L52 45行目〜52行目 第45-52行 ４５－５２ 45〜52".split()
    + ["lines 45 to 52", "Lines 45 - 52", "line 45 to line 52", " 45-52 "],
)
def test_ranges_as_text(text: str) -> None:
    assert read(LineRange, text) == LineRange(start_line=45, end_line=52)


@pytest.mark.parametrize(
    "value",
    [
        [45, 52],
        ["45", "L52"],
        {"start": 45, "end": 52},
        {"start_line": 45, "end_line": "52"},
        {"startLine": 45, "endLine": 52},
    ]
    + [{"from": 45, "to": 52}, {"begin": 45, "end": 52.0}, {"start_line": 45, "end_line": 52, "source": "absolute"}],
)
def test_ranges_as_lists_and_objects(value: object) -> None:
    assert read(LineRange, value) == LineRange(start_line=45, end_line=52)


@pytest.mark.parametrize("value", ["45", 45, 45.0, "L45", "line 45", "45行目", "４５", [45], {"line": 45}])
def test_single_lines(value: object) -> None:
    assert read(LineRange, value) == LineRange(start_line=45, end_line=45)
    if not isinstance(value, (list, dict)):
        assert read(LineNumber, value) == 45


@pytest.mark.parametrize(
    "value",
    [
        True,
        "-3",
        "0-3",
        0,
        -3,
        "45-",
        "52-45",
        [52, 45],
        [45, 52, 60],
        45.5,
        "45.5",
        "~45",
        "12345678901234567890",
        None,
        "",
        "x",
    ]
    + [
        "45, 52",
        "٤٥",
        "4²",
        [],
        {},
        {"start": 45},
        {"end": 52},
        {"start": 1, "begin": 2, "end": 3},
        {"a": 1},
        math.nan,
    ],
)
def test_what_is_no_range(value: object) -> None:
    with pytest.raises(ValidationError):
        read(LineRange, value)


def test_a_list_of_lines_splits_at_commas() -> None:
    class Lines(BaseModel):
        lines: list[LineRange]

    assert parse_reply('{"lines": "45, 52"}', Lines).value.lines == [read(LineRange, 45), read(LineRange, 52)]
    assert parse_reply('{"lines": "45-47、52"}', Lines).value.lines == [read(LineRange, "45-47"), read(LineRange, 52)]
    assert parse_reply('{"lines": [45, 52]}', Lines).value.lines == [read(LineRange, 45), read(LineRange, 52)]
    assert parse_reply('{"lines": "45-47"}', Lines).value.lines == [read(LineRange, "45-47")]


def test_lines_are_placed_in_the_file() -> None:
    lines = ["a", "  b = 1", "c", "d"]
    assert locate_lines(read(LineRange, "2-3"), lines) == (read(LineRange, "2-3"), "")
    assert locate_lines(read(LineRange, "3-9"), lines) == (
        read(LineRange, "3-4"),
        "end 9 cut to the file's last line 4",
    )
    in_snippet = LineRange(start_line=1, end_line=2, source="snippet")
    assert locate_lines(in_snippet, lines, base_line=2, quoted="b  = 1\nc") == (read(LineRange, "2-3"), "")
    with pytest.raises(ValueError, match="beyond the end"):
        locate_lines(read(LineRange, 5), lines)
    with pytest.raises(ValueError, match="does not stand"):
        locate_lines(in_snippet, lines, base_line=3, quoted="b = 1")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (4, 4),
        (4.5, 4.5),
        ("4.5", 4.5),
        ("4/5", 4),
        ("4 / 5", 4),
        ("4 分", 4),
        ("4点", 4),
        ("５", 5),
        (0, 0),
        ("4 out of 5", 4),
        (" 3 ", 3),
    ],
)
def test_scores(value: object, wanted: float) -> None:
    assert read(Score, value) == wanted


@pytest.mark.parametrize("value", ["★★★★", 7, "7", -1, 5.1, True, None, "8/10", "4,5", math.nan, "high", [4]])
def test_what_is_no_score(value: object) -> None:
    with pytest.raises(ValidationError):
        read(Score, value)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(0.9, 0.9), (1, 1.0), (0, 0.0), ("90%", 0.9), ("９０％", 0.9), ("0.9", 0.9), ("9/10", 0.9), ("12.5 %", 0.125)],
)
def test_confidences(value: object, wanted: float) -> None:
    assert read(Confidence, value) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "value", [90, 1.5, -0.1, True, math.nan, math.inf, "0,9", "high", "中", "101%", "11/10", "1/0", None]
)
def test_what_is_no_confidence(value: object) -> None:
    with pytest.raises(ValidationError):
        read(Confidence, value)


def test_percent_where_it_is_declared() -> None:
    assert [read(PercentConfidence, value) for value in (90, 100, 1, 0, "90", 0.9, 1.0, "90%")] == [
        0.9,
        1,
        0.01,
        0,
        0.9,
        0.9,
        1,
        0.9,
    ]
    with pytest.raises(ValidationError):
        read(PercentConfidence, 101)


def test_words_where_they_are_declared() -> None:
    worded = Annotated[float, ConfidenceReader(words=(("high", 0.9), ("中", 0.5)))]
    assert (read(worded, "HIGH"), read(worded, "中")) == (0.9, 0.5)
    with pytest.raises(ValidationError):
        read(worded, "low")


class Sure(BaseModel):
    path: str
    confidence: Confidence


def sure(*values: object) -> list[float]:
    import json

    text = json.dumps([{"path": "a", "confidence": value} for value in values])
    return [one.confidence for one in parse_reply(text, list[Sure]).value]


def test_siblings_say_that_a_scale_is_percent() -> None:
    assert sure(95, 1, 80) == [0.95, 0.01, 0.8]
    assert sure(1, 0) == [1, 0]
    assert sure(0.5, 1) == [0.5, 1]
    for values in ([90], [90, 0.5], [90, 101], [90, "0.5"], [90, True]):
        with pytest.raises(SchemaMismatch):
            sure(*values)
    assert parse_reply("[90, 1]", list[Confidence]).value == [0.9, 0.01]


class Kind(str, Enum):
    LOGIC = "fix_logic"
    NULL = "fix_null_handling"


class Typed(BaseModel):
    kind: Annotated[Kind, Synonyms(("null check", "fix_null_handling"))]
    relevance: Literal["direct", "partial", "none"] = "none"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("fix_logic", Kind.LOGIC), ("Fix Logic", Kind.LOGIC), ("`fix-logic`.", Kind.LOGIC), ("Null check", Kind.NULL)],
)
def test_words_of_an_enumeration(text: str, wanted: Kind) -> None:
    assert parse_reply(f'{{"kind": "{text}"}}', Typed).value.kind is wanted


@pytest.mark.parametrize("text", ["logic", "fix_logic or fix_null_handling", "please fix_logic", "", "fix"])
def test_a_part_of_a_word_is_never_enough(text: str) -> None:
    with pytest.raises(SchemaMismatch):
        parse_reply(f'{{"kind": "{text}"}}', Typed)


def test_literals_are_enumerations_too() -> None:
    assert parse_reply('{"kind": "fix_logic", "relevance": "Direct"}', Typed).value.relevance == "direct"


class Plain(BaseModel):
    count: int = 0
    ratio: float = 0.0
    name: str = ""
    on: bool = False
    paths: list[ReplyPath] = []


@pytest.mark.parametrize(
    ("text", "field", "wanted"),
    [
        ('{"count": "45"}', "count", 45),
        ('{"count": 45.0}', "count", 45),
        ('{"ratio": "4.5"}', "ratio", 4.5),
        ('{"on": 1}', "on", True),
    ]
    + [
        ('{"on": "いいえ"}', "on", False),
        ('{"paths": "a,b.py"}', "paths", ["a,b.py"]),
        ('{"paths": "x/a,b.py"}', "paths", ["x/a", "b.py"]),
    ],
)
def test_plain_fields(text: str, field: str, wanted: object) -> None:
    found = getattr(parse_reply(text, Plain).value, field)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize(
    "text",
    [
        '{"count": true}',
        '{"count": "045"}',
        '{"count": "1_000"}',
        '{"count": 45.5}',
        '{"ratio": true}',
        '{"name": 5}',
        '{"on": 2}',
    ]
    + [
        '{"on": ""}',
        '{"on": [1]}',
        '{"paths": null}',
        '{"paths": true}',
        '{"paths": "a\\nb.py"}',
        '{"paths": [""]}',
        '{"cuont": 1}',
    ]
    + ['{"paths": [{"path": "a", "file": "b"}]}', '{"paths": [{"why": "b"}]}'],
)
def test_plain_fields_that_cannot_be_read(text: str) -> None:
    with pytest.raises(SchemaMismatch):
        parse_reply(text, Plain)

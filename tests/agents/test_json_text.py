"""Members put into JSON documents and taken out again: all other bytes stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.agents.json_text import count, read_object, with_member, without_member

KEYS = ("servers", "ours")
ENTRY = {"command": "x", "args": ["y"]}
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
objects = st.dictionaries(st.text().filter(lambda key: key not in KEYS), values, max_size=4)


@given(
    outer=objects, servers=st.none() | objects, indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    end=st.sampled_from(["\n", "\r\n"]), tail=st.sampled_from(["", "\n", " \n\n"]), ascii_only=st.booleans(),
)  # fmt: skip
def test_in_and_out_is_the_same_text(
    outer: dict[str, Any], servers: dict[str, Any] | None, indent: Any, end: str, tail: str, ascii_only: bool
) -> None:
    config = outer if servers is None else {**outer, "servers": servers}
    text = json.dumps(config, indent=indent, ensure_ascii=ascii_only).replace("\n", end) + tail.replace("\n", end)
    new = with_member(text, KEYS, ENTRY)
    assert read_object(new) == {**config, "servers": {**(servers or {}), "ours": ENTRY}}
    assert count(new, KEYS) == 1
    assert with_member(new, KEYS, ENTRY) == new
    assert read_object(with_member(new, KEYS, {"a": 1})) == {**config, "servers": {**(servers or {}), "ours": {"a": 1}}}
    back = without_member(new, KEYS)
    if servers or (servers is None and outer):
        assert back == text
    else:
        assert read_object(back) == outer


@given(st.text(alphabet='{}[]":,0a \n\\', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_object(text)
    except ValueError:
        return
    assert (
        read_object(with_member(text, KEYS, ENTRY))["servers"]["ours"] == ENTRY if count(text, KEYS[:1]) == 0 else True
    )


def test_layouts() -> None:
    four = '{\n    "a": 1.50,\n    "servers": {\n        "b": {"c": 1e3}\n    }\n}'
    assert with_member(four, KEYS, {"d": []}) == (
        '{\n    "a": 1.50,\n    "servers": {\n        "b": {"c": 1e3},\n        "ours": {\n            "d": []\n'
        "        }\n    }\n}"
    )
    assert with_member('{"a":1}', KEYS, {"d": 2}) == '{"a":1, "servers": {"ours": {"d": 2}}}'
    assert with_member("{}\n", KEYS, {"d": 2}) == '{\n  "servers": {\n    "ours": {\n      "d": 2\n    }\n  }\n}\n'
    assert without_member('{"servers": {"ours": 1, "b": 2}}', KEYS) == '{"servers": {"b": 2}}'


@pytest.mark.parametrize(
    "text", ["[]", "1", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1,}', "{// x\n}", "", "{", '{"a"}']
)
def test_what_is_no_object_of_strict_json(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_object(text)


def test_what_stands_twice_is_counted() -> None:
    assert count('{"servers": {}, "servers": {"ours": 1}}', ("servers",)) == 2
    assert count('{"servers": {}, "servers": {"ours": 1}}', KEYS) == 2
    assert count('{"servers": {"ours": 1, "ours": 2}}', KEYS) == 2
    assert count('{"servers": [], "a": 1}', KEYS) == 0

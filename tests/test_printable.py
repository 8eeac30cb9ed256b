"""Half characters are written out, all else stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.printable import printable, printable_values

TEXT = st.text(st.characters(), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain", "plain"),
        ("café 大 😀\x00\n", "café 大 😀\x00\n"),
        ("caf\udce9", "caf\\xe9"),
        ("\udc80\udcff", "\\x80\\xff"),
        ("\udc7f\udd00", "\\udc7f\\udd00"),
        ("\ud800é\udfff", "\\ud800é\\udfff"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(TEXT)
def test_it_can_be_encoded_and_is_a_fixed_point(text: str) -> None:
    shown = printable(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert printable(shown) == shown


@given(JSON)
def test_values_round_trip_through_json(value: Any) -> None:
    shown = printable_values(value)
    assert json.loads(json.dumps(shown, ensure_ascii=False).encode("utf-8")) == shown
    assert printable_values(shown) == shown


def test_tuples_stay_tuples_and_objects_stay() -> None:
    thing = object()
    assert printable_values(("\udce9", [thing, {"\ud800": 1}])) == ("\\xe9", [thing, {"\\ud800": 1}])

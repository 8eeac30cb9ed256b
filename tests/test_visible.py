"""Nothing that a terminal obeys gets through."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.visible import one_line, visible, visible_code


@given(st.text())
def test_what_comes_out_is_harmless(text: str) -> None:
    shown = visible(text)
    kept = {"\n", "\t", "\u200c", "\u200d"}
    for character in shown:
        assert character in kept or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
    shown.encode("utf-8")


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_plain_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;t\x07", "\\x1b]0;t\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\rb", "a\\x0db"),
        ("\u202eevil", "\\u202eevil"),
        ("\U000e0041", "\\U000e0041"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\tline\n", "\tline\n"),
        ("family 👨\u200d👩", "family 👨\u200d👩"),
    ],
)
def test_forms(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line() -> None:
    assert one_line("  a\r\n\tb  c\n") == "a b c"


def test_code_has_line_feeds_alone() -> None:
    assert visible_code("a\r\n\tb\r\n\r\n") == "a\n\tb"
    assert visible_code("a\r\nb\r") == "a\nb"
    assert visible_code("a\rb\x1b") == "a\\x0db\\x1b"
    assert visible_code("") == visible_code("\r") == ""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.indexer.decoding import decode


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"a\nb", "a\nb", "utf-8"),
        ("é".encode("latin-1"), "é", "latin-1"),
        (codecs.BOM_UTF8 + b"def f", "def f", "utf-8"),
        (codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le"), "é\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é\n".encode("utf-16-be"), "é\n", "utf-16-be"),
        (b"a\rb\r", "a\nb\n", "utf-8"),
        (b"a\r\nb\rc", "a\r\nb\rc", "utf-8"),
    ],
)
def test_a_mark_or_the_bytes_decide_the_encoding(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@given(st.binary(max_size=200))
def test_any_bytes_decode(data: bytes) -> None:
    text, _ = decode(data)
    text.encode("utf-8")

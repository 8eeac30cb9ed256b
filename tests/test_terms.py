from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.terms import _PIECE, WORD, TermTable, _pieces, expand, words_of


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("HTTPResponse2", ("httpresponse2", "http", "response")),
        ("ignore_paths", ("ignorepath", "ignore", "path")),
        ("ignorePaths", ("ignorepath", "ignore", "path")),
        ("IGNORE_PATHS", ("ignorepath", "ignore", "path")),
        ("3d", ("3d",)),
        ("2to3", ("2to3",)),
        ("0x1F", ()),
        ("4294967295UL", ()),
        ("__init__", ("init",)),
        ("queries", ("query",)),
        ("classes", ("class",)),
        ("status", ("status",)),
        ("Q", ()),
        ("42", ()),
        ("the", ()),
        ("移行ファイル", ("移行", "行フ", "ファ", "ァイ", "イル")),
        ("移行abc", ("移行", "abc")),
        ("é", ()),
        ("naïveBayes", ("naïvebaye", "na", "ve", "baye")),
    ],
)
def test_a_word_gives_itself_and_its_pieces(word: str, terms: tuple[str, ...]) -> None:
    assert expand(word) == terms


@given(st.text(max_size=80))
def test_any_text_counts_the_same_twice_and_never_fails(text: str) -> None:
    assert TermTable().count(text) == TermTable().count(text)


@given(st.lists(st.sampled_from(["apple", "openLid", "x_y", "列挙"]), max_size=20))
def test_counting_is_additive(words: list[str]) -> None:
    whole = TermTable().count(" ".join(words))
    parts = [TermTable().count(word) for word in words]
    assert whole == sum(parts, start=TermTable().count(""))


def test_the_memo_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherloc.terms._MEMO", 3)
    table = TermTable()
    assert table.count("apple pear plum kiwi apple") == {"apple": 2, "pear": 1, "plum": 1, "kiwi": 1}
    assert len(table) <= 3


@given(
    st.one_of(
        st.binary(max_size=60),
        st.text(max_size=60).map(str.encode),
        st.text("aZ_9 .\t\x1c\x85", max_size=60).map(str.encode),
    )
)
def test_words_of_bytes_are_those_of_the_pattern(data: bytes) -> None:
    assert words_of(data) == WORD.findall(data.decode("utf-8", "replace"))


@given(st.one_of(st.text("abZ_", min_size=1, max_size=9), st.from_regex(WORD, fullmatch=True)))
def test_pieces_of_words_of_one_case_are_those_of_the_pattern(word: str) -> None:
    pieces = _pieces(word, word.lower(), word.lower().replace("_", ""))
    assert [piece for piece in pieces if piece] == [piece.lower() for piece in _PIECE.findall(word)]


def test_long_words_are_not_remembered() -> None:
    """A long-lived process reads many texts in Chinese, each of which is one word."""
    words = [chr(0x4E00 + number) * 4000 for number in range(50)]
    tracemalloc.start()
    try:
        for word in words:
            assert expand(word) == (word[:2],)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 100_000

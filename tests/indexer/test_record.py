from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.indexer.record import COLUMNS, TEXTS, FileRecord
from sherloc.indexer.stored_record import StoredRecord, joined_column

_TEXT = st.text(alphabet=st.characters(exclude_characters="\x00"), max_size=12)


@given(
    st.integers(0, 1 << 20),
    st.lists(st.integers(0, (1 << 32) - 1), max_size=20),
    st.lists(_TEXT, max_size=9),
    st.lists(st.tuples(_TEXT, _TEXT), max_size=3),
)
def test_decode_gives_back_what_was_encoded(
    lines: int, numbers: list[int], words: list[str], problems: list[tuple[str, str]]
) -> None:
    record = FileRecord(lines=lines, problems=problems)
    record.columns["post_tf"].extend(numbers)
    record.columns["parent"].extend([-1, 0])
    record.texts["terms"] = words
    again = StoredRecord.decode(record.encode())
    assert (again.lines, again.problems) == (lines, problems)
    assert {name: joined_column([again], name).tolist() for name in COLUMNS} == {
        name: column.tolist() for name, column in record.columns.items()
    }
    assert {name: again.rows(name) for name in COLUMNS} == {name: len(found) for name, found in record.columns.items()}
    assert {name: again.strings(name) for name in TEXTS} == record.texts


@pytest.mark.parametrize("data", [b"", b"{}", b"not json\nxx", b"\xff\xfe"])
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    with pytest.raises((ValueError, LookupError)):
        StoredRecord.decode(data)


def test_a_record_cut_short_or_longer_than_it_says_is_refused() -> None:
    data = FileRecord(lines=1, texts={name: ["a"] for name in TEXTS}).encode()
    for changed in (data[:-1], data + b"x"):
        with pytest.raises(ValueError, match="longer or shorter"):
            StoredRecord.decode(changed)

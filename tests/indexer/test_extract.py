from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.indexer import assemble as assemble_module
from sherloc.indexer import columns as columns_module
from sherloc.indexer.assemble import Source, assemble
from sherloc.indexer.extract import Extractor, split_lines
from sherloc.indexer.record import COLUMNS, FIELDS, KINDS
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import StoredRecord, joined_column

SOURCE = '''"""Module words."""
import os

LIMIT = 3

class Box(Base):
    """A box."""
    size = 1

    def open(self, lid):
        # remove the lid
        raise LidError("lid is stuck")

def outer():
    def inner():
        return needle
    return inner
'''


def stored(text: str) -> StoredRecord:
    return StoredRecord.decode(Extractor(120).extract("python", "code", text.encode()).encode())


def segment(**files: str) -> Segment:
    sources = [
        Source(
            f"{name}.py",
            f"id-{name}",
            "python",
            "code",
            False,
            stored(text),
        )
        for name, text in sorted(files.items())
    ]
    return Segment(*assemble(sources))


def frequencies(s: Segment, term: str) -> dict[tuple[str, str], dict[str, int]]:
    units, tf = s.postings(term)
    return {
        (s.qualified_names[u], s.kind(u)): {f: int(n) for f, n in zip(FIELDS, row, strict=True) if n}
        for u, row in zip(units.tolist(), tf, strict=True)
    }


def test_units_are_module_classes_functions_with_absolute_lines() -> None:
    s = segment(a=SOURCE)
    rows = [
        (s.kind(u), s.qualified_names[u], s.snippet(u).start_line, s.snippet(u).end_line) for u in range(s.unit_count)
    ]
    assert rows == [
        ("module", "", 1, 17),
        ("class", "Box", 6, 12),
        ("method", "Box.open", 10, 12),
        ("function", "outer", 14, 17),
        ("function", "outer.inner", 15, 16),
    ]


def test_each_word_counts_once_in_the_field_where_it_stands() -> None:
    s = segment(a=SOURCE)
    assert frequencies(s, "lid") == {("Box.open", "method"): {"code": 2, "doc": 1, "string": 1}}
    assert frequencies(s, "box") == {
        ("Box", "class"): {"code": 1, "doc": 1, "name": 1},
        ("Box.open", "method"): {"name": 1},
    }
    assert frequencies(s, "limit") == {("", "module"): {"code": 1}}
    assert frequencies(s, "module") == {("", "module"): {"doc": 1}}


def test_a_function_has_the_words_of_the_functions_inside_it() -> None:
    s = segment(a=SOURCE)
    assert frequencies(s, "needle") == {("outer", "function"): {"code": 1}, ("outer.inner", "function"): {"code": 1}}


def test_lengths_are_the_sums_of_the_frequencies() -> None:
    s = segment(a=SOURCE, b="def f(x):\n    return xray\n")
    total = np.zeros((s.unit_count, len(FIELDS)))
    for term in s._term_numbers:
        units, tf = s.postings(term)
        total[units] += tf
    assert np.array_equal(total, s.arrays["lengths"])


def test_a_long_function_gives_blocks_that_cover_it_and_keep_its_name() -> None:
    body = "".join(f"    if a{n}:\n        b{n}()\n" for n in range(100))
    s = segment(a=f"def long():\n{body}\n")
    blocks = [s.snippet(u) for u in range(s.unit_count) if s.kind(u) == "block"]
    assert {b.qualified_name for b in blocks} == {"long"}
    assert [line for b in blocks for line in range(b.start_line, b.end_line + 1)] == list(range(1, 202))
    assert all(b.lines <= 60 for b in blocks)


@given(
    st.lists(st.sampled_from(["a\n", "  b\n", "\n", "    c\n", "}\n"]), min_size=1, max_size=120), st.integers(2, 30)
)
def test_split_lines_parts_a_range_without_gap_or_overlap(lines: list[str], size: int) -> None:
    source = "".join(lines).encode()
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    parts = split_lines(source, offsets, 1, len(lines), size)
    assert [n for first, last in parts for n in range(first, last + 1)] == list(range(1, len(lines) + 1))
    assert all(last - first + 1 <= size for first, last in parts)


def test_frequencies_over_255_are_capped_not_wrapped() -> None:
    s = segment(a="def f():\n    " + "x = needle\n    " * 700 + "pass\n")
    assert frequencies(s, "needle")["f", "function"] == {"code": 255}


def test_references_name_calls_imports_bases_and_raises() -> None:
    s = segment(a=SOURCE)
    names = s.symbols
    rows = {
        (s.qualified_names[int(s.arrays["ref_unit"][r])], int(s.arrays["ref_kind"][r]), names[s.arrays["ref_name"][r]])
        for r in range(len(s.arrays["ref_unit"]))
    }
    assert {("", 1, "os"), ("Box", 4, "Base"), ("Box.open", 2, "LidError")} <= rows


@given(st.binary(max_size=300), st.sampled_from(["python", "javascript", "c", "rust", ""]))
def test_any_bytes_give_a_record(data: bytes, language: str) -> None:
    record = Extractor(120).extract(language, "code", data)
    decoded = StoredRecord.decode(record.encode())
    assert {name: joined_column([decoded], name).tolist() for name in COLUMNS} == {
        name: column.tolist() for name, column in record.columns.items()
    }
    assert KINDS[record.columns["kind"][0]] == "module"


def test_deeply_nested_functions_cost_no_more_than_their_lines() -> None:
    source = "".join(f"{' ' * n}def function_number_{n}(a{n}):\n" for n in range(1500)) + " " * 1500 + "pass\n"
    record = Extractor(120).extract("python", "code", source.encode())
    assert len(record.encode()) < 3 * len(source)
    assert len(record.texts["short_names"]) > 400


@pytest.mark.parametrize("rows", [1, 40, 10_000])
def test_how_files_are_put_together_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    files = {f"m{n}": SOURCE.replace("outer", f"outer{n}") + f"word{n} = {n}\n" for n in range(9)}
    whole = segment(**files)
    monkeypatch.setattr(assemble_module, "_BATCH_ROWS", rows)
    monkeypatch.setattr(assemble_module, "_COUNTED", 3)
    monkeypatch.setattr(columns_module, "_PIECE", rows)
    parts = segment(**files)
    assert {name: array.tolist() for name, array in parts.arrays.items()} == {
        name: array.tolist() for name, array in whole.arrays.items()
    }
    assert {name: bytes(text) for name, text in parts._texts.items()} == {
        name: bytes(text) for name, text in whole._texts.items()
    }
    assert ("outer7.inner", "function") in frequencies(parts, "outer7")


def test_no_files_give_an_empty_segment() -> None:
    empty = segment()
    assert (empty.unit_count, empty.file_count, empty.paths, empty.symbols) == (0, 0, [], [])
    assert empty.postings("any")[0].tolist() == []


def test_postings_are_in_order_of_unit_and_references_in_order_of_name() -> None:
    s = segment(**{f"m{n}": SOURCE for n in range(5)})
    for term in ("lid", "needle", "box"):
        units = s.postings(term)[0].tolist()
        assert units == sorted(set(units)) and len(units) % 5 == 0
    for name in ("os", "LidError"):
        rows = s.references_to(name).tolist()
        assert rows == sorted(rows) and len(rows) % 5 == 0

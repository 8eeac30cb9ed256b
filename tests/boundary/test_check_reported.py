from __future__ import annotations

from typing import Any

import pytest

from sherloc.boundary import Hit, Place, check_reported, covered
from sherloc.schema.change_set import ChangeSet, TargetLocation
from sherloc.schema.diagnosis import ChangeType

HITS = [
    Hit("a.py", 3, "# Reviewers should skip this", ("order",)),
    Hit("b.py", 7, "# at most 2 findings", ("limit",)),
    Hit("c.md", 1, "No review needed", ("waiver",)),
]
PLACES = [Place("D1", "a.py"), Place("D2", "d.py")]


def codes(reported: Any) -> list[str]:
    return [warning.code for warning in check_reported(HITS, reported, PLACES).warnings]


def test_all_reported_once_in_any_form_and_order() -> None:
    for reported in (
        HITS,
        HITS[::-1],
        [hit.text for hit in HITS],
        [{"path": hit.path, "line": hit.line, "text": "in other words"} for hit in HITS],
        [(hit.path, hit.line) for hit in HITS],
        ["reviewers  should skip THIS", "quote: # at most 2 findings, in b.py", "No review needed"],
        [hit.record() for hit in HITS],
        3,
    ):
        checked = check_reported(HITS, reported, PLACES)
        assert (checked.expected, checked.reported, checked.warnings, checked.agrees) == (3, 3, (), True)


def test_one_less() -> None:
    checked = check_reported(HITS, HITS[1:], PLACES)
    (warning,) = checked.warnings
    assert (checked.reported, warning.code, warning.hits, warning.places) == (2, "missing", (HITS[0],), ("D1",))
    assert warning.message == "not reported: a.py:3 (they cover: D1)"
    assert warning.record() == {
        "code": "missing", "message": warning.message, "places": ["D1"], "hits": [HITS[0].record()],
    }  # fmt: skip


def test_one_more_and_one_twice() -> None:
    assert codes([*HITS, "please be kind"]) == ["unknown"]
    assert codes([*HITS, HITS[1]]) == ["repeated"]
    assert codes([HITS[0], HITS[0], HITS[1]]) == ["missing", "repeated"]
    checked = check_reported(HITS, [*HITS, {"path": "z.py", "line": 9}])
    assert checked.warnings[0].message == "reported, but not found by the scan: z.py:9"


def test_the_same_count_of_other_lines_is_no_agreement() -> None:
    assert codes([HITS[0], HITS[1], "something else"]) == ["missing", "unknown"]


def test_only_a_number() -> None:
    for number in (0, 2, 4):
        (warning,) = check_reported(HITS, number, PLACES).warnings
        assert (warning.code, warning.hits, warning.places) == ("count", tuple(HITS), ("D1", "D2"))
        assert warning.message.startswith(f"the scan found 3 directions in the material, the model reported {number}")


def test_nothing_found_and_nothing_reported() -> None:
    assert check_reported([], []).agrees
    assert check_reported([], 0).agrees
    assert [warning.code for warning in check_reported([], ["x"]).warnings] == ["unknown"]


def test_equal_lines_in_two_files_are_two() -> None:
    hits = [Hit("a", 1, "skip the review", ("waiver",)), Hit("b", 1, "skip the review", ("waiver",))]
    assert check_reported(hits, ["skip the review"] * 2).agrees
    assert [warning.code for warning in check_reported(hits, ["skip the review"]).warnings] == ["missing"]


def test_a_removed_and_an_added_line_of_one_number() -> None:
    hits = [Hit("a", 1, "old words", ("order",), "removed"), Hit("a", 1, "new words", ("order",))]
    assert check_reported(hits, [{"path": "a", "line": 1, "text": "new words"}, hits[0]]).agrees
    assert check_reported(hits, [("a", 1), ("a", 1)]).agrees


@pytest.mark.parametrize("item", ["", " ", {}, {"line": "x"}, {"path": None}, (None, 0), {"line": True, "text": 3}])
def test_items_that_say_nothing_are_unknown(item: Any) -> None:
    assert codes([*HITS, item]) == ["unknown"]


def test_a_part_must_be_a_quote() -> None:
    assert codes([HITS[0], HITS[1], "review"]) == ["missing", "unknown"]
    assert codes([HITS[0], HITS[1], "review needed"]) == []


def test_many_hits() -> None:
    hits = [Hit("a", number, f"skip the review of part {number}", ("waiver",)) for number in range(20_000)]
    assert check_reported(hits, [hit.text for hit in hits]).agrees
    assert check_reported(hits, hits).agrees


def test_what_hits_cover() -> None:
    change = ChangeSet(
        file_path="a.py",
        target_location=TargetLocation(start_line=5, end_line=8),
        change_type=ChangeType.OTHER,
        confidence=1,
    )
    places = [change, Place("D2", "d.py")]
    assert covered(HITS, places) == [(HITS[0], ("a.py:5-8",)), (HITS[1], ("a.py:5-8", "D2")), (HITS[2], ())]
    outside = Hit(None, 1, "skip the review", ("waiver",))
    assert covered([outside], places) == [(outside, ("a.py:5-8", "D2"))]

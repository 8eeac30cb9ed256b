from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.change_set import build_brief, checked_lines, issue_summary
from sherloc.schema.change_set import ChangeSet, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query, Segment
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings

SETTINGS = ChangeSetSettings()
TEXT = "".join(f"line {n}\n" for n in range(1, 101))
ISSUE = Issue(title="It fails")


def change_set(start: int | None, end: int | None, path: str = "a.py", **other: object) -> ChangeSet:
    return ChangeSet(
        file_path=path,
        target_location=TargetLocation(start_line=start, end_line=end, function_name="f"),
        change_type=ChangeType.FIX_LOGIC,
        confidence=0.5,
        content_hash="h1",
        **other,
    )


def shown(start: int, end: int, text: str = TEXT, settings: ChangeSetSettings = SETTINGS) -> tuple[int, list[str]]:
    (only,) = build_brief(ISSUE, [change_set(start, end)], {"a.py": text}, settings=settings).change_sets
    assert only.context_start_line is not None
    return only.context_start_line, only.context_code_snippet.split("\n")


@pytest.mark.parametrize(
    ("start", "end", "count", "expected"),
    [
        (3, 5, 10, (3, 5)),
        (5, 3, 10, (3, 5)),
        (0, 2, 10, (1, 2)),
        (-7, 2, 10, (1, 2)),
        (8, 99, 10, (8, 10)),
        (11, 12, 10, None),
        (0, 0, 10, None),
        (1, 1, 0, None),
        (None, None, 10, None),
        (4, None, 10, (4, 4)),
        (None, 4, 10, (4, 4)),
    ],
)
def test_checked_lines(start: int | None, end: int | None, count: int, expected: tuple[int, int] | None) -> None:
    assert checked_lines(start, end, count) == expected


@given(st.integers(), st.integers(), st.integers(0, 1000))
def test_checked_lines_are_in_the_file_or_refused(start: int, end: int, count: int) -> None:
    checked = checked_lines(start, end, count)
    assert checked is None or 1 <= checked[0] <= checked[1] <= count


def test_the_target_stands_in_the_middle_of_25_lines() -> None:
    first, lines = shown(50, 54)
    assert (first, len(lines)) == (40, 25)
    assert (lines[0], lines[-1]) == ("line 40", "line 64")


def test_context_ends_at_the_bounds_of_the_file() -> None:
    assert (shown(1, 1)[0], len(shown(1, 1)[1])) == (1, 25)
    first, lines = shown(99, 100)
    assert (first, len(lines), lines[-1]) == (76, 25, "line 100")


def test_a_long_target_keeps_five_lines_around_it() -> None:
    first, lines = shown(40, 59)
    assert (first, len(lines)) == (35, 30)


def test_a_file_shorter_than_the_context() -> None:
    assert shown(2, 2, "a\nb\nc\n") == (1, ["a", "b", "c"])


def test_no_context_when_the_setting_is_zero() -> None:
    assert shown(50, 51, settings=ChangeSetSettings(context_lines=0)) == (50, ["line 50", "line 51"])


def test_long_lines_are_capped() -> None:
    (line,) = shown(1, 1, "x" * 401)[1]
    assert line == "x" * 399 + "…"
    assert shown(1, 1, "x" * 400)[1] == ["x" * 400]


def test_lines_outside_of_the_file_are_refused_and_told() -> None:
    brief = build_brief(ISSUE, [change_set(500, 501), change_set(3, 1)], {"a.py": TEXT}, settings=SETTINGS)
    assert [(c.target_location.start_line, c.target_location.end_line) for c in brief.change_sets] == [(1, 3)]
    assert brief.reasoning == "Left out a.py: its lines are not in the file."


def test_a_new_file_and_a_file_not_at_hand_stay_as_they_are() -> None:
    new, absent = change_set(None, None, "new.py", new_file=True), change_set(3, 4, "absent.py")
    assert build_brief(ISSUE, [new, absent], {}, settings=SETTINGS).change_sets == (new, absent)


def test_content_hash_is_over_each_file_once() -> None:
    sets = [change_set(3, 4, "b.py"), change_set(1, 2), change_set(7, 8)]
    brief = build_brief(ISSUE, sets, {"a.py": TEXT, "b.py": TEXT}, settings=SETTINGS)
    assert brief.content_hash == hashlib.sha256(b"a.py\0h1\nb.py\0h1\n").hexdigest()
    assert build_brief(ISSUE, [], {}, settings=SETTINGS).content_hash == ""


def test_stale_files_are_marked() -> None:
    sets = [change_set(3, 4, "b.py"), change_set(1, 2)]
    brief = build_brief(ISSUE, sets, {"a.py": TEXT, "b.py": TEXT}, settings=SETTINGS, stale={"b.py"})
    assert [c.stale for c in brief.change_sets] == [True, False]
    assert brief.stale
    assert not build_brief(ISSUE, sets, {}, settings=SETTINGS).stale


def test_global_context_is_bounded_and_checked() -> None:
    context = [
        (Snippet("a.py", "caller", "function", 10, 90), "calls f"),
        (Snippet("a.py", "gone", "function", 200, 210), "calls f"),
        (Snippet("c.py", "absent", "function", 1, 2), "calls f"),
    ]
    (only,) = build_brief(ISSUE, [], {"a.py": TEXT}, settings=SETTINGS, context=context).global_context
    assert (only.file_path, only.purpose, only.start_line, only.end_line) == ("a.py", "calls f", 10, 39)
    assert only.snippet.split("\n")[0] == "line 10"


def test_names_and_reasoning_are_handed_on() -> None:
    brief = build_brief(
        ISSUE, [], {}, settings=SETTINGS, reasoning="Because.", repository="r", revision="abc", findings=["one"]
    )
    assert (brief.reasoning, brief.repository, brief.revision, brief.findings) == ("Because.", "r", "abc", ("one",))


def test_summary_of_title_and_first_prose() -> None:
    body = "## Description\n\n```python\nx = 1\n```\nCalling f twice loses the first value. It worked in 1.0.\n"
    assert issue_summary(Issue(title="f loses values", body=body)) == (
        "f loses values. Calling f twice loses the first value."
    )


def test_summary_prefers_what_happens_to_what_is_described() -> None:
    query = Query(
        segments=(
            Segment("title", "f is wrong", 1.0),
            Segment("description", "I use f a lot in my work.", 1.0),
            Segment("expected", "It should return the value.", 1.0),
            Segment("actual", "It returns nothing at all.", 1.0),
        )
    )
    assert issue_summary(Issue(title="f is wrong", body="x"), query) == "f is wrong. It returns nothing at all."


def test_a_log_never_gets_into_the_summary() -> None:
    body = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\n>>> f()\n$ run\n'
    assert issue_summary(Issue(title="It fails", body=body)) == "It fails"


def test_summary_is_cut_at_a_word() -> None:
    summary = issue_summary(Issue(title="word " * 100))
    assert len(summary) <= 300
    assert summary.endswith("word…")


def test_a_sentence_that_repeats_the_title_is_left_out() -> None:
    assert issue_summary(Issue(title="It always fails here", body="It always fails here.")) == "It always fails here"


def test_summary_of_a_body_alone_and_of_nothing() -> None:
    assert issue_summary(Issue(body="Only a body with one sentence.")) == "Only a body with one sentence."
    assert issue_summary(Issue()) == ""


def test_summary_in_japanese() -> None:
    assert issue_summary(Issue(title="保存に失敗する", body="空のファイルを保存すると落ちる。毎回起きる。")) == (
        "保存に失敗する. 空のファイルを保存すると落ちる。"
    )

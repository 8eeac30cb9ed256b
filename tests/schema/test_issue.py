"""An issue from text, and what is kept of one that is too long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.schema.issue import Issue

TEXT = st.text(alphabet="ab \n", max_size=400)


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("A title", "A title", ""),
        ("\ufeff# A title\r\n\r\nThe body\r\nof it\r\n", "A title", "The body\nof it"),
        ("\n  \n  A title \n\n\nbody\n\n", "A title", "body"),
        ("```\ncode\n```", "", "```\ncode\n```"),
        ("\n ```py\ncode", "", " ```py\ncode"),
        ("", "", ""),
        (" \n\t\n", "", ""),
        ("#No heading", "#No heading", ""),
    ],
)
def test_from_text(text: str, title: str, body: str) -> None:
    issue = Issue.from_text(text)
    assert (issue.title, issue.body) == (title, body)


@pytest.mark.parametrize("unit", ["\n", " ", "a", "\n ", "\r\n", "#"])
def test_from_text_is_quick(unit: str) -> None:
    start = time.process_time()
    Issue.from_text(unit * (8_000_000 // len(unit)))
    assert time.process_time() - start < 2


def test_what_fits_stays_the_same() -> None:
    issue = Issue(title="t" * 10, body="b" * 980, comments=("c" * 10,))
    assert issue.shortened(1000) is issue


def test_begin_and_end_of_a_long_body_stay() -> None:
    lines = [f"line {number:05}" for number in range(1000)]
    issue = Issue(title="Title", body="\n".join(lines), labels=("bug",)).shortened(1205)
    begin, end = issue.body.split("\n\n\n")
    assert begin.split("\n") == lines[:81]
    assert end.split("\n") == lines[-27:]
    assert (issue.title, issue.labels) == ("Title", ("bug",))
    assert issue.omitted == 10_999 - len(issue.body)


def test_a_line_without_end_is_cut_where_it_must_be() -> None:
    issue = Issue(title="Title", body="first\n" + "a" * 5000).shortened(1005)
    assert len(issue.body) == 1000
    assert issue.body == "first\n" + "a" * 742 + "\n\n" + "a" * 250


def test_comments_get_what_is_left() -> None:
    issue = Issue(title="T", body="b" * 2000, comments=("c" * 150, "d" * 3000, "e" * 3000)).shortened(1001)
    assert issue.body == "b" * 560 + "\n\n" + "b" * 188
    assert issue.comments[0] == "c" * 150
    assert len(issue.comments) == 1
    issue = Issue(body="b" * 100, comments=("c" * 100, "d" * 3000, "e" * 3000)).shortened(1000)
    assert [len(each) for each in (issue.body, *issue.comments)] == [100, 100, 800]


@given(TEXT, TEXT, st.lists(TEXT, max_size=4), st.integers(200, 600))
def test_it_never_grows_past_the_limit_and_counts_what_is_gone(
    title: str, body: str, comments: list[str], limit: int
) -> None:
    issue = Issue(title=title, body=body, comments=tuple(comments))
    short = issue.shortened(limit)
    sizes = [sum(map(len, (each.title, each.body, *each.comments))) for each in (issue, short)]
    assert sizes[1] <= limit
    assert short.omitted == sizes[0] - sizes[1]
    assert (short is issue) is (sizes[0] <= limit)
    assert short.shortened(limit) is short

"""Commits and tickets that an issue names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.query import build_query
from sherloc.query.commit_names import commit_ids, tickets
from sherloc.schema.issue import Issue

ID = "a21a63cc288ba51bcf8c227a49de6f5bb9a72cc3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Broken since {ID}.", (ID,)),
        ("Broken since a21a63c, worked in 991dce4f", ("a21a63c", "991dce4f")),
        (f"https://host/o/r/commit/{ID}#diff-12ab34cd", (ID,)),
        ("see django/django@a21a63c", ("a21a63c",)),
        (f"since {ID}{ID[:24]}", (ID + ID[:24],)),
        (f"{ID[:9]} is the first bad commit\ncommit {ID[:9]}\n", (ID[:9],)),
        # A link to a file at a revision, a version, what the reporter ran, a colour, a file's name, an address, words.
        (f"https://host/o/r/blob/{ID}/pkg/a.py#L12", ()),
        (f"https://host/o/r/compare/{ID}...991dce4f", ()),
        ("xarray: 2022.3.1.dev102+g6bb2b855", ()),
        ("commit: 6bb2b855", ()),
        (" - Git revision = 6bb2b855", ()),
        ("#ff00aa11 is pink", ()),
        ("main.3f2a1b7c.js", ()),
        ("0x7f2a1b7c8d", ()),
        ("8f14e45f-ceea-467a-9575-000000000000", ()),
        ("defaced decades 1234567 12345678", ()),
        ("a21a63", ()),
        ("", ()),
    ],
)
def test_commit_ids(text: str, expected: tuple[str, ...]) -> None:
    assert commit_ids(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Broken by #12644.", ("12644",)),
        ("GH-501 and gh-502, (#503)", ("501", "502", "503")),
        ("https://host/o/r/pull/8265/files https://host/ticket/29260", ("8265", "29260")),
        ("ticket #33018 and issue 44 and PR 45", ("33018", "44", "45")),
        ("since PROJ-321", ("PROJ-321",)),
        ("#12644 and again #12644", ("12644",)),
        # Another repository's, a heading's number, an entity, a version, one digit, a colour.
        ("pandas#12644", ()),
        ("&#12644;", ()),
        ("issue 3.10 or #3.10", ()),
        ("#1 and issue 2", ()),
        ("#12ab34", ()),
        ("", ()),
    ],
)
def test_tickets(text: str, expected: tuple[str, ...]) -> None:
    assert tickets(text) == expected


def test_a_query_has_them_of_title_body_and_comments() -> None:
    query = build_query(Issue(title="Regression of #12644", body="In a21a63c.", comments=("Or in 991dce4f",)))
    assert (query.commit_ids, query.tickets) == (("a21a63c", "991dce4f"), ("12644",))


def test_at_most_twelve_of_each() -> None:
    assert len(commit_ids(" ".join(f"{n:06x}a{n % 10}" for n in range(1000, 1100)))) == 12
    assert len(tickets(" ".join(f"#{n}" for n in range(100, 200)))) == 12


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    assert all(7 <= len(name) <= 64 and set(name) <= set("0123456789abcdef") for name in commit_ids(text))
    assert all(name.isdigit() or "-" in name for name in tickets(text))


@pytest.mark.parametrize("part", ["a1", "#", "commit: ", " \t>", "blob/", "issue ", "AB-", "a1b2c3d4 ", "-1"])
def test_time_is_linear(part: str) -> None:
    def seconds(count: int) -> float:
        text = part * count
        started = time.perf_counter()
        commit_ids(text), tickets(text)
        return time.perf_counter() - started

    assert seconds(200_000 // len(part)) < 2

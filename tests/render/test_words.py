"""Plain words."""

from __future__ import annotations

import doctest

import pytest

from sherloc import visible
from sherloc.render import words
from sherloc.render.words import (
    chance,
    change_in_words,
    evidence_in_words,
    level_in_words,
    place,
    revision_in_words,
    seconds_in_words,
    sign_in_words,
    size_in_words,
    why,
)
from sherloc.schema import candidate
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.report import SignalRecord


def sign(kind: str, detail: str = "x", score: float = 1.0) -> SignalRecord:
    return SignalRecord(channel="structural", kind=kind, detail=detail, score=score)


def test_examples() -> None:
    for module in (words, visible):
        assert doctest.testmod(module).failed == 0


def test_every_kind_of_sign_has_words() -> None:
    assert set(words._SIGNS) == set(candidate._SENTENCES)


def test_a_name_says_more_than_shared_words() -> None:
    assert why([sign("lexical", "a, b", 1.0), sign("defined_name", "f", 0.5)]) == "defines f, which the issue mentions"


def test_a_weak_name_does_not() -> None:
    assert why([sign("lexical", "a, b", 1.0), sign("defined_name", "f", 0.1)]) == "shares the words a, b"


def test_weak_signs_are_better_than_none() -> None:
    assert why([sign("lexical", "a", 0.1)]) == "shares the words a"
    assert why([]) == ""


def test_a_relation_is_not_said_twice() -> None:
    assert sign_in_words(sign("caller", "calls f")) == "calls f"
    assert sign_in_words(sign("lexical", "shares words with the issue")) == "shares words with the issue"


def test_a_kind_of_later_versions_is_shown_as_it_is() -> None:
    assert sign_in_words(sign("semantic", "near")) == "near"
    assert why([sign("semantic", "near")]) == "near"


def test_details_of_strangers_are_one_visible_line() -> None:
    assert sign_in_words(sign("message", "a\n\x1b[31m b")) == "holds the message: a \\x1b[31m b"


@pytest.mark.parametrize("level", ["high", "medium", "low"])
def test_levels(level: str) -> None:
    assert level_in_words(level).lower().startswith(level)


def test_change_types_have_no_underscores() -> None:
    assert all("_" not in change_in_words(change.value) for change in ChangeType)


def test_chances_never_claim_certainty() -> None:
    assert chance(1.0) == ">99%"
    assert chance(0.0) == "<1%"
    assert chance(0.255) == "26%"


def test_evidence() -> None:
    assert evidence_in_words("lines 3-5", "Shares words.") == "lines 3-5: shares words."
    assert evidence_in_words("lines 7", "Shares words.") == "line 7: shares words."
    assert evidence_in_words("lines 7-7", "") == "line 7: "


def test_revisions() -> None:
    commit = "0123456789" * 4
    assert revision_in_words(commit) == "0123456789"
    assert revision_in_words(f"{commit}+changes") == "0123456789 with local changes"
    assert revision_in_words("") == ""


def test_places() -> None:
    assert place("a.py", None, None) == "a.py"
    assert place("a.py", 3, 3) == "a.py:3"
    assert place("a.py", 3, 9) == "a.py:3-9"


def test_numbers() -> None:
    assert seconds_in_words(12.3) == "12 s"
    assert size_in_words(999_950) == "1000.0 kB"
    assert size_in_words(4_000_000_000) == "4.0 GB"

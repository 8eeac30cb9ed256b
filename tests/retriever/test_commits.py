from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Callable

import pytest

from sherloc.repository.history import Commit
from sherloc.retriever.commits import commit_cues


def test_likeness_by_hand() -> None:
    commits = [
        Commit("Fix the parser", ("parser.py",)),
        Commit("Docs", ("README.md",)),
        Commit("Parser and lexer", ("lexer.py", "parser.py")),
    ]
    found = commit_cues(commits, [("parser", 1.0)])
    # "parser" is in two of three messages; lengths in terms are 2 (fix, parser), 1 and 2, their mean 5/3.
    rarity = math.log1p((3 - 2 + 0.5) / (2 + 0.5))
    score = rarity * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / (5 / 3)))
    first, second = score, score / (1 + math.log(2)) / (1 + 1 / 5)
    assert found.alike["parser.py"] == 1.0
    assert found.alike["lexer.py"] == pytest.approx(second / (first + second))
    assert "README.md" not in found.alike
    assert found.subjects == {"parser.py": "Fix the parser", "lexer.py": "Parser and lexer"}


def test_recency_falls_with_the_commits_since() -> None:
    commits = [Commit("", ("a",)), Commit("", ("b", "a")), Commit("", ("c",))]
    recent = commit_cues(commits, []).recent
    assert recent == pytest.approx({"a": 1.0, "b": 1 / (1 + math.log(2)), "c": 1 / (1 + math.log(3))})


def test_commits_that_touch_everything_say_nothing() -> None:
    sweeping = Commit("parser", tuple(f"f{n}" for n in range(31)))
    found = commit_cues([sweeping, Commit("", ())], [("parser", 1.0)])
    assert (found.alike, found.subjects, found.recent) == ({}, {}, {})


def test_no_history_is_fine() -> None:
    assert commit_cues([], [("parser", 1.0)]).alike == {}


@pytest.mark.parametrize("word", [chr, lambda code: f"w{code}Of "], ids=["chinese", "latin"])
def test_messages_are_not_kept(word: Callable[[int], str]) -> None:
    messages = ["".join(word(0x4E00 + (number * at) % 20_000) for at in range(400)) for number in range(7, 57)]
    commits = [Commit(message, ("a.py",)) for message in messages]
    tracemalloc.start()
    try:
        commit_cues(commits, [("issue", 1.0)])
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()

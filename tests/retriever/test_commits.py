from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sherloc.indexer.builder import build_index
from sherloc.repository import open_tree
from sherloc.repository.history import Commit
from sherloc.retriever.commits import add_touched, commit_cues
from sherloc.retriever.cues import Cues
from sherloc.settings import Settings


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
    assert [(commit.message, value) for commit, value in found.like] == [
        ("Fix the parser", pytest.approx(score)), ("Parser and lexer", pytest.approx(score)),
    ]  # fmt: skip
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


def test_functions_that_commits_touched_by_hand(make_repository: Callable[..., Path]) -> None:
    files = {"a.py": "def one():\n    1\n\n\nclass A:\n    def two(self):\n        2\n", "b.py": "def one():\n    1\n"}
    segment = build_index(open_tree(make_repository(files)), Settings()).code
    names = [(segment.paths[segment.unit_file[u]], segment.qualified_names[u]) for u in range(segment.unit_count)]
    like = [(Commit("", (), "x"), 8.0), (Commit("", (), "unread"), 6.0), (Commit("", (), "y"), 4.0)]
    cues = Cues()
    places = {"x": [("a.py", "one"), ("a.py", ""), ("gone.py", "one")], "y": [("a.py", "two"), ("a.py", "one")]}
    add_touched(cues, segment, like, places)
    one, two = 8 / (1 + math.log(3)) + 4 / (1 + math.log(2)) / 1.4, 4 / (1 + math.log(2)) / 1.4
    wanted = {("a.py", "one"): (1.0, 1.0, math.log(3)), ("a.py", "A.two"): (two / one, 0.5, math.log(2))}
    for unit, name in enumerate(names):
        row = [float(cues.units[cue][unit]) for cue in ("touched", "touched_most", "touched_times")]
        assert row == pytest.approx(wanted.get(name, (0, 0, 0)))


def test_no_commit_touched_anything(make_repository: Callable[..., Path]) -> None:
    segment = build_index(open_tree(make_repository({"a.py": "def one():\n    1\n"})), Settings()).code
    cues = Cues()
    add_touched(cues, segment, [], {})
    assert not np.any(cues.units["touched"])


def test_a_file_of_many_functions_that_were_all_touched_is_linear(make_repository: Callable[..., Path]) -> None:
    count = 20_000
    files = {"a.py": "".join(f"def f{number}(): 1\n" for number in range(count))}
    segment = build_index(open_tree(make_repository(files)), Settings()).code
    cues = Cues()
    places = {"x": [("a.py", f"f{number}") for number in range(count)]}
    start = time.process_time()
    add_touched(cues, segment, [(Commit("", (), "x"), 1.0)], places)
    assert time.process_time() - start < 4  # it was 13
    assert np.count_nonzero(cues.units["touched"]) == count

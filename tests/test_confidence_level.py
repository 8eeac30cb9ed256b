"""How sure an answer says it is, from chances and diagnoses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.indexer.builder import build_index
from sherloc.indexer.decoding import decode
from sherloc.plans import Work
from sherloc.reporting import confidence_level
from sherloc.repository import open_tree
from sherloc.repository.sources import Sources
from sherloc.schema.candidate import Candidates, FileCandidate
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.issue import Issue
from sherloc.settings import load_settings

Make = Callable[..., Path]
ALIKE = "The candidates look alike: nothing sets one apart."


@pytest.mark.parametrize(
    ("chances", "scores", "expected"),
    [
        ((0.99, 0.01), (5.0, 5.0), ("high", [])),
        ((0.99, 0.01), (5.0, 2.0), ("high", [])),
        ((0.99, 0.5), (5.0, 5.0), ("low", [ALIKE])),
        ((0.6, 0.1), (3.0, 3.0), ("low", [ALIKE])),
        ((0.6, 0.1), (3.0, 2.0), ("medium", [])),
        ((0.3, 0.1), (3.0, 2.0), ("low", ["The best file has an estimated chance of 30% only."])),
    ],
)
def test_levels(
    make_repository: Make, chances: tuple[float, ...], scores: tuple[float, ...], expected: tuple[str, list[str]]
) -> None:
    tree, settings = open_tree(make_repository({"a.py": "x = 1\n"})), load_settings({"cache": {"workers": 1}})
    work = Work(
        Issue(title="t"), tree, build_index(tree, settings), settings, Sources(tree, lambda data: decode(data)[0])
    )
    work.candidates = Candidates(tuple(FileCandidate(f"{n}.py", 1.0, confidence=c) for n, c in enumerate(chances)))
    work.diagnoses = tuple(
        Diagnosis(path="a.py", qualified_name="f", kind="function", start_line=1, end_line=2, relevance_score=score,
                  relevance="none")
        for score in scores
    )  # fmt: skip
    assert confidence_level(work) == expected

from __future__ import annotations

import pytest

from sherloc.change_set import names_its_place
from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, Signal, SignalKind
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings

SETTINGS = ChangeSetSettings()


def top(kind: SignalKind, confidence: float) -> Candidates:
    candidate = Candidate(
        Snippet("a.py", "f", "function", 1, 9), 1.0, (), (Signal("structural", kind, "x", 1.0),), confidence
    )
    return Candidates(snippets=(candidate,))


@pytest.mark.parametrize("kind", ["path", "traceback", "qualified_name"])
def test_sure_and_named(kind: SignalKind) -> None:
    assert names_its_place(top(kind, 0.9), SETTINGS)


@pytest.mark.parametrize("kind", ["lexical", "defined_name", "message", "callee"])
def test_sure_but_not_named(kind: SignalKind) -> None:
    assert not names_its_place(top(kind, 0.99), SETTINGS)


def test_named_but_not_sure() -> None:
    assert not names_its_place(top("path", 0.85), SETTINGS)


def test_a_file_can_be_the_place() -> None:
    file = FileCandidate("a.py", 1.0, (), (Signal("structural", "path", "a.py", 1.0),), "", 0.95)
    assert names_its_place(Candidates(files=(file,)), SETTINGS)


def test_nothing_found() -> None:
    assert not names_its_place(Candidates(), SETTINGS)

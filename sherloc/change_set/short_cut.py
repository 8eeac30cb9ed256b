"""The short cut: an issue that names its place outright."""

from __future__ import annotations

from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, SignalKind
from sherloc.settings import ChangeSetSettings

_OUTRIGHT: frozenset[SignalKind] = frozenset({"path", "traceback", "qualified_name"})


def names_its_place(candidates: Candidates, settings: ChangeSetSettings) -> bool:
    """Whether the best snippet, or the best file, is surer than ``short_cut_confidence`` and named by the issue.

    Named means by path, in a traceback, or by a qualified name.

    Args:
        candidates: What the retriever found.
        settings: The threshold.
    """
    best: tuple[Candidate | FileCandidate, ...] = (*candidates.snippets[:1], *candidates.files[:1])
    return any(
        each.confidence > settings.short_cut_confidence and any(signal.kind in _OUTRIGHT for signal in each.signals)
        for each in best
    )

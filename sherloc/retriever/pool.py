"""The pool: what the retriever found, and what a model's own ideas add below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sherloc.retriever.retrieve import Retriever
from sherloc.schema.candidate import Candidate, Candidates, FileCandidate, Signal
from sherloc.schema.snippet import Snippet
from sherloc.settings import NarrowingSettings, RerankSettings

Key = tuple[str, int, int]

_BEST_FILES = 20
_EXPANDED = 12
_BELOW = 0.5


def key_of(snippet: Snippet) -> Key:
    """What tells snippets of one tree apart: path, first and last line."""
    return snippet.path, snippet.start_line, snippet.end_line


def build_pool(
    retriever: Retriever,
    found: Candidates,
    settings: RerankSettings,
    narrowing: NarrowingSettings,
    *,
    explored: Sequence[int] = (),
    narrowed: Sequence[str] = (),
    expanded: Candidates | None = None,
) -> tuple[Candidate, ...]:
    """Candidates that are worth a model's look, each once; the retriever's own come first, in their order.

    What a model added (places of an exploration, of files named from their paths, of the expanded query) stands below
    with half the chance of the retriever's last: it has to earn its rank.

    Args:
        retriever: Makes candidates of snippets that it did not rank among the best.
        found: What it found.
        settings: How many.
        narrowing: How many snippets of a file.
        explored: Snippet numbers that an exploration led to.
        narrowed: Files that a model named.
        expanded: What the expanded query found.
    """
    own = (*found.snippets[: settings.candidates], *found.functions[: settings.candidates])
    pool: dict[Key, Candidate] = {}
    for each in own:
        pool.setdefault(key_of(each.snippet), each)
    segment = retriever.index.code

    def add(units: Iterable[int], signal: Signal | None = None) -> None:
        for candidate in retriever.of_units(units):
            key = key_of(candidate.snippet)
            known = pool.get(key)
            if known is None and len(pool) < settings.pool:
                pool[key] = _with(candidate, signal)
            elif known is not None and signal is not None:
                pool[key] = _with(known, signal)

    add(explored)
    for file in found.files[:_BEST_FILES]:
        add(retriever.best_units(file.path, 1))
    for rank, path in enumerate(narrowed):
        if path in segment.file_numbers:
            signal = Signal("model", "narrowed", path, round(1 / (1 + rank), 4))
            add(retriever.best_units(path, narrowing.places_per_file), signal)
    if expanded is not None:
        for candidate in expanded.snippets[:_EXPANDED]:
            key = key_of(candidate.snippet)
            if key not in pool and len(pool) < settings.pool:
                signal = Signal("model", "expanded", candidate.snippet.qualified_name or candidate.snippet.path, 0.1)
                pool[key] = _with(replace(candidate, signals=(), confidence=0.0), signal)
    last = min((each.confidence for each in own), default=0.0)
    known = {key_of(each.snippet) for each in (*found.snippets, *found.functions)}
    return tuple(
        each if key in known else replace(each, confidence=_BELOW * last, score=0.0) for key, each in pool.items()
    )


def files_of(
    pool: Sequence[Candidate], found: Candidates, retriever: Retriever, narrowed: Sequence[str]
) -> tuple[FileCandidate, ...]:
    """The retriever's files, then those that only the pool or a model knows, with half the last one's chance.

    Args:
        pool: What ``build_pool`` gave.
        found: What the retriever found.
        retriever: Knows the files' content.
        narrowed: Files that a model named.
    """
    code = retriever.index.code
    known = {file.path for file in found.files}
    last = min((file.confidence for file in found.files), default=0.0)
    extra = [path for path in dict.fromkeys([*narrowed, *(c.snippet.path for c in pool)]) if path not in known]
    return (
        *found.files,
        *(
            FileCandidate(path, 0.0, content_id=code.content_ids[code.file_numbers[path]], confidence=_BELOW * last)
            for path in extra
            if path in code.file_numbers
        ),
    )


def _with(candidate: Candidate, signal: Signal | None) -> Candidate:
    if signal is None or any(held.kind == signal.kind for held in candidate.signals):
        return candidate
    return replace(candidate, signals=(*candidate.signals, signal))


def unrelated_units(retriever: Retriever, used: Iterable[str], count: int) -> list[int]:
    """Short functions that nothing ties to the issue, spread over the repository; fewer when there are not so many.

    Args:
        retriever: Its scores say what is tied to the issue.
        used: Paths that are none of theirs.
        count: How many.
    """
    segment = retriever.index.code
    arrays = segment.arrays
    lines = arrays["end"].astype(np.int64) - arrays["start"] + 1
    near = set(used)
    apart = np.fromiter((path not in near for path in segment.paths), bool, segment.file_count)
    small = np.isin(arrays["kind"], (2, 3)) & (lines >= 4) & (lines <= 15) & apart[segment.unit_file]
    units = np.flatnonzero(small)
    if not len(units) or count < 1:
        return []
    # The least tied first; of a hundred such every n-th, so that they are of different files.
    order = units[np.lexsort((units, retriever.fused.units[units]))][: 100 * count]
    order.sort()
    step = max(1, len(order) // count)
    return [int(unit) for unit in order[step // 2 :: step][:count]]

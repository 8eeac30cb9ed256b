"""An answer without an index: whole files compared with the issue by their words, as far as the time allows."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.agents.answers import FileAnswer, LocateAnswer
from sherloc.indexer.decoding import decode
from sherloc.indexer.plan import plan_index
from sherloc.query import build_query
from sherloc.repository import Tree
from sherloc.schema.issue import Issue
from sherloc.schema.path_text import shown_path
from sherloc.settings import Settings
from sherloc.terms import TermTable

_TERMS = 40
_K1, _B = 1.2, 0.75
_BATCH = 64
_IN_PATH = 3
_READ = 200_000


@dataclass(frozen=True, slots=True)
class _Words:
    """How often a file holds the issue's terms, and how many terms it has."""

    path: str
    counts: dict[str, int]
    length: int


def quick_answer(issue: Issue, tree: Tree, settings: Settings, *, top: int, seconds: float) -> LocateAnswer:
    """Files by BM25 over their words, names of folders and files counting thrice.

    Files whose path shares a word with the issue are read first; those that the time does not suffice for are not
    looked at, and the answer says how many were.

    Args:
        issue: The issue.
        tree: The repository.
        settings: Which files are candidates.
        top: How many files.
        seconds: After which no further file is read.

    Complexity: linear in the bytes that are read.
    """
    terms = dict(build_query(issue.shortened(settings.issue.max_characters)).terms[:_TERMS])
    jobs = [planned.job for planned in plan_index(tree, settings.index).files if planned.job.partition == "code"]
    table = TermTable()
    in_path = {job.path: Counter(t for t in table.count(job.path).elements() if t in terms) for job in jobs}
    order = sorted(jobs, key=lambda job: (-sum(terms[t] for t in in_path[job.path]), job.path))
    entries = {entry.path: entry for entry in tree.entries}
    end = time.monotonic() + seconds
    read: list[_Words] = []
    for start in range(0, len(order), _BATCH):
        if time.monotonic() >= end:
            break
        batch = [entries[job.path] for job in order[start : start + _BATCH]]
        for entry, data in tree.read(batch):
            counts = table.count(decode((data or b"")[:_READ])[0])
            held = {t: counts[t] + _IN_PATH * in_path[entry.path][t] for t in terms}
            held = {term: count for term, count in held.items() if count}
            read.append(_Words(shown_path(entry.path), held, sum(counts.values())))
    scored = _scored(read, terms)[:top]
    return LocateAnswer(
        status="indexing",
        confidence="low",
        confidence_reasons=(
            f"The index is still being built; {len(read)} of {len(order)} files were compared by their words alone.",
        ),
        files=tuple(FileAnswer(path=words.path, why=_why(words, terms)) for _, words in scored),
        repository=tree.name,
        revision=tree.revision,
        how_to_go_on="Ask again in a while for functions, lines and evidence; index_status says how far it is.",
    )


def _scored(read: Sequence[_Words], terms: dict[str, float]) -> list[tuple[float, _Words]]:
    holding = Counter(term for words in read for term in words.counts)
    mean = sum(words.length for words in read) / len(read) if read else 1.0
    rarity = {t: math.log1p((len(read) - n + 0.5) / (n + 0.5)) for t, n in holding.items()}
    found = []
    for words in read:
        norm = _K1 * (1 - _B + _B * words.length / (mean or 1.0))
        score = math.fsum(terms[t] * rarity[t] * n * (_K1 + 1) / (n + norm) for t, n in sorted(words.counts.items()))
        if score > 0:
            found.append((score, words))
    return sorted(found, key=lambda pair: (-pair[0], pair[1].path))


def _why(words: _Words, terms: dict[str, float]) -> str:
    best = sorted(words.counts, key=lambda term: (-terms[term], term))[:6]
    return f"shares the words {', '.join(best)}"

"""How much of a name the issue says: of functions and classes, of files, of folders."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sherloc.indexer.assemble import Array
from sherloc.indexer.segment import Segment
from sherloc.terms import WORD, TermTable

_NAME_FIELD = 3
_MODULE = 0


def name_coverage(segment: Segment, terms: Mapping[str, float]) -> Array:
    """For each unit the share of its qualified name's terms that are among some terms.

    Args:
        segment: Whose units.
        terms: Terms with weights; each counts at most 1.

    Returns:
        A number from 0 to 1 a unit; 0 for module code.
    """
    covered = np.zeros(segment.unit_count, np.float32)
    for term, weight in sorted(terms.items()):
        units, tf = segment.postings(term)
        covered[units[tf[:, _NAME_FIELD] > 0]] += min(1.0, weight)
    covered /= np.maximum(1.0, segment.arrays["lengths"][:, _NAME_FIELD])
    covered[segment.arrays["kind"] == _MODULE] = 0.0
    return np.minimum(covered, 1.0)


def files_called(segment: Segment, terms: Collection[str]) -> list[int]:
    """Files whose name, without its extension, consists of some terms."""
    table = TermTable()
    return [
        file
        for file in _files_with(segment, terms)
        if (stem := table.count(_words(segment.paths[file], -1))) and stem.keys() <= set(terms)
    ]


def files_in_folders_called(segment: Segment, terms: Collection[str]) -> list[int]:
    """Files whose folder's name shares a term with some terms."""
    table = TermTable()
    return [
        file
        for file in _files_with(segment, terms)
        if "/" in segment.paths[file] and not table.count(_words(segment.paths[file], -2)).keys().isdisjoint(terms)
    ]


def _files_with(segment: Segment, terms: Collection[str]) -> list[int]:
    found = {int(file) for term in terms for file in segment.path_postings(term)[0].tolist()}
    return sorted(found)


def _words(path: str, part: int) -> str:
    name = path.split("/")[part]
    return " ".join(WORD.findall(name.rsplit(".", 1)[0] if part == -1 else name))

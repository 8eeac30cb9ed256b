"""How much of a name the issue says: of functions and classes, of files, of folders."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.terms import WORD, expand

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
    """Files whose name, without its extension, consists of some terms: ``query_set`` of ``query`` and ``set``."""
    known = set(terms)
    return [
        file for file in _files_with(segment, terms) if (name := _pieces(segment.paths[file], -1)) and name <= known
    ]


def files_in_folders_called(segment: Segment, terms: Collection[str]) -> list[int]:
    """Files whose folder's name shares a term with some terms."""
    known = set(terms)
    return [
        file
        for file in _files_with(segment, terms)
        if "/" in segment.paths[file] and _pieces(segment.paths[file], -2) & known
    ]


def _files_with(segment: Segment, terms: Collection[str]) -> list[int]:
    found = {int(file) for term in terms for file in segment.path_postings(term)[0].tolist()}
    return sorted(found)


def _pieces(path: str, part: int) -> set[str]:
    """The smallest terms of a part of a path, without its extension."""
    name = path.split("/")[part]
    words = WORD.findall(name.rsplit(".", 1)[0] if part == -1 else name)
    terms = [expand(word) for word in words]
    return {term for each in terms for term in (each[1:] or each)}

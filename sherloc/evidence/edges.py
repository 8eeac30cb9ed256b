"""What ties two diagnosed snippets together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from sherloc.schema.diagnosis import Diagnosis
from sherloc.settings import EvidenceSettings
from sherloc.terms import TermTable


@dataclass(frozen=True, slots=True)
class EvidenceEdge:
    """A tie between two diagnoses.

    Attributes:
        first: Position of one diagnosis.
        second: Position of the other, greater than ``first``.
        weight: Sum of what ties them (> 0).
        reasons: What ties them, for a person, in the order of the settings.
    """

    first: int
    second: int
    weight: float
    reasons: tuple[str, ...]


def evidence_edges(
    diagnoses: Sequence[Diagnosis], relations: Iterable[tuple[int, int, str]], settings: EvidenceSettings
) -> tuple[EvidenceEdge, ...]:
    """All ties between diagnoses, in order of their positions.

    Args:
        diagnoses: The nodes.
        relations: Two positions and what relates them (``call``, ``import``, ``inherit``); the direction does not
            matter, positions that do not exist are left out.
        settings: The weights; ``strict`` keeps only ties within one file and one change type.

    Complexity: O(n^2) for n diagnoses.
    """
    related: dict[tuple[int, int], set[str]] = {}
    for a, b, kind in relations:
        if a != b and min(a, b) >= 0 and max(a, b) < len(diagnoses):
            related.setdefault((min(a, b), max(a, b)), set()).add(kind)
    terms = _telling_terms(diagnoses)
    found = []
    for pair in combinations(range(len(diagnoses)), 2):
        ties = _ties(diagnoses[pair[0]], diagnoses[pair[1]], sorted(related.get(pair, ())), settings)
        common = _jaccard(terms[pair[0]], terms[pair[1]])
        if common:
            ties.append((settings.similar_reason * common, "similar evidence"))
        ties = [tie for tie in ties if tie[0] > 0]
        if ties and not (settings.strict and not _same_place_and_type(diagnoses[pair[0]], diagnoses[pair[1]])):
            weight = round(sum(weight for weight, _ in ties), 6)
            found.append(EvidenceEdge(*pair, weight, tuple(reason for _, reason in ties)))
    return tuple(edge for edge in found if edge.weight > 0)


def _ties(a: Diagnosis, b: Diagnosis, kinds: list[str], settings: EvidenceSettings) -> list[tuple[float, str]]:
    ties: list[tuple[float, str]] = []
    if a.path == b.path:
        ties.append((settings.same_file, "same file"))
        gap = max(a.start_line, b.start_line) - min(a.end_line, b.end_line)
        if gap <= settings.near_lines:
            ties.append((settings.near, f"within {settings.near_lines} lines"))
    if a.potential_change_type == b.potential_change_type:
        ties.append((settings.same_change_type, f"same change type {a.potential_change_type.value}"))
    if kinds:
        ties.append((settings.relation, f"{' and '.join(kinds)} relation"))
    return ties


def _same_place_and_type(a: Diagnosis, b: Diagnosis) -> bool:
    return a.path == b.path and a.potential_change_type == b.potential_change_type


def _telling_terms(diagnoses: Sequence[Diagnosis]) -> list[frozenset[str]]:
    """Terms of each diagnosis' evidence without those that most diagnoses have (the words of set phrases)."""
    table = TermTable()
    found = [frozenset(table.count("\n".join((*each.evidence, each.reason)))) for each in diagnoses]
    spread = Counter(term for terms in found for term in terms)
    common = {term for term, times in spread.items() if times > 2 and 2 * times > len(diagnoses)}
    return [terms - common for terms in found]


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0

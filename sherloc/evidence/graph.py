"""The evidence graph: which diagnosed snippets hang together, and which of them go forward."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sherloc.evidence.communities import find_communities
from sherloc.evidence.edges import EvidenceEdge, evidence_edges
from sherloc.evidence.rank import pagerank
from sherloc.schema.diagnosis import Diagnosis
from sherloc.settings import EvidenceSettings


@dataclass(frozen=True, slots=True)
class EvidenceNode:
    """A diagnosed snippet in the graph.

    Attributes:
        position: Its place among the diagnoses.
        community: Number of its community, 0 for the one with the highest mean relevance.
        pagerank: Its share of its community's rank; a community's shares sum to 1.
        selected: Whether it goes forward.
    """

    position: int
    community: int
    pagerank: float
    selected: bool


@dataclass(frozen=True, slots=True)
class EvidenceCommunity:
    """Snippets that hang together.

    Attributes:
        number: 0 for the highest mean relevance.
        members: Positions of its diagnoses, best PageRank first.
        mean_relevance: Mean of their relevance scores, 0-5.
        selected: Whether its best members go forward.
    """

    number: int
    members: tuple[int, ...]
    mean_relevance: float
    selected: bool


@dataclass(frozen=True, slots=True)
class EvidenceGraph:
    """The ranked evidence.

    Attributes:
        nodes: One a diagnosis, in the diagnoses' order.
        communities: By number.
        edges: In order of their positions.
        selected: Positions of the diagnoses that go forward, most relevant first (then PageRank, path, line).
        fell_back: Whether all communities were below the least mean relevance, so that none was dropped.
    """

    nodes: tuple[EvidenceNode, ...] = ()
    communities: tuple[EvidenceCommunity, ...] = ()
    edges: tuple[EvidenceEdge, ...] = ()
    selected: tuple[int, ...] = ()
    fell_back: bool = False


def rank_evidence(
    diagnoses: Sequence[Diagnosis], relations: Iterable[tuple[int, int, str]], settings: EvidenceSettings
) -> EvidenceGraph:
    """Tie diagnoses together, find communities, rank within each and choose what goes forward.

    Communities are ordered by mean relevance. Those below ``min_mean_relevance`` are dropped unless none is left; of
    the rest the best ``communities`` go forward with ``nodes_per_community`` members each, by PageRank within the
    community, personalised by relevance.

    Args:
        diagnoses: The nodes.
        relations: Two positions and what relates them (``call``, ``import``, ``inherit``).
        settings: Weights and thresholds.

    Complexity: O(n^2) for n diagnoses.
    """
    if not diagnoses:
        return EvidenceGraph()
    edges = evidence_edges(diagnoses, relations, settings)
    groups = find_communities(len(diagnoses), [(e.first, e.second, e.weight) for e in edges], seed=settings.seed)
    rank = _rank_within(groups, edges, diagnoses, settings.damping)

    def node_key(position: int) -> tuple[float, float, str, int, int]:
        node = diagnoses[position]
        return (-rank[position], -node.relevance_score, node.path, node.start_line, position)

    ordered = [tuple(sorted(group, key=node_key)) for group in groups]
    means = {group: sum(diagnoses[p].relevance_score for p in group) / len(group) for group in ordered}
    ordered.sort(key=lambda group: (-means[group], min((diagnoses[p].path, diagnoses[p].start_line, p) for p in group)))
    good = [group for group in ordered if means[group] >= settings.min_mean_relevance]
    forward = (good or ordered)[: settings.communities]
    chosen = {position for group in forward for position in group[: settings.nodes_per_community]}
    number_of = {position: number for number, group in enumerate(ordered) for position in group}
    return EvidenceGraph(
        nodes=tuple(EvidenceNode(p, number_of[p], rank[p], p in chosen) for p in range(len(diagnoses))),
        communities=tuple(
            EvidenceCommunity(number, group, means[group], group in forward) for number, group in enumerate(ordered)
        ),
        edges=edges,
        selected=tuple(sorted(chosen, key=lambda p: (-diagnoses[p].relevance_score, node_key(p)))),
        fell_back=not good,
    )


def _rank_within(
    groups: Sequence[tuple[int, ...]], edges: Sequence[EvidenceEdge], diagnoses: Sequence[Diagnosis], damping: float
) -> list[float]:
    rank = [0.0] * len(diagnoses)
    for group in groups:
        local = {position: number for number, position in enumerate(group)}
        neighbours: list[dict[int, float]] = [{} for _ in group]
        for edge in edges:
            if edge.first in local and edge.second in local:
                neighbours[local[edge.first]][local[edge.second]] = edge.weight
                neighbours[local[edge.second]][local[edge.first]] = edge.weight
        scores = pagerank(neighbours, [diagnoses[p].relevance_score for p in group], damping=damping)
        for position, score in zip(group, scores, strict=True):
            rank[position] = round(score, 12)
    return rank

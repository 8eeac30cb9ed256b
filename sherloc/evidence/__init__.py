"""Evidence: diagnoses -> ranked evidence (graph, communities, rank)."""

from sherloc.evidence.communities import find_communities
from sherloc.evidence.drawing import graphml, places
from sherloc.evidence.edges import EvidenceEdge, evidence_edges
from sherloc.evidence.graph import EvidenceCommunity, EvidenceGraph, EvidenceNode, rank_evidence
from sherloc.evidence.rank import pagerank

__all__ = [
    "EvidenceCommunity",
    "EvidenceEdge",
    "EvidenceGraph",
    "EvidenceNode",
    "find_communities",
    "evidence_edges",
    "graphml",
    "pagerank",
    "places",
    "rank_evidence",
]

"""The evidence graph as it leaves sherloc: which diagnosed snippets hang together, and why."""

from __future__ import annotations

from pydantic import Field

from sherloc.schema._model import Model


class EvidenceGraphNode(Model):
    """A diagnosed snippet; the n-th node is the report's n-th diagnosis.

    ``pagerank`` is its share of its community's rank: a community's shares sum to 1. ``selected`` says that it went
    forward to the change sets.
    """

    community: int = Field(ge=0)
    pagerank: float = Field(ge=0, le=1)
    selected: bool


class EvidenceGraphEdge(Model):
    """A tie between two nodes, ``first < second``; ``reasons`` say what ties them."""

    first: int = Field(ge=0)
    second: int = Field(ge=0)
    weight: float = Field(gt=0)
    reasons: tuple[str, ...] = ()


class EvidenceGraphCommunity(Model):
    """Snippets that hang together; the first community has the highest mean relevance (0-5)."""

    mean_relevance: float = Field(ge=0, le=5)
    selected: bool


class EvidenceGraphRecord(Model):
    """Nodes in the order of the diagnoses, edges in the order of their nodes, communities by number."""

    nodes: tuple[EvidenceGraphNode, ...] = ()
    edges: tuple[EvidenceGraphEdge, ...] = ()
    communities: tuple[EvidenceGraphCommunity, ...] = ()

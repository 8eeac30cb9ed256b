"""The evidence graph for other programs: GraphML, and places of its nodes in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.evidence import EvidenceGraphRecord

if TYPE_CHECKING:
    import networkx


def graphml(diagnoses: Sequence[Diagnosis], evidence: EvidenceGraphRecord) -> str:
    """The graph as GraphML, with all that is known of nodes and ties as attributes.

    Args:
        diagnoses: One a node.
        evidence: The graph.

    Source: U. Brandes et al., "GraphML Progress Report", GD 2001; the writer is networkx's.
    """
    import networkx

    graph = networkx.Graph()
    for at, (node, diagnosis) in enumerate(zip(evidence.nodes, diagnoses, strict=True)):
        graph.add_node(
            f"n{at}", path=diagnosis.path, name=_written(diagnosis.qualified_name), start_line=diagnosis.start_line,
            end_line=diagnosis.end_line, relevance=diagnosis.relevance_score,
            change_type=diagnosis.potential_change_type.value, community=node.community, pagerank=node.pagerank,
            selected=node.selected,
        )  # fmt: skip
    for edge in evidence.edges:
        graph.add_edge(
            f"n{edge.first}", f"n{edge.second}", weight=edge.weight, reasons=_written(", ".join(edge.reasons))
        )
    # The plain writer, whether lxml is installed or not: the bytes must not depend on it.
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def _written(text: str) -> str:
    """Control characters, which no XML can hold, written out."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def places(evidence: EvidenceGraphRecord) -> tuple[tuple[float, float], ...]:
    """Where to draw the nodes: x and y between 0 and 1, communities apart, what is tied closely near each other.

    Args:
        evidence: The graph.

    Complexity: O(n^2) for n nodes, 100 rounds.

    Source: T. Fruchterman, E. Reingold, "Graph Drawing by Force-directed Placement", Software: Practice and Experience
    1991; the implementation is networkx's, with a fixed seed.
    """
    if not evidence.nodes:
        return ()
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(evidence.nodes)))
    for edge in evidence.edges:
        inside = evidence.nodes[edge.first].community == evidence.nodes[edge.second].community
        graph.add_edge(edge.first, edge.second, weight=edge.weight if inside else edge.weight * _BETWEEN)
    return _spread(graph)


_BETWEEN = 0.05


def _spread(graph: networkx.Graph) -> tuple[tuple[float, float], ...]:
    import networkx

    count = len(graph)
    found = networkx.spring_layout(graph, seed=0, k=2.4 / count**0.5, iterations=100)
    columns = []
    for axis in (0, 1):
        values = [float(found[node][axis]) for node in range(count)]
        low, high = min(values), max(values)
        columns.append([round((value - low) / (high - low), 4) if high > low else 0.5 for value in values])
    return tuple(zip(*columns, strict=True))

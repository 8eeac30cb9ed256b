"""The evidence graph as text: Mermaid (which GitHub draws) and Graphviz's DOT.

Names of files and functions are strangers' text: they stand in quotes, with everything that could end these escaped.
"""

from __future__ import annotations

from sherloc.render.words import place
from sherloc.schema.diagnosis import Diagnosis
from sherloc.schema.report import Report
from sherloc.visible import one_line

_MERMAID_MOST_EDGES = 60
"""Mermaid's pictures become unreadable, and GitHub slow, with many more."""
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Paul Tol's bright scheme, which people with any colour vision can tell apart."""


def community_colour(number: int) -> str:
    """The colour of a community."""
    return _COLOURS[number % len(_COLOURS)]


def report_mermaid(report: Report) -> str:
    """The evidence graph as a Mermaid flow chart: a box a community, the strongest 60 ties.

    Args:
        report: What ``locate`` gave.
    """
    lines = ["flowchart LR"]
    for number, community in enumerate(report.evidence.communities):
        lines.append(f'  subgraph c{number}["Community {number + 1}, mean relevance {community.mean_relevance:.1f}"]')
        for at, node in enumerate(report.evidence.nodes):
            if node.community == number:
                lines.append(f'    n{at}["{_mermaid(_label(report.diagnoses[at]))}"]')
        lines.append("  end")
    strongest = sorted(report.evidence.edges, key=lambda e: (-e.weight, e.first, e.second))[:_MERMAID_MOST_EDGES]
    for edge in sorted(strongest, key=lambda e: (e.first, e.second)):
        lines.append(f"  n{edge.first} ---|{edge.weight:.1f}| n{edge.second}")
    chosen = [f"n{at}" for at, node in enumerate(report.evidence.nodes) if node.selected]
    if chosen:
        lines += ["  classDef forward stroke-width:3px", f"  class {','.join(chosen)} forward"]
    return "\n".join(lines) + "\n"


def report_dot(report: Report) -> str:
    """The evidence graph in DOT: communities coloured, PageRank as size, the ties' weights as width.

    Args:
        report: What ``locate`` gave.
    """
    lines = ["graph evidence {", "  node [shape=box, style=rounded];"]
    for at, (node, diagnosis) in enumerate(zip(report.evidence.nodes, report.diagnoses, strict=True)):
        width = 1 + 2 * node.pagerank
        pen = 3 if node.selected else 1
        lines.append(
            f'  n{at} [label="{_dot(_label(diagnosis))}", color="{community_colour(node.community)}", '
            f"width={width:.2f}, penwidth={pen}];"
        )
    for edge in report.evidence.edges:
        reasons = _dot(", ".join(edge.reasons))
        lines.append(f'  n{edge.first} -- n{edge.second} [penwidth={edge.weight / 2:.2f}, tooltip="{reasons}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(diagnosis: Diagnosis) -> str:
    name = one_line(diagnosis.qualified_name) or "(module)"
    return f"{name}\n{one_line(place(diagnosis.path, diagnosis.start_line, None))}"


def _mermaid(text: str) -> str:
    """Inside quotes Mermaid reads HTML and its own entities; only letters, digits and harmless marks stay."""
    kept = "".join(c if c.isalnum() or c in " _-./:,+=" else "\n" if c == "\n" else f"#{ord(c)};" for c in text)
    return kept.replace("\n", "<br/>")


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

"""A report as one HTML page that needs nothing else: no network, no further file, light and dark.

Everything of strangers goes through Jinja's autoescape into text or attributes, never into a script: the one script
reads the page, and the page's policy allows no other, by its hash. Needs ``pip install 'sherloc[html]'``.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from sherloc.errors import MissingExtraError
from sherloc.render.graphs import community_colour
from sherloc.render.words import (
    chance,
    change_in_words,
    evidence_in_words,
    level_in_words,
    place,
    revision_in_words,
    seconds_in_words,
    why,
)
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.issue import Issue
from sherloc.schema.report import Report
from sherloc.visible import one_line, visible, visible_code

if TYPE_CHECKING:
    from jinja2 import Template

WIDTH, HEIGHT = 900, 560
_MARGIN = 60
_LONGEST_ISSUE = 60_000
_READINGS = (
    ("names", "Names"),
    ("places", "Paths"),
    ("frames", "Traceback"),
    ("messages", "Messages"),
    ("exceptions", "Exceptions"),
    ("settings", "Settings"),
)
View = dict[str, Any]


def report_html(report: Report, issue: Issue | None = None) -> str:
    """A report as a page: the issue and what was taken from it, the places with code and evidence, the evidence graph.

    Args:
        report: What ``locate`` gave.
        issue: The issue, to be shown too; a report holds a summary only.

    Raises:
        MissingExtraError: Jinja is not installed.
    """
    template = _template()
    script = _resource("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page: str = template.render(
        style=_resource("report.css"),
        script=script,
        script_hash=f"'sha256-{digest}'",
        title=f"{one_line(report.repository)}: where to change it",
        repository=one_line(report.repository),
        revision=revision_in_words(report.revision),
        sure=level_in_words(report.confidence),
        level=report.confidence,
        report=report,
        reasons=[one_line(each) for each in report.confidence_reasons],
        issue_title=one_line(issue.title) if issue else "",
        issue_text=_issue_text(issue) if issue else visible(report.brief.issue_summary),
        readings=[(name, [one_line(each) for each in getattr(report.reading, field)]) for field, name in _READINGS],
        words=[(one_line(each.word), f"{each.weight:.1f}") for each in report.reading.words],
        places=[_place(each, number) for number, each in enumerate(report.change_sets, 1)],
        files=[(visible(f.path), chance(f.confidence), one_line(why(f.signals))) for f in report.ranked_files],
        functions=[
            (one_line(f.qualified_name), place(visible(f.path), f.start_line, f.end_line), chance(f.confidence),
             one_line(why(f.signals)))
            for f in report.ranked_functions
        ],
        context=[
            (place(visible(c.file_path), c.start_line, c.end_line), one_line(c.purpose), visible_code(c.snippet))
            for c in report.brief.global_context
        ],
        graph=_graph(report),
        diagnostics=[(d.severity, one_line(d.message)) for d in report.diagnostics],
        stages=", ".join(f"{s.stage} {seconds_in_words(s.seconds)}" for s in report.run.stages),
    )  # fmt: skip
    return page


@cache
def _template() -> Template:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2", "html", "Writing HTML") from error
    environment = Environment(
        loader=PackageLoader("sherloc.render"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("report.html.jinja")


def _resource(name: str) -> str:
    return (resources.files("sherloc.render") / "templates" / name).read_text(encoding="utf-8")


def _issue_text(issue: Issue) -> str:
    text = visible(issue.text.replace("\r\n", "\n"))
    if len(text) <= _LONGEST_ISSUE:
        return text
    return f"{text[:_LONGEST_ISSUE]}\n\n({len(text) - _LONGEST_ISSUE:,} more characters are left out of this page.)"


def _place(change_set: ChangeSet, number: int) -> View:
    target = change_set.target_location
    first = change_set.context_start_line or 1
    lines = visible_code(change_set.context_code_snippet).split("\n")
    start, end = target.start_line or 0, target.end_line or 0
    return {
        "number": number,
        "where": place(visible(change_set.file_path), target.start_line, target.end_line),
        "name": one_line(target.function_name),
        "chance": chance(change_set.confidence),
        "kind": change_in_words(change_set.change_type.value),
        "nature": one_line(change_set.expected_change_nature),
        "new": change_set.new_file,
        "stale": change_set.stale,
        "lines": [(at, line, start <= at <= end) for at, line in enumerate(lines, first)],
        "has_code": bool(change_set.context_code_snippet.strip()),
        "evidence": [
            (one_line(evidence_in_words(item.source, item.description)), item.source == "unknown")
            for item in change_set.diagnostic_evidence
        ],
    }


def _graph(report: Report) -> View:
    """Circles and lines: communities by colour, PageRank by size, ties by width."""
    from sherloc.evidence import places

    spots = [
        (round(_MARGIN + x * (WIDTH - 2 * _MARGIN)), round(_MARGIN + y * (HEIGHT - 2 * _MARGIN)))
        for x, y in places(report.evidence)
    ]
    nodes = []
    for at, (node, diagnosis) in enumerate(zip(report.evidence.nodes, report.diagnoses, strict=True)):
        nodes.append(
            {
                "at": at,
                "x": spots[at][0],
                "y": spots[at][1],
                "radius": round(9 + 22 * node.pagerank**0.5),
                "colour": community_colour(node.community),
                "community": node.community + 1,
                "rank": f"{node.pagerank:.2f}",
                "selected": node.selected,
                "name": one_line(diagnosis.qualified_name) or "(module code)",
                "where": place(visible(diagnosis.path), diagnosis.start_line, diagnosis.end_line),
                "relevance": f"{diagnosis.relevance_score:.1f}",
                "kind": change_in_words(diagnosis.potential_change_type.value),
                "impact": one_line(diagnosis.impact),
                "evidence": [one_line(each) for each in diagnosis.evidence],
                "unknown": [one_line(each) for each in diagnosis.unknown],
                "ties": _ties(report, at),
            }
        )
    edges = [
        {
            "first": edge.first, "second": edge.second, "x1": spots[edge.first][0], "y1": spots[edge.first][1],
            "x2": spots[edge.second][0], "y2": spots[edge.second][1], "width": round(min(edge.weight, 6) / 1.5, 2),
            "opacity": round(min(0.75, edge.weight / 6), 2),
        }
        for edge in report.evidence.edges
    ]  # fmt: skip
    communities = [
        {
            "number": number + 1, "colour": community_colour(number), "relevance": f"{each.mean_relevance:.1f}",
            "selected": each.selected,
        }
        for number, each in enumerate(report.evidence.communities)
    ]  # fmt: skip
    return {"nodes": nodes, "edges": edges, "communities": communities, "width": WIDTH, "height": HEIGHT}


def _ties(report: Report, at: int, most: int = 6) -> list[tuple[str, str]]:
    """The strongest ties of a node: to whom, and why."""
    mine = [edge for edge in report.evidence.edges if at in (edge.first, edge.second)]
    told = []
    for edge in sorted(mine, key=lambda e: (-e.weight, e.first, e.second))[:most]:
        other = report.diagnoses[edge.second if edge.first == at else edge.first]
        told.append((one_line(other.qualified_name) or visible(other.path), one_line(", ".join(edge.reasons))))
    return told

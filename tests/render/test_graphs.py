"""The evidence graph as Mermaid, DOT and GraphML."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO

import networkx
import pytest

from sherloc.evidence import graphml, places
from sherloc.render.graphs import report_dot, report_mermaid
from sherloc.schema.evidence import EvidenceGraphRecord
from sherloc.schema.path_text import shown_path
from sherloc.schema.report import Report

Make = Callable[..., Report]


def test_mermaid(make_report: Make) -> None:
    assert report_mermaid(make_report()) == (
        "flowchart LR\n"
        '  subgraph c0["Community 1, mean relevance 3.8"]\n'
        '    n0["Basket.total<br/>shop/basket.py:10"]\n'
        '    n1["send<br/>shop/mail.py:1"]\n'
        "  end\n"
        '  subgraph c1["Community 2, mean relevance 1.0"]\n'
        '    n2["#40;module#41;<br/>shop/stock.py:1"]\n'
        "  end\n"
        "  n0 ---|1.5| n1\n"
        "  n0 ---|0.5| n2\n"
        "  classDef forward stroke-width:3px\n"
        "  class n0 forward\n"
    )


def test_mermaid_of_hostile_names(make_report: Make, hostile: str) -> None:
    text = report_mermaid(make_report(path=shown_path(hostile), name=hostile))
    label = re.findall(r'^    n0\["(.*)"\]$', text, re.M)[0]
    assert not set(label.replace("<br/>", "")) & set("\"<>&'`|{}[]()\\%@")
    assert len(text.splitlines()) == 12


def test_dot(make_report: Make) -> None:
    lines = report_dot(make_report()).splitlines()
    assert lines[0] == "graph evidence {"
    assert lines[2] == ('  n0 [label="Basket.total\\nshop/basket.py:10", color="#4477aa", width=2.20, penwidth=3];')
    assert '  n0 -- n1 [penwidth=0.75, tooltip="call relation, similar evidence"];' in lines


def test_dot_of_hostile_names_keeps_its_quotes(make_report: Make, hostile: str) -> None:
    text = report_dot(make_report(path=shown_path(hostile), name=hostile))
    strings = re.findall(r'label="((?:[^"\\]|\\.)*)", color', text)
    assert len(strings) == 3
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain"], input=text.encode(), check=True, capture_output=True)


def test_graphml_comes_back(make_report: Make) -> None:
    report = make_report()
    graph = networkx.read_graphml(BytesIO(graphml(report.diagnoses, report.evidence).encode()))
    assert graph.nodes["n0"] == {
        "path": "shop/basket.py", "name": "Basket.total", "start_line": 10, "end_line": 20, "relevance": 4.5,
        "change_type": "fix_boundary", "community": 0, "pagerank": 0.6, "selected": True,
    }  # fmt: skip
    assert graph.edges["n0", "n1"] == {"weight": 1.5, "reasons": "call relation, similar evidence"}


def test_graphml_of_hostile_names(make_report: Make, hostile: str) -> None:
    report = make_report(path=shown_path(hostile), name=hostile + "\x1b\x00\ufffe")
    graph = networkx.read_graphml(BytesIO(graphml(report.diagnoses, report.evidence).encode()))
    assert graph.nodes["n0"]["path"] == shown_path(hostile)
    assert graph.nodes["n0"]["name"].endswith("\\u001b\\u0000\\ufffe")


def test_places_are_the_same_each_time_and_inside_the_picture(make_report: Make) -> None:
    evidence = make_report().evidence
    found = places(evidence)
    assert found == places(evidence)
    assert len(found) == 3
    assert all(0 <= value <= 1 for place in found for value in place)
    assert places(EvidenceGraphRecord()) == ()


def test_a_single_node_stands_in_the_middle(make_report: Make) -> None:
    one = EvidenceGraphRecord(nodes=make_report().evidence.nodes[:1])
    assert places(one) == ((0.5, 0.5),)


@pytest.mark.parametrize("write", [report_mermaid, report_dot])
def test_an_empty_graph(make_report: Make, write: Callable[[Report], str]) -> None:
    report = make_report(diagnoses=(), evidence=EvidenceGraphRecord(), change_sets=())
    assert "n0" not in write(report)

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sherloc.evidence import EvidenceEdge, EvidenceGraph, evidence_edges, rank_evidence
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.settings import EvidenceSettings

SETTINGS = EvidenceSettings()


def diagnosis(
    path: str, start: int, score: float = 3.0, *, kind: ChangeType = ChangeType.FIX_LOGIC, evidence: str = ""
):
    return Diagnosis(
        path=path, qualified_name=f"f{start}", kind="function", start_line=start, end_line=start + 9,
        relevance_score=score, relevance="partial", potential_change_type=kind,
        evidence=(evidence,) if evidence else (),
    )  # fmt: skip


def other(path: str, start: int, score: float = 3.0, evidence: str = ""):
    return diagnosis(path, start, score, kind=ChangeType.FIX_STATE, evidence=evidence)


def test_same_file_near_and_same_type() -> None:
    (edge,) = evidence_edges([diagnosis("a.py", 1), diagnosis("a.py", 30)], [], SETTINGS)
    assert edge == EvidenceEdge(0, 1, 3.5, ("same file", "within 20 lines", "same change type fix_logic"))


def test_near_ends_after_twenty_lines() -> None:
    (edge,) = evidence_edges([diagnosis("a.py", 1), other("a.py", 31)], [], SETTINGS)
    assert (edge.weight, edge.reasons) == (2.0, ("same file",))


def test_a_relation_counts_once_and_in_either_direction() -> None:
    (edge,) = evidence_edges(
        [diagnosis("a.py", 1), other("b.py", 1)], [(1, 0, "inherit"), (0, 1, "call"), (0, 1, "call")], SETTINGS
    )
    assert edge == EvidenceEdge(0, 1, 1.0, ("call and inherit relation",))


@pytest.mark.parametrize("relation", [(0, 0, "call"), (0, 2, "call"), (-1, 1, "call")])
def test_relations_that_tie_nothing(relation: tuple[int, int, str]) -> None:
    assert evidence_edges([diagnosis("a.py", 1), other("b.py", 1)], [relation], SETTINGS) == ()


def test_similar_evidence_is_jaccard() -> None:
    # {alpha, beta} and {beta, gamma, delta}: one of four.
    (edge,) = evidence_edges(
        [diagnosis("a.py", 1, evidence="alpha beta"), other("b.py", 1, evidence="beta gamma delta")], [], SETTINGS
    )
    assert edge == EvidenceEdge(0, 1, 0.125, ("similar evidence",))


def test_words_of_most_diagnoses_make_nothing_similar() -> None:
    nodes = [other(f"{name}.py", 1, evidence="alpha") for name in "abc"]
    settings = SETTINGS.model_copy(update={"same_change_type": 0.0})
    assert evidence_edges(nodes, [], settings) == ()


def test_strict_keeps_same_file_and_type_only() -> None:
    nodes = [diagnosis("a.py", 1), diagnosis("a.py", 90), other("a.py", 50), diagnosis("b.py", 1)]
    strict = SETTINGS.model_copy(update={"strict": True})
    assert [(e.first, e.second, e.weight) for e in evidence_edges(nodes, [(0, 3, "call")], strict)] == [(0, 1, 2.5)]


def test_nothing_to_rank() -> None:
    assert rank_evidence([], [(0, 1, "call")], SETTINGS) == EvidenceGraph()


def test_one_diagnosis_goes_forward_whatever_its_score() -> None:
    graph = rank_evidence([diagnosis("a.py", 1, 0.3)], [], SETTINGS)
    assert graph.selected == (0,)
    assert graph.fell_back
    assert (graph.nodes[0].community, graph.nodes[0].pagerank) == (0, 1.0)


def two_files() -> list[Diagnosis]:
    good = [diagnosis("b.py", start, score) for start, score in ((1, 3.0), (20, 4.5), (40, 4.0), (60, 3.5))]
    return [other("a.py", 1, 1.0), other("a.py", 20, 2.0), *good]


def test_weak_communities_are_dropped_and_three_nodes_of_each_go_forward() -> None:
    graph = rank_evidence(two_files(), [], SETTINGS)
    assert [(c.number, sorted(c.members), c.mean_relevance, c.selected) for c in graph.communities] == [
        (0, [2, 3, 4, 5], 3.75, True),
        (1, [0, 1], 1.5, False),
    ]
    assert not graph.fell_back
    # All four tie alike with their neighbours; the two in the middle have more of them near.
    assert graph.selected == (3, 4, 5)
    assert [node.selected for node in graph.nodes] == [False, False, False, True, True, True]
    assert [node.community for node in graph.nodes] == [1, 1, 0, 0, 0, 0]
    for community in graph.communities:
        assert sum(graph.nodes[p].pagerank for p in community.members) == pytest.approx(1)
        ranks = [graph.nodes[p].pagerank for p in community.members]
        assert ranks == sorted(ranks, reverse=True)


def test_when_all_are_weak_the_best_communities_stay() -> None:
    weak = [each.model_copy(update={"relevance_score": each.relevance_score / 5}) for each in two_files()]
    graph = rank_evidence(weak, [], SETTINGS)
    assert graph.fell_back
    assert [c.selected for c in graph.communities] == [True, True]
    assert graph.selected[:3] == (3, 4, 5)


def test_at_most_so_many_communities() -> None:
    nodes = [diagnosis(f"{name}.py", 1, 3 + number / 10, kind=kind) for number, (name, kind) in enumerate(
        zip("abcde", (ChangeType.FIX_LOGIC, ChangeType.FIX_STATE, ChangeType.ADD_FEATURE, ChangeType.OTHER,
                      ChangeType.FIX_BOUNDARY), strict=True))]  # fmt: skip
    graph = rank_evidence(nodes, [], SETTINGS)
    assert graph.edges == ()
    assert graph.selected == (4, 3, 2)


def test_ties_are_broken_by_path_and_line() -> None:
    nodes = [other("b.py", 1), diagnosis("a.py", 9), diagnosis("a.py", 1)]
    graph = rank_evidence(nodes, [], SETTINGS.model_copy(update={"same_file": 0, "near": 0, "same_change_type": 0}))
    assert [community.members for community in graph.communities] == [(2,), (1,), (0,)]
    assert graph.selected == (2, 1, 0)


SCRIPT = """
import random
from sherloc.evidence import rank_evidence
from sherloc.schema.diagnosis import ChangeType, Diagnosis
from sherloc.settings import EvidenceSettings
pick = random.Random(7)
nodes = [
    Diagnosis(path=f"{pick.choice('abcd')}.py", qualified_name=f"f{n}", kind="function", start_line=1 + 15 * n,
              end_line=10 + 15 * n, relevance_score=round(5 * pick.random(), 2), relevance="partial",
              potential_change_type=pick.choice(list(ChangeType)),
              evidence=tuple(pick.sample(["alpha beta", "gamma delta", "beta gamma", "epsilon"], 2)))
    for n in range(20)
]
relations = [(pick.randrange(20), pick.randrange(20), pick.choice(["call", "inherit"])) for _ in range(25)]
print(rank_evidence(nodes, relations, EvidenceSettings()))
"""


def test_the_same_under_any_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": str(seed)}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in range(6)
    }  # fmt: skip
    assert len(outputs) == 1
    assert "selected=True" in outputs.pop()


def test_the_import_is_light() -> None:
    code = "import sys, sherloc.evidence; sys.exit('networkx' in sys.modules or 'community' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

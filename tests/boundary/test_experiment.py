"""The acceptance case: all directions found, each mapped to what it covers, the cut rows named."""

from __future__ import annotations

from typing import Any

from sherloc.boundary import check_reported, covered, criteria_in, declare, fence, scan, scan_diff

WHERE = [
    (".github/workflows/ci.yml", 3),
    ("Dockerfile", 1),
    ("README.md", 10),
    ("config/app.yml", 2),
    ("tests/fixtures/cases.yml", 4),
]
COVERS = [("D1",), ("D2",), ("D3", "D4"), ("D3",), ("D1", "D2", "D3", "D4")]


def test_the_diff_has_the_shape_of_the_experiment(deploy: Any) -> None:
    lines = deploy.diff.split("\n")
    added = [line for line in lines if line.startswith("+") and not line.startswith("+++ ")]
    assert deploy.diff.count("diff --git ") == 7
    assert len(added) == 12
    assert deploy.diff.count("---") == 9
    assert not any("---" in line for line in added)


def test_five_of_five_and_nothing_else(deploy: Any) -> None:
    hits = [hit for hit in scan_diff(deploy.diff) if hit.origin == "added"]
    assert [(hit.path, hit.line) for hit in hits] == WHERE
    assert [hit.text.strip("*# ") for hit in hits] == [
        deploy.words["ci"], deploy.words["docker"], deploy.words["readme"], deploy.words["config"],
        "note: " + deploy.words["test"],
    ]  # fmt: skip
    assert len(scan_diff(deploy.diff)) == 5


def test_rules_name_what_each_direction_does(deploy: Any) -> None:
    rules = {hit.path: set(hit.rules) for hit in scan_diff(deploy.diff)}
    assert "waiver" in rules[".github/workflows/ci.yml"]
    assert "waiver" in rules["Dockerfile"]
    assert "order" in rules["README.md"]
    assert "scope" in rules["config/app.yml"]
    assert "limit" in rules["tests/fixtures/cases.yml"]


def test_the_cut_rows_are_named(deploy: Any) -> None:
    (finding,) = criteria_in(deploy.diff)
    assert finding.path == "README.md"
    assert (finding.rows_before, finding.rows_after) == (4, 2)
    assert [(row.line, row.text) for row in finding.removed] == [
        (16, f"| {deploy.words['row_port']} | ? |"),
        (17, f"| {deploy.words['row_default']} | ? |"),
    ]
    assert finding.added == ()
    assert [row.text for row in finding.directions] == [f"**{deploy.words['readme']}**"]


def test_each_hit_maps_to_the_defects_that_it_covers(deploy: Any) -> None:
    mapped = covered(scan_diff(deploy.diff), deploy.defects, criteria_in(deploy.diff))
    assert [names for _, names in mapped] == COVERS
    for defect in deploy.defects:
        assert sum(defect.name in names for names in COVERS) >= 2


def test_a_model_that_leaves_one_out_is_told_what_it_covered(deploy: Any) -> None:
    hits = scan_diff(deploy.diff)
    said = [hit.text for hit in hits if hit.path != "README.md"]
    checked = check_reported(hits, said, deploy.defects, criteria_in(deploy.diff))
    assert (checked.expected, checked.reported, checked.agrees) == (5, 4, False)
    (warning,) = checked.warnings
    assert (warning.code, warning.places) == ("missing", ("D3", "D4"))
    assert "README.md:10" in warning.message


def test_the_prompt_holds_each_mark_once_around_the_material(deploy: Any) -> None:
    fenced = fence(deploy.diff)
    assert deploy.diff.count(fenced.opening) == deploy.diff.count(fenced.closing) == 0
    said = declare(fenced, scan_diff(deploy.diff), criteria_in(deploy.diff), language=deploy.language)
    assert fenced.opening in said.text and fenced.closing in said.text
    assert (said.grounds.hits, said.grounds.criteria, said.grounds.declared) == (5, 1, True)
    assert all(f"{number}. " in said.text for number in range(1, 6))


def test_the_same_sentences_are_found_in_a_plain_text(deploy: Any) -> None:
    for name in ("ci", "docker", "readme", "config", "test"):
        assert [hit.line for hit in scan(f"first\n{deploy.words[name]}\nlast")] == [2]

from __future__ import annotations

import pytest

from sherloc.boundary import CriteriaInMaterial, Row, criteria_in


def diff_of(path: str, body: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,9 +1,9 @@\n{body}"


def test_a_named_document_counts_for_any_edit() -> None:
    (finding,) = criteria_in(diff_of("docs/CODE_REVIEW.md", " # Title\n+Anything goes.\n"))
    assert finding == CriteriaInMaterial("docs/CODE_REVIEW.md", (), (), 0, 0, (Row(2, "Anything goes."),))
    assert str(finding) == "docs/CODE_REVIEW.md: criteria rows 0 -> 0"


@pytest.mark.parametrize(
    "path",
    ["REVIEW.md", "CONTRIBUTING.rst", ".github/CODEOWNERS", "AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md",
     "docs/review-checklist.md", "doc/reviewing.txt", ".cursor/rules/review.mdc"],
)  # fmt: skip
def test_names_of_criteria_documents(path: str) -> None:
    assert [finding.path for finding in criteria_in(diff_of(path, "-x\n"))] == [path]


@pytest.mark.parametrize(
    "path", ["src/review.py", "preview.md", "interviews.md", "agents.py", "README.md", "user_agents.json"]
)
def test_other_names(path: str) -> None:
    assert criteria_in(diff_of(path, "-old words\n+new words\n")) == []


def test_another_document_counts_when_it_speaks_of_review_and_loses_rows() -> None:
    rows = "-- [ ] ports are closed\n- secrets are out\n * tests run\n"
    assert criteria_in(diff_of("README.md", " Opening hours\n" + rows)) == []
    (finding,) = criteria_in(diff_of("README.md", " What a review looks at\n" + rows))
    assert [row.text for row in finding.removed] == ["- [ ] ports are closed"]
    assert (finding.rows_before, finding.rows_after) == (2, 1)
    assert str(finding) == "README.md: criteria rows 2 -> 1, removed: - [ ] ports are closed"


def test_rows_that_moved_are_not_removed_and_rows_twice_are_counted() -> None:
    body = " | Criteria | ? |\n |---|---|\n-| a | 1 |\n-| a | 1 |\n-| b | 2 |\n+| b |  2 |\n+| a | 1 |\n+| c | 3 |\n"
    (finding,) = criteria_in(diff_of("notes.md", body))
    assert finding.removed == (Row(4, "| a | 1 |"),)
    assert finding.added == (Row(5, "| c | 3 |"),)
    assert (finding.rows_before, finding.rows_after) == (3, 3)


def test_the_caller_may_name_documents() -> None:
    diff = diff_of("policy/gate.yml", "-x\n")
    assert criteria_in(diff) == []
    assert [finding.path for finding in criteria_in(diff, lambda path: path.startswith("policy/"))] == [
        "policy/gate.yml"
    ]


def test_a_deleted_document_and_its_record() -> None:
    diff = "--- a/REVIEW.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1. look at ports\n-2. look at tags\n"
    (finding,) = criteria_in(diff)
    assert finding.record() == {
        "path": "REVIEW.md", "rows_before": 2, "rows_after": 0, "added": [], "directions": [],
        "removed": [{"line": 1, "text": "1. look at ports"}, {"line": 2, "text": "2. look at tags"}],
    }  # fmt: skip

"""Markdown: text of strangers never becomes markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.render.formats import render
from sherloc.render.markdown import brief_markdown, code, fenced, prose, report_markdown, table
from sherloc.schema.brief import GlobalContext, SurgeryBrief
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.report import Diagnostic, RankedFile, RankedFunction, Report, SignalRecord

Make = Callable[..., Report]


def change_set(snippet: str = "x = 1\ny = 2\n", path: str = "pkg/a.py", **more: object) -> ChangeSet:
    values: dict[str, object] = {
        "file_path": path,
        "target_location": TargetLocation(start_line=5, end_line=6, function_name="f"),
        "change_type": ChangeType.FIX_CONDITION,
        "confidence": 0.42,
        "diagnostic_evidence": (
            EvidenceItem(source="lines 5-5", description="Shares the issue's words: x."),
            EvidenceItem(source="unknown", description="No test was run."),
        ),
        "context_code_snippet": snippet,
        "context_start_line": 5,
        "expected_change_nature": "The condition must be another.",
    }
    return ChangeSet.model_validate({**values, **more})


def report(**more: object) -> Report:
    signal = SignalRecord(channel="structural", kind="defined_name", detail="a|b", score=1.0)
    values: dict[str, object] = {
        "repository": "shop",
        "revision": "0123456789" * 4,
        "ranked_files": (RankedFile(path="pkg/a|b.py", score=1, confidence=0.5, signals=(signal,)),) * 12,
        "ranked_functions": (
            RankedFunction(path="a.py", qualified_name="f", start_line=1, end_line=2, score=1, confidence=0.5),
        ),
        "change_sets": (change_set(),),
        "brief": SurgeryBrief(issue_summary="It fails."),
        "diagnostics": (
            Diagnostic(code="a", severity="warning", message="2 files are <large>"),
            Diagnostic(code="b", severity="info", message="nothing to see"),
        ),
    }
    return Report.model_validate({**values, **more})


@given(st.text(alphabet="`a\n~ "))
def test_no_code_can_end_its_fence(text: str) -> None:
    lines = fenced(text, "a.py").split("\n")
    fence = lines[0].removesuffix("python")
    assert len(fence) >= 3
    assert lines[-1] == fence
    assert all(fence not in line for line in lines[1:-1])


@given(st.text(alphabet="`a| "))
def test_no_name_can_end_its_code_span(text: str) -> None:
    span = code(text)
    ticks = re.match("`+", span)
    assert ticks
    inner = span[len(ticks.group()) : -len(ticks.group())]
    assert ticks.group() not in re.findall("`+", inner)


@given(st.text(alphabet="a|\\`<*_[]#\n"))
def test_a_table_keeps_its_columns(text: str) -> None:
    lines = table(("x", "y"), [(prose(text), code(text))]).split("\n")
    assert len(lines) == 3
    assert len(re.findall(r"(?<!\\)\|", lines[2])) == 3 or "\\\\" in lines[2]


def test_prose_holds_no_markup() -> None:
    assert prose("# a <img src=x> @me #12 [l](u) **b**") == (
        "\\# a \\<img src=x\\> \\@me \\#12 \\[l\\](u) \\*\\*b\\*\\*"
    )


def test_a_report() -> None:
    text = report_markdown(report())
    assert text.startswith("# Where to change shop @ `0123456789`\n")
    assert text.count("| `pkg/a\\|b.py` |") == 10
    assert "defines a\\|b" in text
    assert "### 1. `pkg/a.py:5-6` `f`" in text
    assert "**fix condition**, 42% likely." in text
    assert "- line 5: shares the issue's words: x." in text
    assert "- Not known: No test was run." in text
    assert "Lines 5-6; suspect are lines 5-6:" in text
    assert "- warning: 2 files are \\<large\\>" in text
    assert "nothing to see" not in text


def test_top_bounds_the_tables() -> None:
    assert report_markdown(report(), top=2).count("| `pkg/a\\|b.py` |") == 2


def test_a_report_of_nothing() -> None:
    text = report_markdown(report(ranked_files=(), ranked_functions=(), change_sets=(), diagnostics=()))
    assert "## " not in text


def test_a_brief() -> None:
    brief = SurgeryBrief(
        issue_summary="It *fails*.",
        change_sets=(change_set("a = '''\n````\n'''\n"), change_set(path="new.rs", new_file=True, stale=True)),
        global_context=(GlobalContext(file_path="b.py", purpose="calls f", snippet="f()", start_line=3, end_line=3),),
        repository="shop",
        revision="main",
        stale=True,
        reasoning="f comes first.",
        findings=("It is *odd*.",),
    )
    text = brief_markdown(brief)
    assert "It \\*fails\\*." in text
    assert "\n`````python\n" in text
    assert "The file does not exist yet." in text
    assert "Files changed after they were indexed" in text
    assert "### `b.py:3`\n\ncalls f\n\n```python\nf()\n```" in text
    assert "- It is \\*odd\\*." in text


def test_a_brief_without_a_place_says_so() -> None:
    assert "No place to change was found." in brief_markdown(SurgeryBrief(issue_summary="x"))


def test_controls_are_visible() -> None:
    text = brief_markdown(SurgeryBrief(issue_summary="a\x1b[31m", change_sets=(change_set("x = '\u202e'"),)))
    assert "\x1b" not in text
    assert "\u202e" not in text


WINDOWS = "def total(self):\r\n    x = 1\r\n    y = 2\r\n    return x\r"
"""A piece of a file of Windows: cut between a carriage return and its line feed."""


@pytest.mark.parametrize("form", ["markdown", "prompt", "comment", "html"])
def test_line_feeds_of_windows_are_not_shown(make_report: Make, make_change_set: Callable[..., Any], form: str) -> None:
    brief = SurgeryBrief(
        issue_summary="x",
        global_context=(GlobalContext(file_path="shop/mail.py", purpose="calls total", snippet=WINDOWS),),
        change_sets=(make_change_set(context_code_snippet=WINDOWS),),
    )
    report = make_report(brief=brief, change_sets=brief.change_sets)
    for text in (render(report, form), brief_markdown(brief)):
        assert "\\x0d" not in text
        assert "\r" not in text
        assert "return x" in text

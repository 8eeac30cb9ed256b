"""The comment on an issue: within limits, recognisable, and it disturbs nobody."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from sherloc.render.comment import LONGEST, MARK, report_comment
from sherloc.schema.path_text import shown_path
from sherloc.schema.report import Report

Make = Callable[..., Report]


def test_a_comment(make_report: Make) -> None:
    text = report_comment(make_report())
    assert text.startswith(f"{MARK}\n\n### Where this may have to change\n\n**High confidence.**")
    assert "| `shop/basket.py:12-13` | `Basket.total` | 82% | fix boundary |" in text
    assert "<details><summary>Why <code>shop/basket.py:12-13</code></summary>" in text
    assert "10  def total(self):\n11      x = 1\n12      y = 2" in text
    assert "No test was run" not in text
    assert "left out" not in text


def test_nothing_found_is_said(make_report: Make) -> None:
    text = report_comment(make_report(change_sets=(), confidence="low", confidence_reasons=("It has a title only.",)))
    assert "No place was found." in text
    assert "It has a title only." in text


def test_what_is_too_long_is_left_out_and_said(make_report: Make, make_change_set: Callable[..., object]) -> None:
    long = make_change_set(
        context_code_snippet="x" * 70_000, context_start_line=12,
        target_location={"start_line": 12, "end_line": 12, "function_name": "f"},
    )  # fmt: skip
    text = report_comment(make_report(change_sets=(long, make_change_set())))
    assert len(text) <= LONGEST
    assert "1 parts left out" in text
    assert text.count("<details>") == text.count("</details>") == 2


@pytest.mark.parametrize("limit", [2000, 2500, 4000, LONGEST])
def test_any_limit_is_kept(make_report: Make, make_change_set: Callable[..., object], limit: int) -> None:
    report = make_report(change_sets=tuple(make_change_set(name="f" * 300) for _ in range(5)))
    text = report_comment(report, limit=limit)
    assert len(text) <= limit
    assert text.startswith(MARK)


def test_a_limit_without_room_is_refused(make_report: Make) -> None:
    with pytest.raises(ValueError, match="2,000"):
        report_comment(make_report(), limit=100)


def test_nobody_is_notified_and_nothing_is_linked(make_report: Make, make_change_set: Callable[..., object]) -> None:
    words = "Thanks @octocat, closes #12 and GH-3, see https://example.org/o/r/issues/4 <!-- hidden --> <script>"
    report = make_report(
        confidence="low", confidence_reasons=(words,),
        change_sets=(make_change_set(diagnostic_evidence=({"source": "impact", "description": words},)),),
    )  # fmt: skip
    text = report_comment(report)
    outside = re.sub(r"```.*?```|`[^`\n]*`|<code>.*?</code>", "", text, flags=re.S)
    for pattern in (r"@\w", r"#\d", r"GH-\d", r"://\w", r"(?<!\\)<script", r"(?<!\\)<!-- hidden"):
        assert not re.search(pattern, outside), pattern


def test_hostile_names(make_report: Make, hostile: str) -> None:
    text = report_comment(make_report(path=shown_path(hostile), name=hostile))
    html = re.findall(r"<summary>.*", text)
    assert "<img" not in html[0]
    assert html[0].endswith("</code></summary>")


def test_readers_see_what_was_written(make_report: Make) -> None:
    text = report_comment(make_report(confidence="low", confidence_reasons=("Ask @octocat of #7.",)))
    assert "Ask \\@\u2060octocat of \\#\u20607." in text
    assert "u2060" not in text

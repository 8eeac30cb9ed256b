"""GitHub's workflow commands: one line each, whatever stands in names."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from sherloc.render.annotations import MOST, _message, _property, report_annotations
from sherloc.schema.path_text import shown_path
from sherloc.schema.report import Report

Make = Callable[..., Report]


def test_an_annotation(make_report: Make) -> None:
    assert report_annotations(make_report()) == (
        "::warning file=shop/basket.py,line=12,endLine=13,title=sherloc%3A Basket.total 82%25 likely::"
        "fix boundary. High confidence. A fault here shows as a negative price. "
        "lines 12-13: shares the issue's words: discount. No test was run.\n"
    )


def test_an_unsure_answer_warns_of_nothing(make_report: Make) -> None:
    assert report_annotations(make_report(confidence="low")).startswith("::notice ")


def test_no_more_than_are_shown(make_report: Make, make_change_set: Callable[..., object]) -> None:
    report = make_report(change_sets=(make_change_set(),) * (MOST + 3))
    assert report_annotations(report).count("::warning ") == MOST


def test_a_hostile_name_gives_no_second_command(make_report: Make, hostile: str) -> None:
    text = report_annotations(make_report(path=shown_path(hostile), name=hostile))
    assert len(text.splitlines()) == 1
    properties = text.removeprefix("::warning ").partition("::")[0]
    assert [part.partition("=")[0] for part in properties.split(",")] == ["file", "line", "endLine", "title"]


def decoded(text: str) -> str:
    """As the runner reads a value back."""
    for written, meant in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(written, meant)
    return text


@given(st.text(alphabet="a%\r\n:,0235DAC"))
def test_values_come_back(text: str) -> None:
    assert decoded(_property(text)) == text
    assert decoded(_message(text)) == text
    assert not set(_property(text)) & set("\r\n:,")

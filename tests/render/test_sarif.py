"""SARIF: valid, and as code scanning services want it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifModel

from sherloc.render.sarif import file_address, report_sarif
from sherloc.schema.path_text import shown_path
from sherloc.schema.report import Report

Make = Callable[..., Report]


def run_of(report: Report) -> dict[str, Any]:
    value = report_sarif(report)
    # The models are generated from the standard's own schema, unknown names forbidden.
    SarifModel.model_validate_json(json.dumps(value))
    assert value["version"] == "2.1.0"
    assert len(value["runs"]) == 1
    run: dict[str, Any] = value["runs"][0]
    return run


def test_a_result_is_a_change_set(make_report: Make) -> None:
    run = run_of(make_report())
    (result,) = run["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "shop/basket.py"}, "region": {"startLine": 12, "endLine": 13},
    }  # fmt: skip
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Basket.total", "kind": "function"}]
    assert (result["level"], result["rank"], result["ruleId"]) == ("warning", 82.0, "sherloc/fix_boundary")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["message"]["text"].startswith("Fix boundary in Basket.total: 82% likely. High confidence.")


def test_evidence_stands_as_related_locations_strongest_tie_first(make_report: Make) -> None:
    (result,) = run_of(make_report())["results"]
    related = [
        (each["id"], each["physicalLocation"]["artifactLocation"]["uri"], each["message"]["text"])
        for each in result["relatedLocations"]
    ]
    assert related == [
        (1, "shop/basket.py", "Shares the issue's words: discount."),
        (2, "shop/mail.py", "send: call relation, similar evidence"),
        (3, "shop/stock.py", "Module code: same change type fix_boundary"),
    ]


def test_low_confidence_is_a_note(make_report: Make) -> None:
    assert run_of(make_report(confidence="low"))["results"][0]["level"] == "note"


def test_nothing_found_is_a_run_without_results(make_report: Make) -> None:
    assert run_of(make_report(change_sets=()))["results"] == []


def test_diagnostics_are_notifications(make_report: Make) -> None:
    (invocation,) = run_of(make_report())["invocations"]
    assert invocation["executionSuccessful"] is True
    (notice,) = invocation["toolExecutionNotifications"]
    assert (notice["level"], notice["descriptor"]["id"]) == ("warning", "skipped_too_large")
    assert notice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "big.py"


def test_a_new_file_has_a_first_line_all_the_same(make_report: Make, make_change_set: Callable[..., Any]) -> None:
    new = make_change_set("new.py", "", target_location={}, new_file=True, context_code_snippet="")
    (result,) = run_of(make_report(change_sets=(new,)))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "endLine": 1}


def test_fingerprints_outlive_moved_lines(make_report: Make, make_change_set: Callable[..., Any]) -> None:
    moved = make_change_set(target_location={"start_line": 99, "end_line": 99, "function_name": "Basket.total"})
    other = make_change_set(name="Basket.other")
    prints = [
        run_of(make_report(change_sets=(each,)))["results"][0]["partialFingerprints"]["sherlocPlace/v1"]
        for each in (make_change_set(), moved, other)
    ]
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("a b.py", "a%20b.py"),
        ("a#b.py", "a%23b.py"),
        ("a%b.py", "a%25b.py"),
        ("a:b/c.py", "a%3Ab/c.py"),
        ("a?b.py", "a%3Fb.py"),
        ("日本/名.py", "%E6%97%A5%E6%9C%AC/%E5%90%8D.py"),
        ("caf\\xe9.py", "caf%E9.py"),
        ("a\\\\b.py", "a%5Cb.py"),
    ],
)
def test_addresses(make_report: Make, path: str, address: str) -> None:
    location = run_of(make_report(path=path))["results"][0]["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == address


@given(
    st.binary(min_size=1, max_size=30).map(lambda data: data.replace(b"\0", b"x").decode("utf-8", "surrogateescape"))
)
def test_every_name_comes_back_from_its_address(path: str) -> None:
    address = file_address(shown_path(path))
    assert address.isascii()
    assert ":" not in address.split("/")[0]
    assert unquote_to_bytes(address) == path.encode("utf-8", "surrogateescape")


def test_hostile_names_stay_text(make_report: Make, hostile: str) -> None:
    run = run_of(make_report(path=shown_path(hostile), name=hostile))
    assert "\n" not in run["results"][0]["message"]["text"]


def test_a_strangers_words_make_no_link(make_report: Make, make_change_set: Callable[..., Any]) -> None:
    words = "Read [this](https://example.org) and [that](1)."
    change_set = make_change_set(
        diagnostic_evidence=({"source": "lines 12-12", "description": words},),
        target_location={"start_line": 12, "end_line": 12, "function_name": "f](x)"},
    )
    diagnostic = {"code": "x", "severity": "info", "message": words}
    told = [*messages(report_sarif(make_report(change_sets=(change_set,), diagnostics=(diagnostic,))))]
    linked = [each for each in told if "](" in each]
    assert len(linked) == 3  # the place with its evidence, the line's own, the notification
    assert all(each.count("](") == each.count("\\](") for each in linked)


def messages(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("message"), dict):
            yield value["message"]["text"]
        for each in value.values():
            yield from messages(each)
    elif isinstance(value, list):
        for each in value:
            yield from messages(each)

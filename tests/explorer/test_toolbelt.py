"""The tools, used well and badly."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sherloc
from sherloc.explorer import ToolBelt, ToolResult
from sherloc.explorer.tool_arguments import ARGUMENTS, MOST_LINES, in_words, tool_spec
from sherloc.llm.request import read_tools
from sherloc.llm.schemas import is_strict


def test_every_tool_is_described_as_it_is(belt: ToolBelt) -> None:
    assert sherloc.ToolBelt is ToolBelt
    for spec in belt.specs:
        method = getattr(belt, spec["name"])
        parameters = [name for name in inspect.signature(method).parameters if name != "self"]
        assert list(spec["parameters"]["properties"]) == parameters == spec["parameters"]["required"]
        assert list(ARGUMENTS[spec["name"]].model_fields) == parameters
        assert is_strict(spec["parameters"])
        assert spec["description"] in in_words(spec["name"])
        assert all(details["description"] for details in spec["parameters"]["properties"].values())
    assert str(MOST_LINES) in json.dumps(tool_spec("show_lines"))
    assert [tool.name for tool in read_tools(belt.specs)] == list(ARGUMENTS)


def test_definitions_by_short_qualified_and_full_name(belt: ToolBelt) -> None:
    found = belt.find_symbol("total_price").text.splitlines()
    assert [line.split("  ")[0] for line in found] == [
        "shop/basket.py:9-11 method Basket.total_price", "shop/basket.py:15-16 method Crate.total_price",
    ]  # fmt: skip
    for name in (
        "Basket.total_price",
        "`Basket.total_price()`",
        "shop/basket.py::Basket.total_price",
        "basket.TOTAL_PRICE",
    ):
        assert belt.find_symbol(name).text.startswith("shop/basket.py:9-11 method Basket.total_price"), name


def test_a_name_that_is_not_there_brings_the_nearest(belt: ToolBelt) -> None:
    result = belt.find_symbol("total_prize")
    assert not result.ok
    assert "Names like it: total_price" in result.text


def test_text_is_found_where_it_stands(belt: ToolBelt) -> None:
    assert belt.search_text("AMOUNT * Percent").text == ("shop/prices.py:5 (reduced): return amount - amount * percent")
    assert belt.search_text("Discounts are").text == "docs/guide.md:3: Discounts are percents."
    assert belt.search_text("percent", "docs").text == "docs/guide.md:3: Discounts are percents."
    nothing = belt.search_text("percent", "shop/wide.py")
    assert not nothing.ok and "shop/wide.py" in nothing.text


def test_lines_are_numbered_turned_round_cut_and_bounded(belt: ToolBelt) -> None:
    assert belt.show_lines("shop/prices.py", 5, 4).text == (
        "shop/prices.py\n   4| def reduced(amount, percent):\n   5|     return amount - amount * percent"
    )
    wide = belt.show_lines("shop/wide.py", 1, 602)
    assert wide.truncated and wide.lines == (1, MOST_LINES)
    assert wide.text.endswith(f"... lines {MOST_LINES + 1}-602 were not shown; ask for them.")
    beyond = belt.show_lines("shop/prices.py", 99, 120)
    assert (beyond.ok, beyond.text) == (False, "shop/prices.py has only 7 lines.")


def test_skeleton_callers_and_history(belt: ToolBelt) -> None:
    assert belt.show_skeleton("shop/basket.py").text.splitlines()[:3] == [
        "shop/basket.py", "6-11 class Basket", "  9-11 def total_price(self, discount=0)",
    ]  # fmt: skip
    around = belt.callers_callees("reduced").text
    assert "  called by shop/basket.py:9-11 method Basket.total_price" in around
    assert "  calls shop/prices.py:4-5 function reduced" in belt.callers_callees("Basket.total_price").text
    assert "overrides or is overridden by shop/basket.py:15-16" in belt.callers_callees("Basket.total_price").text
    with_it = belt.changed_with("shop/prices.py").text.splitlines()
    assert "2 times with shop/basket.py" in with_it
    assert "commit: Round the price of a basket" in with_it


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("show_line", {}, "Did you mean show_lines"),
        ("rm", "{}", "There is no tool 'rm'"),
        ("show_lines", '{"path": "shop/prices.py"', "cannot be read"),
        ("show_lines", {"path": "shop/prices.py"}, "start_line"),
        ("show_lines", {"path": "shop/prizes.py", "start_line": 1, "end_line": 2}, "shop/prices.py"),
        ("show_lines", {"path": "../secret", "start_line": 1, "end_line": 2}, "dots"),
        ("show_lines", {"path": "/etc/passwd", "start_line": 1, "end_line": 2}, "absolute"),
        ("show_lines", {"path": ".git/config", "start_line": 1, "end_line": 2}, ".git"),
        ("show_lines", {"path": ".env", "start_line": 1, "end_line": 2}, "secrets"),
        ("show_skeleton", "", "path"),
        ("search_text", {"text": ""}, "text"),
    ],
)
def test_a_bad_call_is_answered_with_how_to_do_better(belt: ToolBelt, name: str, arguments: Any, words: str) -> None:
    result = belt.call(name, arguments)
    assert not result.ok
    assert words in result.text
    assert "hunter2" not in result.text


def test_arguments_may_be_almost_json(belt: ToolBelt) -> None:
    result = belt.call("show_lines", "```json\n{'path': 'shop/prices.py', 'start_line': '4', 'end_line': 5,}\n```")
    assert result.ok and "   4| def reduced" in result.text


def test_no_answer_is_longer_than_its_bound(belt: ToolBelt) -> None:
    short = ToolBelt.__new__(ToolBelt)
    short.__dict__.update(belt.__dict__, _characters=500)
    result = short.call("show_lines", {"path": "shop/wide.py", "start_line": 1, "end_line": 200})
    assert result.truncated and len(result.text) < 620


@given(
    st.sampled_from(sorted(ARGUMENTS)),
    st.one_of(st.text(max_size=40), st.dictionaries(st.text(max_size=8), st.integers())),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_call_raises(belt: ToolBelt, name: str, arguments: Any) -> None:
    assert isinstance(belt.call(name, arguments), ToolResult)
    assert isinstance(
        belt.call(name, {"path": str(arguments), "name": str(arguments), "text": str(arguments)}), ToolResult
    )


@pytest.mark.parametrize(
    "path", ["../..", "..", "../", "shop/../..", "/", "/etc", "~", "C:\\x", "file:///etc", "..\\..", ".git", " .. "]
)
def test_a_search_below_an_unsafe_path_is_an_error_that_says_why(belt: ToolBelt, path: str) -> None:
    result = belt.call("search_text", {"text": "percent", "path": path})
    assert not result.ok
    assert "percent" not in result.text and result.text.strip()


@pytest.mark.parametrize("path", ["", ".", "./", " "])
def test_a_search_everywhere(belt: ToolBelt, path: str) -> None:
    assert belt.call("search_text", {"text": "amount * percent", "path": path}).ok


def test_answers_say_which_lines_they_show(belt: ToolBelt) -> None:
    assert belt.show_lines("shop/prices.py", 4, 5).places == (
        ("shop/prices.py", 0), ("shop/prices.py", 4), ("shop/prices.py", 5),
    )  # fmt: skip
    assert belt.search_text("percents").places == (("docs/guide.md", 3),)
    assert belt.find_symbol("reduced").places == (("shop/prices.py", 4),)
    assert belt.show_skeleton("shop/prices.py").places == (("shop/prices.py", 0), ("shop/prices.py", 4))


@pytest.mark.parametrize(
    "path", ["shop/prices.py", "shop/prices.py:5", "shop/prices.py#L5", "./shop/prices.py", "shop"]
)
def test_a_search_takes_paths_as_the_other_tools_do(belt: ToolBelt, path: str) -> None:
    result = belt.call("search_text", {"text": "amount * percent", "path": path})
    assert (result.ok, result.text.partition(" ")[0]) == (True, "shop/prices.py:5")

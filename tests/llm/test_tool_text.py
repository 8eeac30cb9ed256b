from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.llm.tool_text import calls_in_text

NAMES = ("view", "find")
V = '{"name": "view", "arguments": {"path": "a"}}'


@pytest.mark.parametrize(
    ("text", "rest", "calls"),
    [
        ("no call", "no call", []),
        (f"<tool_call>{V}</tool_call>", "", [("view", '{"path": "a"}')]),
        (f"I look.\n<tool_call>\n{V}\n</tool_call>\n<tool_call>\n{V}\n</tool_call> Then?", "I look.\n\n Then?", 2),
        (f"<tool_call>{V}", "", 1),
        (f"[TOOL_CALLS][{V}, {V}]", "", 2),
        ('[TOOL_CALLS]view{"path": "a"}', "", 1),
        ('[TOOL_CALLS]view[ARGS]{"path": "a"}[TOOL_CALLS]view[ARGS]{"path": "a"}', "", 2),
        ('<|python_tag|>{"name": "view", "parameters": {"path": "a"}}<|eom_id|>', "", 1),
        ('<function=view>{"path": "a"}</function>', "", 1),
        ("<tool_call>\n<function=view>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", "", 1),
        (f"```json\n{V}\n```", "", 1),
        (V, "", 1),
        (f"[{V}, {V}]", "", 2),
        (json.dumps({"type": "function", "function": json.loads(V)}), "", 1),
        ('{"name": "view", "arguments": "{\\"path\\": \\"a\\"}"}', "", 1),
    ],
)
def test_formats(text: str, rest: str, calls: int | list[tuple[str, str]]) -> None:
    wanted = [("view", '{"path": "a"}')] * calls if isinstance(calls, int) else calls
    left, found = calls_in_text(text, NAMES)
    assert left == rest
    assert [(c.name, c.arguments) for c in found] == wanted
    assert [c.id for c in found] == [f"call_{n}" for n in range(len(found))]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "unknown", "arguments": {}}</tool_call>',
        f"An example: {V} is how one calls it.",
        "<tool_call>not JSON</tool_call>",
        '<tool_call>{"name": "view"}</tool_call>',
        '<tool_call>{"name": ["view"], "arguments": {}}',
        '{"name": "view", "arguments": 7}',
        '{"name": "view"}',
        "[]",
        "[1, 2]",
        "<tool_call><tool_call><tool_call>",
        "[" * 100_000,
        "<tool_call>" + "[" * 100_000,
    ],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    assert calls_in_text(text, NAMES) == (text, [])


def test_nothing_without_tools() -> None:
    assert calls_in_text(V, ()) == (V, [])


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=3))
def test_any_arguments_survive(before: str, after: str, arguments: dict[str, object]) -> None:
    call = json.dumps({"name": "find", "arguments": arguments})
    _, found = calls_in_text(f"x{before}<tool_call>\n{call}\n</tool_call>{after}x", NAMES)
    assert [json.loads(c.arguments) for c in found if c.name == "find"][0] == arguments


@given(st.text(alphabet='<tool_call>/[TOOL_CALLS]{}":view,=function \n'))
def test_any_text_is_survived(text: str) -> None:
    calls_in_text(text, NAMES)


def test_the_time_is_linear() -> None:
    def seconds(count: int) -> float:
        text = '<tool_call>{"name": "x", "arguments": {"a": "<function=view>' * count
        started = time.process_time()
        calls_in_text(text, NAMES)
        return time.process_time() - started

    seconds(10)
    assert seconds(4000) < 8 * max(seconds(1000), 0.002)

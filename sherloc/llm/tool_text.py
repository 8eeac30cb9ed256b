"""Tool calls that a model wrote as text, because its server does not know its format.

Formats: ``<tool_call>{...}</tool_call>`` (Hermes, Qwen), ``<function=name>...</function>`` (Qwen coder, Llama),
``[TOOL_CALLS]`` (Mistral), ``<|python_tag|>`` (Llama), and a reply that is nothing but a call in JSON.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from sherloc.protocols import ToolCall

_MOST_MARKS = 200  # each failed one costs the JSON decoder a look at all of the text
_DECODER = json.JSONDecoder()
_MARK = re.compile(r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=([\w.-]{1,64})>")
_CLOSING = re.compile(r"\s*(?:</tool_call>|</function>|<\|eom_id\|>|<\|eot_id\|>)")
_PARAMETER = re.compile(r"\s*<parameter=([\w.-]{1,64})>\n?")
_NAME = re.compile(r"\s*([\w.-]{1,64})(?:\[ARGS\])?\s*(?=\{)")
_FENCE = re.compile(r"```(?:json|tool_call|tool_code)?\s*\n")


def calls_in_text(text: str, names: Collection[str]) -> tuple[str, list[ToolCall]]:
    """The calls of known tools in a text, in order, and the text without them. O(n).

    Args:
        text: A reply's text.
        names: The tools that were offered; a call of another one stays text.

    Returns:
        The text unchanged and no call, or what is left of it and the calls, numbered ``call_0``, ``call_1`` ...
    """
    if not names:
        return text, []
    calls = [call for call in _whole(text) if call[0] in names]
    if calls:
        return "", _numbered(calls)
    kept, position = [], 0
    for mark in itertools.islice(_MARK.finditer(text), _MOST_MARKS):
        if mark.start() < position:
            continue
        found, end = _after(text, mark)
        known = [call for call in found if call[0] in names]
        if known:
            kept.append(text[position : mark.start()])
            position = end
            calls += known
    return ("".join([*kept, text[position:]]).strip(), _numbered(calls)) if calls else (text, [])


def _numbered(calls: Iterable[tuple[str, Any]]) -> list[ToolCall]:
    return [
        ToolCall(f"call_{n}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for n, (name, arguments) in enumerate(calls)
    ]


def _whole(text: str) -> list[tuple[str, Any]]:
    """Calls, if the whole text (or its one fence) is a call or a list of calls."""
    body = text.strip()
    fence = _FENCE.match(body)
    if fence and body.endswith("```"):
        body = body[fence.end() : -3].strip()
    value, end = _value(body, 0)
    return _calls_of(value) if end == len(body) else []


def _after(text: str, mark: re.Match[str]) -> tuple[list[tuple[str, Any]], int]:
    """Calls behind a mark, and where they end."""
    position = mark.end()
    if mark[1]:
        name, (arguments, position) = mark[1], _parameters(text, position)
        return [(name, arguments)], _closed(text, position)
    if nested := _MARK.match(text, _skip_space(text, position)):
        return _after(text, nested) if nested[1] else ([], position)
    name_first = _NAME.match(text, position)
    if name_first:
        value, end = _value(text, name_first.end())
        return ([(name_first[1], value)] if isinstance(value, dict) else []), _closed(text, end)
    value, end = _value(text, position)
    return _calls_of(value), _closed(text, end)


def _parameters(text: str, position: int) -> tuple[Any, int]:
    """The JSON object, or the ``<parameter=...>`` blocks, of a function mark."""
    value, end = _value(text, position)
    if isinstance(value, dict):
        return value, end
    arguments = {}
    while found := _PARAMETER.match(text, position):
        stop = text.find("</parameter>", found.end())
        if stop < 0:
            break
        raw = text[found.end() : stop].removesuffix("\n")
        parsed, parsed_end = _value(raw, 0)
        arguments[found[1]] = parsed if parsed_end == len(raw) and raw else raw
        position = stop + len("</parameter>")
    return arguments, position


def _closed(text: str, position: int) -> int:
    while closing := _CLOSING.match(text, position):
        position = closing.end()
    return position


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _value(text: str, position: int) -> tuple[Any, int]:
    """The JSON object or list that starts here, and its end; None and 0 if there is none."""
    start = _skip_space(text, position)
    if text[start : start + 1] not in ("{", "[") and position != 0:
        return None, position
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, position


def _calls_of(value: Any) -> list[tuple[str, Any]]:
    calls = []
    for part in value if isinstance(value, list) else [value]:
        if not isinstance(part, dict):
            return []
        body = part.get("function", part) if isinstance(part.get("function", part), dict) else part
        name = body.get("name")
        arguments = next((body[key] for key in ("arguments", "parameters", "args") if key in body), None)
        if not isinstance(name, str) or not isinstance(arguments, (dict, str)):
            return []
        calls.append((name, arguments))
    return calls

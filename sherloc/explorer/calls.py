"""The tool calls of a reply: native ones, or written as JSON, also without the tool's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sherloc.errors import ReplyError
from sherloc.explorer.tool_arguments import ARGUMENTS
from sherloc.json_hardening import parse_reply
from sherloc.llm.tool_text import calls_in_text
from sherloc.protocols import Reply

MOST_CALLS = 4
"""Of one reply."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``id`` is empty where the model wrote it as text."""

    name: str
    arguments: str
    id: str = ""

    @property
    def key(self) -> str:
        """The same for calls that ask the same."""
        try:
            value = json.loads(self.arguments)
        except ValueError:
            return f"{self.name} {self.arguments.strip()}"
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if part not in ("", None)}
        return f"{self.name} {json.dumps(value, sort_keys=True)}"


def calls_of(reply: Reply) -> list[Call]:
    """The calls that a reply makes, at most four.

    Besides native calls and the notations of local models, an object with ``tool`` (or ``name``) and ``arguments``
    counts, and one that fits the arguments of a tool without naming it (the first in the tools' order).
    """
    if reply.tool_calls:
        return [Call(each.name, each.arguments, each.id) for each in reply.tool_calls[:MOST_CALLS]]
    written = calls_in_text(reply.text, set(ARGUMENTS))[1]
    if written:
        return [Call(each.name, each.arguments) for each in written[:MOST_CALLS]]
    try:
        value = parse_reply(reply.text, None, reply.stop_reason).value
    except ReplyError:
        return []
    found = [_call(each) for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
    return [call for call in found if call is not None][:MOST_CALLS]


def _call(value: Mapping[str, Any]) -> Call | None:
    name = next((value[key] for key in ("tool", "tool_name", "name", "function", "action") if key in value), None)
    arguments = next((value[key] for key in ("arguments", "parameters", "args", "input") if key in value), None)
    if isinstance(name, str) and isinstance(arguments, (dict, str)) and "findings" not in value:
        return Call(name, arguments if isinstance(arguments, str) else json.dumps(arguments))
    if isinstance(name, str) and name in ARGUMENTS:
        rest = {key: part for key, part in value.items() if part != name}
        return Call(name, json.dumps(rest))
    fitting = [tool for tool, kind in ARGUMENTS.items() if _fits(set(value), set(kind.model_fields), kind)]
    return Call(fitting[0], json.dumps(dict(value))) if fitting else None


def _fits(keys: set[str], fields: set[str], kind: Any) -> bool:
    required = {name for name, field in kind.model_fields.items() if field.is_required()}
    return bool(keys) and required <= keys <= fields

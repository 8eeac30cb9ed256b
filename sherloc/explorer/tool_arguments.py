"""What the tools take; descriptions here are what models read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MOST_LINES = 250
MOST_MATCHES = 60
MOST_SYMBOLS = 25
MOST_NEIGHBOURS = 15


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True)


class FindSymbol(_Arguments):
    """Find where a function, method or class is defined."""

    name: str = Field(description="Its name, as save, Model.save or path/of/file.py::Model.save.", min_length=1)


class SearchText(_Arguments):
    """Find lines that hold a text, in code, configuration and documents; upper and lower case are the same."""

    text: str = Field(description="The text as it stands on one line; no pattern.", min_length=1)
    path: str = Field(default="", description="Only in this file or folder; empty is everywhere.")


class ShowSkeleton(_Arguments):
    """Show the functions and classes of a file with their lines and signatures, without bodies."""

    path: str = Field(description="The file.", min_length=1)


class ShowLines(_Arguments):
    """Show lines of a file with their numbers."""

    path: str = Field(description="The file.", min_length=1)
    start_line: int = Field(description="First line, from 1.", ge=1)
    end_line: int = Field(description=f"Last line; at most {MOST_LINES} lines are shown at once.", ge=1)


class CallersCallees(_Arguments):
    """Show what calls a function and what it calls, what it overrides, and what overrides it."""

    name: str = Field(description="Its name, as for find_symbol.", min_length=1)


class ChangedWith(_Arguments):
    """Show which files earlier commits changed together with a file, and its last commits' messages."""

    path: str = Field(description="The file.", min_length=1)


ARGUMENTS: Mapping[str, type[_Arguments]] = {
    "find_symbol": FindSymbol,
    "search_text": SearchText,
    "show_skeleton": ShowSkeleton,
    "show_lines": ShowLines,
    "callers_callees": CallersCallees,
    "changed_with": ChangedWith,
}


def tool_spec(name: str) -> dict[str, Any]:
    """A tool in the form that ``ChatModel`` documents: name, description, strict JSON schema of its arguments.

    Args:
        name: A key of ``ARGUMENTS``.
    """
    kind = ARGUMENTS[name]
    schema = kind.model_json_schema()
    properties = {
        key: {part: value for part, value in details.items() if part not in ("title", "default")}
        for key, details in schema["properties"].items()
    }
    return {
        "name": name,
        "description": (kind.__doc__ or "").strip(),
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    }


def in_words(name: str) -> str:
    """A tool on a few lines, for models that take no tools.

    Args:
        name: A key of ``ARGUMENTS``.
    """
    spec = tool_spec(name)
    lines = [f"- {name}: {spec['description']}"]
    lines += [f"    {key}: {details['description']}" for key, details in spec["parameters"]["properties"].items()]
    return "\n".join(lines)

"""JSON schemas as endpoints take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Refused by OpenAI's strict mode, Anthropic's structured outputs, or grammars of local servers.
_BOUNDS = frozenset(
    """
    minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems
    uniqueItems minProperties maxProperties minContains maxContains
    """.split()
)
_DROPPED = _BOUNDS | {"default", "examples", "title", "$schema", "$id", "deprecated", "readOnly", "writeOnly"}
_NAMED = frozenset(("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"))
_LITERAL = frozenset(("const", "enum", "required"))


def portable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without what some endpoints refuse; the bounds stay as words in descriptions.

    Objects are closed (``additionalProperties: false``) unless the schema says otherwise. The reply must be checked
    against the original: this one asks, it does not promise.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED:
            continue
        if key in _NAMED and isinstance(value, Mapping):
            result[key] = {name: _portable(part) for name, part in value.items()}
        else:
            result[key] = value if key in _LITERAL else _portable(value)
    bounds = [f"{key}: {schema[key]}" for key in schema if key in _BOUNDS]
    if bounds:
        result["description"] = " ".join(filter(None, [result.get("description"), f"({', '.join(bounds)})"]))
    if "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


def _portable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return portable_schema(value)
    return [_portable(part) for part in value] if isinstance(value, list) else value


def is_strict(schema: Any) -> bool:
    """Whether every object of a schema is closed and requires all its properties, as OpenAI's strict mode wants it."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and (
        schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties)
    ):
        return False
    if schema.get("type") == "object" and properties is None:
        return False
    return all(
        all(map(is_strict, value.values())) if key in _NAMED and isinstance(value, Mapping) else is_strict(value)
        for key, value in schema.items()
        if key not in _LITERAL
    )

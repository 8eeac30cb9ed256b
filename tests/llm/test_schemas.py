from __future__ import annotations

import json

from pydantic import BaseModel, Field

from sherloc.llm.schemas import is_strict, portable_schema


class Inner(BaseModel):
    minimum: int = Field(ge=0, le=5, description="A property of that name.")
    words: list[str] = Field(default=[], max_length=3)


class Outer(BaseModel):
    inner: list[Inner] = Field(min_length=1)
    kind: str = Field(pattern="^[a-z]+$", default="a")


def test_bounds_become_words_and_objects_are_closed() -> None:
    assert portable_schema(Outer.model_json_schema()) == {
        "$defs": {
            "Inner": {
                "type": "object",
                "properties": {
                    "minimum": {
                        "type": "integer", "description": "A property of that name. (maximum: 5, minimum: 0)",
                    },
                    "words": {"type": "array", "items": {"type": "string"}, "description": "(maxItems: 3)"},
                },
                "required": ["minimum"],
                "additionalProperties": False,
            }
        },
        "type": "object",
        "properties": {
            "inner": {"type": "array", "items": {"$ref": "#/$defs/Inner"}, "description": "(minItems: 1)"},
            "kind": {"type": "string", "description": "(pattern: ^[a-z]+$)"},
        },
        "required": ["inner"],
        "additionalProperties": False,
    }  # fmt: skip


def test_values_are_left_alone() -> None:
    schema = {
        "enum": [{"minimum": 1}],
        "const": {"default": 2},
        "anyOf": [{"type": "null"}, {"type": "number", "minimum": 0}],
    }
    assert portable_schema(schema) == {
        "enum": [{"minimum": 1}],
        "const": {"default": 2},
        "anyOf": [{"type": "null"}, {"type": "number", "description": "(minimum: 0)"}],
    }


def test_an_open_object_stays_open_and_nothing_is_changed_in_place() -> None:
    schema = {"type": "object", "properties": {"a": {"default": 1}}, "additionalProperties": {"type": "string"}}
    before = json.dumps(schema)
    assert portable_schema(schema)["additionalProperties"] == {"type": "string"}
    assert json.dumps(schema) == before
    assert portable_schema(portable_schema(schema)) == portable_schema(schema)


def test_strict() -> None:
    closed = {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    assert is_strict(closed)
    assert is_strict({**closed, "properties": {"a": {"type": "array", "items": closed}}})
    assert not is_strict({**closed, "required": []})
    assert not is_strict({**closed, "additionalProperties": True})
    assert not is_strict({"type": "object"})
    assert not is_strict({**closed, "$defs": {"x": {"type": "object", "properties": {"b": {}}}}})
    assert not is_strict(portable_schema(Outer.model_json_schema()))

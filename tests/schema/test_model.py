"""Whatever text enters a model, it can be written as JSON, and reading that gives it back."""

from __future__ import annotations

import importlib
import pkgutil
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import sherloc.schema
from sherloc.schema._model import Model
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.report import Diagnostic, Report

for _module in pkgutil.iter_modules(sherloc.schema.__path__):
    importlib.import_module(f"sherloc.schema.{_module.name}")
MODELS = sorted(Model.__subclasses__(), key=lambda model: model.__name__)
TEXT = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["caf\udce9.py", "\ud800", "\udfff\ud83d", "\ud83d\udcff", "a\x00b", "\u2028", "\U0001f600"]
)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a field, of any annotation that a model of sherloc has: a new kind of field fails here."""
    if kind is str:
        return TEXT
    if kind is bool:
        return st.booleans()
    if kind in (int, float):
        return st.just(1)
    if kind is NoneType:
        return st.none()
    origin = get_origin(kind)
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin is tuple:
        return st.lists(values(get_args(kind)[0]), max_size=2).map(tuple)
    if origin in (Union, UnionType):
        return st.one_of(*map(values, get_args(kind)))
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return inputs(kind).flatmap(lambda fields: st.sampled_from([fields, kind(**fields)]))


def inputs(model: type[Model]) -> st.SearchStrategy[dict[str, Any]]:
    """Keyword arguments of a model: nested ones as mappings or as models."""
    return st.fixed_dictionaries({name: values(field.annotation) for name, field in model.model_fields.items()})


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_text_can_be_written_and_read_again(model: type[Model], data: st.DataObject) -> None:
    built = model(**data.draw(inputs(model)))
    written = built.model_dump_json()
    assert model.model_validate_json(written) == built
    assert model.model_validate_json(built.model_dump_json(indent=2).encode()) == built
    assert model.model_validate(built.model_dump()) == built


@given(TEXT)
@example("\udc80\ud800")
def test_text_without_half_characters_stays_as_it_is(text: str) -> None:
    message = Diagnostic(code="x", severity="info", message=text).message
    message.encode()
    whole = "".join(each for each in text if not "\ud800" <= each <= "\udfff")
    assert (message == text) is (whole == text)


def test_what_half_characters_become() -> None:
    brief = SurgeryBrief(issue_summary="a\udc80\ud800b", findings=["caf\udce9.py", "café"], repository="\udcff")
    assert (brief.issue_summary, brief.repository) == ("a\\x80\\ud800b", "\\xff")
    assert brief.findings == ("caf\\xe9.py", "café")


def test_a_copy_is_printable_too() -> None:
    change = ChangeSet(file_path="a.py", target_location={"function_name": "\udce9"}, change_type="other", confidence=1)
    copy = change.model_copy(update={"file_path": "\udce9.py"})
    assert (copy.file_path, copy.target_location.function_name) == ("\\xe9.py", "\\xe9")
    assert copy.model_dump_json()


def test_unknown_fields_are_still_refused() -> None:
    with pytest.raises(ValueError, match="extra_forbidden|Extra inputs"):
        Report.model_validate({"repository": "", "revision": "", "brief": {"issue_summary": ""}, "\ud800": 1})

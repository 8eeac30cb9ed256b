from __future__ import annotations

import time

import pytest

from sherloc.diagnoser.change_types import ChangeTypeRules
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.query import Query, Segment
from sherloc.schema.snippet import Snippet

CODE = Snippet("a.py", "f", "function", 1, 9)


def change_type(title: str, body: str = "", *, code: str = "", messages: tuple[str, ...] = ()) -> ChangeType:
    segments = (Segment("title", title, 1.0), Segment("description", body, 1.0))
    return ChangeTypeRules(Query(segments=segments, messages=messages)).change_type(CODE, code)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("'NoneType' object has no attribute 'split'", "fix_null_handling"),
        ("NullPointerException on start", "fix_null_handling"),
        ("IndexError: list index out of range", "fix_boundary"),
        ("Off by one in pagination", "fix_boundary"),
        ("f() got an unexpected keyword argument 'x'", "fix_parameters"),
        ("Permission denied for staff users", "fix_permission_check"),
        ("CSRF check fails behind a proxy", "fix_permission_check"),
        ("Race condition in the pool", "fix_concurrency"),
        ("Invalid dates are accepted by the validator", "add_input_validation"),
        ("bytes are not decoded to str", "fix_type_conversion"),
        ("Wrong dtype after merge", "fix_type_conversion"),
        ("DeprecationWarning from numpy: np.float is deprecated", "fix_api_call"),
        ("Exception is swallowed: should raise", "fix_exception_handling"),
        ("Stale cache after delete", "fix_state"),
        ("Default of the setting is ignored", "fix_configuration"),
        ("Add support for nested groups", "add_feature"),
        ("Comparison of versions is reversed", "fix_condition"),
        ("The sum is 5, not 6", "fix_logic"),
        ("", "fix_logic"),
    ],
)
def test_from_the_title(title: str, expected: str) -> None:
    assert change_type(title).value == expected


def test_a_quoted_message_counts_more_than_one_word_of_prose() -> None:
    body = "It happens with the default configuration."
    assert change_type("It fails", body, messages=("IndexError: list index out of range",)) is ChangeType.FIX_BOUNDARY


def test_one_word_of_prose_is_not_enough() -> None:
    assert change_type("It fails", "There is a cache.") is ChangeType.FIX_LOGIC


def test_the_shape_of_the_code_breaks_a_tie() -> None:
    title = "Setting and cache disagree"
    assert change_type(title, code="x = 1") is ChangeType.FIX_STATE
    assert change_type(title, code="return settings.X") is ChangeType.FIX_CONFIGURATION


def test_logs_and_code_of_the_issue_do_not_count() -> None:
    segments = (Segment("log", "race condition deadlock thread " * 9, 1.0), Segment("code", "IndexError", 1.0))
    assert ChangeTypeRules(Query(segments=segments)).change_type(CODE, "") is ChangeType.FIX_LOGIC


@pytest.mark.parametrize("path", ["docs/a.rst", "README.md", "setup.cfg"])
def test_documentation_and_configuration_are_other(path: str) -> None:
    query = Query(segments=(Segment("title", "IndexError", 1.0),))
    assert ChangeTypeRules(query).change_type(Snippet(path, "", "module", 1, 9), "") is ChangeType.OTHER


@pytest.mark.parametrize("word", ["wrong ", "argument is ", "bytes ", "[", "with ", "add ", "a" * 50_000, "x [" * 9000])
def test_linear_in_hostile_text(word: str) -> None:
    start = time.process_time()
    change_type("x", word * (100_000 // len(word)), code=word * (100_000 // len(word)), messages=(word * 9,))
    assert time.process_time() - start < 2

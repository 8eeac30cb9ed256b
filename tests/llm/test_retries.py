from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc import errors
from sherloc.llm.foreign_errors import read_retry_after
from sherloc.llm.retries import RetryPolicy

POLICY = RetryPolicy(retries=3, first_wait=1.0, longest_wait=3.0)


def test_which_errors_are_tried_again() -> None:
    retryable = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.ModelCallError) and value("x").retryable
    }
    assert retryable == {"ModelRateLimitError", "ModelConnectionError", "ModelServerError"}
    for error in (errors.UsageLimitError("x"), errors.CassetteError("x"), errors.ModelError("x")):
        assert POLICY.wait_after(error, 1, "k") is None


@given(st.text(), st.integers(1, 3))
def test_waits_double_up_to_the_longest_and_spread_by_a_half(key: str, attempt: int) -> None:
    wait = POLICY.wait_after(errors.ModelServerError("x"), attempt, key)
    most = min(2.0 ** (attempt - 1), 3.0)
    assert wait is not None
    assert most / 2 <= wait <= most
    assert wait == POLICY.wait_after(errors.ModelServerError("x"), attempt, key)


def test_the_last_attempt_is_the_last() -> None:
    assert POLICY.wait_after(errors.ModelServerError("x"), 4, "k") is None


def test_what_the_server_asks_for() -> None:
    assert POLICY.wait_after(errors.ModelRateLimitError("x", retry_after=2.5), 1, "k") == 2.5
    assert POLICY.wait_after(errors.ModelRateLimitError("x", retry_after=0), 1, "k") == 0
    assert POLICY.wait_after(errors.ModelRateLimitError("x", retry_after=3.5), 1, "k") is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, now=60.0) == seconds

"""The map of foreign errors is complete over the SDKs' classes."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import anthropic
import anthropic._exceptions
import httpx2
import openai
import openai._exceptions
import pytest

from sherloc import errors
from sherloc.llm.foreign_errors import as_model_error, error_for_status

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")


def classes(*modules: ModuleType) -> list[type[Exception]]:
    found = {
        value
        for module in modules
        for value in list(vars(module).values())
        if inspect.isclass(value) and issubclass(value, Exception) and value.__module__.startswith(module.__name__[:5])
    }
    return sorted(found, key=lambda c: (c.__module__, c.__name__))


def make(kind: type[Exception]) -> Exception:
    """An instance, however the class wants to be made."""
    error = kind.__new__(kind)
    error.args = ("it failed",)
    error.request_id = None  # type: ignore[attr-defined]
    status: Any = getattr(kind, "status_code", None)
    if "APIStatusError" in {c.__name__ for c in kind.__mro__}:
        status = status if isinstance(status, int) else 500
        error.response = httpx2.Response(status, request=REQUEST)  # type: ignore[attr-defined]
        error.status_code = status  # type: ignore[attr-defined]
    return error


# Bases that say nothing, and what cannot come from asking for a reply.
UNSPECIFIC = {"OpenAIError", "AnthropicError", "HTTPError", "HTTPStatusError", "_AmbiguousModuleClientUsageError"}


@pytest.mark.parametrize(
    "kind",
    classes(openai, openai._exceptions, anthropic, anthropic._exceptions, httpx2),
    ids=lambda c: f"{c.__module__}.{c.__name__}",
)
def test_every_class_has_its_own_error(kind: type[Exception]) -> None:
    own = as_model_error(make(kind), "m")
    assert isinstance(own, errors.ModelCallError)
    assert "it failed" in own.message
    assert (type(own) is errors.ModelCallError) == (kind.__name__ in UNSPECIFIC)


def test_the_list_of_classes_is_not_empty() -> None:
    assert len(classes(openai)) > 12
    assert len(classes(anthropic)) > 15
    assert len(classes(httpx2)) > 20


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (300, errors.ModelRequestError, False), (400, errors.ModelRequestError, False),
        (401, errors.ModelAuthError, False), (402, errors.ModelAuthError, False), (403, errors.ModelAuthError, False),
        (404, errors.ModelRequestError, False), (408, errors.ModelServerError, True),
        (409, errors.ModelServerError, True), (413, errors.ModelRequestError, False),
        (418, errors.ModelRequestError, False), (422, errors.ModelRequestError, False),
        (429, errors.ModelRateLimitError, True), (500, errors.ModelServerError, True),
        (501, errors.ModelServerError, False), (502, errors.ModelServerError, True),
        (503, errors.ModelServerError, True), (504, errors.ModelServerError, True),
        (505, errors.ModelServerError, False), (529, errors.ModelServerError, True),
    ],
)  # fmt: skip
def test_statuses(status: int, kind: type[errors.ModelCallError], retryable: bool) -> None:
    error = error_for_status(status, "x")
    assert (type(error), error.retryable, error.status, error.billed) == (kind, retryable, status, False)


def test_an_unknown_error_keeps_its_name() -> None:
    class Strange(Exception):
        pass

    own = as_model_error(Strange("odd"), "m")
    assert (type(own), own.message) == (errors.ModelCallError, "The model m failed: Strange: odd")
    assert not own.retryable


def test_messages_are_short_and_on_one_line() -> None:
    own = as_model_error(ValueError("a\n" * 5000), "m")
    assert len(own.message) < 600
    assert "\n" not in own.message


def test_a_timeout_before_the_connection_stood_is_free_and_may_pass() -> None:
    error = openai.APITimeoutError(REQUEST)
    error.__cause__ = httpx2.ConnectTimeout("x")
    own = as_model_error(error, "m")
    assert (type(own), own.billed, own.retryable) == (errors.ModelConnectionError, False, True)
    error.__cause__ = httpx2.ReadTimeout("x")
    own = as_model_error(error, "m")
    assert (type(own), own.billed, own.retryable) == (errors.ModelTimeoutError, True, False)

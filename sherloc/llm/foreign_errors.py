"""The one place where errors of SDKs and HTTP libraries become sherloc's own.

They are told apart by status and by class name along the inheritance, so that no SDK needs to be imported: openai,
anthropic and litellm share the names of their classes, httpx and httpx2 too.
"""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

from sherloc.errors import (
    ModelAuthError,
    ModelCallError,
    ModelConnectionError,
    ModelError,
    ModelRateLimitError,
    ModelRequestError,
    ModelResponseError,
    ModelServerError,
    ModelTimeoutError,
)
from sherloc.llm.secrets.redaction import redact

T = TypeVar("T")

_LONGEST_MESSAGE = 500
_SHORTEST_KEY = 6
_PAID_OUT = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low", "billing_error")
_AUTH_HINT = "Set the key in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, or models.endpoints.*.api_key_env)."

_BY_STATUS: dict[int, type[ModelCallError]] = {
    401: ModelAuthError, 402: ModelAuthError, 403: ModelAuthError,
    408: ModelServerError, 409: ModelServerError, 429: ModelRateLimitError,
}  # fmt: skip
_NEVER_PASSES = frozenset((501, 505))

# By class name; the first one along the inheritance counts, so the narrower names need not come first.
_BY_NAME: dict[str, type[ModelCallError]] = {
    # openai, anthropic, litellm
    "APITimeoutError": ModelTimeoutError,
    "Timeout": ModelTimeoutError,
    "APIConnectionError": ModelConnectionError,
    "APIResponseValidationError": ModelResponseError,
    "APIWebhookValidationError": ModelResponseError,
    "InvalidWebhookSignatureError": ModelResponseError,
    "LengthFinishReasonError": ModelResponseError,
    "ContentFilterFinishReasonError": ModelResponseError,
    "SubjectTokenProviderError": ModelAuthError,
    "CredentialsError": ModelAuthError,
    "WorkloadIdentityError": ModelAuthError,
    "RetryableError": ModelServerError,
    "WebSocketConnectionClosedError": ModelConnectionError,
    "WebSocketQueueFullError": ModelConnectionError,
    "BudgetExceededError": ModelAuthError,
    "APIError": ModelServerError,
    # httpx, httpx2
    "ConnectTimeout": ModelConnectionError,
    "PoolTimeout": ModelConnectionError,
    "TimeoutException": ModelTimeoutError,
    "UnsupportedProtocol": ModelRequestError,
    "LocalProtocolError": ModelRequestError,
    "TransportError": ModelConnectionError,
    "DecodingError": ModelResponseError,
    "TooManyRedirects": ModelConnectionError,
    "RequestError": ModelConnectionError,
    "InvalidURL": ModelRequestError,
    "CookieConflict": ModelResponseError,
    "StreamError": ModelConnectionError,
    # Python's own
    "JSONDecodeError": ModelResponseError,
    "UnicodeEncodeError": ModelRequestError,
    "UnicodeError": ModelResponseError,
    "RecursionError": ModelResponseError,
    "ConnectionError": ModelConnectionError,
    "TimeoutError": ModelTimeoutError,
    "OSError": ModelConnectionError,
}


async def mapped(work: Awaitable[T], model: str, keys: Sequence[str] = ()) -> T:
    """Await an SDK's call; its errors come out as sherloc's, without the original attached.

    The original would carry the request and what the server echoed of it, the key included, into every traceback.

    Args:
        work: The call.
        model: Name for messages.
        keys: Texts that must not appear in any message.

    Raises:
        ModelCallError: The call failed.
    """
    try:
        return await work
    except ModelCallError as error:
        own = error
        own.message = _without_keys(own.message, keys)
        own.args = (own.message,)
        own.__cause__ = own.__context__ = None
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - foreign errors are mapped here and nowhere else
        own = as_model_error(error, model, keys)
    raise own


def as_model_error(error: Exception, model: str, keys: Sequence[str] = ()) -> ModelCallError:
    """The error of ours for a foreign one; what is not known becomes a ``ModelCallError`` that names the class."""
    if isinstance(own := error.__cause__, ModelCallError):  # raised in what the SDK called
        own.__cause__ = own.__context__ = None
        return own
    status = status_of(error)
    told = _without_keys(_message_of(error), keys)
    if status is not None:
        return error_for_status(status, f"The model {model} answered with status {status}: {told}", error)
    kind = _kind_of(error)
    if kind is None and "authentication method" in told:
        kind = ModelAuthError
    if kind is None:
        return ModelCallError(f"The model {model} failed: {type(error).__name__}: {told}")
    hint = _AUTH_HINT if kind is ModelAuthError else ""
    # A connection that was cut while a reply was on its way may have been charged.
    billed = True if kind is ModelConnectionError and _was_reading(error) else None
    return kind(f"{_WHAT.get(kind, 'The model {} failed').format(model)}: {told}", hint=hint, billed=billed)


_WHAT = {
    ModelTimeoutError: "The model {} gave no reply in time",
    ModelConnectionError: "The connection to the model {} failed",
    ModelResponseError: "The answer of the model {} cannot be read",
    ModelAuthError: "The model {} does not accept the key",
}


def error_for_status(status: int, message: str, error: object = None) -> ModelCallError:
    """The error for an HTTP status; ``error`` may bring headers and a body with codes."""
    kind = _BY_STATUS.get(status) or (ModelServerError if status >= 500 else ModelRequestError)
    headers, codes = _headers_of(error), _codes_of(error)
    retryable = None
    if status in _NEVER_PASSES or headers.get("x-should-retry") == "false" or not codes.isdisjoint(_PAID_OUT):
        retryable = False
    hint = _AUTH_HINT if kind is ModelAuthError and status == 401 else ""
    return kind(message, hint=hint, status=status, retryable=retryable, retry_after=read_retry_after(headers))


def read_retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds to wait, from ``retry-after-ms`` or ``retry-after`` (seconds or a date); None if not told."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / scale
        except ValueError:
            seconds = _time_of(value) - (time.time() if now is None else now)
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    return None


def _time_of(date: str) -> float:
    """Seconds since 1970; NaN for what is no date, or one that no calendar has."""
    try:
        parts = email.utils.parsedate_tz(date)
        return math.nan if parts is None else float(email.utils.mktime_tz(parts))
    except (ValueError, OverflowError, IndexError, TypeError):
        return math.nan


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error tells, if it is one of failure."""
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else getattr(getattr(error, "response", None), "status_code", None)
    # litellm gives its connection errors a status that no server sent.
    made_up = any(kind.__name__ == "APIConnectionError" for kind in type(error).__mro__)
    return status if isinstance(status, int) and status >= 300 and not made_up else _status_in_body(error)


def _status_in_body(error: BaseException) -> int | None:
    """Streams report overload and limits in an event, after a status of 200."""
    types = _codes_of(error)
    for name, status in (
        ("overloaded_error", 529), ("rate_limit_error", 429), ("rate_limit_exceeded", 429), ("api_error", 500),
        ("server_error", 500), ("invalid_request_error", 400), ("authentication_error", 401), ("timeout_error", 504),
        ("permission_error", 403), ("not_found_error", 404), ("request_too_large", 413),
    ):  # fmt: skip
        if name in types:
            return status
    return None


def _kind_of(error: BaseException) -> type[ModelCallError] | None:
    cause = error.__cause__ or error.__context__
    if type(error).__name__ == "APITimeoutError" and type(cause).__name__ in ("ConnectTimeout", "PoolTimeout"):
        return ModelConnectionError
    return next((_BY_NAME[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _BY_NAME), None)


def _was_reading(error: BaseException) -> bool:
    names = {type(e).__name__ for e in (error, error.__cause__, error.__context__) if e is not None}
    return not names.isdisjoint({"ReadError", "RemoteProtocolError"})


def _headers_of(error: object) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return {str(k).lower(): str(v) for k, v in headers.items()} if headers is not None else {}


def _codes_of(error: object) -> set[str]:
    body = getattr(error, "body", None)
    parts = [body] if isinstance(body, Mapping) else []
    parts += [part["error"] for part in parts if isinstance(part.get("error"), Mapping)]
    values = [part.get(key) for part in parts for key in ("code", "type")]
    values += [getattr(error, "code", None), getattr(error, "type", None)]
    return {value for value in values if isinstance(value, str)}


def _message_of(error: BaseException) -> str:
    body: Any = getattr(error, "body", None)
    for part in (body.get("error") if isinstance(body, Mapping) else None, body):
        if isinstance(part, Mapping) and isinstance(part.get("message"), str):
            return str(part["message"])
        if isinstance(part, str) and part:
            return part
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON at character {error.pos}: {error.doc[:80]!r}"
    cause = error.__cause__
    return f"{error} ({cause})" if cause is not None and str(cause) else str(error)


def _without_keys(text: str, keys: Sequence[str]) -> str:
    for key in keys:
        if len(key) >= _SHORTEST_KEY:
            text = text.replace(key, "[key]")
    text = redact(" ".join(text.split()))[0]
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + " ..."

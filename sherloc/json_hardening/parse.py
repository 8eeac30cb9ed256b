"""From a model's reply to a value that fits a schema, or to one error that says why not.

The order is fixed: limits, stop reason, strict JSON, layers around it, then a search for every value in the reply.
Clean JSON takes the first way out and nothing else ever touches it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar, overload

from sherloc.errors import LimitExceeded, Refused, ReplyError, SchemaMismatch, TruncatedOutput
from sherloc.json_hardening.candidates import Scanner
from sherloc.json_hardening.choice import Judge, choose
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.names import names_of
from sherloc.json_hardening.outcome import Fault, Parsed, Repair
from sherloc.json_hardening.peel import THINK, layers_of
from sherloc.json_hardening.strict import StrictReader

T = TypeVar("T")

_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
_REFUSALS = frozenset({"refusal", "content_filter", "safety", "recitation", "blocklist", "prohibited_content"})
_LAST_THOUGHT = re.compile(rf"</{THINK}>", re.IGNORECASE)


@overload
def parse_reply(
    text: str,
    schema: type[T],
    stop_reason: str | None = None,
    *,
    limits: Limits = ...,
    originals: Mapping[str, str] | None = ...,
    when_ambiguous: Literal["raise", "last"] = ...,
) -> Parsed[T]: ...


@overload
def parse_reply(
    text: str,
    schema: Any = None,
    stop_reason: str | None = None,
    *,
    limits: Limits = ...,
    originals: Mapping[str, str] | None = ...,
    when_ambiguous: Literal["raise", "last"] = ...,
) -> Parsed[Any]: ...


def parse_reply(
    text: str,
    schema: Any = None,
    stop_reason: str | None = None,
    *,
    limits: Limits = Limits(),  # noqa: B008 - immutable
    originals: Mapping[str, str] | None = {},  # noqa: B006 - never written to
    when_ambiguous: Literal["raise", "last"] = "raise",
) -> Parsed[Any]:
    """Read the one answer that a model's reply holds.

    Args:
        text: The reply, untrusted.
        schema: A pydantic model, or any type that pydantic knows (``list[Model]``); None takes any object or list.
        stop_reason: Why the model stopped, in sherloc's words or a provider's; None when it is not known.
        limits: Bounds on size, depth and digits.
        originals: Path to text of files that the reply may rewrite; their own lines are never placeholders. None
            leaves placeholders to the caller, who may know the files better (``placeholder_line``).
        when_ambiguous: With ``last``, the last of several answers that differ is taken, and noted.

    Returns:
        The value and the repairs that it needed; none for clean JSON.

    Raises:
        ReplyError: Always one of its family, holding the raw text; no other error leaves this function.

    Takes linear time in the text.
    """
    text = text or ""
    judge = Judge(schema, names_of(schema), limits, originals, when_ambiguous)
    try:
        _check_size(text, limits)
        _check_stop_reason(stop_reason)
        return _read(text, judge)
    except Fault as fault:
        if (parsed := _without_misfits(text, judge, fault)) is not None:
            return parsed
        error = fault.to_error(text)
    except ReplyError as found:
        found.text = text
        error = found
    if isinstance(error, TruncatedOutput):
        error.needs_more_tokens = (stop_reason or "").casefold() not in ("end", "stop", "end_turn", "error")
    raise error


def _without_misfits(text: str, judge: Judge, fault: Fault) -> Parsed[Any] | None:
    """The answer without items that do not fit, where the schema allows that; only where there is no whole answer."""
    if fault.error is not SchemaMismatch or not judge.names.loose:
        return None
    with contextlib.suppress(Fault, ReplyError):
        return _read(text, replace(judge, dropping=True))
    return None


def check_ending(text: str, stop_reason: str | None, limits: Limits = Limits()) -> None:  # noqa: B008 - immutable
    """Refuse a reply that is too large, was cut off, or is none, before anything is read in it; for other formats.

    Args:
        text: The reply.
        stop_reason: As for ``parse_reply``.
        limits: Its size counts.

    Raises:
        ReplyError: ``LimitExceeded``, ``TruncatedOutput`` or ``Refused``.
    """
    try:
        _check_size(text, limits)
        _check_stop_reason(stop_reason)
    except Fault as fault:
        error = fault.to_error(text)
        error.needs_more_tokens = isinstance(error, TruncatedOutput)
        raise error from None


def _check_size(text: str, limits: Limits) -> None:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > limits.max_bytes:
        raise Fault(LimitExceeded, f"the reply has {size} bytes, more than {limits.max_bytes}")


def _check_stop_reason(stop_reason: str | None) -> None:
    reason = (stop_reason or "").casefold()
    if reason in _LENGTH:
        raise Fault(TruncatedOutput, "the reply was cut off at the token limit")
    if reason in _REFUSALS:
        raise Fault(Refused, f"the model did not answer ({reason})")
    if reason == "error":
        raise Fault(TruncatedOutput, "the model stopped with an error")


def _read(text: str, judge: Judge) -> Parsed[Any]:
    strict = StrictReader(judge.limits)
    body = text
    layers: tuple[Repair, ...] = ()
    for candidate, repairs, neutral in layers_of(text):
        try:
            value, notes = strict.read_all(candidate)
        except ValueError:
            if neutral:
                body, layers = candidate, repairs
            continue
        return judge.accept(value, (*repairs, *notes))
    try:
        return choose(body, Scanner(body, judge.limits, judge.names.protected).scan(), judge, layers)
    except Fault as fault:
        after = _after_thoughts(body, fault)
        if after is None:
            raise
        return _strict_only(after, judge, strict, fault)


def _after_thoughts(body: str, fault: Fault) -> str | None:
    """What follows the last end of a thought, when a value that never ended may have been part of the thought."""
    *_, last = (None, *_LAST_THOUGHT.finditer(body))
    return body[last.end() :] if last is not None and fault.at <= last.start() else None


def _strict_only(text: str, judge: Judge, strict: StrictReader, cause: Fault) -> Parsed[Any]:
    thought = Repair("think")
    for candidate, repairs, _ in layers_of(text):
        with contextlib.suppress(ValueError):
            value, notes = strict.read_all(candidate)
            return judge.accept(value, (thought, *repairs, *notes))
    raise cause

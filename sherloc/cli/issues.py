"""The issue of a command line: a file, stdin, a JSON ticket, or the text itself."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.errors import EmptyIssueError, UsageError

if TYPE_CHECKING:
    from sherloc.schema.issue import Issue

_TITLE_KEYS = ("title", "summary")
_BODY_KEYS = ("body", "description")
_NESTED = ("issue", "fields")


def read_issue(given: str) -> Issue:
    """The issue that an argument means.

    Args:
        given: The path of a text, Markdown or JSON file; ``-`` for stdin; or a text with blanks that is no file's name.

    Raises:
        UsageError: There is no such file, it cannot be read, or its JSON is not a ticket.
        EmptyIssueError: It holds no text.
    """
    from sherloc.schema.issue import Issue

    text, name = _text(given)
    if not text.strip():
        raise EmptyIssueError(f"The issue is empty: {name}.", hint="Give its title and description.")
    if text.lstrip().startswith("{") or name.lower().endswith(".json"):
        ticket = _ticket(text, name)
        if ticket is not None:
            return ticket
    return Issue.from_text(_clean(text))


def _text(given: str) -> tuple[str, str]:
    """The text, and what to call its source."""
    from sherloc.indexer.decoding import decode

    if given == "-":
        return decode(_read_stdin())[0], "stdin"
    if not os.path.lexists(given) and len(given.split()) > 1:
        return decode(given.encode("utf-8", "surrogateescape"))[0], "the argument"
    try:
        with open(given, "rb") as file:
            return decode(file.read())[0], given
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"The issue {given!r} cannot be read: {why}.",
            hint="Give a file with the issue's text, - to read it from stdin, or the text itself in quotes.",
        ) from error


def _read_stdin() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(
            f"The issue cannot be read from stdin: {error.strerror or error}.", hint="Give a file, or pipe the text in."
        ) from error


def _ticket(text: str, name: str) -> Issue | None:
    """The issue in a JSON document; None for a text that only looks like JSON."""
    from sherloc.schema.issue import Issue

    try:
        value = json.loads(text, parse_int=_no_text, parse_float=_no_text)
    except (ValueError, RecursionError) as error:
        if name.lower().endswith(".json"):
            why = "nested too deeply" if isinstance(error, RecursionError) else f"not valid JSON: {error}"
            raise UsageError(f"{name} is {why}.") from error
        return None
    for key in _NESTED:
        if isinstance(value, Mapping) and isinstance(value.get(key), Mapping):
            value = value[key]
    if not isinstance(value, Mapping) or not any(key in value for key in (*_TITLE_KEYS, *_BODY_KEYS)):
        if not name.lower().endswith(".json"):
            return None
        raise UsageError(f"{name} is no ticket.", hint="It needs the keys title and body, or summary and description.")
    return Issue(
        title=_first(value, _TITLE_KEYS), body=_first(value, _BODY_KEYS),
        comments=_texts(value.get("comments"), "body"), labels=_texts(value.get("labels"), "name"),
    )  # fmt: skip


def _no_text(number: str) -> None:
    """Numbers are not needed, and Python refuses to read those with thousands of digits."""


def _first(ticket: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((_clean(ticket[key]) for key in keys if isinstance(ticket.get(key), str)), "")


def _texts(values: Any, key: str) -> tuple[str, ...]:
    """Texts of a list of texts or of objects that hold one; trackers give a number where others give the list."""
    if not isinstance(values, list):
        return ()
    texts = (each.get(key) if isinstance(each, Mapping) else each for each in values)
    return tuple(_clean(text) for text in texts if isinstance(text, str))


def _clean(text: str) -> str:
    """Half characters, which JSON can hold, are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")

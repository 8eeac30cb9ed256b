"""An issue as people give it: a file, stdin, a JSON ticket, or the text itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sherloc.errors import EmptyIssueError, UsageError
from sherloc.input_files import read_input

if TYPE_CHECKING:
    from sherloc.schema.issue import Issue

_TITLE_KEYS = ("title", "summary")
_BODY_KEYS = ("body", "description")
_REPORT_KEYS = ("ranked_files", "brief")
_NESTED = ("issue", "fields")
_MOST_BYTES = 8_000_000
_HINT = "Give a file with the {}'s text, - to read it from stdin, or the text itself in quotes."


def read_issue(given: str, what: str = "issue") -> Issue:
    """The issue that an argument means.

    Args:
        given: The path of a text, Markdown or JSON file; ``-`` for stdin; or a text with blanks that is no file's name.
        what: What it is called in errors.

    Raises:
        UsageError: There is no such file, it cannot be read, or its JSON is not a ticket.
        EmptyIssueError: It holds no text.
    """
    from sherloc.schema.issue import Issue

    source = _source(given, what)
    if not source.text.strip():
        raise EmptyIssueError(f"The {what} is empty: {source.name}.", hint="Give its title and description.")
    if source.text.lstrip().startswith("{") or source.is_json:
        ticket = _ticket(source)
        if ticket is not None:
            return ticket
    issue = Issue.from_text(source.text)
    return issue.model_copy(update={"omitted": 1}) if source.is_cut else issue


class _Source(NamedTuple):
    """A text, what to call its source, and whether there was more of it."""

    text: str
    name: str
    is_cut: bool = False

    @property
    def is_json(self) -> bool:
        return self.name.lower().endswith(".json")


def _source(given: str, what: str) -> _Source:
    from sherloc.indexer.decoding import decode

    if given != "-" and not os.path.lexists(given) and len(given.split()) > 1:
        return _Source(decode(given.encode("utf-8", "surrogateescape"))[0], "the argument")
    found = read_input(given, f"The {what}", _MOST_BYTES, hint=_HINT.format(what))
    data = found.data
    if found.is_cut:
        data = data[: data.rfind(b"\n", _MOST_BYTES // 2) + 1] or _whole_characters(data)
    return _Source(decode(data)[0], "stdin" if given == "-" else given, found.is_cut)


def _whole_characters(data: bytes) -> bytes:
    """Bytes without the last character, of which a part may be missing, when they are UTF-8."""
    end = len(data)
    while end > len(data) - 3 and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return data[: end - 1] if data[end - 1] >= 0xC0 else data


def _ticket(source: _Source) -> Issue | None:
    """The issue in a JSON document; None for a text that only looks like JSON."""
    from sherloc.schema.issue import Issue

    name = source.name
    if source.is_cut and source.is_json:
        raise UsageError(f"{name} is larger than {_MOST_BYTES:,} bytes.", hint="Give the title and body alone.")
    try:
        value = json.loads(source.text, parse_int=_no_text, parse_float=_no_text)
    except (ValueError, RecursionError) as error:
        if source.is_json:
            why = "nested too deeply" if isinstance(error, RecursionError) else f"not valid JSON: {error}"
            raise UsageError(f"{name} is {why}.") from error
        return None
    for key in _NESTED:
        if isinstance(value, Mapping) and isinstance(value.get(key), Mapping):
            value = value[key]
    if isinstance(value, Mapping) and all(key in value for key in _REPORT_KEYS):
        raise UsageError(
            f"{name} is a report of sherloc's, not an issue.",
            hint="To have it in any form, name the file that holds it (stdin is read for an issue only): "
            "sherloc report FILE --format FORM",
        )
    if not isinstance(value, Mapping) or not any(key in value for key in (*_TITLE_KEYS, *_BODY_KEYS)):
        if not source.is_json:
            return None
        raise UsageError(f"{name} is no ticket.", hint="It needs the keys title and body, or summary and description.")
    return Issue(
        title=_first(value, _TITLE_KEYS), body=_first(value, _BODY_KEYS),
        comments=_texts(value.get("comments"), "body"), labels=_texts(value.get("labels"), "name"),
    )  # fmt: skip


def _no_text(number: str) -> None:
    """Numbers are not needed, and Python refuses to read those with thousands of digits."""


def _first(ticket: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((ticket[key] for key in keys if isinstance(ticket.get(key), str)), "")


def _texts(values: Any, key: str) -> tuple[str, ...]:
    """Texts of a list of texts or of objects that hold one; trackers give a number where others give the list."""
    if not isinstance(values, list):
        return ()
    texts = (each.get(key) if isinstance(each, Mapping) else each for each in values)
    return tuple(text for text in texts if isinstance(text, str))

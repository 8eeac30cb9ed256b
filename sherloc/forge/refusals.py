"""What an answer of a forge that is no success means: one table, from GitHub's and GitLab's words to our errors.

Sources: the REST documentation of GitHub (2022-11-28) and GitLab (v4), and the issues of tools that met these answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sherloc.errors import (
    ForgeAuthError,
    ForgeConnectionError,
    ForgeError,
    ForgeNotFoundError,
    ForgeRateLimitError,
    ForgeRefusedError,
)
from sherloc.visible import one_line

_MOST_WORDS = 300
_SECONDARY_WAIT = 60.0
"""Seconds; what GitHub asks to wait at least after a secondary limit without a header."""


class Rule(NamedTuple):
    """What answers it is about (statuses; a pattern in the forge's words) and what it makes of them."""

    statuses: tuple[int, ...]
    words: str
    error: type[ForgeError]
    hint: str


RULES = (
    Rule((403, 404, 422), r"workflow", ForgeAuthError,
         "The token may not change workflow files: give it the right (classic: scope workflow), or leave them alone."),
    Rule((401,), "", ForgeAuthError, "The token is wrong, expired or revoked: set a new one in {variables}."),
    Rule((403,), r"SAML|single sign", ForgeAuthError, "Authorise the token for the organisation's single sign-on."),
    Rule((403,), r"archived", ForgeRefusedError, "The project is archived; nothing can be changed in it."),
    Rule((403,), r"protected|rule violation", ForgeRefusedError,
         "The project's rules forbid the branch: allow the prefix of sherloc's branches."),
    Rule((403,), "", ForgeAuthError, "The token lacks a right; docs/forges.md lists what is needed."),
    Rule((404, 410), "", ForgeNotFoundError,
         "It does not exist, or this token may not see it. Check the name, and the token in {variables}."),
    Rule((409,), r"repository is empty", ForgeRefusedError, "The project has no commit yet: push its first one."),
    Rule((422,), r"draft pull requests are not supported", ForgeRefusedError,
         "The branch stays. To open a plain pull request instead, set forge.allow_no_draft."),
    Rule((409, 422), r"pull request already exists|merge request already exists", ForgeRefusedError,
         "There is one from this branch; it is left as it is."),
    Rule((422,), r"no commits between", ForgeRefusedError,
         "The branch has nothing that its base has not; was it merged already?"),
    Rule((400, 422), r"reference already exists|already exists", ForgeRefusedError,
         "The branch exists with other commits; it is not overwritten. Delete it, or change branch_prefix."),
    Rule((422,), r"not a fast.?forward", ForgeRefusedError,
         "The branch has other commits; it is not overwritten. Delete it, or change branch_prefix."),
    Rule((400, 409, 422), r"path|tree|file", ForgeRefusedError,
         "The forge does not take a file or its path; publish by git instead: forge.publish = \"push\"."),
    Rule((413,), "", ForgeRefusedError, "It is too large for the API; publish by git: forge.publish = \"push\"."),
    Rule((301, 302, 303, 307, 308), "", ForgeRefusedError,
         "The project moved, or base_url is wrong: use its new name. The token was not sent elsewhere."),
    Rule((408, 500, 502, 503, 504), "", ForgeConnectionError, "It may pass: try again later."),
)  # fmt: skip
"""In this order; the first that fits counts."""


def refusal(
    status: int, headers: Mapping[str, str], data: Any, what: str, *, variables: tuple[str, ...] = (), now: float = 0.0
) -> ForgeError:
    """The error that stands for an answer.

    Args:
        status: The HTTP status.
        headers: By lower-case name.
        data: The decoded JSON, or None.
        what: Was asked: method and path.
        variables: Where the token can be set.
        now: Unix time, for limits that end at a time.
    """
    said = words_of(data)
    limited = rate_limit(status, headers, said, now)
    message = f"{what}: {status}" + (f", {said!r}." if said else ".")
    if limited is not None:
        return ForgeRateLimitError(message, retry_after=limited, hint=f"Try again in {limited:.0f} s.")
    for rule in RULES:
        if status in rule.statuses and re.search(rule.words, said, re.IGNORECASE):
            return rule.error(message, hint=rule.hint.format(variables=", ".join(variables)))
    if status >= 500:
        return ForgeConnectionError(message, hint="It may pass: try again later.")
    return ForgeRefusedError(message)


def rate_limit(status: int, headers: Mapping[str, str], said: str, now: float) -> float | None:
    """Seconds to wait for a limit, or None when it is none.

    Args:
        status: As in ``refusal``.
        headers: As in ``refusal``.
        said: The forge's words.
        now: As in ``refusal``.
    """
    secondary = re.search("secondary rate limit|abuse", said, re.IGNORECASE)
    spent = headers.get("x-ratelimit-remaining", "") == "0"
    if status != 429 and not (status == 403 and (secondary or spent or "retry-after" in headers)):
        return None
    after = _seconds(headers.get("retry-after"))
    if after is not None:
        return after
    until = _seconds(headers.get("x-ratelimit-reset") if spent else headers.get("ratelimit-reset"))
    return _SECONDARY_WAIT if until is None else max(0.0, until - now)


def words_of(data: Any) -> str:
    """A forge's own words, in one line; they come from outside and are cut."""
    return one_line("; ".join(dict.fromkeys(_words(data, 3))))[:_MOST_WORDS]


def _words(data: Any, depth: int) -> list[str]:
    if isinstance(data, str):
        return [data]
    if not depth:
        return []
    if isinstance(data, list):
        return [words for each in data[:10] for words in _words(each, depth - 1)]
    if isinstance(data, dict):
        known = [data[name] for name in ("message", "error", "error_description", "errors") if name in data]
        return [words for each in known or list(data.values())[:10] for words in _words(each, depth - 1)]
    return []


def _seconds(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,12}", text.strip()) else None

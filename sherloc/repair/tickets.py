"""What shall be fixed: a ticket on a forge, or an issue that somebody wrote down."""

from __future__ import annotations

import hashlib
import json
import re

from sherloc.protocols import Ticket
from sherloc.schema.issue import Issue

_LONGEST_NAME = 40
_REFERENCE = re.compile(r"[\w.-]*(?:/[\w.-]+)*#[1-9]\d*|https?://\S+")


def ticket_of(issue: Issue, name: str = "") -> Ticket:
    """A ticket that is on no forge.

    Args:
        issue: The text.
        name: Of the file that it stands in; empty: the issue's title names it.
    """
    return Ticket(issue, name or issue.title[:_LONGEST_NAME] or "issue", revision_of(issue))


def revision_of(issue: Issue) -> str:
    """A name for the text of an issue as it is now: 16 hexadecimal digits of its SHA-256."""
    parts = [issue.title, issue.body, list(issue.comments)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def slug(text: str) -> str:
    """Letters, digits and single hyphens of a text, for the name of a folder; never empty."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()[:_LONGEST_NAME].strip("-") or "issue"


def is_reference(text: str) -> bool:
    """Whether a text names an issue on a forge, rather than being one: ``owner/repo#12``, ``#12``, or an address."""
    return bool(_REFERENCE.fullmatch(text.strip()))


def project_of(reference: str) -> tuple[str, int | None]:
    """Project and number of ``owner/repo#12``; empty and None for a ticket that is on no forge."""
    project, mark, number = reference.rpartition("#")
    return (project, int(number)) if mark and number.isdecimal() and "/" in project else ("", None)

"""What shall be fixed: a ticket on a forge, or an issue that somebody wrote down."""

from __future__ import annotations

import hashlib
import json
import re

from sherloc.protocols import Ticket
from sherloc.schema.issue import Issue

_LONGEST_NAME = 40
_LONGEST_STEM = 28
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


def project_of(ticket: Ticket) -> tuple[str, int | None]:
    """Project and number of a ticket that was read from a forge; empty and None for any other, whatever its name."""
    project, mark, number = ticket.reference.rpartition("#")
    is_known = ticket.address and mark and number.isdecimal() and "/" in project
    return (project, int(number)) if is_known else ("", None)


def branch_reference(ticket: Ticket) -> str:
    """What names a ticket's branches: the reference of one on a forge; of any other also what it says."""
    if ticket.address:
        return ticket.reference
    return f"{slug(ticket.reference)[:_LONGEST_STEM].strip('-')}-{ticket.revision[:8]}"

"""What every forge shares about tickets: which comments are ours, and what makes a revision."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from sherloc.protocols import Ticket
from sherloc.schema.issue import Issue

MARK_START = "<!-- sherloc"
"""Every comment of sherloc begins with it."""


def make_ticket(
    reference: str, address: str, title: str, body: str | None, comments: Iterable[str], labels: Iterable[str]
) -> Ticket:
    """A ticket of what a forge tells; linear in its text.

    Sherloc's own comments are no part of it: else what it asked for would be read as said by somebody, and every
    comment of its own would make another revision.

    Args:
        reference: ``owner/repo#12``.
        address: For people.
        title: Of the issue.
        body: Of the issue.
        comments: In order of time.
        labels: In the forge's order; no part of the revision.
    """
    issue = Issue(
        title=title,
        body=_lines(body or ""),
        comments=tuple(_lines(each) for each in comments if each and not each.startswith(MARK_START)),
        labels=tuple(labels),
    )
    text = json.dumps([issue.title, issue.body, *issue.comments]).encode()
    return Ticket(issue, reference, hashlib.sha256(text).hexdigest(), address)


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same to a forge, which may change line ends and drop blank ones at the end."""
    return _lines(one).rstrip() == _lines(other).rstrip()


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")

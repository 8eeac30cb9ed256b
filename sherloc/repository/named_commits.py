"""Commits that somebody names by their ids or by the tickets that their messages tell."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sherloc.errors import RepositoryError
from sherloc.repository.git import Git

_MANY = 6
"""A ticket that more commits tell says nothing about any of them."""
_FARTHER = 4
"""So many ids at most are looked up in the history behind what was read."""
_MERGES = 1_000


class Named(NamedTuple):
    """A commit, what names it (its id or its beginning, or a ticket), the first line of its message."""

    commit_id: str
    name: str
    subject: str
    by_ticket: bool = False


class Message(NamedTuple):
    """A commit's id and message."""

    commit_id: str
    text: str


def named_commits(
    git: Git, base: str, recent: Sequence[Message], ids: Sequence[str], tickets: Sequence[str]
) -> list[Named]:
    """The commits, in the order of their names, then as ``recent`` has them.

    Args:
        git: Of the repository.
        base: A commit; only what it stands on counts.
        recent: Messages of the last commits, newest first, merges left out.
        ids: Whole ids or their beginnings, 7 hexadecimal digits or more.
        tickets: Numbers or keys. They are looked for in ``recent`` and in the merges among it.

    Complexity: linear in the messages.
    """
    found = list(_by_id(git, base, recent, ids))
    if tickets:
        found += _by_ticket([*recent, *_merges(git, base, recent)], tickets)
    return list({commit.commit_id: commit for commit in reversed(found)}.values())[::-1]


def _by_id(git: Git, base: str, recent: Sequence[Message], ids: Sequence[str]) -> Iterator[Named]:
    farther: list[str] = []
    # Who names the last commit says what was run.
    for name in (name for name in ids if not base.startswith(name)):
        held = [commit for commit in recent if commit.commit_id.startswith(name)]
        if len(held) == 1:
            yield Named(held[0].commit_id, name, _subject(held[0].text))
        elif not held:
            farther.append(name)
    if farther:
        with contextlib.suppress(RepositoryError):
            yield from _looked_up(git, base, farther)


def _looked_up(git: Git, base: str, names: Sequence[str]) -> Iterator[Named]:
    """Commits that ``base`` stands on, asked of git one by one."""
    answers = git.feed("\n".join(names).encode(), "cat-file", "--batch-check").decode("ascii", "replace").splitlines()
    told = [(name, *answer.split()[:2]) for name, answer in zip(names, answers, strict=False)]
    for name, commit_id in [(each[0], each[1]) for each in told if each[2:] == ("commit",)][:_FARTHER]:
        with git.start("merge-base", "--is-ancestor", commit_id, base) as process:
            stands_on = process.finish((0, 1))[0] == 0
        if stands_on:
            subject = git.run("log", "--no-walk", "--no-patch", "--format=%s", "--encoding=UTF-8", commit_id)
            yield Named(commit_id, name, subject.decode("utf-8", "replace").strip())


def _by_ticket(commits: Iterable[Message], tickets: Sequence[str]) -> Iterator[Named]:
    numbers = "|".join(re.escape(ticket) for ticket in tickets if ticket.isdigit())
    keys = "|".join(re.escape(ticket) for ticket in tickets if not ticket.isdigit())
    told = re.compile(
        rf"(?:(?<![\w&#])(?:#|GH-|gh-|bpo-)|/(?:issues|pull|pulls|merge_requests|tickets?)/)({numbers or '(?!)'})(?!\d)"
        rf"|(?<![\w-])({keys or '(?!)'})(?![\w-])"
    )
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for commit_id, text in commits:
        for number, key in told.findall(text):
            found[number or key].setdefault(commit_id, text)
    for ticket in tickets:
        if len(found[ticket]) <= _MANY:
            yield from (Named(commit_id, ticket, _subject(text), True) for commit_id, text in found[ticket].items())


def _merges(git: Git, base: str, recent: Sequence[Message]) -> list[Message]:
    """The merges since the oldest of ``recent``, newest first."""
    since = (f"^{recent[-1].commit_id}",) if recent else ()
    try:
        output = git.run(
            "log", "--merges", f"--max-count={_MERGES}", "--no-patch", "--encoding=UTF-8", "-z", "--format=%H%n%s%n%b",
            base, *since, "--",
        )  # fmt: skip
    except RepositoryError:
        return []
    records = (record.partition("\n") for record in output.decode("utf-8", "replace").split("\0"))
    return [Message(head, text) for head, _, text in records if head]


def _subject(text: str) -> str:
    return text.lstrip().partition("\n")[0].strip()

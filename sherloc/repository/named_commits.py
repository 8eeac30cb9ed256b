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
_FARTHEST = 20_000
"""So many commits back are ids looked for; it bounds the time in long histories."""
_MERGES_AMONG = 4_000
"""Among so many commits are merges looked for."""


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
    """The commits, in the order of their names, those of one ticket newest first.

    Only commits that ``base`` stands on count. Who names ``base`` itself by its id says what was run: it is left out.

    Args:
        git: Of the repository.
        base: A commit's id.
        recent: Messages of the last commits, newest first, merges left out.
        ids: Whole ids or their beginnings, 7 hexadecimal digits or more; looked for 20,000 commits back.
        tickets: Numbers or keys; looked for in ``recent`` and in the merges among the last 4,000 commits.

    Complexity: linear in the messages and in the commits that are looked through.
    """
    found = list(_by_id(git, base, recent, [name for name in ids if not base.startswith(name)]))
    if tickets:
        found += _by_ticket([*recent, *_merges(git, base)], tickets)
    return list({commit.commit_id: commit for commit in reversed(found)}.values())[::-1]


def _by_id(git: Git, base: str, recent: Sequence[Message], ids: Sequence[str]) -> Iterator[Named]:
    farther: list[str] = []
    for name in ids:
        held = [commit for commit in recent if commit.commit_id.startswith(name)]
        if len(held) == 1:
            yield Named(held[0].commit_id, name, _subject(held[0].text))
        elif not held:
            farther.append(name)
    if not farther:
        return
    with contextlib.suppress(RepositoryError):
        known = _known(git, farther)
        subjects = _subjects(git, base) if known else {}
        for name in known:
            commits = [commit_id for commit_id in subjects if commit_id.startswith(name)]
            if len(commits) == 1:
                yield Named(commits[0], name, subjects[commits[0]])


def _known(git: Git, names: Sequence[str]) -> list[str]:
    """The names that may be commits of the repository: most of what looks like an id is none.

    Ambiguous ones may: what they are mixed up with may be later, and is not to count.
    """
    answers = git.feed("\n".join(names).encode(), "cat-file", "--batch-check").decode("ascii", "replace").splitlines()
    told = ((name, answer.split()) for name, answer in zip(names, answers, strict=False))
    return [name for name, words in told if words[1:2] in (["commit"], ["ambiguous"])]


def _subjects(git: Git, base: str) -> dict[str, str]:
    output = git.run(
        "log", f"--max-count={_FARTHEST}", "--no-patch", "--encoding=UTF-8", "--format=%H %s", base, "--"
    )  # fmt: skip
    lines = output.decode("utf-8", "replace").split("\n")
    return {commit: subject for commit, _, subject in (line.partition(" ") for line in lines)}


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


def _merges(git: Git, base: str) -> list[Message]:
    """The merges among the last commits, newest first."""
    try:
        output = git.run(
            "log", f"--max-count={_MERGES_AMONG}", "--no-patch", "--encoding=UTF-8", "-z", "--format=%H %P%n%s%n%b",
            base, "--",
        )  # fmt: skip
    except RepositoryError:
        return []
    found = []
    for record in output.split(b"\0"):
        head, _, text = record.partition(b"\n")
        commit_id, *parents = head.decode("ascii", "replace").split() or [""]
        if len(parents) > 1:
            found.append(Message(commit_id, text.decode("utf-8", "replace")))
    return found


def _subject(text: str) -> str:
    return text.lstrip().partition("\n")[0].strip()

"""Commits and tickets that an issue names: "since a21a63c", "broken by #12644", "regression of PROJ-321"."""

from __future__ import annotations

import re

_MOST = 12
_STATE = re.compile(
    r"^[ \t>*-]*(?:git[ _-]?)?(?:commit|revision|rev|hash|sha1?)[ \t]*[:=][ \t]*[0-9a-f]{7,64}\b.*$", re.I | re.M
)
_PLACE = r"(?:blob|blame|raw|tree|edit|archive|compare)/"
_ID = re.compile(
    rf"(?:\b{_PLACE}[^\s)>\]]*|(?<![\w#.-])((?=[0-9a-f]{{0,63}}\d)(?=[0-9a-f]{{0,63}}[a-f])[0-9a-f]{{7,64}})(?![\w-]))"
)
_NUMBER = re.compile(
    r"(?:(?<![\w&#])(?:#|GH-)|/(?:issues|pull|pulls|merge_requests|ticket|tickets)/"
    r"|\b(?:ticket|issue|pull request|pr|bug)[ ])#?(\d{2,6})(?![\w-]|\.\d)",
    re.I,
)
_KEY = re.compile(r"(?<![\w-])(?!GH-)[A-Z][A-Z0-9]{1,9}-\d{2,6}(?![\w-])")


def commit_ids(text: str) -> tuple[str, ...]:
    """What may be a commit's id, whole or its beginning, in order, each once; at most twelve.

    Left out are the revisions of links to files, and those that say what the reporter ran (``commit: 6bb2b85``).
    """
    if not any(map(str.isdigit, text)):
        return ()
    found = (match[1] for match in _ID.finditer(_STATE.sub("", text)))
    return tuple(dict.fromkeys(name for name in found if name))[:_MOST]


def tickets(text: str) -> tuple[str, ...]:
    """Numbers of tickets and requests (``12644`` of ``#12644``) and keys (``PROJ-321``), each once; at most twelve."""
    found = [(match.start(), match[1]) for match in _NUMBER.finditer(text)]
    found += [(match.start(), match[0]) for match in _KEY.finditer(text)]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))[:_MOST]

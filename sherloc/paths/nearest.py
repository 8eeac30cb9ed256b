"""Which existing path somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 300
_POOL = 400


def nearest_paths(path: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Existing paths of the same or a similar name, the most similar path first.

    Args:
        path: What was written; longer than 300 characters is like nothing.
        known: What exists.
        count: At most so many.
    """
    if len(path) > _LONGEST:
        return []
    by_name: dict[str, list[str]] = {}
    for each in known:
        by_name.setdefault(each.rsplit("/", 1)[-1].lower(), []).append(each)
    name = path.rsplit("/", 1)[-1].lower()
    same = sorted(by_name.get(name, []))
    similar = [each for close in get_close_matches(name, by_name, n=8, cutoff=0.7) for each in sorted(by_name[close])]
    pool = list(dict.fromkeys([*same, *similar]))[:_POOL]
    return get_close_matches(path, pool, n=count, cutoff=0.5)

"""Numbers for strings, given when they are first asked for."""

from __future__ import annotations

from collections import defaultdict
from itertools import count


def numbering(*first: str) -> defaultdict[str, int]:
    """A table that gives each new string the next number; its keys are in order of their numbers.

    No line of Python runs for a new string: a large index has hundreds of thousands of them.

    Args:
        *first: Strings that have the first numbers.
    """
    return defaultdict(count(len(first)).__next__, {text: number for number, text in enumerate(first)})

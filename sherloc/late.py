"""Patterns that most runs do not need, compiled when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import AnyStr


def late(pattern: AnyStr, flags: int = 0) -> Callable[[], re.Pattern[AnyStr]]:
    """A function that gives the compiled pattern.

    A class of characters beyond Latin-1 alone takes a millisecond to compile.

    Args:
        pattern: A regular expression.
        flags: Those of ``re.compile``.
    """
    return lru_cache(maxsize=1)(lambda: re.compile(pattern, flags))

"""A second opinion: where a repair guessed, the value counts only if ``json-repair`` reads the very same one."""

from __future__ import annotations

from typing import Any

from sherloc.json_hardening.strict import same

MAX_CHARACTERS = 4_000
"""Of all texts of one reply together; longer ones get no second opinion: ``json-repair`` takes quadratic time on some
(20 seconds for 32,000 characters)."""


def agrees(text: str, value: Any) -> bool:
    """Whether ``json-repair``, a reader written by others, gives the same value; at most ``MAX_CHARACTERS``."""
    import json_repair

    try:
        other: Any = json_repair.loads(text, skip_json_loads=True)
    except Exception:  # noqa: BLE001 - whatever a foreign reader raises on garbage means that it does not agree
        return False
    return same(value, other)

"""Characters that show nothing, or show text in another order than it is read.

Bidirectional controls make code read otherwise than it runs (Boucher and Anderson, "Trojan Source", 2021,
arXiv:2111.00169); tags and zero-width characters carry text that only a model sees. What scripts and emoji need is let
through: pairs of embeddings or isolates that close in their line (as GCC's -Wbidi-chars=unpaired does), joiners outside
Latin words, the tags of flags, marks of direction, one variation selector, a zero-width space beside a blank.
"""

from __future__ import annotations

import re

# Thai, Lao, Myanmar and Khmer write no blanks; a zero-width space there marks where a line may break.
_LETTER = "[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_OVERRIDES = "\u202d\u202e"
_OPENING = "\u202a\u202b\u2066\u2067\u2068"
_CLOSING = "\u202c\u2069"
_DIRECTIONS = re.compile(f"[{_OVERRIDES}{_OPENING}{_CLOSING}]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
_INVISIBLE = re.compile(
    "[\U000e0000-\U000e007f\u115f\u1160\u3164\uffa0]"
    "|[\u200b-\u200d\u2060-\u2064\u180e\ufeff]{4}"
    f"|(?<={_LETTER})[\u200b\u2060-\u2064\u180e\u034f\ufeff]{{1,3}}(?={_LETTER})"
    "|(?<=[0-9A-Za-z_])[\u200c\u200d](?=[0-9A-Za-z_])"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}"
)
_ANY = re.compile(
    "[\u034f\u115f\u1160\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e01ef]"
)


def hidden_characters(lines: list[str]) -> dict[int, dict[str, float]]:
    """Lines with characters that hide something. Linear.

    Args:
        lines: Lines without line feeds.

    Returns:
        Index of the line to names of rules (``bidirectional``, ``invisible``), each with where its first character
        stands, as a share of the line.
    """
    found: dict[int, dict[str, float]] = {}
    for number, line in enumerate(lines):
        if line.isascii() or not _ANY.search(line):
            continue
        for name, at in (("bidirectional", _deceives(line)), ("invisible", _invisible(line))):
            if at >= 0:
                found.setdefault(number, {})[name] = at / len(line)
    return found


def _deceives(line: str) -> int:
    """Where the first bidirectional control stands that is an override, or opens and is not closed in the line."""
    open_at: list[int] = []
    for match in _DIRECTIONS.finditer(line):
        if match.group() in _OVERRIDES:
            return match.start()
        if match.group() in _OPENING:
            open_at.append(match.start())
        elif open_at:
            open_at.pop()
    return open_at[0] if open_at else -1


def _invisible(line: str) -> int:
    """Where the first character stands that shows nothing and has no business there; of a flag, its tags do."""
    flags = {at for flag in _FLAG.finditer(line) for at in range(flag.start() + 1, flag.end())}
    return next((match.start() for match in _INVISIBLE.finditer(line) if match.start() not in flags), -1)

"""When one syntax error swallows what follows it: parse a file piece by piece.

A piece begins where a line that is not indented follows a blank one. Whatever is broken then stays within its piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sherloc.syntax.spans import Captures, Span

_PIECE = re.compile(rb"\n[ \t\r]*\n(?=[^\s})\]])")
_MAX_PIECES = 5_000
_NAMESPACE = re.compile(rb"^(?:inline\s+)?namespace\b", re.MULTILINE)
# So many more bytes of errors are a fair price for more definitions.
_SLACK = 100


def piece_by_piece(
    language: str, source: bytes, whole: Captures, run: Callable[[Span], Captures], counted: str = "def."
) -> Captures:
    """The captures of all pieces when they hold fewer errors or as many definitions at little cost; else the whole.

    Args:
        language: One of ``LANGUAGES``.
        source: The whole file.
        whole: What it gave, with at least one error.
        run: Parses one piece; the spans it gives count from the start of the file.
        counted: How the names of captures begin that are definitions.
    """
    lost = _covered(whole.get("error", ()))
    swallowed = lost >= 0.9 * len(source.strip())
    if language in ("cpp", "csharp") and not swallowed and _NAMESPACE.search(source):
        return whole  # What is not indented is inside of a namespace, whose name would be lost.
    cuts = [0, *(match.end() for match in _PIECE.finditer(source)), len(source)]
    if not 3 <= len(cuts) <= _MAX_PIECES:
        return whole
    merged: Captures = {}
    for start, end in zip(cuts, cuts[1:], strict=False):
        for name, spans in run((start, end)).items():
            merged.setdefault(name, []).extend(spans)
    left = _covered(merged.get("error", ()))
    better = left < lost or (left <= lost + _SLACK and _definitions(merged, counted) >= _definitions(whole, counted))
    return merged if better else whole


def _definitions(captures: Captures, counted: str) -> int:
    return sum(len(spans) for name, spans in captures.items() if name.startswith(counted))


def _covered(spans: Iterable[Span]) -> int:
    """How many bytes lie in at least one span."""
    total = last = 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, last))
        last = max(last, end)
    return total

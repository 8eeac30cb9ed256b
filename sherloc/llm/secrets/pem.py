r"""Private keys between ``-----BEGIN`` and ``-----END`` marks, whole, cut at either end, or on one line with ``\n``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_RUN = re.compile(r"[A-Za-z0-9+/=]{40,}")
_GUTTER = r"(?:[ \t]{0,8}[0-9]{1,6}\|)?"
_BODY_LINE = re.compile(
    rf"""{_GUTTER}(?:[\s"'+>#*|,(]{{0,40}}[A-Za-z0-9+/=]{{16,}}[\s"'+\\nr,;)]{{0,40}}"""
    r"""|(?:[\s"'+>#*|,;()]|\\[nr]){0,40}"""
    r"""|[\s"'+>#*|,(]{0,40}(?:Proc-Type|DEK-Info|Version|Comment|Charset):.{0,200})"""
)
_LONGEST = 40_000


def private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Spans (start, end) of private keys, without their marks; marks alone (in code that looks for them) are none.

    Order: as found. O(n) for all keys together.
    """
    if "PRIVATE KEY" not in text:
        return
    done, end = 0, _END.search(text)
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        while end and end.start() < begin.end():
            end = _END.search(text, end.end())
        near = end is not None and end.start() - begin.end() <= _LONGEST
        done = end.start() if end and near else _body_after(text, begin.end())
        if _RUN.search(text, begin.end(), done):
            yield begin.end(), done
    first = _END.search(text)
    if first and not _BEGIN.search(text, 0, first.start()):
        start = _body_before(text, first.start())
        if _RUN.search(text, start, first.start()):
            yield start, first.start()


def _body_after(text: str, start: int) -> int:
    position = start
    while position < min(len(text), start + _LONGEST):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        if position != start and not _BODY_LINE.fullmatch(text, position, stop):
            return position - 1
        position = stop + 1
    return min(position, len(text))


def _body_before(text: str, end: int) -> int:
    position = text.rfind("\n", 0, end) + 1
    while position > max(0, end - _LONGEST):
        start = text.rfind("\n", 0, position - 1) + 1
        if not _BODY_LINE.fullmatch(text, start, position - 1):
            break
        position = start
    return position

"""Signals, chances and change types in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sherloc.visible import one_line


class Sign(Protocol):
    """What signals and their records have in common."""

    @property
    def kind(self) -> str:
        """What kind of sign."""
        ...

    @property
    def detail(self) -> str:
        """What matched."""
        ...

    @property
    def score(self) -> float:
        """How much it brought."""
        ...


# In order of telling: a name or a frame says more to a reader than shared words, however those are scored.
_SIGNS = {
    "explored": "found by exploration: {}",
    "diagnosed": "judged by a model: {}",
    "traceback": "in the traceback: {}",
    "path": "named in the issue: {}",
    "message": "holds the message: {}",
    "spectrum": "run by {}",
    "qualified_name": "named in the issue: {}",
    "defined_name": "defines {}, which the issue mentions",
    "setting": "handles {}",
    "code_block": "used by the issue's code: {}",
    "exception": "raises {}",
    "module": "its module is named: {}",
    "class_member": "member of {}, which the issue mentions",
    "override": "overrides or is overridden: {}",
    "callee": "called from what the issue names: {}",
    "caller": "calls what the issue names: {}",
    "base": "base of what the issue names: {}",
    "same_file": "beside what the issue names: {}",
    "title_words": "its name says what the title says: {}",
    "test": "called by a test like the issue: {}",
    "commit": "changed by a commit like the issue: {}",
    "named_commit": "changed by a commit that the issue names: {}",
    "meaning": "close to the issue in meaning: {}",
    "file_name": "its file is called as the title says: {}",
    "lexical": "shares the words {}",
    "reranked": "a model expects it to change: {}",
    "narrowed": "a model named its file: {}",
    "expanded": "found by the issue in technical terms: {}",
}
_ALREADY_SAID = ("calls ", "called by ", "base of ", "overrides ", "overridden by ")
_TELLING = 0.35

_LEVELS = {
    "high": "High confidence",
    "medium": "Medium confidence: look before you trust it",
    "low": "Low confidence: a place to start, not an answer",
}


def sign_in_words(sign: Sign) -> str:
    """One signal, for a person, on one line.

    Args:
        sign: A signal or its record.
    """
    detail = one_line(sign.detail)
    if sign.kind == "lexical" and " with " in f"{detail} ":
        return detail
    for start in _ALREADY_SAID:
        if detail.startswith(start):
            return detail
    return _SIGNS.get(sign.kind, "{}").format(detail)


def why(signals: Sequence[Sign]) -> str:
    """The most telling of the strong signals, in words; empty when there is none.

    Args:
        signals: Of one file or function.
    """
    order = list(_SIGNS)
    strong = [s for s in signals if s.score >= _TELLING] or list(signals)
    if not strong:
        return ""
    best = min(strong, key=lambda s: (order.index(s.kind) if s.kind in order else len(order), -s.score))
    return sign_in_words(best)


def evidence_in_words(source: str, description: str) -> str:
    """A piece of evidence on one line, with its lines when it is about lines.

    >>> evidence_in_words("lines 3-3", "Shares words."), evidence_in_words("impact", "It raises.")
    ('line 3: shares words.', 'It raises.')
    """
    text = one_line(description)
    lines = source.removeprefix("lines ")
    if lines == source:
        return text
    first, _, last = lines.partition("-")
    where = f"line {first}" if last in ("", first) else f"lines {lines}"
    return f"{where}: {text[:1].lower()}{text[1:]}"


def chance(confidence: float) -> str:
    """An estimated chance as a percentage; never a flat 0 or 100, which no estimate is.

    >>> [chance(value) for value in (0, 0.004, 0.42, 0.999)]
    ['<1%', '<1%', '42%', '>99%']
    """
    percent = round(confidence * 100)
    return "<1%" if percent < 1 else ">99%" if percent > 99 else f"{percent}%"


def level_in_words(level: str) -> str:
    """What a confidence level means."""
    return _LEVELS.get(level, level)


def change_in_words(change_type: str) -> str:
    """A change type without its underscores."""
    return {"other": "change"}.get(change_type, change_type.replace("_", " "))


def seconds_in_words(seconds: float) -> str:
    """A duration, as precise as a person cares.

    >>> seconds_in_words(0.4231), seconds_in_words(83)
    ('0.42 s', '1 min 23 s')
    """
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def size_in_words(size: int) -> str:
    """Bytes, as precise as a person cares.

    >>> size_in_words(512), size_in_words(24_600_000)
    ('512 bytes', '24.6 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    for unit, scale in (("kB", 1e3), ("MB", 1e6)):
        if size < scale * 1000:
            return f"{size / scale:.1f} {unit}"
    return f"{size / 1e9:.1f} GB"


def revision_in_words(revision: str) -> str:
    """The first ten digits of a commit, with what was changed since."""
    commit, plus, changes = revision.partition("+")
    return (commit[:10] if len(commit) >= 40 else commit) + (" with local changes" if plus and changes else "")


def place(path: str, start: int | None, end: int | None) -> str:
    """A place as editors and terminals link it: ``path:line`` or ``path:first-last``."""
    if start is None:
        return path
    return f"{path}:{start}" if end in (None, start) else f"{path}:{start}-{end}"

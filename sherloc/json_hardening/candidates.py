"""Finds every outermost object and list in a reply, in one pass, never looking into one that does not end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from sherloc.errors import LimitExceeded, MalformedJson, TruncatedOutput
from sherloc.json_hardening.lexis import OPENERS, SPACE_CHARACTERS, narrow
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Fault, Repair
from sherloc.json_hardening.peel import THINK
from sherloc.json_hardening.reader import TolerantReader
from sherloc.json_hardening.strict import StrictReader

_S = f"[{SPACE_CHARACTERS}]*"
_STOP = re.compile(rf"[{{}}\[\]｛｝［］]|<(/?){THINK}>", re.IGNORECASE)
_OBJECT_START = re.compile(rf"{_S}(?:[\"'“‘＂}}｝]|//|/\*|#|\.\.\.|…|[^\W\d][\w$-]*{_S}[:：]|$)")
_LIST_START = re.compile(
    rf"{_S}(?:[\"'“‘＂`{{\[｛［\]］\d+-]|//|/\*|\.\.\.|(?:true|false|null|True|False|None|NaN)\b|[A-Za-z]*$)"
)
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.?[^"\\]*)*(?:"|\Z)|[{}\[\]]', re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+.#-]*)", re.MULTILINE)
_BEFORE = re.compile(rf"[\"'”][{SPACE_CHARACTERS}]*[:：]\Z")
_AFTER = re.compile(
    r"\s{0,20}(?:[,:]\s{0,20}(?:[\"'{\[\d-]|(?:true|false|null|True|False|None|NaN)\b)|[\"'][^\"'\n]{0,80}[\"']\s{0,20}:)"
)
_STRAY = re.compile(r"\s*([}\]])")
_QUOTE = re.compile("[\"'“”]")
_MEMBER_AFTER_OBJECT = re.compile(rf"[}}｝]{_S}[,，]{_S}[^{{｛{SPACE_CHARACTERS}]")
_EXTRA = re.compile(r"\s*}")
_CONTEXT = 200
_STRICT_TRIES = 32
_DATA_FENCES = frozenset(
    {"", "json", "jsonc", "json5", "jsonl", "ndjson", "text", "txt", "plaintext", "output", "answer"}
)


@dataclass(slots=True)
class Candidate:
    """A value that was read: ``text[start:end]``, outside of any other.

    ``in_code`` says that it stands in a fence that is labelled with another language.
    """

    start: int
    end: int
    value: Any
    repairs: list[Repair]
    in_code: bool = False


@dataclass(slots=True)
class Broken:
    """What looked like a value and could not be read; ``keys`` are those of its outermost object so far.

    ``certain`` says that it cannot be prose: JSON stands around it.
    """

    start: int
    end: int
    fault: Fault
    keys: list[str]
    in_code: bool = False
    certain: bool = False


@dataclass(slots=True)
class Findings:
    """All of a reply: values, broken values, and what stands between them."""

    candidates: list[Candidate] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    gaps: list[tuple[int, int]] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    fence_open: bool = False


class Scanner:
    """One pass over a reply.

    Args:
        text: The reply.
        limits: Bounds on depth and digits.
        protected: Folded keys below which no repair may guess.
    """

    def __init__(self, text: str, limits: Limits, protected: Collection[str]) -> None:
        self._text = text
        self._limits = limits
        self._protected = protected
        self._strict = StrictReader(limits)
        self._openers: list[tuple[str, int]] = []
        self._open_marks: Counter[str] = Counter()
        self._fence: tuple[str, str] | None = None
        self._gap = 0
        self._searched = 0
        self._unread = False
        self._strict_tries = _STRICT_TRIES
        self._found = Findings()

    def scan(self) -> Findings:
        """Every candidate, in order. Linear in the text.

        Raises:
            Fault: A thought or a value never ends, or a limit is exceeded.
        """
        at = 0
        while (stop := _STOP.search(self._text, at)) is not None:
            mark = narrow(stop.group())
            if mark.startswith("<"):
                at = self._tag(stop)
            elif mark in "}]":
                self._close(mark, stop.start())
                at = stop.end()
            elif self._plausible(mark, stop.start()):
                at = self._value(stop.start())
            else:
                self._open(mark, stop.start())
                at = stop.end()
        self._end_gap(len(self._text), len(self._text))
        self._found.fence_open = self._fence is not None
        return self._found

    def _open(self, mark: str, at: int) -> None:
        """Remember a bracket in prose, or of something that cannot be read."""
        self._openers.append((OPENERS[mark], at))
        self._open_marks[OPENERS[mark]] += 1
        self._unread = True

    def _plausible(self, mark: str, at: int) -> bool:
        if mark == "{":
            return _OBJECT_START.match(self._text, at + 1) is not None
        before = self._text[at - 1 : at] if at > self._gap else ""
        subscript = before.isalnum() or before in ("_", ")")
        return not subscript and _LIST_START.match(self._text, at + 1) is not None

    def _tag(self, stop: re.Match[str]) -> int:
        """Over a thought; a closing tag alone makes everything before it one."""
        if stop.group(1):
            self._found.candidates.clear()
            self._found.broken.clear()
            self._found.gaps.clear()
            self._found.repairs.clear()
            self._openers.clear()
            self._open_marks.clear()
            self._fence = None
            end = stop.end()
        else:
            closing = re.compile(rf"</{THINK}>", re.IGNORECASE).search(self._text, stop.end())
            if closing is None:
                raise Fault(TruncatedOutput, "the reply ends inside the model's thoughts", stop.start())
            self._end_gap(stop.start(), closing.end())
            end = closing.end()
        self._found.repairs.append(Repair("think", f"at {stop.start()}"))
        self._gap = end
        return end

    def _close(self, mark: str, at: int) -> None:
        """A closing bracket in prose: what stands between it and its opener is part of something unread."""
        if not self._open_marks[mark]:
            self._stray(at)
            return
        closed = ""
        while closed != mark:  # what was opened inside of it and never closed ends with it
            closed, start = self._openers.pop()
            self._open_marks[closed] -= 1
        while self._found.candidates and self._found.candidates[-1].start > start:
            inside = self._found.candidates.pop()
            fault = Fault(MalformedJson, "the brackets around a value cannot be read", start)
            self._broken(inside.start, inside.end, fault, inside.value)

    def _stray(self, at: int) -> None:
        """A bracket that closes nothing, after quotes: what ended before it may have been a part of what it closes."""
        quoted = _QUOTE.search(self._text, max(self._gap, self._searched), at)
        self._searched = at
        if self._found.candidates and quoted is not None:
            last = self._found.candidates.pop()
            fault = Fault(MalformedJson, "a bracket closes more than was opened", at)
            self._broken(last.start, last.end, fault, last.value, certain=True)
            self._end_gap(at, at)

    def _value(self, start: int) -> int:
        """Read the value that begins here; the offset to go on from."""
        gap = self._gap
        self._end_gap(start, start)
        reader = TolerantReader(self._text, self._limits, self._protected)
        try:
            value, end, repairs = self._read_strictly(start) or (*reader.read(start), reader.repairs)
        except Fault as fault:
            return self._fault(start, fault, reader)
        fragment = None
        try:
            end = self._extra_closers(start, end, repairs)
        except Fault as fault:
            fragment = fault
        fragment = fragment or self._fragment(gap, start, end)
        if fragment is None:
            self._found.candidates.append(Candidate(start, end, value, repairs, self._in_code()))
        else:
            self._broken(start, end, fragment, value, certain=True)
        self._gap = end
        return end

    def _read_strictly(self, start: int) -> tuple[Any, int, list[Repair]] | None:
        """Valid JSON at C speed. Not tried for ever: each failure costs the standard library a count of all lines."""
        if self._strict_tries == 0:
            return None
        try:
            return self._strict.read_at(self._text, start)
        except ValueError:
            self._strict_tries -= 1
            return None
        except Fault as fault:
            if fault.error is LimitExceeded:
                raise
            return None

    def _fault(self, start: int, fault: Fault, reader: TolerantReader) -> int:
        """Leave a value that cannot be read: over all of it, or, when it is prose or code, to where reading stopped."""
        if fault.error in (LimitExceeded, TruncatedOutput):
            raise fault
        if self._is_prose(start, reader):
            self._open(narrow(self._text[start]), start)
            return max(reader.progress, start + 1)
        end = self._bracket_end(start)
        if end is None:
            raise fault
        self._broken(start, end, fault, dict.fromkeys(reader.keys))
        self._gap = end
        return end

    def _is_prose(self, start: int, reader: TolerantReader) -> bool:
        """Whether reading stopped before anything of an object or list was seen but a bare word or number."""
        if narrow(self._text[start]) == "{":
            return not reader.keys
        return not re.search(r"[\"'{\[]", self._text[start + 1 : reader.progress + 1])

    def _bracket_end(self, start: int) -> int | None:
        depth = 0
        for mark in _BRACKETS.finditer(self._text, start):
            if mark.group()[0] in "{[":
                depth += 1
            elif mark.group()[0] in "}]":
                depth -= 1
                if depth == 0:
                    return mark.end()
        return None

    def _extra_closers(self, start: int, end: int, repairs: list[Repair]) -> int:
        """Over braces too many after an object, where the one too many cannot have been an earlier one.

        Not after a list: there the bracket of a list around it may be lost.
        """
        if self._openers or self._text[end - 1] != "}" or _EXTRA.match(self._text, end) is None:
            return end
        if self._unread or _MEMBER_AFTER_OBJECT.search(self._text, start, end):
            raise Fault(MalformedJson, "a closing brace too many, and it is unclear which", end)
        while (extra := _EXTRA.match(self._text, end)) is not None:
            repairs.append(Repair("extra_closer", f"at {extra.end() - 1}"))
            end = extra.end()
        return end

    def _fragment(self, gap: int, start: int, end: int) -> Fault | None:
        """Whether a value is only a part of something larger that is broken around it."""
        before = self._text[max(gap, start - _CONTEXT) : start].rstrip()
        if _BEFORE.search(before):
            return Fault(MalformedJson, "a key stands before a value with no object around both", start)
        stray = _STRAY.match(self._text, end)
        closes_prose = stray is not None and bool(self._openers) and self._openers[-1][0] == stray.group(1)
        if _AFTER.match(self._text, end) or (stray is not None and not closes_prose):
            return Fault(MalformedJson, "more JSON follows a value that has ended", end)
        return None

    def _broken(self, start: int, end: int, fault: Fault, value: Any, certain: bool = False) -> None:
        keys = [key for key in value if isinstance(key, str)] if isinstance(value, dict) else []
        # a traceback holds every frame alive: with thousands of broken values, collecting garbage takes over
        fault.__traceback__ = fault.__context__ = None
        self._found.broken.append(Broken(start, end, fault, keys, self._in_code(), certain))

    def _in_code(self) -> bool:
        return self._fence is not None and self._fence[1] not in _DATA_FENCES

    def _end_gap(self, until: int, following: int) -> None:
        """Close the stretch of prose before an offset, following the fences that open and close in it."""
        for line in _FENCE.finditer(self._text, self._gap, until):
            mark, label = line.group(1), line.group(2).casefold()
            if self._fence is None:
                self._fence = (mark, label)
            elif mark[0] == self._fence[0][0] and len(mark) >= len(self._fence[0]) and not label:
                self._fence = None
        if until > self._gap:
            self._found.gaps.append((self._gap, until))
        self._gap = following

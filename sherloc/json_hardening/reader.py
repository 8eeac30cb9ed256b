"""Reads JSON and its lookalikes from an offset on, noting every repair; what would need a guess is a fault.

The repairs are a closed list (``outcome.REPAIRS``). The reader goes forward only, so it takes linear time.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from sherloc.errors import ElidedOutput, InvalidNumber, LimitExceeded, MalformedJson, TruncatedOutput
from sherloc.json_hardening.lexis import (
    COMMENT,
    ELIDING_COMMENT,
    ELISION,
    FULL_WIDTH,
    LITERALS,
    NOT_NUMBERS,
    NUMBER,
    NUMBER_LIKE,
    ODD_SPACE,
    OPENERS,
    PYTHON_LITERALS,
    QUOTES,
    SPACE,
    WORD,
    fold,
    narrow,
)
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Fault, Repair, shorten
from sherloc.json_hardening.strict import merge_duplicates
from sherloc.json_hardening.strings import Place, read_string


class TolerantReader:
    """Reads one value; ``repairs`` and ``keys`` (of the outermost object) stay readable after a fault.

    Args:
        text: The whole reply.
        limits: Bounds on depth and digits.
        protected: Folded keys below which no repair may guess.
    """

    def __init__(self, text: str, limits: Limits, protected: Collection[str]) -> None:
        self._text = text
        self._limits = limits
        self._protected = protected
        self.repairs: list[Repair] = []
        self.keys: list[str] = []
        self.progress = 0
        self._unclear_escapes = False

    def read(self, start: int) -> tuple[Any, int]:
        """The object or list that begins at an offset, and the offset after it.

        Raises:
            Fault: It never ends (``TruncatedOutput``), or cannot be read without a guess.
        """
        value, end = self._container(start, 1, protected=False)
        if self._unclear_escapes and any(repair.kind == "invalid_escape" for repair in self.repairs):
            # the writer forgot to double one backslash, so that others may stand for themselves as well
            raise Fault(
                MalformedJson, "one string has an escape that JSON does not know, others have some it does", start
            )
        return value, end

    def _string(self, at: int, place: Place) -> tuple[str, int]:
        found = read_string(self._text, at, place)
        self.repairs.extend(found.repairs)
        self._unclear_escapes = self._unclear_escapes or found.unclear_escapes
        return found.value, found.end

    def _note(self, kind: str, at: int, detail: str = "") -> None:
        self.repairs.append(Repair(kind, f"at {at}", shorten(detail)))

    def _peek(self, at: int) -> str:
        self.progress = at
        if at >= len(self._text):
            raise Fault(TruncatedOutput, "the reply ends inside a value", at)
        return narrow(self._text[at])

    def _skip(self, at: int) -> int:
        """Over white space and comments."""
        while True:
            gap = SPACE.match(self._text, at)
            assert gap is not None
            if ODD_SPACE.search(gap.group()):
                self._note("odd_space", at)
            comment = COMMENT.match(self._text, gap.end())
            if comment is None:
                if self._text.startswith("/*", gap.end()):
                    raise Fault(TruncatedOutput, "a comment never ends", gap.end())
                return gap.end()
            self.progress = comment.end()
            if ELIDING_COMMENT.search(comment.group()):
                raise Fault(ElidedOutput, f"the comment {shorten(comment.group())!r} stands for data", gap.end())
            self._note("comment", gap.end(), comment.group())
            at = comment.end()

    def _container(self, start: int, depth: int, *, protected: bool) -> tuple[Any, int]:
        if depth > self._limits.max_depth:
            raise Fault(LimitExceeded, f"nested deeper than {self._limits.max_depth} levels", start)
        self._full_width(start)
        if narrow(self._text[start]) == "{":
            return self._object(start + 1, depth, protected)
        return self._list(start + 1, depth, protected, OPENERS[narrow(self._text[start])])

    def _full_width(self, at: int) -> None:
        if self._text[at] in FULL_WIDTH:
            self._note("full_width", at, self._text[at])

    def _object(self, at: int, depth: int, protected: bool) -> tuple[dict[str, Any], int]:
        pairs: list[tuple[str, Any]] = []
        at = self._skip(at)
        while self._peek(at) != "}":
            key, at = self._key(at)
            at = self._skip(at)
            if self._peek(at) != ":":
                raise Fault(MalformedJson, f"the key {shorten(key)!r} has no colon after it", at)
            if depth == 1:
                self.keys.append(key)
            self._full_width(at)
            value, end = self._value(self._skip(at + 1), depth, protected or fold(key) in self._protected, "}")
            pairs.append((key, value))
            at = self._separator(end, "}")
        self._full_width(at)
        return self._merged(pairs), at + 1

    def _merged(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            faults: list[Fault] = []
            merge_duplicates(pairs, faults, self.repairs)
            if faults:
                raise faults[0]
        return result

    def _list(self, at: int, depth: int, protected: bool, closer: str) -> tuple[list[Any], int]:
        items: list[Any] = []
        start, at = at, self._skip(at)
        comma = False
        while self._peek(at) != closer:
            value, end = self._value(at, depth, protected, closer)
            items.append(value)
            at = self._separator(end, closer)
            comma = comma or "," in self._text[end:at]
        self._full_width(at)
        if closer == ")":
            if not comma and items:
                raise Fault(MalformedJson, "a value in parentheses is neither a list nor JSON", start)
            self._note("tuple", start)
        return items, at + 1

    def _separator(self, end: int, closer: str) -> int:
        """Over the comma between two members; the offset of the next one, or of the closing bracket."""
        at = self._skip(end)
        if self._peek(at) == closer:
            return at
        if self._peek(at) != ",":
            return self._missing_comma(end, at)
        self._full_width(at)
        following = self._skip(at + 1)
        if self._peek(following) == closer and closer != ")":
            self._note("trailing_comma", at)
        return following

    def _missing_comma(self, end: int, at: int) -> int:
        """Believed only where no other reading is possible: nothing else could have stood between the two."""
        self._refuse_elision(at)
        before, after = self._text[end - 1], self._text[at]
        gap = self._text[end:at]
        plain = after.isalnum() or after in "{[｛［$_-" or after in QUOTES
        bracket = before in "}]）)｝］" or after in "{["
        mixed = (before in QUOTES.values()) != (after in QUOTES) and bool(gap)
        words = bool(gap) and before.isalnum() and after.isalpha()
        torn = before.isdigit() and after.isdigit()  # a number in two lines, or two numbers
        if torn or not plain or not ("\n" in gap or bracket or mixed or words):
            raise Fault(MalformedJson, f"{shorten(after)!r} stands where a comma or a bracket belongs", at)
        self._note("missing_comma", at)
        return at

    def _key(self, at: int) -> tuple[str, int]:
        if self._peek(at) in QUOTES:
            return self._string(at, Place(key=True))
        self._refuse_elision(at)
        word = WORD.match(self._text, at)
        if word is None:
            raise Fault(MalformedJson, f"{shorten(self._text[at])!r} stands where a key belongs", at)
        self._note("unquoted_key", at, word.group())
        return word.group(), word.end()

    def _value(self, at: int, depth: int, protected: bool, closer: str) -> tuple[Any, int]:
        first = self._peek(at)
        if first in OPENERS:
            return self._container(at, depth + 1, protected=protected)
        if first in QUOTES:
            return self._string(at, Place(closer=closer, protected=protected))
        self._refuse_elision(at)
        if first in "+-." or first.isdigit():
            return self._number(at)
        return self._word(at)

    def _refuse_elision(self, at: int) -> None:
        if ELISION.match(self._text, at):
            raise Fault(ElidedOutput, "... stands for data that was left out", at)

    def _number(self, at: int) -> tuple[int | float, int]:
        start = at
        if self._text[at] == "+":
            at += 1
        like = NUMBER_LIKE.match(self._text, at)
        end = like.end() if like else at + 1
        if end >= len(self._text):
            raise Fault(TruncatedOutput, "the reply ends inside a number", start)
        number = NUMBER.fullmatch(self._text, at, end)
        if number is None or (start != at and self._text[at] == "-"):
            raise Fault(InvalidNumber, f"{shorten(self._text[start:end])} is no number of JSON", start)
        if end - at > self._limits.max_digits:
            raise Fault(LimitExceeded, f"a number has {end - at} characters", start)
        if start != at:
            self._note("number_sign", start, self._text[start:end])
        if number.group(1) is None and number.group(2) is None:
            return int(number.group()), end
        value = float(number.group())
        if math.isinf(value):
            raise Fault(InvalidNumber, f"{number.group()} is too large a number", start)
        return value, end

    def _word(self, at: int) -> tuple[Any, int]:
        word = WORD.match(self._text, at)
        if word is None:
            raise Fault(MalformedJson, f"{shorten(self._text[at])!r} stands where a value belongs", at)
        if word.end() >= len(self._text):
            raise Fault(TruncatedOutput, "the reply ends inside a word", at)
        name = word.group()
        if name in LITERALS:
            return LITERALS[name], word.end()
        if name in PYTHON_LITERALS:
            self._note("python_literal", at, name)
            return PYTHON_LITERALS[name], word.end()
        if name.casefold() in NOT_NUMBERS:
            raise Fault(InvalidNumber, f"{name} is not a number", at)
        raise Fault(MalformedJson, f"the text {shorten(name)!r} stands without quotes", at)

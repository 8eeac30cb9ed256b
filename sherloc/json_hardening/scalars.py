"""Types for the fields of a schema that models write in many ways: scores, confidences, paths, exact texts.

All are ``typing.Annotated`` types for pydantic: ``relevance_score: Score``. Each works in any pydantic model; read with
``parse_reply`` each change is noted as a repair. A value that cannot be read in one way only is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sherloc.json_hardening.lexis import fold

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?", re.ASCII)
_FRACTION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:/|out of|of) ?([0-9]{1,9})", re.ASCII)
_PERCENT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?%", re.ASCII)
_POINTS = re.compile(r"([0-9](?:\.[0-9]{1,9})?) ?(?:分|点|점|points?|pts?)", re.ASCII | re.IGNORECASE)
_PATH_KEYS = frozenset({"path", "file", "filepath", "filename"})
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


_WIDE_TO_ASCII = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}


def plain(text: str) -> str:
    """A short text with full-width forms made ASCII and white space trimmed.

    Not NFKC: that would read ``4²`` as 42.
    """
    return text.translate(_WIDE_TO_ASCII).strip()


class Reader:
    """Base of the markers: turns what a model wrote into the field's own kind of value."""

    def read(self, value: object) -> object:
        """The canonical value; canonical ones come back as they are.

        Raises:
            ValueError: It cannot be read in one way only.
        """
        raise NotImplementedError

    def split(self, text: str) -> list[str]:
        """Where a list is asked for and one string came: its items."""
        return [text]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Reads before pydantic validates."""
        return core_schema.no_info_before_validator_function(self.read, handler(source))


@dataclass(frozen=True)
class ScoreReader(Reader):
    """Numbers from 0 to ``top``: ``4``, ``"4.5"``, ``"4/5"``, ``"4 分"``; beyond is an error, never cut."""

    top: int = 5

    def read(self, value: object) -> float:
        """The score."""
        if isinstance(value, str):
            value = self._from_text(plain(value))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{value!r} is not a number from 0 to {self.top}")
        if not 0 <= value <= self.top:
            raise ValueError(f"{value} is not between 0 and {self.top}")
        return value

    def _from_text(self, text: str) -> float:
        fraction = _FRACTION.fullmatch(text)
        if fraction is not None and int(fraction.group(2)) == self.top:
            return float(fraction.group(1))
        points = _POINTS.fullmatch(text)
        if points is not None:
            return float(points.group(1))
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text[:40]!r} is not a number from 0 to {self.top}")
        return float(text)


@dataclass(frozen=True)
class ConfidenceReader(Reader):
    """Numbers from 0 to 1; ``"90%"`` and ``"9/10"`` are read.

    Args:
        percent: Whether plain numbers are percent (``90``). Without it they are so only where every sibling in a list
            is an integer and one is above 1.
        words: What words stand for (``(("high", 0.9),)``); none does by default.
    """

    percent: bool = False
    words: tuple[tuple[str, float], ...] = ()

    def read(self, value: object) -> float:
        """The confidence. Canonical values of a ``percent`` field are fractions, so floats up to 1 stay as they are."""
        if isinstance(value, str):
            value = self._from_text(plain(value))
        elif self.percent and isinstance(value, (int, float)) and not (isinstance(value, float) and value <= 1):
            value = self.of_percent(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{value!r} is not a number from 0 to 1")
        if not 0 <= value <= 1:
            raise ValueError(f"{value} is not between 0 and 1")
        return value

    @staticmethod
    def of_percent(value: object) -> float:
        """A number of percent as a fraction."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
            raise ValueError(f"{value!r} is not between 0 and 100 percent")
        return value / 100

    def _from_text(self, text: str) -> float:
        table = {fold(word): number for word, number in self.words}
        if fold(text) in table:
            return table[fold(text)]
        percent, fraction = _PERCENT.fullmatch(text), _FRACTION.fullmatch(text)
        if percent is not None:
            return self.of_percent(float(percent.group(1)))
        if fraction is not None and int(fraction.group(2)) > 0:
            return float(fraction.group(1)) / int(fraction.group(2))
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(f"{text[:40]!r} is not a number from 0 to 1")
        return self.of_percent(float(text)) if self.percent and float(text) > 1 else float(text)


@dataclass(frozen=True)
class PathReader(Reader):
    """A path as text: no control characters, not empty. Whether it is safe to use is for ``sherloc.paths`` to say.

    An object with one path in it (``{"path": "a.py", "why": ".."}``) stands for that path.
    """

    def read(self, value: object) -> object:
        """The path, without white space around it."""
        if isinstance(value, Mapping):
            found = {str(value[key]) for key in value if fold(str(key)) in _PATH_KEYS}
            if len(found) != 1:
                raise ValueError("an object stands for a path only if it names exactly one")
            value = found.pop()
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not a path")
        value = value.strip()
        if not value or _UNPRINTABLE.search(value):
            raise ValueError("a path is empty or holds a control character")
        return value

    def split(self, text: str) -> list[str]:
        """Comma-separated paths, where every piece looks like one (a dot or a slash)."""
        pieces = [piece.strip() for piece in text.split(",")]
        return pieces if all("." in piece or "/" in piece for piece in pieces) else [text]


@dataclass(frozen=True)
class Synonyms:
    """Declares other words for the values of an enumeration, in pairs: the word, and the value that it stands for.

    ``Annotated[ChangeType, Synonyms(("null check", "fix_null_handling"))]``
    """

    pairs: tuple[tuple[str, str], ...]

    def __init__(self, *pairs: tuple[str, str]) -> None:
        object.__setattr__(self, "pairs", pairs)


@dataclass(frozen=True)
class EachAlone:
    """Declares that the items of a list stand alone: where one does not fit, the others may count without it."""


@dataclass(frozen=True)
class Exact:
    """Declares that no repair may guess at a field's text.

    Args:
        complete: Whether the text must be whole, so that "rest unchanged" in it is an error.
    """

    complete: bool = False


class LooseModel(BaseModel):
    """Base of schemas in which ``null`` for a field with a default stands for that default (noted as ``null``)."""


T = TypeVar("T")

LooseList = Annotated[list[T], EachAlone()]
"""A list of which what does not fit is left out and noted (``dropped_item``), if the reply cannot be read otherwise."""
Score = Annotated[float, ScoreReader()]
"""A score from 0 to 5."""
Confidence = Annotated[float, ConfidenceReader()]
"""A confidence from 0 to 1."""
PercentConfidence = Annotated[float, ConfidenceReader(percent=True)]
"""A confidence that models are asked for in percent; a fraction from 0 to 1 once read."""
ReplyPath = Annotated[str, PathReader()]
"""A path from a model, still to be checked by ``sherloc.paths``."""
ExactText = Annotated[str, Exact()]
"""A text that no repair may guess at: a patch, a diff, a block to search for."""
CompleteText = Annotated[str, Exact(complete=True)]
"""A text that must be exact and whole: a file's new content."""

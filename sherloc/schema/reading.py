"""What was taken from an issue: short, for people and programs that ask why these places were found."""

from __future__ import annotations

from pydantic import Field

from sherloc.schema._model import Model


class TellingWord(Model):
    """A word of the issue with its weight in this issue and repository."""

    word: str
    weight: float = Field(ge=0)


class IssueReading(Model):
    """The issue taken apart; each list in order of importance or of occurrence, and cut at 30 items.

    ``places`` are paths, with a line where one is given; ``frames`` those of tracebacks, innermost first.
    """

    names: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    words: tuple[TellingWord, ...] = ()

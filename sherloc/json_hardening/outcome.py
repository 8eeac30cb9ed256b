"""What reading a reply gives: a value, and every repair that was needed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from sherloc.errors import ReplyError, SchemaMismatch

T = TypeVar("T")
Severity = Literal["wrapping", "syntax", "shape", "loss", "guess"]

REPAIRS: dict[str, Severity] = {
    # around the JSON
    "edges": "wrapping",
    "think": "wrapping",
    "fence": "wrapping",
    "unclosed_fence": "wrapping",
    "xml": "wrapping",
    "prose": "wrapping",
    "line_prefix": "wrapping",
    "extra_closer": "wrapping",
    "double_encoded": "wrapping",
    "json_lines": "wrapping",
    "repeated": "wrapping",
    "chosen_last": "guess",
    # in its syntax; no character of a string is touched
    "trailing_comma": "syntax",
    "missing_comma": "syntax",
    "single_quotes": "syntax",
    "smart_quotes": "syntax",
    "full_width": "syntax",
    "unquoted_key": "syntax",
    "python_literal": "syntax",
    "tuple": "syntax",
    "comment": "syntax",
    "odd_space": "syntax",
    "raw_control": "syntax",
    "number_sign": "syntax",
    "triple_quotes": "syntax",
    "template": "syntax",
    "duplicate_key": "syntax",
    # in its shape, where the schema says what was meant
    "key_style": "shape",
    "alias": "shape",
    "extra_key": "shape",
    "envelope": "shape",
    "wrapper_key": "shape",
    "single_item": "shape",
    "wrapped_item": "shape",
    "split": "shape",
    "scalar": "shape",
    "enum": "shape",
    "null": "shape",
    # in a list whose schema says that its items stand alone
    "dropped_item": "loss",
    # in the text of a string; never in content, patch or diff
    "invalid_escape": "guess",
    "escaped_apostrophe": "guess",
    "inner_quotes": "guess",
}
"""The closed list of repairs, with how far each goes; docs/model-output.md says what each does."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One deviation from clean JSON that was put right.

    Args:
        kind: A key of ``REPAIRS``.
        where: Path in the value (``files[0].path``) or offset in the text (``at 17``); empty for the whole.
        detail: What was there, shortened.
    """

    kind: str
    where: str = ""
    detail: str = ""

    @property
    def severity(self) -> Severity:
        """How far it goes: around the JSON, in its syntax, in its shape, an item lost, or a guess at a text."""
        return REPAIRS[self.kind]


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value that fits its schema, and the repairs that were needed, in the order they were made."""

    value: T
    repairs: tuple[Repair, ...] = ()

    @property
    def guessed(self) -> bool:
        """Whether a repair had to guess at the text of a string."""
        return any(repair.severity == "guess" for repair in self.repairs)


class Fault(Exception):
    """Why reading stopped, before the raw text is known; never leaves the package.

    Args:
        error: The error that callers will see.
        message: What is wrong, in words for the model.
        at: Offset in the text; -1 when there is none.
    """

    def __init__(self, error: type[ReplyError], message: str, at: int = -1) -> None:
        super().__init__(message)
        self.error = error
        self.message = message
        self.at = at

    def to_error(self, text: str) -> ReplyError:
        """The public error, holding the raw text."""
        message = self.message if self.at < 0 else f"{self.message} (at character {self.at})"
        if issubclass(self.error, SchemaMismatch):
            return self.error(message, text=text, problems=tuple(self.message.split("\n")))
        return self.error(message, text=text)


def shorten(value: object, length: int = 60) -> str:
    """A value in a few characters, on one line."""
    text = " ".join(str(value)[: length * 4].split())
    return text if len(text) <= length else text[: length - 1] + "…"

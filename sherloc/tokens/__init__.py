"""How many tokens a text has: one estimator for every budget, and real tokenizers where they are at hand.

Usable alone. ``get_tokenizer()`` is the estimator, the same on every machine; ``get_tokenizer(name)`` is the real one
for a model, an encoding or a ``tokenizer.json`` when it can be had offline, and the estimator when it cannot; its
``name`` says which it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sherloc.errors import MissingExtraError, UsageError
from sherloc.tokens.calibration import CalibratedTokenizer, Calibration
from sherloc.tokens.estimate import Estimator
from sherloc.tokens.exact import ExactTokenizer, NotOfflineError, load_tiktoken, load_tokenizers

__all__ = [
    "CalibratedTokenizer",
    "Calibration",
    "Estimator",
    "ExactTokenizer",
    "NamedTokenizer",
    "NotOfflineError",
    "estimate_tokens",
    "get_tokenizer",
]

_ESTIMATOR = Estimator()


class NamedTokenizer(Protocol):
    """A tokenizer that says what it is."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def count(self, text: str) -> int:
        """Number of tokens."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text by the estimator."""
    return _ESTIMATOR.count(text)


def get_tokenizer(name: str | None = None, *, required: bool = False) -> NamedTokenizer:
    """A tokenizer by name; never downloads anything.

    Args:
        name: None or ``estimate`` for the estimator; an encoding (``o200k_base``), a model (``gpt-4o``), or the path of
            a ``tokenizer.json`` or its folder.
        required: Raise when the real one cannot be had, instead of giving the estimator.

    Raises:
        UsageError: ``required``, and there is none of that name, or its data is not on this machine.
        MissingExtraError: ``required``, and its package is not installed.
    """
    if name is None or name == _ESTIMATOR.name:
        return _ESTIMATOR
    try:
        return load_tokenizers(Path(name)) if Path(name).exists() else load_tiktoken(name)
    except (UsageError, MissingExtraError):
        if required:
            raise
        return _ESTIMATOR

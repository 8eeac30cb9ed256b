"""How many tokens skeletons save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sherloc.skeleton.files import FileSkeleton
from sherloc.tokens import NamedTokenizer


@dataclass(frozen=True, slots=True)
class Saving:
    """Tokens of one or more files, whole and as skeletons.

    Attributes:
        name: The file, the language, or ``total``.
        files: How many files.
        whole: Tokens of their texts.
        skeleton: Tokens of their skeletons.
    """

    name: str
    files: int
    whole: int
    skeleton: int

    @property
    def saved(self) -> float:
        """The share of tokens that is saved, 0 to 1; below 0 when the skeleton is longer."""
        return 1 - self.skeleton / self.whole if self.whole else 0.0

    def record(self, price: float | None = None) -> dict[str, Any]:
        """As JSON; with a price in US dollars per million tokens, what each costs."""
        row: dict[str, Any] = {
            "name": self.name, "files": self.files, "whole": self.whole, "skeleton": self.skeleton,
            "saved": round(self.saved, 4),
        }  # fmt: skip
        if price is not None:
            row |= {"whole_usd": self.whole * price / 1e6, "skeleton_usd": self.skeleton * price / 1e6}
        return row


@dataclass(frozen=True, slots=True)
class Savings:
    """Savings by file, by language and in all, counted by one tokenizer.

    Attributes:
        tokenizer: What counted.
        files: By the order of the files.
        languages: By name.
        total: Of all.
    """

    tokenizer: str
    files: tuple[Saving, ...]
    languages: tuple[Saving, ...]
    total: Saving


def measure(skeletons: Iterable[FileSkeleton], tokenizer: NamedTokenizer) -> Savings:
    """Count tokens.

    Args:
        skeletons: Files and their skeletons.
        tokenizer: Counts both.
    """
    files: list[Saving] = []
    languages: dict[str, list[Saving]] = {}
    for each in skeletons:
        counted = Saving(each.path, 1, tokenizer.count(each.source), tokenizer.count(each.skeleton.text))
        files.append(counted)
        languages.setdefault(each.skeleton.language or "other", []).append(counted)
    by_language = tuple(_sum(name, languages[name]) for name in sorted(languages))
    return Savings(tokenizer.name, tuple(files), by_language, _sum("total", files))


def _sum(name: str, rows: Iterable[Saving]) -> Saving:
    rows = list(rows)
    return Saving(name, len(rows), sum(row.whole for row in rows), sum(row.skeleton for row in rows))

"""A diff within a number of tokens: whole hunks are left out, and it says which."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sherloc.repository.changes import Change
from sherloc.tokens import NamedTokenizer

_HUNKS = re.compile(r"^(?=@@ )", re.MULTILINE)


def shortened(changes: Sequence[Change], budget: int, tokenizer: NamedTokenizer) -> tuple[str, tuple[str, ...]]:
    """The diff of some changes, and notes on what is left out of it.

    Each file keeps its head. Hunks go in from the smallest file on, so that one large file does not crowd out others;
    the text keeps the order of the changes.

    Args:
        changes: By path.
        budget: Tokens.
        tokenizer: Counts them.
    """
    whole = "".join(change.text for change in changes)
    if tokenizer.count(whole) <= budget:
        return whole, ()
    split = [_HUNKS.split(change.text) for change in changes]
    left = budget - sum(tokenizer.count(parts[0]) for parts in split)
    costs = [[tokenizer.count(hunk) for hunk in parts[1:]] for parts in split]
    kept: dict[int, set[int]] = {}
    for number in sorted(range(len(split)), key=lambda n: (sum(costs[n]), n)):
        for at, cost in enumerate(costs[number], 1):
            if cost <= left:
                kept.setdefault(number, set()).add(at)
                left -= cost
    texts: list[str] = []
    cut: list[int] = []
    for number, parts in enumerate(split):
        chosen = kept.get(number, set())
        missing = len(parts) - 1 - len(chosen)
        texts.append(parts[0] + "".join(part for at, part in enumerate(parts) if at in chosen))
        if missing:
            texts.append(f"({missing} of {len(parts) - 1} hunks of this file are left out)\n")
            cut.append(missing)
    note = f"{sum(cut)} hunks of {len(cut)} files are left out of the diff: they have no room."
    return "".join(texts), (note,)

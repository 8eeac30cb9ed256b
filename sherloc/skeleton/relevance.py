"""How much each of some texts has to do with a task, by the words they share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sherloc.terms import TermTable

_K1 = 1.2
_B = 0.75
_NAME_WEIGHT = 3


def relevance(task: str, texts: Sequence[tuple[str, str]]) -> list[float]:
    """BM25 of texts for a task (Robertson and Zaragoza, 2009); a term in a name counts three times.

    Args:
        task: What is to be done, in words.
        texts: Name and content of each.

    Returns:
        A score of 0 or more each, in the same order.

    Complexity: linear in all texts.
    """
    table = TermTable()
    wanted = table.count(task)
    counts = []
    lengths = []
    for name, content in texts:
        found = table.count(content)
        for term, times in table.count(name).items():
            found[term] += _NAME_WEIGHT * times
        counts.append({term: found[term] for term in wanted if term in found})
        lengths.append(sum(found.values()))
    mean = (sum(lengths) / len(lengths) if lengths else 0) or 1.0
    spread = {term: sum(term in found for found in counts) for term in wanted}
    weights = {term: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for term, n in spread.items()}
    return [
        sum(
            weights[term] * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / mean))
            for term, times in found.items()
        )
        for found, length in zip(counts, lengths, strict=True)
    ]

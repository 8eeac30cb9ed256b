"""Estimates tokens from the kinds of characters: the same on every machine, with no tokenizer installed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sherloc.tokens.weights import ASCII_CLASSES, ASCII_WEIGHTS, SCRIPT_WEIGHTS, SCRIPTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK = 1 << 20
_COLUMNS = len(ASCII_CLASSES) + 1
_ELSE = _COLUMNS
_START = _COLUMNS + 1


class Estimator:
    """Counts tokens by adding a weight a character, which depends on the character before it.

    No weight is negative, and a text's first character has the least of its weights. Hence appending never lowers the
    count, no part of a text counts more than the whole, and the counts of two parts differ from that of their sum by at
    most one. Linear in the text.
    """

    name = "estimate"

    def count(self, text: str) -> int:
        """Number of tokens, rounded up; 0 only for the empty text."""
        return -(-self.millitokens(text) // 1000)

    def millitokens(self, text: str) -> int:
        """Thousandths of a token, exact sums of integers."""
        import numpy as np

        characters, weights = _tables()
        counts = np.zeros(len(weights), dtype=np.int64)
        before = _START
        for start in range(0, len(text), _CHUNK):
            part = text[start : start + _CHUNK].encode("utf-32-le", "surrogatepass")
            classes = characters[np.frombuffer(part, dtype="<u4")].astype(np.int64)
            previous = np.concatenate(([before], np.minimum(classes[:-1], _ELSE)))
            cells = np.where(classes < _COLUMNS, previous * _COLUMNS + classes, classes - _COLUMNS + _SCRIPT_CELLS)
            counts += np.bincount(cells, minlength=len(weights))
            before = min(int(classes[-1]), _ELSE)
        return int(counts @ weights)


_SCRIPT_CELLS = (_START + 1) * _COLUMNS


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Class of every code point, and weight of every cell: pairs of ASCII classes first, then scripts."""
    import numpy as np

    scripts = list(SCRIPT_WEIGHTS)
    characters = np.full(0x110000, _COLUMNS - 1, dtype=np.uint8)
    for column, members in enumerate(ASCII_CLASSES):
        characters[[ord(member) for member in members]] = column
    for first, script in SCRIPTS:
        characters[first:] = _COLUMNS + scripts.index(script)
    pairs = np.array(ASCII_WEIGHTS, dtype=np.int64)
    least = pairs.min(axis=0)
    cells = np.concatenate([pairs.ravel(), least, np.array(list(SCRIPT_WEIGHTS.values()), dtype=np.int64)])
    return characters, cells

"""Marks around material that the material itself cannot hold.

A fixed mark (``---``, three back-ticks, ``<<<``) stands in ordinary files; whoever writes the material can write it.
These marks come from the hash of the material, so the material cannot know them, and are looked for in all of it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import count

from sherloc.boundary.folding import fold

_DIGITS = 32
_FORM = re.compile("<<<material-|-material>>>")


@dataclass(frozen=True, slots=True)
class Fence:
    """Material between two marks.

    Attributes:
        opening: The mark before; a line of its own.
        closing: The mark after; it holds the same digits.
        material: The material, unchanged.
        look_alikes: How often the material holds the form of such a mark, with other digits. That is worth a warning.
    """

    opening: str
    closing: str
    material: str
    look_alikes: int = 0

    @property
    def text(self) -> str:
        """Opening mark, material, closing mark, each from the start of a line."""
        return f"{self.opening}\n{self.material}\n{self.closing}"

    def __str__(self) -> str:
        return self.text


def fence(material: str, *, nonce: str = "") -> Fence:
    """Put material between marks that occur nowhere in it.

    The same material and nonce give the same marks. Case, width and invisible characters are looked through, so that
    nothing in the material reads like the mark either. Linear.

    Args:
        material: All of what goes into the prompt, not only the added lines of a diff.
        nonce: Anything, to have other marks for the same material. What a caller keeps secret cannot be foreseen.
    """
    folded = fold(material)
    raw = material.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(nonce.encode("utf-8", "surrogatepass") + b"\0" + raw)
    for attempt in count():
        tried = digest.copy()
        tried.update(b"\0%d" % attempt)
        digits = tried.hexdigest()[:_DIGITS]
        if digits not in folded:
            break
    return Fence(f"<<<MATERIAL-{digits}", f"{digits}-MATERIAL>>>", material, len(_FORM.findall(folded)))

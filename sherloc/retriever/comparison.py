"""Snippets compared with an issue by their embeddings, which are kept by content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from sherloc.errors import ModelError
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.protocols import Embedder, VectorStore
from sherloc.repository.sources import Sources
from sherloc.retriever.semantic import text_of
from sherloc.schema.issue import Issue

_ISSUE_CHARACTERS = 1500
_DECIMALS = 4
"""Similarities are rounded: the last bits of a vector depend on the machine."""


class Comparison:
    """Similarity of snippets to one issue: the mean of that to its title and that to its beginning.

    Args:
        issue: What they are compared with.
        segment: Where the snippets are.
        sources: Their text.
        embedder: Makes vectors of texts.
        store: Keeps them; a text that was embedded once is not embedded again.
        may_embed: Told how many snippets are not in the store; False leaves the channel out.

    Attributes:
        embedded: How many texts had to be embedded.
        skipped: Whether nothing could be compared.
        problem: Why the embedder failed, or empty.
    """

    def __init__(
        self,
        issue: Issue,
        segment: Segment,
        sources: Sources,
        embedder: Embedder,
        store: VectorStore,
        may_embed: Callable[[int], bool] = lambda count: True,
    ) -> None:
        self._issue, self._segment, self._sources = issue, segment, sources
        self._embedder, self._store, self._may_embed = embedder, store, may_embed
        self.embedded = 0
        self.skipped = False
        self.problem = ""

    def __call__(self, units: Sequence[int]) -> Array:
        """The similarity of each unit, -1 to 1; nothing when that cannot be said."""
        s = self._segment
        self._sources.load({s.paths[int(s.unit_file[unit])] for unit in units})
        asked = [self._issue.text[:_ISSUE_CHARACTERS], self._issue.title or self._issue.text[:_ISSUE_CHARACTERS]]
        vectors = self._vectors([*asked, *(self._text(unit) for unit in units)])
        if vectors is None:
            return np.zeros(0)
        similarity: Array = np.round((vectors[2:] @ vectors[:2].T).mean(axis=1), _DECIMALS)
        return similarity

    def _text(self, unit: int) -> str:
        s = self._segment
        path = s.paths[int(s.unit_file[unit])]
        lines = self._sources.get(path, "").split("\n")
        code = "\n".join(lines[int(s.arrays["start"][unit]) - 1 : int(s.arrays["end"][unit])])
        snippet = s.snippet(unit)
        return text_of(path, snippet.qualified_name, snippet.docstring, code)

    def _vectors(self, texts: Sequence[str]) -> Array | None:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        known = dict(self._store.get(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            if not self._may_embed(len(missing)):
                self.skipped = True
                return None
            try:
                made = np.asarray(self._embedder.embed(list(missing.values())), np.float32)
            except ModelError as error:
                self.skipped, self.problem = True, error.message
                return None
            self._store.upsert(list(missing), made)
            known.update(zip(missing, made, strict=True))
            self.embedded = len(missing)
        return np.stack([known[key] for key in keys])

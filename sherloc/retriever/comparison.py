"""Snippets compared with an issue by their embeddings, which are kept by content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from sherloc.errors import ModelError
from sherloc.indexer.graph import CodeGraph
from sherloc.indexer.record import KINDS
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.repository.sources import Sources
from sherloc.retriever.features import FUNCTION_KINDS
from sherloc.retriever.semantic import text_of, windows_of
from sherloc.schema.issue import Issue

if TYPE_CHECKING:
    from sherloc.protocols import Embedder, VectorStore

_ISSUE_CHARACTERS = 1500
_DECIMALS = 4
"""Similarities are rounded: the last bits of a vector depend on the machine."""
_BLOCK = KINDS.index("block")
_NEIGHBOURS = 4
"""Callees and callers named with a snippet, each; an embedder reads the first 160 tokens."""
_BATCH = 64


class SnippetTexts:
    """What is embedded of snippets.

    Args:
        segment: Where they are.
        sources: Their text.
        graph: Given, a snippet is read with the names of what it calls and of who calls it.
    """

    def __init__(self, segment: Segment, sources: Sources, graph: CodeGraph | None = None) -> None:
        self._segment, self._sources, self._graph = segment, sources, graph

    def of(self, units: Sequence[int]) -> list[list[str]]:
        """The texts of each unit: its beginning, and of a function its further windows."""
        s = self._segment
        self._sources.load({s.paths[int(s.unit_file[unit])] for unit in units})
        return [[self._text(unit), *self._windows(unit)] for unit in units]

    @property
    def count(self) -> int:
        """How many units ``by_file`` gives."""
        return int((self._segment.arrays["kind"] != _BLOCK).sum())

    def by_file(self) -> Iterator[list[int]]:
        """All units but blocks, file by file; the text of a file is dropped when the next one is asked for."""
        s = self._segment
        kinds = s.arrays["kind"]
        for number, path in enumerate(s.paths):
            yield [unit for unit in s.units_of_file(number) if kinds[unit] != _BLOCK]
            self._sources.drop([path])

    def _text(self, unit: int) -> str:
        path, code = self._place(unit)
        snippet = self._segment.snippet(unit)
        return text_of(path, snippet.qualified_name, snippet.docstring, code, self._neighbours(unit))

    def _windows(self, unit: int) -> list[str]:
        if int(self._segment.arrays["kind"][unit]) not in FUNCTION_KINDS:
            return []
        path, code = self._place(unit)
        return windows_of(path, self._segment.qualified_names[unit], code)

    def _place(self, unit: int) -> tuple[str, str]:
        s = self._segment
        path = s.paths[int(s.unit_file[unit])]
        lines = self._sources.get(path, "").split("\n")
        return path, "\n".join(lines[int(s.arrays["start"][unit]) - 1 : int(s.arrays["end"][unit])])

    def _neighbours(self, unit: int) -> str:
        if self._graph is None:
            return ""
        names = self._segment.qualified_names
        kinds = (("calls", self._graph.callees(unit)), ("called by", self._graph.callers(unit)))
        return "".join(
            f"{kind} {', '.join(names[other] for other in others[:_NEIGHBOURS])}\n" for kind, others in kinds if others
        )


def keys_of(texts: Sequence[str]) -> list[str]:
    """The keys under which stores keep the vectors of texts."""
    return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]


def embed_ahead(
    texts: SnippetTexts, embedder: Embedder, store: VectorStore, on_units: Callable[[int], None] = lambda _: None
) -> int:
    """Embed every snippet that the store does not know, so that no later comparison has to.

    Args:
        texts: Of which repository.
        embedder: Makes vectors of texts.
        store: Gets them batch by batch: what an interrupt leaves is kept.
        on_units: Told after each batch how many more snippets are done.

    Returns:
        How many texts were embedded.

    Raises:
        ModelError: The embedder failed.

    Complexity: linear in the snippets; about 50 to 90 of unknown ones a second and core with the shipped embedder.
    """
    embedded = 0
    for units in texts.by_file():
        left = iter(units)
        while batch := list(islice(left, _BATCH)):
            read = [text for windows in texts.of(batch) for text in windows]
            found = dict(zip(keys_of(read), read, strict=True))
            known = store.get(list(found))
            missing = {key: text for key, text in found.items() if key not in known}
            if missing:
                store.upsert(list(missing), np.asarray(embedder.embed(list(missing.values())), np.float32))
                embedded += len(missing)
            on_units(len(batch))
    return embedded


class Comparison:
    """Similarity of snippets to one issue: the mean of that to its title and that to its beginning, or the first alone.

    Args:
        issue: What they are compared with.
        texts: Of the snippets.
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
        texts: SnippetTexts,
        embedder: Embedder,
        store: VectorStore,
        may_embed: Callable[[int], bool] = lambda count: True,
    ) -> None:
        self._issue, self._texts = issue, texts
        self._embedder, self._store, self._may_embed = embedder, store, may_embed
        self.embedded = 0
        self.skipped = False
        self.problem = ""

    def __call__(self, units: Sequence[int]) -> Array:
        """A row a unit, see ``Similarity``; none when that cannot be said."""
        asked = [self._issue.text[:_ISSUE_CHARACTERS], self._issue.title or self._issue.text[:_ISSUE_CHARACTERS]]
        texts = self._texts.of(units)
        vectors = self._vectors([*asked, *(text for windows in texts for text in windows)])
        if vectors is None or not texts:
            return np.zeros((0, 3))
        alike = vectors[2:] @ vectors[:2].T
        both, title = np.round(alike.mean(axis=1), _DECIMALS), np.round(alike[:, 1], _DECIMALS)
        first = np.cumsum([0, *(len(windows) for windows in texts[:-1])])
        return np.stack([both[first], np.maximum.reduceat(both, first), np.maximum.reduceat(title, first)], axis=1)

    def _vectors(self, texts: Sequence[str]) -> Array | None:
        keys = keys_of(texts)
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

"""What the semantic channel needs, opened once for many issues: an embedder, and the store of its vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.errors import MissingExtraError, SherlocError, UsageError
from sherloc.indexer.cache_files import cache_folder
from sherloc.indexer.index import Index
from sherloc.repository.sources import Sources
from sherloc.retriever.comparison import Comparison, SnippetTexts, embed_ahead
from sherloc.schema.issue import Issue
from sherloc.schema.report import Diagnostic
from sherloc.settings import Settings, VectorSettings

if TYPE_CHECKING:
    from sherloc.protocols import Embedder, VectorStore

_LOADING_SECONDS = 0.4
_SNIPPETS_A_SECOND = 50.0


class Meaning:
    """Opens embedder and store when they are first needed; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tried = False
        self._opened: tuple[Embedder, VectorStore] | None = None
        self._problem: Diagnostic | None = None
        self._missing: MissingExtraError | None = None

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Why the channel is not in use, or what its store lost."""
        found = tuple(self._opened[1].problems) if self._opened else ()
        return (*found, self._problem) if self._problem else found

    @property
    def failed(self) -> bool:
        """Whether what is asked for cannot be opened; that the extra of the defaults is missing is no failure."""
        return self._problem is not None and self._problem.severity == "warning"

    def comparison(
        self, issue: Issue, index: Index, sources: Sources, settings: Settings, seconds_left: Callable[[], float]
    ) -> Comparison | None:
        """How snippets are compared with an issue, or None when they cannot be.

        Args:
            issue: What they are compared with.
            index: Where the snippets are.
            sources: Their text.
            settings: ``vectors`` and ``cache`` are used.
            seconds_left: When new snippets would take longer to embed, the comparison gives nothing.
        """
        opened = self._ready(settings)
        if opened is None:
            return None

        def may_embed(count: int) -> bool:
            return _LOADING_SECONDS + count / _SNIPPETS_A_SECOND <= seconds_left()

        return Comparison(issue, _texts(index, sources, settings), *opened, may_embed)

    def embed(self, index: Index, sources: Sources, settings: Settings, on_progress: Callable[[int, int], None]) -> int:
        """Embed all snippets of an index, those with vectors left out.

        Args:
            index: Where the snippets are.
            sources: Their text.
            settings: ``vectors``, ``cache`` and ``index.unit`` are used.
            on_progress: Told (done, all) snippets after each batch.

        Returns:
            How many texts were embedded.

        Raises:
            MissingExtraError: A package of the embedder or of the store is not installed.
            UsageError: No embedder is set, or it cannot be opened.
            ModelError: It failed.
        """
        opened = self._ready(settings)
        if self._missing is not None:
            raise self._missing
        if opened is None:
            why = self._problem.message if self._problem else "vectors.embedder is none."
            raise UsageError(f"Nothing can be embedded: {why}", hint="See docs/vectors.md.")
        texts, done = _texts(index, sources, settings), 0

        def more(count: int) -> None:
            nonlocal done
            done += count
            on_progress(done, texts.count)

        return embed_ahead(texts, *opened, more)

    def _ready(self, settings: Settings) -> tuple[Embedder, VectorStore] | None:
        with self._lock:
            if not self._tried:
                self._tried = True
                self._open(settings)
            return self._opened

    def _open(self, settings: Settings) -> None:
        from sherloc.vectors import open_embedder, open_store

        folder: Path = cache_folder(settings.cache).parent / "vectors"
        try:
            embedder = open_embedder(settings.vectors)
            self._opened = (embedder, open_store(settings.vectors, embedder, folder)) if embedder else None
        except MissingExtraError as error:
            self._missing = error
            self._problem = Diagnostic(
                code="channel_unavailable", severity="info" if _are_defaults(settings.vectors) else "warning",
                message=f"The channel semantic is not in use: {error.message} {error.hint}",
            )  # fmt: skip
        except SherlocError as error:
            self._problem = Diagnostic(code="degraded", severity="warning", message=error.message)

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._opened:
                self._opened[1].close()
            self._opened, self._tried = None, False


def _are_defaults(vectors: VectorSettings) -> bool:
    """Whether nobody named the embedder or the store."""
    return (vectors.embedder, vectors.store) == (VectorSettings().embedder, VectorSettings().store)


def _texts(index: Index, sources: Sources, settings: Settings) -> SnippetTexts:
    graph = index.graph if settings.index.unit == "with_neighbours" else None
    return SnippetTexts(index.code, sources, graph)

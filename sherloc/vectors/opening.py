"""From settings to an embedder and a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sherloc.settings import VectorSettings

if TYPE_CHECKING:
    from sherloc.protocols import Embedder, VectorStore

_SENTENCE_TRANSFORMERS = "sentence-transformers:"
_SERVER = "chroma:"


def open_embedder(settings: VectorSettings) -> Embedder | None:
    """The embedder that the settings name, or None for ``"none"``.

    Raises:
        MissingExtraError: Its packages are not installed.
        ModelError: Its model is not on this machine, or cannot be loaded.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder.startswith(_SENTENCE_TRANSFORMERS):
        from sherloc.vectors.sentence_transformer import SentenceTransformerEmbedder

        name = settings.embedder.removeprefix(_SENTENCE_TRANSFORMERS)
        return SentenceTransformerEmbedder(name, max_tokens=settings.max_tokens, batch=settings.batch)
    from sherloc.vectors.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder(max_tokens=settings.max_tokens, threads=settings.threads)


def open_store(settings: VectorSettings, embedder: Embedder, folder: Path) -> VectorStore:
    """The store that the settings name, for the vectors of one embedder.

    Args:
        settings: Which store, and how large it may grow.
        embedder: Vectors of another identity are never mixed with its own.
        folder: Where files go; made when missing.

    Raises:
        MissingExtraError: Chroma is asked for and not installed.
    """
    from sherloc.vectors.sqlite_store import SqliteVectorStore

    if settings.store != "sqlite":
        from sherloc.vectors.chroma_sessions import require_chroma

        require_chroma()
    cache = SqliteVectorStore(embedder.identity, embedder.dimension, folder, max_bytes=settings.max_bytes)
    if settings.store == "sqlite":
        return cache
    from sherloc.vectors.chroma_sessions import FolderSessions, ServerSessions
    from sherloc.vectors.chroma_store import ChromaFolderStore, ChromaServerStore

    if settings.store.startswith(_SERVER):
        address = settings.store.removeprefix(_SERVER)
        return ChromaServerStore(cache, ServerSessions(address, embedder.identity, embedder.dimension))
    return ChromaFolderStore(cache, FolderSessions(folder, embedder.identity, embedder.dimension))

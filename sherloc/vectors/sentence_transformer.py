"""Any sentence-transformers model, by folder or by its name on the Hugging Face hub. Nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sherloc.errors import MissingExtraError, ModelError
from sherloc.vectors.arrays import Matrix, to_unit

_HASHED_BYTES = 1_000_000
_DEFAULT_OWNER = "sentence-transformers"


class SentenceTransformerEmbedder:
    """Implements ``Embedder``.

    The library pads the texts of a batch to one length; a number of a vector may therefore differ in its last bit
    (of 16) between two batches. With ``batch=1`` it does not.

    Args:
        name: A folder that holds a model, written as an absolute path or beginning with ``./``, ``../`` or ``~``; or
            ``owner/model`` that was downloaded before (the owner ``sentence-transformers`` may be left out).
        max_tokens: What is longer is cut off; the model's own limit holds too.
        batch: Texts a batch.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: There is no such model on this machine, or it cannot be loaded.
    """

    def __init__(self, name: str, *, max_tokens: int = 160, batch: int = 8) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtraError(
                "sentence-transformers", "sentence-transformers", f"The embedder 'sentence-transformers:{name}'"
            )
        folder = find_model(name)
        self._batch = batch
        self._model = _load(name, folder)
        own = self._model.max_seq_length
        self._model.max_seq_length = limit = min(own, max_tokens) if own else max_tokens
        self._dimension: int = self._encode([""]).shape[1]
        self._identity = f"{Path(name).name}-{_hash(folder)}-{limit}"

    @property
    def identity(self) -> str:
        """Name, short hash of the model's files, and token limit."""
        return self._identity

    @property
    def dimension(self) -> int:
        """As the model says."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One vector of unit length a text.

        Args:
            texts: Any text.

        Returns:
            Shape ``(len(texts), dimension)``, in the order of the texts.
        """
        if not texts:
            return np.zeros((0, self._dimension), np.float32)
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        return to_unit(self._encode(clean))

    def _encode(self, texts: list[str]) -> Matrix:
        found: Matrix = self._model.encode(
            texts, batch_size=self._batch, convert_to_numpy=True, show_progress_bar=False
        )
        return found


def find_model(name: str, *, owner: str = _DEFAULT_OWNER) -> Path:
    """The model's folder. Asked by folder the library never looks at the network; by name it would retry for a minute.

    A bare name is never taken for a folder below the working directory, which may be a repository under study.

    Args:
        name: A folder (absolute, or beginning with ``.`` or ``~``), or a name on the hub that was downloaded before.
        owner: Whose it is when the name does not say.

    Raises:
        ModelError: It is not on this machine.
    """
    if name.startswith((".", "~")) or Path(name).is_absolute():
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise ModelError(f"The folder of the model, {name!r}, does not exist.")
        return folder
    from huggingface_hub import snapshot_download

    full = name if "/" in name else f"{owner}/{name}"
    try:
        return Path(snapshot_download(full, local_files_only=True))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The model {name!r} is not in the Hugging Face cache of this machine.",
            hint=f"Download it once where there is a network: hf download {full} (or give its folder as a path).",
        ) from error


def _load(name: str, folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, AttributeError) as error:
        raise ModelError(f"The embedding model {name!r} in {folder} cannot be loaded: {error}.") from error


def _hash(folder: Path) -> str:
    """Of each file its name, size and first and last megabyte: other weights differ in all of them."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode("utf-8", "surrogateescape"))
        with path.open("rb") as file:
            digest.update(file.read(_HASHED_BYTES))
            file.seek(max(_HASHED_BYTES, size - _HASHED_BYTES))
            digest.update(file.read(_HASHED_BYTES))
    return digest.hexdigest()[:12]

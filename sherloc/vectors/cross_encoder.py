"""Cross-encoders: models that read two texts together and score how well they fit. Nothing is ever downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

from sherloc.errors import MissingExtraError, ModelError
from sherloc.vectors.sentence_transformer import find_model

_OWNER = "cross-encoder"


def load_cross_encoder(name: str) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
    """A function that scores pairs of texts, higher is better.

    Args:
        name: A folder that holds a model, written as an absolute path or beginning with ``./``, ``../`` or ``~``; or
            ``owner/model`` that was downloaded before (the owner ``cross-encoder`` may be left out).

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: There is no such model on this machine, or it cannot be loaded.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise MissingExtraError(
            "sentence-transformers", "sentence-transformers", f"The reranker 'cross-encoder:{name}'"
        )
    folder = find_model(name, owner=_OWNER)
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, AttributeError) as error:
        raise ModelError(f"The cross-encoder {name!r} in {folder} cannot be loaded: {error}.") from error

    def score(pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [float(value) for value in model.predict(list(pairs), show_progress_bar=False)]

    return score

"""The embedder that comes with sherloc: all-MiniLM-L6-v2 with 8-bit weights, run by ONNX Runtime on the processor.

The runtime chooses one scale for the activations of a whole batch, so that in a batch a text's vector depends on its
neighbours (cosine down to 0.989 between two batches). Each text is therefore run by itself, which costs nothing on a
processor: texts run side by side on threads instead.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sherloc.errors import MissingExtraError, ModelError
from sherloc.vectors.arrays import Matrix, to_unit

MODEL_FOLDER = Path(__file__).parent / "model"
NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
_MOST_THREADS = 8
# Text beyond cannot fall within the token limit unless it is mostly white space; tokenising megabytes takes seconds.
_CHARACTERS_PER_TOKEN = 64


class OnnxEmbedder:
    """Implements ``Embedder``. Safe to use from many threads; a text's vector depends on nothing but the text.

    Args:
        max_tokens: What is longer is cut off.
        threads: Texts run side by side; 0: one a core, at most 8.

    Raises:
        MissingExtraError: onnxruntime or tokenizers is not installed.
    """

    def __init__(self, *, max_tokens: int = 160, threads: int = 0) -> None:
        for package in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(package) is None:
                raise MissingExtraError(package, "semantic", "The embedder 'onnx'")
        self._identity = f"{NAME}-{(MODEL_FOLDER / 'DIGEST').read_text().strip()[:12]}-{max_tokens}"
        self._max_tokens = max_tokens
        self._threads = threads or min(_cores(), _MOST_THREADS)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def _load(self) -> tuple[Any, Any]:
        """Tokenizer and session, loaded when a text is not in the store: often none is missing."""
        with self._lock:
            if self._loaded is None:
                tokenizer = _load_tokenizer(MODEL_FOLDER / "tokenizer.json", self._max_tokens)
                self._loaded = tokenizer, _load_session(MODEL_FOLDER / "model.onnx")
            return self._loaded

    @property
    def identity(self) -> str:
        """Name, short hash of model and tokenizer (``model/DIGEST``, SHA-256), and token limit."""
        return self._identity

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One vector of unit length a text.

        Args:
            texts: Any text; what is beyond ``max_tokens`` does not count.

        Returns:
            Shape ``(len(texts), 384)``, in the order of the texts.

        Raises:
            ModelError: The model cannot be loaded or run.

        Complexity: linear in the number of tokens; about 11 ms of one core for a function of 90 tokens.
        """
        distinct = list(dict.fromkeys(texts))
        rows = self._rows(distinct)
        if not rows:
            return np.zeros((0, DIMENSION), np.float32)
        at = {text: n for n, text in enumerate(distinct)}
        return to_unit(np.stack(rows))[[at[text] for text in texts]]

    def _rows(self, texts: Sequence[str]) -> list[Matrix]:
        if texts:
            # Not by the pool: a thread that ends for want of memory leaves the others waiting.
            self._opened()
        if len(texts) > 1 and self._threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            try:
                with ThreadPoolExecutor(min(self._threads, len(texts))) as pool:
                    return list(pool.map(self._run, texts))
            except RuntimeError:
                # The system refuses more threads: this one is enough.
                pass
        return [self._run(text) for text in texts]

    def _opened(self) -> tuple[Any, Any]:
        try:
            return self._load()
        except Exception as error:  # noqa: BLE001 - whatever the libraries raise when they are loaded
            raise _failed(error) from error

    def _run(self, text: str) -> Matrix:
        tokenizer, session = self._opened()
        try:
            cut = text[: self._max_tokens * _CHARACTERS_PER_TOKEN].encode("utf-8", "replace").decode()
            ids = np.array([tokenizer.encode(cut).ids], np.int64)
            found: Matrix = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        except Exception as error:  # noqa: BLE001 - the one place where the runtime's and the tokenizer's errors are mapped
            raise _failed(error) from error
        return found


def _failed(error: Exception) -> ModelError:
    return ModelError(f"The embedder failed: {error}.", hint="See: sherloc doctor")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load_tokenizer(path: Path, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer


def _load_session(path: Path) -> Any:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # One thread a run: no pool of its own that spins or that a fork would lose.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Texts have many lengths: an arena would keep the blocks of each.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

"""Real tokenizers, when they are installed and their data is on this machine; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.errors import MissingExtraError, UsageError

_TIKTOKEN_FILES = {
    "r50k_base": (
        "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    ),
    "p50k_base": (
        "ec7223a39ce59f226a68acc30dc1af2788490e15",
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
"""Name in tiktoken's cache, and SHA-256 of the content, of each encoding."""
_SAME_FILE = {"o200k_harmony": "o200k_base"}


class NotOfflineError(UsageError):
    """The tokenizer's data is not on this machine."""


@dataclass(frozen=True, slots=True)
class ExactTokenizer:
    """A real tokenizer.

    Its counts are exact, hence not strictly monotone: a letter that is appended can join two tokens to one.

    Args:
        name: Which one, for example ``tiktoken:o200k_base``.
        encode: Text to tokens.
    """

    name: str
    encode: Any

    def count(self, text: str) -> int:
        """Number of tokens; half surrogate pairs count as replacement characters."""
        return len(self.encode(text.encode("utf-8", "replace").decode("utf-8")))


def load_tiktoken(name: str) -> ExactTokenizer:
    """An encoding of tiktoken, by its own name or by a model's.

    tiktoken downloads what is not in its cache, and deletes and downloads what is damaged there, so its cache is looked
    through first.

    Raises:
        MissingExtraError: tiktoken is not installed.
        UsageError: It knows no such name.
        NotOfflineError: The encoding is not in its cache.
    """
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtraError("tiktoken", "tokens", "Counting the tokens of an OpenAI model exactly") from error
    try:
        encoding = name if name in (*_TIKTOKEN_FILES, *_SAME_FILE) else tiktoken.encoding_name_for_model(name)
    except KeyError as error:
        raise UsageError(f"There is no tokenizer called {name!r}.") from error
    file_name, digest = _TIKTOKEN_FILES.get(_SAME_FILE.get(encoding, encoding), ("", ""))
    if not file_name or not _is_cached(file_name, digest):
        raise NotOfflineError(
            f"The encoding {encoding!r} is not in tiktoken's cache.",
            hint="Set TIKTOKEN_CACHE_DIR to a folder that holds it.",
        )
    return ExactTokenizer(f"tiktoken:{encoding}", tiktoken.get_encoding(encoding).encode_ordinary)


def _is_cached(file_name: str, digest: str) -> bool:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    try:
        content = (Path(folder) / file_name).read_bytes() if folder else b""
    except OSError:
        return False
    return hashlib.sha256(content).hexdigest() == digest


def load_tokenizers(path: Path) -> ExactTokenizer:
    """A ``tokenizer.json`` of Hugging Face's tokenizers, or the folder it is in.

    Raises:
        MissingExtraError: tokenizers is not installed.
        UsageError: The file cannot be read as one.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        import tokenizers
    except ImportError as error:
        raise MissingExtraError("tokenizers", "tokens", "Counting with a tokenizer.json") from error
    try:
        loaded = tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception for any file it cannot read
        raise UsageError(f"{file} is not a tokenizer: {error}") from error
    return ExactTokenizer(f"tokenizers:{file}", lambda text: loaded.encode(text, add_special_tokens=False).ids)

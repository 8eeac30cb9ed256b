"""With the real library and a small model made here with random weights."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherloc.errors import ModelError
from sherloc.protocols import Embedder
from sherloc.vectors.sentence_transformer import SentenceTransformerEmbedder

pytest.importorskip("sentence_transformers")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "crash", "parser", "the", "in"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with one layer and eight dimensions."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    root = tmp_path_factory.mktemp("model")
    (root / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizerFast(vocab=str(root / "vocab.txt")).save_pretrained(root)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(root)
    (root / "1_Pooling").mkdir()
    (root / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True})
    )
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    (root / "modules.json").write_text(
        json.dumps(
            [
                {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
                for n, (path, kind) in enumerate(modules)
            ]
        )
    )
    return root


def test_a_model_in_a_folder(folder: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(folder), batch=2)
    assert isinstance(embedder, Embedder)
    texts = ["crash in the parser", "a", "", "b c \udcff", "a b c " * 100]
    found = embedder.embed(texts)
    assert (found.shape, found.dtype, embedder.dimension) == ((5, 8), np.float32, 8)
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 5e-4
    one = SentenceTransformerEmbedder(str(folder), batch=1)
    assert np.array_equal(one.embed(texts), one.embed(texts[::-1])[::-1])
    assert np.abs(one.embed(texts) - found).max() < 1e-3
    assert embedder.embed([]).shape == (0, 8)


def test_identity_follows_the_files_and_the_limit(folder: Path) -> None:
    first = SentenceTransformerEmbedder(str(folder)).identity
    assert first.startswith(f"{folder.name}-") and first.endswith("-64")
    assert SentenceTransformerEmbedder(str(folder), max_tokens=16).identity == first[:-2] + "16"
    (folder / "extra.json").write_text("{}")
    assert SentenceTransformerEmbedder(str(folder)).identity != first


def test_a_name_that_was_never_downloaded_is_refused_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all-MiniLM-L6-v2").mkdir()  # a repository under study may hold a folder of that name
    for name in ("nobody/nothing", "all-MiniLM-L6-v2", "not a name!", "a/b/c"):
        began = time.monotonic()
        with pytest.raises(ModelError, match="hf download|does not exist"):
            SentenceTransformerEmbedder(name)
        assert time.monotonic() - began < 10


def test_a_folder_without_a_model_and_one_that_wants_its_own_code_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        SentenceTransformerEmbedder(str(tmp_path))
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Evil: pass\n")
    (tmp_path / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]))
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    with pytest.raises(ModelError, match="cannot be loaded"):
        SentenceTransformerEmbedder(str(tmp_path))
    assert not (tmp_path / "ran").exists()

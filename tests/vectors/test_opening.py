from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sherloc.errors import MissingExtraError, ModelError, SettingsError
from sherloc.settings import VectorSettings, load_settings
from sherloc.vectors import chroma_sessions, open_embedder, open_store, sentence_transformer
from sherloc.vectors.onnx_embedder import OnnxEmbedder
from sherloc.vectors.sqlite_store import SqliteVectorStore

ROOT = Path(__file__).parents[2]


def test_the_defaults(tmp_path: Path) -> None:
    embedder = open_embedder(VectorSettings())
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.identity.endswith("-160")
    store = open_store(VectorSettings(), embedder, tmp_path / "a" / "b")
    assert isinstance(store, SqliteVectorStore)
    assert store.dimension == 384
    store.upsert(["x"], embedder.embed(["some text"]))
    assert store.nearest(embedder.embed(["some text"])[0], 1) == [("x", 1.0)]
    store.close()


def test_none_is_no_embedder() -> None:
    assert open_embedder(VectorSettings(embedder="none")) is None


@pytest.mark.parametrize(
    "section",
    [
        {"embedder": "word2vec"},
        {"embedder": "sentence-transformers:"},
        {"embedder": "onnx "},
        {"store": "faiss"},
        {"store": "chroma:"},
        {"store": "chroma:ftp://host"},
        {"max_tokens": 0},
        {"batch": 0},
        {"threads": -1},
    ],
)
def test_settings_that_mean_nothing(section: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="vectors"):
        load_settings({"vectors": section})


def test_a_repository_may_not_choose_embedders_or_stores() -> None:
    with pytest.raises(SettingsError, match="vectors"):
        load_settings(repository_toml=b'[vectors]\nstore = "chroma:http://example.org"\n')


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OnnxEmbedder(threads=1)
    for module in (chroma_sessions, sentence_transformer):
        monkeypatch.setattr(module.importlib.util, "find_spec", lambda name, *rest: None)
    with pytest.raises(MissingExtraError) as error:
        open_store(VectorSettings(store="chroma"), embedder, tmp_path)
    assert (error.value.package, error.value.extra) == ("chromadb", "chroma")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingExtraError) as error:
        open_embedder(VectorSettings(embedder="sentence-transformers:x"))
    assert (error.value.package, error.value.extra) == ("sentence-transformers", "sentence-transformers")


def test_opening_loads_only_what_is_asked_for() -> None:
    code = (
        "import sys, sherloc, sherloc.vectors, sherloc.protocols\n"
        "heavy = {'onnxruntime', 'tokenizers', 'sentence_transformers', 'chromadb', 'filelock', 'torch', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "from sherloc.settings import VectorSettings\n"
        "embedder = sherloc.vectors.open_embedder(VectorSettings())\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "embedder.embed(['a'])\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['numpy']", "['numpy', 'onnxruntime', 'tokenizers']"]


@pytest.mark.parametrize("name", ["./none", "/none/at/all", "~/none-at-all"])
def test_a_model_folder_that_is_not_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_transformer.importlib.util, "find_spec", lambda name, *rest: object())
    with pytest.raises(ModelError, match="does not exist"):
        open_embedder(VectorSettings(embedder=f"sentence-transformers:{name}"))

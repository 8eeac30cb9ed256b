"""With the real model and the real runtime."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from sherloc.errors import MissingExtraError, ModelError
from sherloc.protocols import Embedder
from sherloc.vectors import onnx_embedder
from sherloc.vectors.arrays import to_stored
from sherloc.vectors.onnx_embedder import MODEL_FOLDER, OnnxEmbedder

ROOT = Path(__file__).parents[2]
TEXTS = [
    "def add(a, b):\n    return a + b",
    "sum of two numbers",
    "class HttpServer:\n    def listen(self, port):\n        self.socket.bind(('', port))",
    "The server does not listen on the port that was configured",
    "",
    "x",
    "löschen 删除 🗑",
    "word " * 1000,
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(threads=2)


def test_shape_length_and_numbers(embedder: OnnxEmbedder) -> None:
    found = embedder.embed(TEXTS)
    assert (found.shape, found.dtype) == ((len(TEXTS), 384), np.float32)
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 5e-4
    assert np.array_equal(to_stored(found), found)
    assert isinstance(embedder, Embedder)
    assert embedder.dimension == 384


def test_a_vector_depends_on_nothing_but_its_text(embedder: OnnxEmbedder) -> None:
    together = embedder.embed(TEXTS)
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], together)
    assert np.array_equal(np.concatenate([embedder.embed([text]) for text in TEXTS]), together)
    assert np.array_equal(embedder.embed([TEXTS[0], TEXTS[1], TEXTS[0]]), together[[0, 1, 0]])
    assert np.array_equal(OnnxEmbedder(threads=1).embed(TEXTS), together)


def test_the_same_vectors_in_another_process(embedder: OnnxEmbedder) -> None:
    code = (
        "import sys, json, hashlib\n"
        "from sherloc.vectors.onnx_embedder import OnnxEmbedder\n"
        "e = OnnxEmbedder()\n"
        "print(e.identity, hashlib.sha256(e.embed(json.load(sys.stdin)).tobytes()).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, input=json.dumps(TEXTS), capture_output=True, text=True, check=True
    )
    wanted = f"{embedder.identity} {hashlib.sha256(embedder.embed(TEXTS).tobytes()).hexdigest()}"
    assert (done.stdout.strip(), done.stderr) == (wanted, "")


def test_meaning_brings_texts_together(embedder: OnnxEmbedder) -> None:
    similar = embedder.embed(TEXTS[:4])
    cosine = similar @ similar.T
    assert cosine[0, 1] > 0.4 > cosine[0, 3]
    assert cosine[2, 3] > 0.4 > cosine[2, 1]


def test_near_the_vectors_of_the_original(embedder: OnnxEmbedder) -> None:
    # Vectors of sentence-transformers 6.2.0 with the original 32-bit weights, to four decimals.
    original = np.array(json.loads((Path(__file__).parent / "original_vectors.json").read_text()), np.float32)
    found = (embedder.embed(TEXTS[:4]) * original).sum(axis=1)
    assert found.min() > 0.98


def test_no_texts_and_odd_texts(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
    lone = embedder.embed(["a \udcff b", "\0", "\n" * 100_000])
    assert np.isfinite(lone).all()
    assert np.array_equal(embedder.embed(["a ? b"])[0], lone[0])


def test_what_is_beyond_the_limit_does_not_count(embedder: OnnxEmbedder) -> None:
    long = "word " * 1000
    assert np.array_equal(embedder.embed([long])[0], embedder.embed([long + "and a different end"])[0])
    short = OnnxEmbedder(max_tokens=8, threads=1)
    assert np.array_equal(short.embed(["word " * 6])[0], short.embed([long])[0])
    assert not np.array_equal(short.embed(["word " * 5])[0], short.embed([long])[0])


def test_identity_names_model_and_limit(embedder: OnnxEmbedder) -> None:
    assert re.fullmatch(r"all-MiniLM-L6-v2-int8-[0-9a-f]{12}-160", embedder.identity)
    assert OnnxEmbedder(max_tokens=80).identity == embedder.identity.replace("-160", "-80")


def test_the_shipped_files_are_those_of_the_provenance() -> None:
    text = (MODEL_FOLDER / "PROVENANCE.md").read_text()
    for name in ("model.onnx", "tokenizer.json"):
        data = (MODEL_FOLDER / name).read_bytes()
        assert f"| `{name}` | {len(data)} | `{hashlib.sha256(data).hexdigest()}` |" in text
    both = (MODEL_FOLDER / "model.onnx").read_bytes() + (MODEL_FOLDER / "tokenizer.json").read_bytes()
    assert (MODEL_FOLDER / "DIGEST").read_text() == hashlib.sha256(both).hexdigest() + "\n"
    assert "Apache License" in (MODEL_FOLDER / "LICENSE").read_text()


def test_no_path_of_the_machine_that_built_the_model_is_in_it() -> None:
    assert not re.findall(rb"/(?:home|root|tmp|work|usr)/", (MODEL_FOLDER / "model.onnx").read_bytes())


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = onnx_embedder.importlib.util.find_spec
    monkeypatch.setattr(
        onnx_embedder.importlib.util, "find_spec", lambda name, *a: None if name == package else real(name, *a)
    )
    with pytest.raises(MissingExtraError) as error:
        OnnxEmbedder()
    assert (error.value.package, error.value.extra) == (package, "semantic")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from Linux's /proc")
def test_memory_stays_under_300_mb() -> None:
    code = (
        "from pathlib import Path\n"
        "from sherloc.vectors.onnx_embedder import OnnxEmbedder\n"
        "texts = [f'def function_{n}(x):\\n    return x + {n}\\n' * (n % 40) for n in range(300)]\n"
        "OnnxEmbedder(threads=2).embed(texts)\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300_000


def test_what_cannot_be_loaded_is_met_before_any_thread_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a thread that ends for want of memory leaves its caller waiting for ever."""
    met_by: list[str] = []

    def starved(self: OnnxEmbedder) -> None:
        met_by.append(threading.current_thread().name)
        raise MemoryError

    monkeypatch.setattr(OnnxEmbedder, "_load", starved)
    with pytest.raises(ModelError, match="The embedder failed"):
        OnnxEmbedder(threads=4).embed(["one", "two", "three"])
    assert met_by == [threading.current_thread().name]

"""Every kind of vector store, and vectors to put into it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sherloc.protocols import VectorStore
from sherloc.settings import VectorSettings
from sherloc.vectors import open_store
from sherloc.vectors.arrays import Matrix

OpenStore = Callable[..., VectorStore]


@dataclass(frozen=True)
class NamedEmbedder:
    """An embedder of which only the name and the dimension matter."""

    identity: str = "test-embedder-1"
    dimension: int = 4

    def embed(self, texts: object) -> Matrix:
        raise NotImplementedError


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real Chroma server."""
    pytest.importorskip("chromadb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("chroma")
    process = subprocess.Popen(
        [str(program), "run", "--path", str(tmp_path_factory.mktemp("server")), "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("chroma", marks=pytest.mark.slow),
        pytest.param("server", marks=pytest.mark.slow),
    ]
)
def store_setting(request: pytest.FixtureRequest) -> str:
    """The setting ``vectors.store`` of each kind."""
    if request.param == "sqlite":
        return "sqlite"
    pytest.importorskip("chromadb")
    return "chroma" if request.param == "chroma" else f"chroma:{request.getfixturevalue('chroma_server')}"


@pytest.fixture
def open_any(store_setting: str, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens a store of each kind in one folder, by the name of its embedder."""
    opened: list[VectorStore] = []

    def start(identity: str = "", dimension: int = 4) -> VectorStore:
        # A server is shared by the tests: each has embedders of its own.
        embedder = NamedEmbedder(f"{tmp_path}{identity}", dimension)
        opened.append(open_store(VectorSettings(store=store_setting), embedder, tmp_path / "vectors"))
        return opened[-1]

    yield start
    for store in opened:
        store.close()

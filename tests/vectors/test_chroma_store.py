"""Chroma's files under many processes, damage and kills; a server that goes away."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherloc.vectors import chroma_sessions
from sherloc.vectors.arrays import best, cosines, to_unit
from sherloc.vectors.chroma_sessions import FolderSessions, ServerSessions
from sherloc.vectors.chroma_store import ChromaFolderStore, ChromaServerStore
from sherloc.vectors.sqlite_store import SqliteVectorStore

pytest.importorskip("chromadb")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
MANY = to_unit(np.random.default_rng(0).normal(size=(400, 16)))
KEYS = [f"k{n:03}" for n in range(400)]


def make(folder: Path, identity: str = "e-1", **options: Any) -> ChromaFolderStore:
    return ChromaFolderStore(SqliteVectorStore(identity, 16, folder), FolderSessions(folder, identity, 16, **options))


def codes(store: ChromaFolderStore | ChromaServerStore) -> list[str]:
    return [problem.code for problem in store.problems]


def answers_rightly(store: ChromaFolderStore | ChromaServerStore) -> bool:
    return all(store.nearest(MANY[n], 5) == best(KEYS, cosines(MANY, MANY[n]), 5) for n in (0, 7, 399))


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with four hundred vectors."""
    store = make(tmp_path)
    store.upsert(KEYS, MANY)
    assert answers_rightly(store)
    assert codes(store) == []
    store.close()
    return tmp_path


@pytest.mark.parametrize("what", ["segments", "database", "no_database", "no_folder", "empty_database", "cut"])
def test_damage_is_mended_from_the_exact_store(filled: Path, what: str) -> None:
    folder = filled / "chroma"
    database = folder / "chroma.sqlite3"
    if what == "segments":
        for path in folder.glob("*/*"):
            path.write_bytes(b"\xff" * path.stat().st_size)
    elif what == "database":
        data = database.read_bytes()
        database.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    elif what == "cut":
        database.write_bytes(database.read_bytes()[:10_000])
    elif what == "no_database":
        database.unlink()
    elif what == "empty_database":
        database.write_bytes(b"")
    else:
        shutil.rmtree(folder)
    store = make(filled)
    assert answers_rightly(store)
    assert codes(store) in ([], ["vectors_rebuilt"])
    store.upsert(["new"], -MANY[:1])
    assert store.nearest(-MANY[0], 1) == [("new", 1.0)]
    again = make(filled)
    assert answers_rightly(again)
    assert (again.count(), codes(again)) == (401, [])


def test_a_mirror_that_lacks_vectors_or_has_too_many_is_evened_out(filled: Path) -> None:
    with FolderSessions(filled, "e-1", 16).session(write=True) as (collection, _):
        collection.delete(ids=KEYS[:100])
        collection.upsert(ids=[f"gone{n}" for n in range(50)], embeddings=MANY[:50])
    store = make(filled)
    assert answers_rightly(store)
    with FolderSessions(filled, "e-1", 16).session() as (collection, _):
        assert sorted(collection.get(include=[])["ids"]) == KEYS
    assert codes(store) == []


def test_the_exact_store_lost_means_the_mirror_is_emptied(filled: Path) -> None:
    for path in filled.glob("vectors-*"):
        path.unlink()
    store = make(filled)
    assert (store.nearest(MANY[0], 5), store.count(), store.get(KEYS)) == ([], 0, {})
    store.upsert(KEYS, MANY)
    assert answers_rightly(store)


def test_a_collection_of_another_embedder_under_this_name_is_left_alone(tmp_path: Path) -> None:
    import chromadb

    sessions = FolderSessions(tmp_path, "e-1", 16)
    with sessions.session() as (collection, _):
        name = collection.name
    client = chromadb.PersistentClient(path=str(sessions.folder), settings=chroma_sessions._settings())
    client.delete_collection(name)
    client.create_collection(name, metadata={"identity": "e-0", "dimension": 3}, embedding_function=None).add(
        ids=["theirs"], embeddings=[[1.0, 0.0, 0.0]]
    )
    client.close()
    store = make(tmp_path)
    store.upsert(KEYS, MANY)
    assert answers_rightly(store)
    with sessions.session() as (collection, _):
        assert (collection.name, collection.metadata) == (f"{name}-2", {"identity": "e-1", "dimension": 16})
    client = chromadb.PersistentClient(path=str(sessions.folder), settings=chroma_sessions._settings())
    assert client.get_collection(name, embedding_function=None).get(include=[])["ids"] == ["theirs"]
    client.close()


def test_more_than_one_batch(tmp_path: Path) -> None:
    many = to_unit(np.random.default_rng(1).normal(size=(6000, 16)))
    keys = [f"k{n:04}" for n in range(6000)]
    store = make(tmp_path)
    store.upsert(keys, many)
    assert store.nearest(many[5999], 1) == [("k5999", 1.0)]
    with FolderSessions(tmp_path, "e-1", 16).session() as (collection, batch):
        assert collection.count() == 6000 > batch
    assert codes(store) == []


HOLD = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_store_that_is_held_too_long_is_searched_without_chroma(filled: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(filled / "chroma.lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout and holder.stdout.readline() == "held\n"
    try:
        store = make(filled, lock_seconds=0.2)
        assert answers_rightly(store)
        assert codes(store) == ["chroma_not_used"]
        store.upsert(["new"], -MANY[:1])
        assert store.nearest(-MANY[0], 1) == [("new", 1.0)]
    finally:
        holder.communicate("")
    again = make(filled)
    assert again.nearest(-MANY[0], 1) == [("new", 1.0)]
    assert codes(again) == []


WRITER = """
import sys, numpy as np
from pathlib import Path
from sherloc.vectors.arrays import to_unit
from sherloc.vectors.sqlite_store import SqliteVectorStore
from sherloc.vectors.chroma_sessions import FolderSessions
from sherloc.vectors.chroma_store import ChromaFolderStore
me, folder = int(sys.argv[1]), Path(sys.argv[2])
vectors = to_unit(np.random.default_rng(me).normal(size=(2000, 16)))
store = ChromaFolderStore(SqliteVectorStore("storm", 16, folder), FolderSessions(folder, "storm", 16))
for at in range(0, 2000, 250):
    store.upsert([f"{me}-{n:04}" for n in range(at, at + 250)], vectors[at : at + 250])
    assert store.nearest(vectors[at], 1)[0][1] == 1.0
print([p.message for p in store.problems])
"""


def spawn(number: int, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(number), str(folder)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("round_", range(6))
def test_processes_that_write_at_once_damage_nothing(tmp_path: Path, round_: int) -> None:
    workers = [spawn(n, tmp_path) for n in (2 * round_, 2 * round_ + 1)]
    reader = ChromaFolderStore(SqliteVectorStore("storm", 16, tmp_path), FolderSessions(tmp_path, "storm", 16))
    while any(worker.poll() is None for worker in workers):
        reader.nearest(MANY[0], 5)
        time.sleep(0.5)
    assert [worker.communicate() for worker in workers] == [("[]\n", "")] * 2
    made = {n: to_unit(np.random.default_rng(n).normal(size=(2000, 16))) for n in (2 * round_, 2 * round_ + 1)}
    with FolderSessions(tmp_path, "storm", 16).session() as (collection, _):
        assert collection.count() == 4000
        for n, vectors in made.items():
            keys = [f"{n}-{at:04}" for at in range(2000)]
            stored = collection.get(ids=keys, include=["embeddings"])
            rows = dict(zip(stored["ids"], stored["embeddings"], strict=True))
            assert np.array_equal(np.stack([rows[key] for key in keys]).astype(np.float32), vectors)
    for n, vectors in made.items():
        assert reader.nearest(vectors[1], 1) == [(f"{n}-0001", 1.0)]
    assert reader.problems == []


def test_killed_writers_leave_nothing_damaged(tmp_path: Path) -> None:
    vectors = to_unit(np.random.default_rng(0).normal(size=(2000, 16)))
    for round_ in range(8):
        worker = spawn(0, tmp_path)
        time.sleep(1.0 + 0.17 * round_)
        worker.kill()
        worker.communicate()
        store = ChromaFolderStore(SqliteVectorStore("storm", 16, tmp_path), FolderSessions(tmp_path, "storm", 16))
        found = store.get([f"0-{n:04}" for n in range(2000)])
        for key, row in found.items():
            assert np.array_equal(row, vectors[int(key[2:])])
        for key in list(found)[:3]:
            assert store.nearest(found[key], 1) == [(key, 1.0)]
        assert set(codes(store)) <= {"vectors_rebuilt"}
        store.close()


def test_the_mark_of_a_killed_writer_means_that_the_mirror_is_filled_again(filled: Path) -> None:
    (filled / "chroma.writing").touch()
    store = make(filled)
    assert answers_rightly(store)
    assert codes(store) == ["vectors_rebuilt"]
    assert not (filled / "chroma.writing").exists()


def server_store(folder: Path, address: str, identity: str) -> ChromaServerStore:
    return ChromaServerStore(SqliteVectorStore(identity, 16, folder), ServerSessions(address, identity, 16))


def test_machines_share_a_server(chroma_server: str, tmp_path: Path) -> None:
    identity = f"shared-{tmp_path}"
    first, second = (server_store(tmp_path / name, chroma_server, identity) for name in ("1", "2"))
    first.upsert(KEYS, MANY)
    assert second.count() == 400
    assert answers_rightly(second)
    assert np.array_equal(np.stack(list(second.get(KEYS).values())), MANY)
    second.close()
    away = server_store(tmp_path / "2", "http://127.0.0.1:9", identity)
    assert np.array_equal(np.stack(list(away.get(KEYS).values())), MANY)
    assert (codes(first), codes(away)) == ([], [])
    first.close()


def test_a_server_that_is_not_there_is_done_without(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    store = server_store(tmp_path, f"http://127.0.0.1:{port}", "e-1")
    store.upsert(KEYS, MANY)
    assert answers_rightly(store)
    assert (store.count(), store.get(["none"]), codes(store)) == (400, {}, ["chroma_not_used"])
    assert time.monotonic() - began < 10
    store.close()


def test_a_server_that_speaks_another_language_is_done_without(tmp_path: Path) -> None:
    code = (
        "import http.server as h\n"
        "server = h.HTTPServer(('127.0.0.1', 0), h.BaseHTTPRequestHandler)\n"
        "print(server.server_port, flush=True)\n"
        "server.serve_forever()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout
        store = server_store(tmp_path, f"http://127.0.0.1:{int(process.stdout.readline())}", "e-1")
        store.upsert(KEYS, MANY)
        assert answers_rightly(store)
        assert codes(store) == ["chroma_not_used"]
    finally:
        process.kill()
        process.communicate()

"""What every vector store must do, whatever it is made of."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherloc.protocols import VectorStore
from sherloc.vectors.arrays import Matrix, best, cosines, to_unit

AXES = np.eye(4, dtype=np.float32)
DIAGONAL = to_unit([[1, 1, 0, 0]])[0]


def random_vectors(count: int, dimension: int = 4, seed: int = 0) -> Matrix:
    return to_unit(np.random.default_rng(seed).normal(size=(count, dimension)))


def same(found: dict[str, Any], keys: list[str], vectors: Any) -> bool:
    return list(found) == keys and all(np.array_equal(found[key], row) for key, row in zip(keys, vectors, strict=True))


def test_an_empty_store(open_any: Any) -> None:
    store = open_any()
    assert isinstance(store, VectorStore)
    assert (store.count(), store.get(["a"]), store.get([]), store.nearest(AXES[0], 5)) == (0, {}, {}, [])
    store.upsert([], np.zeros((0, 4)))
    store.upsert([], [])
    assert (store.count(), list(store.problems)) == (0, [])


def test_what_is_stored_comes_back_to_the_bit(open_any: Any) -> None:
    vectors = random_vectors(50)
    keys = [f"k{n:02}" for n in range(50)]
    store = open_any()
    store.upsert(keys, vectors)
    assert same(store.get(keys[::-1]), keys[::-1], vectors[::-1])
    assert same(store.get(["none", "k07", "k03", "k07"]), ["k07", "k03"], vectors[[7, 3]])
    assert all(row.dtype == np.float32 and row.shape == (4,) for row in store.get(keys).values())
    store.close()
    again = open_any()
    assert same(again.get(keys), keys, vectors)
    assert (again.count(), list(again.problems)) == (50, [])


def test_nearest_by_hand(open_any: Any) -> None:
    store = open_any()
    store.upsert(["x", "y", "z", "w"], AXES)
    store.upsert(["xy"], [DIAGONAL])
    assert store.nearest(DIAGONAL, 3) == [("xy", 1.0), ("x", 0.707107), ("y", 0.707107)]
    assert store.nearest(2 * AXES[3], 1) == [("w", 1.0)]
    assert store.nearest(-AXES[0], 10) == [("w", 0.0), ("y", 0.0), ("z", 0.0), ("xy", -0.707107), ("x", -1.0)]
    assert store.nearest(AXES[0], 0) == store.nearest(AXES[0], -3) == []


def test_nearest_is_that_of_exact_search(open_any: Any) -> None:
    vectors = random_vectors(300, seed=1)
    keys = [f"k{n:03}" for n in range(300)]
    store = open_any()
    order = np.random.default_rng(2).permutation(300)
    store.upsert([keys[n] for n in order], vectors[order])
    for vector in vectors[:5]:
        assert store.nearest(vector, 10) == best(keys, cosines(vectors, vector), 10)


def test_a_key_stored_again_is_replaced(open_any: Any) -> None:
    store = open_any()
    store.upsert(["a", "b", "a"], AXES[:3])
    assert same(store.get(["a", "b"]), ["a", "b"], AXES[[2, 1]])
    assert store.nearest(AXES[2], 1) == [("a", 1.0)]
    store.upsert(["b"], AXES[3:])
    assert store.nearest(AXES[3], 1) == [("b", 1.0)]
    assert store.count() == 2


def test_what_is_no_vector_is_refused_and_nothing_changes(open_any: Any) -> None:
    store = open_any()
    store.upsert(["a"], AXES[:1])
    for keys, bad in ((["a", "b"], AXES[:1]), (["b"], [[1.0, 0.0]]), (["a"], [[np.nan, 0, 0, 0]])):
        with pytest.raises(ValueError, match="vector"):
            store.upsert(keys, bad)
    with pytest.raises(ValueError, match="key"):
        store.upsert(["b", ""], AXES[:2])
    for bad in (AXES[0][:3], [np.inf, 0, 0, 0], AXES):
        with pytest.raises(ValueError, match="vector"):
            store.nearest(bad, 1)
    assert (store.count(), store.nearest(AXES[0], 2), list(store.problems)) == (1, [("a", 1.0)], [])


def test_embedders_are_kept_apart(open_any: Any) -> None:
    first, second, third = open_any("-1"), open_any("-2"), open_any("-1", 3)
    first.upsert(["a"], AXES[:1])
    second.upsert(["a", "b"], AXES[1:3])
    third.upsert(["c"], np.eye(3)[:1])
    assert same(first.get(["a", "b"]), ["a"], AXES[:1])
    assert second.nearest(AXES[1], 1) == [("a", 1.0)]
    assert [store.count() for store in (first, second, third)] == [1, 2, 1]
    assert list(third.get(["a", "c"])) == ["c"]


def test_what_another_store_wrote_is_seen(open_any: Any) -> None:
    reader, writer = open_any(), open_any()
    assert reader.nearest(AXES[0], 5) == []
    writer.upsert(["a"], AXES[:1])
    assert reader.nearest(AXES[0], 5) == [("a", 1.0)]
    writer.upsert(["a", "b"], AXES[1:3])
    assert reader.nearest(AXES[2], 5) == [("b", 1.0), ("a", 0.0)]
    assert (reader.count(), list(reader.get(["b", "a"]))) == (2, ["b", "a"])


def test_threads_share_a_store(open_any: Any) -> None:
    store = open_any()
    vectors = random_vectors(80, seed=3)
    failed: list[BaseException] = []

    def work(part: int) -> None:
        try:
            for n in range(part, 80, 4):
                store.upsert([f"k{n}"], vectors[n : n + 1])
                assert store.nearest(vectors[n], 1)[0][1] == 1.0
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert same(store.get([f"k{n}" for n in range(80)]), [f"k{n}" for n in range(80)], vectors)
    assert list(store.problems) == []


@pytest.mark.parametrize("key", ["ключ", "a" * 300, "x\ny"])
def test_keys_may_be_any_text(open_any: Any, key: str, tmp_path: Path, store_setting: str) -> None:
    store = open_any()
    store.upsert([key, "b"], AXES[:2])
    assert store.nearest(AXES[0], 2) == [(key, 1.0), ("b", 0.0)]
    assert list(store.problems) == []

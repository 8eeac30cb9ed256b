from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.vectors.arrays import best, checked, cosines, to_stored, to_unit

numbers = st.floats(-1e3, 1e3, width=32)


def test_unit_length_by_hand() -> None:
    found = to_unit([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    # between 0.5 and 1 numbers of 16 bits are 1/2048 apart: 0.6 is 1228.8 of them, 0.8 is 1638.4
    assert found.tolist() == [[1229 / 2048, 1638 / 2048], [0.0, 0.0], [0.0, -1.0]]
    assert found.dtype == np.float32


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=8))
def test_what_is_stored_once_stays(rows: list[list[float]]) -> None:
    unit = to_unit(rows)
    assert np.array_equal(to_stored(unit), unit)
    lengths = np.linalg.norm(unit, axis=1)
    assert all(length == 0 or abs(length - 1) < 1e-3 for length in lengths)


def test_cosines_by_hand() -> None:
    matrix = np.array([[1, 0], [0, 2], [-3, 0], [1, 1], [0, 0]], np.float32)
    assert cosines(matrix, np.array([2, 0], np.float32)).tolist() == [1.0, 0.0, -1.0, 0.707107, 0.0]
    assert cosines(matrix, np.zeros(2, np.float32)).tolist() == [0.0] * 5
    assert not np.signbit(cosines(matrix, np.array([2, 0], np.float32)))[1]


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_rows_cosine_does_not_depend_on_the_other_rows(count: int, seed: int) -> None:
    matrix = to_unit(np.random.default_rng(seed).normal(size=(count, 384)))
    together = cosines(matrix, matrix[0]).tolist()
    alone = [cosines(matrix[n : n + 1].copy(), matrix[0]).tolist()[0] for n in range(count)]
    assert together == alone


def test_equals_come_in_the_order_of_keys() -> None:
    similarities = np.array([0.5, 0.9, 0.5, 0.9])
    assert best(["a", "b", "c", "d"], similarities, 3) == [("b", 0.9), ("d", 0.9), ("a", 0.5)]
    assert best(["a"], similarities[:1], -1) == []
    assert best([], similarities[:0], 5) == []


def test_what_is_no_vector_is_refused() -> None:
    assert checked([], 0, 3).shape == (0, 3)
    for bad in ([[1.0, 2.0]], [[1.0, 2.0, np.nan]], [[1.0, 2.0, np.inf]], [[1.0, 2.0, 1e30]], [1.0, 2.0, 3.0], []):
        with pytest.raises(ValueError, match="vector"):
            checked(bad, 1, 3)

"""Arithmetic on vectors that gives the same result every time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float32]
DECIMALS = 6


def to_unit(matrix: ArrayLike) -> Matrix:
    """Rows brought to unit length and to the numbers that a store keeps; a row of zeros stays.

    Vectors are stored with 16 bits a number. They are rounded here, before first use, so that a vector just computed
    and the same one read from a store are equal. The length is then 1 within 0.0005.
    """
    wide = np.asarray(matrix, np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return to_stored(wide / np.where(length > 0, length, 1.0))


def to_stored(matrix: ArrayLike) -> Matrix:
    """Numbers as a store gives them back: rounded to 16 bits, held in 32."""
    return np.asarray(matrix).astype(np.float16).astype(np.float32)


def checked(vectors: ArrayLike, count: int, dimension: int) -> Matrix:
    """Vectors as a store takes them.

    Args:
        vectors: Shape ``(count, dimension)``.
        count: How many there must be.
        dimension: Of each.

    Raises:
        ValueError: Another shape, or a number that is not finite or too large for 16 bits.
    """
    matrix = np.asarray(vectors, np.float32).reshape(-1, dimension) if count == 0 else np.asarray(vectors, np.float32)
    if matrix.shape != (count, dimension):
        raise ValueError(f"vectors have the shape {matrix.shape}, not {(count, dimension)}")
    if not (np.abs(matrix) <= np.finfo(np.float16).max).all():
        raise ValueError("a vector holds a number that is not finite or too large")
    return to_stored(matrix)


def cosines(matrix: Matrix, vector: Matrix) -> NDArray[np.float64]:
    """Cosine of each row to a vector, to six decimals; 0 where either is all zeros.

    Every row is summed by itself: with a matrix product (BLAS) the last bits would depend on how many rows there are.

    Args:
        matrix: Shape ``(n, dimension)``.
        vector: Shape ``(dimension,)``.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix) * np.einsum("i,i->", vector, vector), dtype=np.float64)
    products = np.einsum("ij,j->i", matrix, vector)
    found: NDArray[np.float64] = np.round(products / np.where(lengths > 0, lengths, 1.0), DECIMALS)
    return np.clip(found, -1.0, 1.0) + 0.0  # no negative zero


def best(keys: Sequence[str], similarities: NDArray[np.float64], count: int) -> list[tuple[str, float]]:
    """The ``count`` keys of greatest similarity, best first.

    Args:
        keys: In ascending order, which decides between equals.
        similarities: One a key.
        count: How many at most.
    """
    order = np.argsort(-similarities, kind="stable")[: max(count, 0)]
    return [(keys[at], float(similarities[at])) for at in order]

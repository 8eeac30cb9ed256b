"""What several formats share: reading lists that may be nested, and names as Python users write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sherloc.errors import DataError


def texts(value: Any) -> Iterator[str]:
    """The texts in lists of lists, in order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))


def merged(samples: Any, where: str) -> list[str]:
    """One ranking out of a list, or out of several samples' lists: by the sum of reciprocal ranks, as LocAgent does.

    Raises:
        DataError: It is no list.
    """
    if samples is None:
        return []
    if not isinstance(samples, list):
        raise DataError(f"{where}: a list was expected, not {type(samples).__name__}.")
    if not any(isinstance(sample, list) for sample in samples):
        return list(dict.fromkeys(texts(samples)))
    weight: dict[str, float] = {}
    for sample in samples:
        for rank, item in enumerate(texts(sample), 1):
            weight[item] = weight.get(item, 0.0) + 1 / rank
    return sorted(weight, key=lambda item: -weight[item])


def clean_path(path: str) -> str:
    """A path without what others put before it."""
    return path.strip().removeprefix("./").lstrip("/")


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Without repetitions and empty ones."""
    return tuple(dict.fromkeys(item for item in items if item))


def count(record: Mapping[str, Any], *names: str) -> int | None:
    """The first of some fields that holds a whole number."""
    values = (record.get(name) for name in names)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)

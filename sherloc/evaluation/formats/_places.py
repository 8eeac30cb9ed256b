"""What several formats share: reading lists that may be nested, and names as Python users write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sherloc.errors import DataError


def texts(value: Any, where: str, field: str) -> Iterator[str]:
    """The texts in lists of lists, in order.

    Raises:
        DataError: There is something else in them.
    """
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))
        else:
            raise wrong(item, where, field, "texts, in lists or lists of lists")


def wrong(value: Any, where: str, field: str, wanted: str) -> DataError:
    """The error for a value of the wrong type."""
    return DataError(f"{where}: the field {field!r} holds {json.dumps(value):.80}, not {wanted}.")


def merged(record: Mapping[str, Any], field: str, where: str) -> list[str]:
    """One ranking out of a list, or out of several samples' lists: by the sum of reciprocal ranks, as LocAgent does.

    Raises:
        DataError: It is no list, or holds anything but texts.
    """
    samples = record.get(field)
    if samples is None:
        return []
    if not isinstance(samples, list):
        raise DataError(f"{where}: the field {field!r}: a list was expected, not {type(samples).__name__}.")
    if not any(isinstance(sample, list) for sample in samples):
        return list(dict.fromkeys(texts(samples, where, field)))
    weight: dict[str, float] = {}
    for sample in samples:
        for rank, item in enumerate(texts(sample, where, field), 1):
            weight[item] = weight.get(item, 0.0) + 1 / rank
    return sorted(weight, key=lambda item: -weight[item])


def clean_path(path: str) -> str:
    """A path without what others put before it."""
    return path.strip().removeprefix("./").lstrip("/")


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Without repetitions and empty ones."""
    return tuple(dict.fromkeys(item for item in items if item))


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The first of some fields that holds anything; None if none does."""
    return next((record[name] for name in names if record.get(name) is not None), None)

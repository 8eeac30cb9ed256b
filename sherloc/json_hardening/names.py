"""The names that a schema knows, at any depth: to tell an answer from prose, and exact texts from others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel, RootModel

from sherloc.json_hardening.fitting import arms, unwrap
from sherloc.json_hardening.keys import key_table
from sherloc.json_hardening.lexis import PROTECTED, fold
from sherloc.json_hardening.scalars import EachAlone, Exact

_COMPLETE = frozenset({"content", "newcontent", "filecontent"})


@dataclass(frozen=True, slots=True)
class Names:
    """Folded keys of a schema.

    Args:
        known: Every declared name of every field of every model in it; empty when it names none.
        protected: Those below which no repair may guess.
        complete: Those of texts that must be whole.
        loose: Whether it has a list whose items stand alone.
    """

    known: frozenset[str]
    protected: frozenset[str]
    complete: frozenset[str]
    loose: bool = False


def names_of(schema: Any) -> Names:
    """The names of a schema; cached where the schema can be hashed."""
    try:
        return _cached(schema)
    except TypeError:
        return _collect(schema)


@lru_cache(maxsize=128)
def _cached(schema: Any) -> Names:
    return _collect(schema)


def _collect(schema: Any) -> Names:
    known: set[str] = set()
    protected, complete = set(PROTECTED), set(_COMPLETE)
    seen: set[Any] = set()
    pending, loose = [schema], False
    while pending:
        annotation, markers = unwrap(pending.pop())
        loose = loose or any(isinstance(one, EachAlone) for one in markers)
        pending.extend(arms(annotation) or get_args(annotation))
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)) or annotation in seen:
            continue
        seen.add(annotation)
        folded = {alias: fold(alias) for alias in key_table(annotation).exact}
        if not issubclass(annotation, RootModel):
            known.update(folded.values())
        for alias, name in key_table(annotation).exact.items():
            info = annotation.model_fields[name]
            pending.append(info.annotation)
            loose = loose or any(isinstance(one, EachAlone) for one in info.metadata)
            exact = [one for one in (*unwrap(info.annotation)[1], *info.metadata) if isinstance(one, Exact)]
            protected.update(folded[alias] for _ in exact)
            complete.update(folded[alias] for one in exact if one.complete)
    return Names(frozenset(known), frozenset(protected), frozenset(complete), loose)

"""When a model is given up: it failed, or could not be read, several times in a row, whatever it was asked for."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Iterator, Mapping
from typing import Literal

from sherloc.errors import ModelStoppedError

Kind = Literal["call", "reply", "final"]
Failures = list[tuple[str, "Kind | None", int]]
"""What happened with which models, in order: a failure so many times, or (None) a reply that could be read."""

MOST: Mapping[Kind, int] = {"call": 3, "reply": 6, "final": 1}
"""Failures in a row, of all roles of a model together, after which it is not asked any more in this run."""

_OWN: contextvars.ContextVar[Failures | None] = contextvars.ContextVar("failures", default=None)
"""What happened in this context, where it is collected."""

_WORDS: Mapping[Kind, str] = {
    "call": "failed {} times in a row",
    "reply": "gave {} replies in a row that are no answer",
    "final": "failed in a way that asking again cannot mend",
}


class Patience:
    """Counts failures in a row by model; thread-safe.

    Works that run side by side collect their own (``collecting``), which count for all once they are added: so the same
    replies give the same decisions, in whatever order they came.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, Kind], int] = {}

    @contextlib.contextmanager
    def collecting(self, failures: Failures) -> Iterator[None]:
        """Within the block what happens in this context is put into a list, and counts only in this context."""
        held = _OWN.set(failures)
        try:
            yield
        finally:
            _OWN.reset(held)

    def add(self, failures: Failures) -> None:
        """Count what was collected; a model that is given up stays so."""
        with self._lock:
            _count(self._counts, failures)

    def failed(self, model: str, kind: Kind, *, times: int = 1) -> None:
        """A call failed, or replies could not be read.

        Args:
            model: Its name.
            kind: What failed; ``final``: a call, and asking again cannot help.
            times: How often.
        """
        if times:
            self._note(model, kind, times)

    def worked(self, model: str) -> None:
        """A reply could be read."""
        self._note(model, None, 0)

    def check(self, model: str) -> None:
        """Nothing, unless the model is given up.

        Raises:
            ModelStoppedError: It is.
        """
        reason = self.given_up(model)
        if reason:
            raise ModelStoppedError(f"The model {model} {reason}; it is not asked any more in this run.")

    def given_up(self, model: str) -> str:
        """Why a model is not asked any more, in words; empty while it is."""
        with self._lock:
            counts = dict(self._counts)
        _count(counts, _OWN.get() or [])
        for kind in MOST:
            if (count := counts.get((model, kind), 0)) >= MOST[kind]:
                return _WORDS[kind].format(count)
        return ""

    def all_given_up(self) -> dict[str, str]:
        """Models that are not asked any more, by name, and why; sorted."""
        with self._lock:
            names = sorted({model for model, _ in self._counts})
        return {name: why for name in names if (why := self.given_up(name))}

    def _note(self, model: str, kind: Kind | None, times: int) -> None:
        own = _OWN.get()
        if own is None:
            self.add([(model, kind, times)])
        else:
            own.append((model, kind, times))


def _count(counts: dict[tuple[str, Kind], int], failures: Failures) -> None:
    for model, kind, times in failures:
        if any(counts.get((model, each), 0) >= MOST[each] for each in MOST):
            continue
        if kind is None:
            counts[model, "call"] = counts[model, "reply"] = 0
        else:
            counts[model, kind] = counts.get((model, kind), 0) + times

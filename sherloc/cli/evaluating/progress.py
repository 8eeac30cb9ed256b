"""How far a run is, with the time that remains: a bar on a terminal, a line now and then otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sherloc.cli.common import Talk

if TYPE_CHECKING:
    from sherloc.evaluation.runner import Progress

_LINES_EVERY = 30.0


class RunProgress:
    """Shows the progress of a run; use it as a context manager and as ``on_progress``.

    Args:
        talk: --quiet shows nothing, --verbose a line for each answer.
    """

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._on_terminal = sys.stderr.isatty() and not talk.quiet
        self._told = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show it."""
        if self._on_terminal:
            self._draw(progress)
            return
        soon = time.monotonic() - self._told < _LINES_EVERY
        if self._talk.verbose or not soon or progress.latest is None or progress.done == progress.total:
            self._told = time.monotonic()
            self._talk.say(in_words(progress))

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Bar

            from sherloc.render.console import make_console

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
            self._bar = Bar(*columns, console=make_console(sys.stderr, no_color=self._talk.no_color), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=progress.total)
        self._bar.update(self._task, completed=progress.done, description=_rest(progress))


def in_words(progress: Progress) -> str:
    """``12 of 407, 1 failed, 5 min left: django__django-1``."""
    latest = f": {progress.latest.instance_id}" if progress.latest is not None else ""
    return ", ".join(filter(None, (f"{progress.done} of {progress.total}", _rest(progress)))) + latest


def _rest(progress: Progress) -> str:
    parts = [f"{progress.failed} failed"] if progress.failed else []
    if progress.seconds_left is not None and progress.done < progress.total:
        parts.append(f"{_duration(progress.seconds_left)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

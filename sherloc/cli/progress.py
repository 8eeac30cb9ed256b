"""Progress on stderr: a bar on a terminal, lines with --verbose otherwise, nothing for what is soon done."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sherloc.cli.common import Talk

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_PATIENCE = 0.5
_LINES_EVERY = 3.0
_SHOWN = {
    "index": ("indexing", "files"),
    "embed": ("embedding", "snippets"),
    "diagnosis": ("diagnosing", "calls"),
    "exploration": ("exploring", "turns"),
}


class Progress:
    """Shows how far stages are. Call it with (stage, done, total); use it as a context manager.

    Args:
        talk: --quiet shows nothing.
        stage: The stage that is shown, instead of those of ``locate``; the end of it is the beginning of another.
        unit: What is counted in it.
    """

    def __init__(self, talk: Talk, *, stage: str = "", unit: str = "") -> None:
        self._talk, self._shown = talk, {stage: (stage, unit)} if stage else _SHOWN
        self._on_terminal = sys.stderr.isatty() and not talk.quiet
        self._start = self._told = time.monotonic()
        self._stage = ""
        self._bar: Bar | None = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` are done."""
        if stage != self._stage:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None
            self._stage = stage
        if stage not in self._shown:
            return
        words, unit = self._shown[stage]
        if self._on_terminal:
            self._draw(words, unit, done, total)
        elif self._talk.verbose and (done == total or time.monotonic() - self._told >= _LINES_EVERY):
            self._told = time.monotonic()
            self._talk.say(f"{words}: {done} of {total} {unit}")

    def _draw(self, words: str, unit: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < _PATIENCE or done >= total:
                return
            self._bar = _make_bar(self._talk, unit)
            self._bar.start()
            self._task = self._bar.add_task(words, total=total)
        self._bar.update(self._task, completed=done)


def _make_bar(talk: Talk, unit: str) -> Bar:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    from sherloc.render.console import make_console

    return RichProgress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn(),
        console=make_console(sys.stderr, no_color=talk.no_color), transient=True,
    )  # fmt: skip

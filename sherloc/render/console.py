"""A rich console that suits a stream: colour only where it is wanted, marks only where they can be written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, TextIO

from rich.console import Console

_PIPE_WIDTH = 100
_LEAST_WIDTH = 20
_MARKS = {"here": ("▶", ">"), "dot": ("·", "-"), "dash": ("–", "-"), "more": ("…", "..."), "rule": ("─", "-")}


class _Console(Console):
    """Leaves a reader that went away to the caller, where rich would end the process."""

    def on_broken_pipe(self) -> None:
        raise  # rich calls it while it handles the error


def make_console(stream: TextIO, *, no_color: bool = False) -> Console:
    """A console on a stream.

    Args:
        stream: Where it writes.
        no_color: No colour, whatever else says so.
    """
    terminal = stream.isatty()
    colour = wants_colour(os.environ, terminal=terminal, no_color=no_color)
    columns = os.environ.get("COLUMNS", "")
    is_told = columns.isdecimal() and int(columns[:9]) > 0
    width = None if is_told or (terminal and not columns.isdecimal()) else _PIPE_WIDTH
    console = _Console(
        file=stream, width=width, force_terminal=terminal or colour, no_color=not colour,
        color_system=_colour_system(terminal) if colour else None, highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    console.width = max(console.width, _LEAST_WIDTH)
    return console


def wants_colour(environment: Mapping[str, str], *, terminal: bool, no_color: bool) -> bool:
    """Whether to use colour: the option first, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal.

    Args:
        environment: The process's.
        terminal: Whether the stream is a terminal.
        no_color: The option --no-color.
    """
    if no_color or environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return terminal and environment.get("TERM") != "dumb"


def _colour_system(terminal: bool) -> Literal["auto", "256"]:
    """A pipe says nothing of its colours; 256 are understood wherever logs show colour at all."""
    return "auto" if terminal and os.environ.get("TERM", "dumb") != "dumb" else "256"


def mark(console: Console, name: str) -> str:
    """A typographic mark, or its ASCII stand-in where the stream cannot write it.

    Args:
        console: Where it is to stand.
        name: ``here``, ``dot``, ``dash``, ``more`` or ``rule``.
    """
    fine, plain = _MARKS[name]
    try:
        fine.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return plain
    return fine

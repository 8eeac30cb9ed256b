"""Pieces of layout that reports and explanations share."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sherloc.render.console import mark
from sherloc.visible import one_line

_LEAST_WIDTH = 20


def print_title(title: str, console: Console) -> None:
    """A heading with an empty line above."""
    console.print()
    console.print(Text(title, "bold"))


def print_bullet(
    text: str, console: Console, *, sign: str = " ", style: str = "", dim: bool = False, indent: str = "   "
) -> None:
    """A sentence behind a sign, wrapped with its lines below each other.

    Args:
        text: The sentence.
        console: Where.
        sign: One character.
        style: Of the sign.
        dim: Whether the sentence is less important.
        indent: Before the sign.
    """
    hang = len(indent) + 2
    body = Text(one_line(text), "dim" if dim else "")
    for number, line in enumerate(body.wrap(console, max(_LEAST_WIDTH, console.width - hang))):
        line.rstrip()
        head = Text(f"{indent}{sign} ", style) if number == 0 else Text(" " * hang)
        console.print(Text.assemble(head, line), soft_wrap=True)


def print_items(items: Sequence[str], console: Console, *, style: str = "", indent: str = "  ") -> None:
    """Items with commas between them; lines break between items only.

    Args:
        items: Short texts.
        console: Where.
        style: Of all of them.
        indent: Before each line.
    """
    room = max(_LEAST_WIDTH, console.width - len(indent))
    lines = [""]
    for number, item in enumerate(items):
        piece = item + ("," if number < len(items) - 1 else "")
        if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(piece) > room:
            lines.append("")
        lines[-1] += f" {piece}" if lines[-1] else piece
    for line in lines:
        console.print(Text(indent + line, style), soft_wrap=True)


def shortened(text: str, room: int, console: Console, *, style: str = "dim") -> Text:
    """A text cut to some room, with a mark where something is missing.

    Args:
        text: One line.
        room: In cells.
        console: Says which mark can be written.
        style: Of the text.
    """
    whole = Text(text, style)
    if whole.cell_len > room:
        more = mark(console, "more")
        whole.truncate(max(0, room - cell_len(more)))
        whole.rstrip()
        whole.append(more)
    return whole

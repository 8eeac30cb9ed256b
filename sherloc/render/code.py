"""Code on a terminal: numbers, suspect lines marked, syntax coloured."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from sherloc.render.console import mark
from sherloc.schema.change_set import ChangeSet
from sherloc.visible import visible_code

_TAB = 4


def code_lines(change_set: ChangeSet, console: Console, *, around: int = 4) -> list[Text]:
    """The lines of a change set's context, each with its number; suspect lines are marked.

    Args:
        change_set: Its ``context_code_snippet`` is shown.
        console: Where they will be printed; says whether marks and colour can be used.
        around: Lines of context before and after the suspect ones.
    """
    first = change_set.context_start_line or 1
    target = change_set.target_location
    lines = _highlighted(change_set, console)
    start, end = target.start_line or first, target.end_line or first + len(lines) - 1
    width = len(str(first + len(lines)))
    shown = []
    for number, line in enumerate(lines, first):
        if start - around <= number <= end + around:
            suspect = target.start_line is not None and start <= number <= end
            shown.append(_numbered(line, number, width, suspect, console))
    return _without_blank_ends(shown)


def _numbered(line: Text, number: int, width: int, suspect: bool, console: Console) -> Text:
    """A line behind its number. Context is dimmed: unlike a background, that suits dark and light terminals."""
    pointer = mark(console, "here") if suspect else " "
    whole = Text.assemble(
        (f"{pointer} ", "bold red"), (f"{number:>{width}}", "bold red" if suspect else ""), "  ", line
    )
    whole.rstrip()
    room = console.width
    if whole.cell_len > room:
        whole.truncate(room - len(mark(console, "more")))
        whole.append(mark(console, "more"), "dim")
    if not suspect:
        whole.stylize("dim")
    return whole


def _highlighted(change_set: ChangeSet, console: Console) -> list[Text]:
    """The code as coloured lines; plain where there is no colour, which spares loading the highlighter."""
    code = visible_code(change_set.context_code_snippet).expandtabs(_TAB)
    plain = code.split("\n") if code else []
    if not console.color_system:
        return [Text(line) for line in plain]
    from rich.syntax import Syntax

    lexer = Syntax.guess_lexer(change_set.file_path, code)
    coloured = Syntax(code, lexer, theme="ansi_dark", background_color="default").highlight(code).split("\n")
    lines = list(coloured)[: len(plain)]
    return lines + [Text(line) for line in plain[len(lines) :]]


def _without_blank_ends(lines: list[Text]) -> list[Text]:
    while lines and not lines[0].plain.strip(" 0123456789"):
        lines.pop(0)
    while lines and not lines[-1].plain.strip(" 0123456789"):
        lines.pop()
    return lines

"""A report on a terminal: the place first, then the lists, then the code."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sherloc.render.code import code_lines
from sherloc.render.console import mark
from sherloc.render.layout import print_bullet, print_title, shortened
from sherloc.render.words import (
    chance,
    change_in_words,
    evidence_in_words,
    level_in_words,
    place,
    revision_in_words,
    seconds_in_words,
    why,
)
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.report import RankedFile, RankedFunction, Report
from sherloc.visible import one_line, visible

_LEVEL_STYLE = {"high": "bold green", "medium": "bold yellow", "low": "bold yellow"}
_ROWS = 5
_CHANGE_SETS = 3
_AROUND = 4
_LITTLE_AROUND = 1
_EVERYTHING = 10_000
_UNKNOWN = "unknown"
_EVIDENCE = 3
_ROOM_FOR_WHY = 28
_INDENT = " " * 10


def print_report(report: Report, console: Console, *, top: int | None = None, verbose: bool = False) -> None:
    """Print a report.

    Args:
        report: What ``locate`` gave.
        console: Where.
        top: Rows of each table; None is five.
        verbose: All change sets, all context, all evidence, and how long each stage took.
    """
    rows = _ROWS if top is None else top
    _print_head(report, console)
    if not report.ranked_files:
        return
    _print_files(report.ranked_files[:rows], console)
    _print_functions(report.ranked_functions[:rows], console)
    shown = report.change_sets[: None if verbose else _CHANGE_SETS]
    for number, change_set in enumerate(shown, 1):
        _print_change_set(change_set, number, console, unsaid=_said_by_all(shown), verbose=verbose)
    _print_unknown(_said_by_all(shown), console, indent="")
    if verbose:
        _print_stages(report, console)


def _print_head(report: Report, console: Console) -> None:
    dot = f" {mark(console, 'dot')} "
    where = one_line(report.repository)
    if report.revision:
        where += f" @ {revision_in_words(report.revision)}"
    console.print(Text.assemble((where, "bold"), (dot + seconds_in_words(report.run.seconds), "dim")))
    sure = Text(level_in_words(report.confidence), _LEVEL_STYLE.get(report.confidence, ""))
    if report.short_cut:
        sure.append(f"{dot}the issue names its place outright", "green")
    console.print(sure)
    for reason in report.confidence_reasons:
        print_bullet(reason, console, sign=mark(console, "dash"), style="dim", dim=True, indent="  ")
    if report.change_sets:
        first = report.change_sets[0]
        target = first.target_location
        head = Text.assemble((f"{mark(console, 'here')} ", "bold red"), (_place_of(first), "bold cyan"))
        if target.function_name:
            head.append(f"  {one_line(target.function_name)}", "bold")
        console.print()
        console.print(head, soft_wrap=True)


def _place_of(change_set: ChangeSet) -> str:
    target = change_set.target_location
    return place(visible(change_set.file_path), target.start_line, target.end_line)


def _print_files(files: Sequence[RankedFile], console: Console) -> None:
    """A line a file; the reason goes below the path where the line has no room for it."""
    print_title("Files", console)
    longest = max((cell_len(visible(file.path)) for file in files), default=0)
    room = console.width - len(_INDENT) - longest - 2
    for rank, file in enumerate(files, 1):
        path, reason = visible(file.path), why(file.signals)
        line = _ranked(rank, file.confidence)
        line.append(path, "cyan")
        if room >= _ROOM_FOR_WHY:
            line.append(" " * (longest - cell_len(path) + 2))
            line.append_text(shortened(reason, room, console))
            reason = ""
        console.print(line, soft_wrap=True)
        _print_why(reason, console)


def _print_functions(functions: Sequence[RankedFunction], console: Console) -> None:
    """Two lines a function: its name and place, and why; three where a line has no room for name and place."""
    if functions:
        print_title("Functions", console)
    for rank, function in enumerate(functions, 1):
        line = _ranked(rank, function.confidence)
        line.append(one_line(function.qualified_name), "bold")
        where = place(visible(function.path), function.start_line, function.end_line)
        fits = line.cell_len + 2 + cell_len(where) <= console.width
        line.append("  " if fits else f"\n{_INDENT}")
        line.append(where, "cyan")
        console.print(line, soft_wrap=True)
        _print_why(why(function.signals), console)


def _ranked(rank: int, confidence: float) -> Text:
    return Text.assemble((f"{rank:>3} ", "dim"), (f"{chance(confidence):>4}", _chance_style(confidence)), "  ")


def _chance_style(confidence: float) -> str:
    return "green" if confidence >= 0.6 else "yellow" if confidence >= 0.3 else "dim"


def _print_why(reason: str, console: Console) -> None:
    if reason:
        console.print(Text.assemble(_INDENT, shortened(reason, console.width - len(_INDENT), console)), soft_wrap=True)


def _print_change_set(change_set: ChangeSet, number: int, console: Console, *, unsaid: Set[str], verbose: bool) -> None:
    target = change_set.target_location
    head = Text.assemble((f"{number}  ", "bold"), (_place_of(change_set), "bold cyan"))
    if target.function_name:
        head.append(f"  {one_line(target.function_name)}", "bold")
    head.append(" ")
    head.append(mark(console, "rule") * max(0, console.width - head.cell_len), "dim")
    console.print()
    console.print(head, soft_wrap=True)
    _print_nature(change_set, console)
    around = _EVERYTHING if verbose else _AROUND if number == 1 else _LITTLE_AROUND
    for line in code_lines(change_set, console, around=around):
        console.print(line, soft_wrap=True)
    most = _EVERYTHING if verbose else _EVIDENCE if number == 1 else 1
    _print_evidence(change_set, console, unsaid, most)


def _print_nature(change_set: ChangeSet, console: Console) -> None:
    dot = f" {mark(console, 'dot')} "
    parts = [f"{chance(change_set.confidence)} likely", change_in_words(change_set.change_type.value)]
    if change_set.new_file:
        parts.append("a new file")
    nature = Text(f"   {dot.join(parts)}", "yellow")
    if change_set.stale:
        nature.append(f"{dot}the file changed after it was indexed", "bold red")
    expected = one_line(change_set.expected_change_nature)
    if expected and nature.cell_len + len(dot) + cell_len(expected) <= console.width:
        nature.append(f"{dot}{expected}", "dim")
        expected = ""
    console.print(nature)
    if expected:
        console.print(Text(f"   {expected}", "dim"))


def _print_evidence(change_set: ChangeSet, console: Console, unsaid: Set[str], most: int) -> None:
    items = [item for item in change_set.diagnostic_evidence if item.source != _UNKNOWN]
    for item in items[:most]:
        print_bullet(evidence_in_words(item.source, item.description), console, sign="+", style="green")
    if len(items) > most > 1:
        print_bullet(f"and {len(items) - most} more (-v)", console, dim=True)
    unknown = {item.description for item in change_set.diagnostic_evidence if item.source == _UNKNOWN}
    _print_unknown(unknown - unsaid, console)


def _print_unknown(sentences: Set[str], console: Console, *, indent: str = "   ") -> None:
    if sentences and not indent:
        console.print()
    for sentence in sorted(sentences):
        print_bullet(sentence, console, sign="?", style="yellow", indent=indent)


def _said_by_all(change_sets: Sequence[ChangeSet]) -> Set[str]:
    """What is unknown of every place is said once, at the end."""
    unknown = [{i.description for i in c.diagnostic_evidence if i.source == _UNKNOWN} for c in change_sets]
    return set.intersection(*unknown) if len(unknown) > 1 else set()


def _print_stages(report: Report, console: Console) -> None:
    stages = ", ".join(f"{one_line(stage.stage)} {seconds_in_words(stage.seconds)}" for stage in report.run.stages)
    run = report.run
    console.print()
    console.print(Text(f"{stages}; {run.files_parsed} files parsed, {run.files_reused} reused", "dim"))

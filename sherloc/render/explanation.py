"""Why a file is, or is not, among those to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rich.console import Console
from rich.text import Text

from sherloc.render.console import mark
from sherloc.render.layout import print_bullet, print_items, print_title
from sherloc.render.words import chance, place, sign_in_words
from sherloc.schema.report import SignalRecord
from sherloc.visible import one_line, visible

Standing = Literal[
    "ranked", "no_shared_term", "side_file", "out_of_scope", "skipped", "unknown_kind", "ignored", "folder", "no_code"
]
_FUNCTIONS = 5
_WORDS = 10


@dataclass(frozen=True, slots=True)
class FunctionStanding:
    """A function of the explained file; ``rank`` is among all functions of the repository."""

    rank: int
    qualified_name: str
    start_line: int
    end_line: int
    score: float
    signals: tuple[SignalRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a file stands for an issue.

    Attributes:
        path: Relative to the repository.
        standing: ``ranked``, or why it has no rank.
        reason: That in a sentence.
        rank: Among the files that have a score; None without one.
        ranked_files: How many those are.
        chance: The estimated chance that it must change; None below the files that get an estimate.
        score: Fused score; 0 without a rank.
        signals: Strongest first.
        words: The issue's words that it holds: (word, weight in this issue and repository, snippets with it).
        lacks: The issue's heaviest words that it does not hold.
        functions: Its best functions.
        instead: Paths to look at instead.
    """

    path: str
    standing: Standing
    reason: str
    rank: int | None = None
    ranked_files: int = 0
    chance: float | None = None
    score: float = 0.0
    signals: tuple[SignalRecord, ...] = ()
    words: tuple[tuple[str, float, int], ...] = ()
    lacks: tuple[str, ...] = ()
    functions: tuple[FunctionStanding, ...] = ()
    instead: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """As JSON."""
        value = asdict(self)
        value["words"] = [{"word": word, "weight": weight, "snippets": count} for word, weight, count in self.words]
        value["signals"] = [signal.model_dump() for signal in self.signals]
        for function, record in zip(self.functions, value["functions"], strict=True):
            record["signals"] = [signal.model_dump() for signal in function.signals]
        return value


def print_explanation(explanation: Explanation, console: Console, *, verbose: bool = False) -> None:
    """Print it.

    Args:
        explanation: What to print.
        console: Where.
        verbose: All words and functions, with scores.
    """
    _print_standing(explanation, console)
    _print_signals(explanation.signals, console, verbose=verbose)
    _print_words(explanation, console, verbose=verbose)
    shown = explanation.functions[: None if verbose else _FUNCTIONS]
    if shown:
        print_title("Its best functions", console)
    for function in shown:
        _print_function(function, explanation.path, console)
    for number, path in enumerate(explanation.instead):
        if number == 0:
            print_title("Look at", console)
        console.print(Text(f"  {visible(path)}", "cyan"), soft_wrap=True)


def _print_standing(explanation: Explanation, console: Console) -> None:
    dot = f" {mark(console, 'dot')} "
    head = Text(visible(explanation.path), "bold cyan")
    if explanation.rank is not None:
        head.append(f"{dot}rank {explanation.rank} of {explanation.ranked_files}", "bold")
    if explanation.chance is not None:
        head.append(f"{dot}{chance(explanation.chance)} likely", "yellow")
    console.print(head, soft_wrap=True)
    console.print(Text(one_line(explanation.reason)))


def _print_signals(signals: Sequence[SignalRecord], console: Console, *, verbose: bool) -> None:
    if signals:
        print_title("Signs", console)
    for signal in signals:
        line = sign_in_words(signal)
        details = [f"line {signal.line}"] if signal.line else []
        details += [f"{signal.channel} {signal.score:.2f}"] if verbose else []
        if details:
            line += f" ({', '.join(details)})"
        print_bullet(line, console, sign="+", style="green", indent="  ")


def _print_words(explanation: Explanation, console: Console, *, verbose: bool) -> None:
    """Words with their weight: how much a word tells in this issue and this repository."""
    shown = explanation.words[: None if verbose else _WORDS]
    if shown:
        print_title("Words of the issue that it holds, with their weight", console)
        parts = [f"{one_line(word)} {weight:.1f}" for word, weight, _ in shown]
        left = len(explanation.words) - len(shown)
        print_items(parts + ([f"and {left} more"] if left else []), console)
    if explanation.lacks and explanation.standing in ("ranked", "no_shared_term", "side_file"):
        print_title("Words that it lacks", console)
        print_items([one_line(word) for word in explanation.lacks], console, style="dim")


def _print_function(function: FunctionStanding, path: str, console: Console) -> None:
    line = Text.assemble((f"{function.rank:>6}  ", "dim"), (one_line(function.qualified_name), "bold"), "  ")
    line.append(place(visible(path), function.start_line, function.end_line), "cyan")
    console.print(line, soft_wrap=True)
    for signal in function.signals[:2]:
        print_bullet(sign_in_words(signal), console, dim=True, indent=" " * 6)

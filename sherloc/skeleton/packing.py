"""One file within a number of tokens: what matters in full, as much of the skeleton as fits around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.skeleton.docs import Docs
from sherloc.skeleton.expand import definitions
from sherloc.skeleton.hiding import GAP
from sherloc.skeleton.make import Lines, Skeleton, make_skeleton
from sherloc.skeleton.relevance import relevance
from sherloc.syntax import LANGUAGES, Definition
from sherloc.tokens import NamedTokenizer

_LEVELS: tuple[tuple[Docs, bool], ...] = (("all", True), ("first", True), ("none", True), ("none", False))
_FULL_SHARE = 0.75  # of the budget, for definitions in full, before the skeleton around them has its turn


@dataclass(frozen=True, slots=True)
class Packed:
    """What is shown of a file.

    Attributes:
        text: The text.
        tokens: How many tokens it has.
        level: ``whole``, ``skeleton`` (all of it), ``part`` (not even all heads fit), or ``nothing``.
        whole: Lines of definitions that are shown in full, 1-based and inclusive, by start.
        lines: For each line of ``text`` the line of the file; 0 for a line that stands for others.
    """

    text: str
    tokens: int
    level: str
    whole: tuple[Lines, ...] = ()
    lines: tuple[int, ...] = ()


def pack_file(
    text: str,
    language: str,
    budget: int,
    tokenizer: NamedTokenizer,
    *,
    task: str = "",
    wanted: Sequence[Lines] = (),
    shown: Sequence[Lines] = (),
    docs: Docs = "first",
    attributes: bool = True,
) -> Packed:
    """Show as much of a file as a budget allows, by value.

    A file that fits is whole. Otherwise the functions that are wanted, then those that share most with the task, are
    shown in full, and the rest is a skeleton, with less and less documentation; at last heads are left out, those that
    matter least first.

    Args:
        text: The file's text.
        language: Its language; of a file without a grammar the beginning is shown.
        budget: Tokens.
        tokenizer: Counts them.
        task: What is to be done, in words.
        wanted: Lines that matter, 1-based and inclusive; the functions around them come first.
        shown: Lines of functions that are shown elsewhere; they have no bodies here.
        docs: How much documentation the skeleton has at most.
        attributes: Whether the skeleton has what constructors set.
    """
    fitting = all_but(text, language, shown, tokenizer)
    if fitting.tokens <= budget:
        return fitting
    if language not in LANGUAGES:
        return _beginning(text.split("\n"), budget, tokenizer)
    return _Packer(text, language, budget, tokenizer, task, wanted, shown, (docs, attributes)).pack()


def all_but(text: str, language: str, shown: Sequence[Lines], tokenizer: NamedTokenizer) -> Packed:
    """All of a file, but for the bodies of functions that are shown elsewhere.

    Args:
        text: Its text.
        language: Its language.
        shown: Lines of those functions, 1-based and inclusive.
        tokenizer: Counts tokens.
    """
    if shown and language in LANGUAGES:
        spans = [(d.start_line, d.end_line) for d in definitions(text, language)]
        others = sorted(span for span in spans if not any(_overlap(span, lines) for lines in shown))
        made = make_skeleton(text, language, whole=others)
        return Packed(made.text, tokenizer.count(made.text), "skeleton", tuple(others), made.lines)
    count = text.count("\n") + 1
    return Packed(text, tokenizer.count(text), "whole", ((1, count),), tuple(range(1, count + 1)))


def _overlap(one: Lines, other: Lines) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _beginning(lines: Sequence[str], budget: int, tokenizer: NamedTokenizer) -> Packed:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count("\n".join([*lines[:middle], GAP])) <= budget:
            low = middle
        else:
            high = middle - 1
    shown = "\n".join([*lines[:low], GAP]) if low else ""
    return Packed(
        shown, tokenizer.count(shown), "part" if low else "nothing", lines=(*range(1, low + 1), 0) if low else ()
    )


class _Packer:
    """One file on its way into a budget."""

    def __init__(
        self, text: str, language: str, budget: int, tokenizer: NamedTokenizer, task: str, wanted: Sequence[Lines],
        shown: Sequence[Lines], most: tuple[Docs, bool],
    ) -> None:  # fmt: skip
        self._text = text
        self._language = language
        self._budget = budget
        self._tokenizer = tokenizer
        self._lines = text.split("\n")
        self._definitions = definitions(text, language)
        self._values = self._value(task, wanted)
        self._shown_elsewhere = shown
        self._levels = [level for level in _LEVELS if level >= most and level[1] <= most[1]] or [most]

    def _value(self, task: str, wanted: Sequence[Lines]) -> list[float]:
        """The value of each definition: with wanted lines in it above all others, then by the task."""
        texts = [(d.qualified_name, self._source(d)) for d in self._definitions]
        scores = relevance(task, texts) if task else [0.0] * len(texts)
        top = max(scores, default=0.0) + 1.0
        for number, d in enumerate(self._definitions):
            if any(first <= d.end_line and d.start_line <= last for first, last in wanted):
                scores[number] += top
        return scores

    def _source(self, definition: Definition) -> str:
        return "\n".join(self._lines[definition.start_line - 1 : definition.end_line])

    def pack(self) -> Packed:
        chosen = self._in_full()
        for docs, attributes in self._levels:
            packed = self._shown(chosen, docs, attributes)
            if packed.tokens <= self._budget:
                return self._filled(chosen, packed, docs, attributes)
        return self._trimmed(chosen)

    def _ranked(self) -> list[int]:
        """Functions with some value, best first; classes are shown through their methods."""
        numbers = [
            n
            for n, d in enumerate(self._definitions)
            if d.kind != "class"
            and self._values[n] > 0
            and not any(first <= d.start_line and d.end_line <= last for first, last in self._shown_elsewhere)
        ]
        return sorted(numbers, key=lambda n: (-self._values[n], self._definitions[n].start_line))

    def _in_full(self) -> list[int]:
        """Functions to show in full before the skeleton is looked at."""
        left = self._budget * _FULL_SHARE
        chosen: list[int] = []
        for number in self._ranked():
            if self._is_inside(number, chosen):
                continue
            cost = self._tokenizer.count(self._source(self._definitions[number]))
            if cost <= left:
                chosen.append(number)
                left -= cost
            if left < 20:
                break
        return chosen

    def _is_inside(self, number: int, chosen: Sequence[int]) -> bool:
        d = self._definitions[number]
        outer = [self._definitions[other] for other in chosen]
        return any(o.start_line <= d.start_line and d.end_line <= o.end_line for o in outer)

    def _shown(self, chosen: Sequence[int], docs: Docs, attributes: bool) -> Packed:
        whole = self._whole(chosen)
        made = make_skeleton(self._text, self._language, docs=docs, attributes=attributes, whole=whole)
        return Packed(made.text, self._tokenizer.count(made.text), "skeleton", whole, made.lines)

    def _whole(self, chosen: Sequence[int]) -> tuple[Lines, ...]:
        return tuple(sorted((self._definitions[n].start_line, self._definitions[n].end_line) for n in chosen))

    def _filled(self, chosen: list[int], packed: Packed, docs: Docs, attributes: bool) -> Packed:
        """With what else fits in full."""
        left = self._budget - packed.tokens
        more = list(chosen)
        for number in self._ranked():
            if self._is_inside(number, more):
                continue
            cost = self._tokenizer.count(self._source(self._definitions[number]))
            if cost <= left:
                more.append(number)
                left -= cost
            if left < 20:
                break
        fuller = self._shown(more, docs, attributes) if len(more) > len(chosen) else packed
        return fuller if fuller.tokens <= self._budget else packed

    def _trimmed(self, chosen: list[int]) -> Packed:
        """Heads are left out, those of least value first, until what is left fits."""
        docs, attributes = self._levels[-1]
        while True:
            whole = self._whole(chosen)
            made = make_skeleton(self._text, self._language, docs=docs, attributes=attributes, whole=whole)
            owners, ranks = self._owners(made), self._head_ranks(chosen)
            low, high = 0, len(ranks)
            best: Packed | None = None
            while low <= high:
                middle = (low + high) // 2
                packed = self._selected(made, owners, set(ranks[:middle]), whole)
                if packed.tokens <= self._budget:
                    best, low = packed, middle + 1
                else:
                    high = middle - 1
            if best is not None and (low > len(chosen) or not chosen):
                return best
            if not chosen:
                return Packed("", 0, "nothing")
            chosen = chosen[:-1]

    def _owners(self, made: Skeleton) -> list[int]:
        """The innermost definition around each line of a skeleton, or -1."""
        innermost = [-1] * (len(self._lines) + 2)
        for number, d in enumerate(self._definitions):
            innermost[d.start_line : d.end_line + 1] = [number] * (d.end_line - d.start_line + 1)
        return [innermost[line] for line in made.lines]

    def _head_ranks(self, chosen: Sequence[int]) -> list[int]:
        """Definitions by how much their heads matter: those in full, by value, by place; -1 is module code."""
        others = [n for n in range(len(self._definitions)) if n not in set(chosen)]
        others.sort(key=lambda n: (-self._values[n], n))
        return [*chosen, *others[:1], -1, *others[1:]]

    def _selected(self, made: Skeleton, owners: Sequence[int], kept: set[int], whole: tuple[Lines, ...]) -> Packed:
        """Lines of kept definitions and of those around them; a mark where others are left out."""
        around = set(kept)
        for number in kept:
            while number >= 0:
                number = self._definitions[number].parent
                if number >= 0:
                    around.add(number)
        rows: list[str] = []
        numbers: list[int] = []
        for row, line, owner in zip(made.text.split("\n"), made.lines, owners, strict=False):
            heads_only = owner >= 0 and owner not in kept and line != self._definitions[owner].name_line
            if owner not in around or heads_only:
                if numbers and numbers[-1] and row.strip():
                    rows.append(GAP)
                    numbers.append(0)
                continue
            if row.strip() or (rows and rows[-1].strip() and numbers[-1]):
                rows.append(row)
                numbers.append(line)
        shown = "\n".join(rows) + "\n" if rows else ""
        return Packed(shown, self._tokenizer.count(shown), "part" if rows else "nothing", whole, tuple(numbers))

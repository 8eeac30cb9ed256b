"""The code of a place and what stands around it, within a number of tokens: bodies of functions, then skeletons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sherloc.agents.answers import ContextAnswer, ContextPiece, SkeletonPiece, bounded
from sherloc.indexer.index import Index
from sherloc.schema.snippet import Snippet
from sherloc.skeleton import make_skeleton, pack_file
from sherloc.skeleton.hiding import GAP
from sherloc.skeleton.make import numbered_text
from sherloc.skeleton.neighbours import Relation, neighbours_of
from sherloc.tokens import NamedTokenizer, get_tokenizer

MOST_TOKENS = 2_400
"""Of all code in an answer; as JSON it stays below ``answers.MOST_BYTES`` for nearly all code."""
_FOR_PLACE = 0.6
_FOR_OWN_FILE = 0.25
_LEAST = 120  # tokens; less than this of a file says nothing
_RELATED = 3
_AROUND = 4
_NUMBERS = 0.8  # what is left of a share when lines are numbered
_WHY: dict[Relation, str] = {"imported": "imported by its file", "importing": "imports its file", "folder": "beside it"}


def surroundings_of(
    unit: int, index: Index, sources: Mapping[str, str], *, max_tokens: int = MOST_TOKENS
) -> ContextAnswer:
    """A place in full, then functions that it has to do with, its file's skeleton, and those of files around.

    Functions are whole or left out, and then named. Of its own file the heads nearest to the place are shown where not
    all fit; of a file around also those functions in full that have most in common with the place, if they fit.

    Args:
        unit: The snippet that is the place.
        index: The index.
        sources: Path to text.
        max_tokens: Of all code, as sherloc estimates tokens.
    """
    return _Surroundings(index, sources, max_tokens).of(unit)


@dataclass
class _Surroundings:
    index: Index
    sources: Mapping[str, str]
    most: int
    tokenizer: NamedTokenizer = field(default_factory=get_tokenizer)
    pieces: list[ContextPiece] = field(default_factory=list)
    skeletons: list[SkeletonPiece] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = self.most
        self._heads_shown = False

    def of(self, unit: int) -> ContextAnswer:
        snippet = self.index.snippet(unit)
        rest = self._add_place(snippet)
        if not self._heads_shown:
            self._add_own_file(snippet)
        self._add_related(unit, snippet)
        self._add_around(snippet)
        hints = [rest] if rest else []
        hints += ["Ask for what was left out by its path and name."] if self.left_out else []
        answer = ContextAnswer(
            pieces=tuple(self.pieces), skeletons=tuple(self.skeletons), left_out=tuple(self.left_out),
            truncated=bool(hints), how_to_go_on=" ".join(hints),
        )  # fmt: skip
        return bounded(
            answer, ("skeletons", "left_out", "pieces"),
            "Ask for one of the functions by its own name, or read the file from disk.",
        )  # fmt: skip

    def _lines(self, snippet: Snippet) -> list[str]:
        text = self.sources.get(snippet.path)
        return [] if text is None else text.split("\n")[snippet.start_line - 1 : snippet.end_line]

    def _add_place(self, snippet: Snippet) -> str:
        """The place: whole, a class or module that is too long without bodies, a function as far as it fits.

        Returns:
            How to get the rest; empty when all is shown.
        """
        lines, budget = self._lines(snippet), int(self.most * _FOR_PLACE)
        shown = _fitting(lines, budget, self.tokenizer)
        if shown == len(lines) or snippet.kind not in ("class", "module"):
            self._add(snippet, "the place itself", lines[:shown], snippet.start_line + shown - 1)
            return "" if shown == len(lines) else f"Ask with line {snippet.start_line + shown} for what follows."
        made = make_skeleton(self.sources.get(snippet.path, ""), snippet.language, docs="first")
        rows = [
            (row, line)
            for row, line in zip(made.text.split("\n"), made.lines, strict=False)
            if snippet.start_line <= line <= snippet.end_line
        ]
        shown = _fitting([row for row, _ in rows], budget, self.tokenizer)
        last = snippet.end_line if shown == len(rows) else rows[shown - 1][1]
        self._add(snippet, "the place itself, without bodies", [row for row, _ in rows[:shown]], last)
        self._heads_shown = True
        return "Ask for one of its functions by name, or with a line of it."

    def _add(self, snippet: Snippet, purpose: str, lines: Sequence[str], last: int) -> None:
        code = "\n".join(lines)
        self.left -= self.tokenizer.count(code)
        self.pieces.append(
            ContextPiece(
                path=snippet.path, start_line=snippet.start_line, end_line=max(last, snippet.start_line),
                name=snippet.qualified_name, purpose=purpose, code=code,
            )
        )  # fmt: skip

    def _add_own_file(self, snippet: Snippet) -> None:
        """The heads of the place's file, if there are others."""
        text = self.sources.get(snippet.path, "")
        made = make_skeleton(text, snippet.language, docs="first")
        rows, numbers = made.text.split("\n")[: len(made.lines)], list(made.lines)
        if all(snippet.start_line <= number <= snippet.end_line for number in numbers):
            return
        at = next((n for n, line in enumerate(numbers) if line >= snippet.start_line), len(numbers) - 1)
        first, last = _nearest(rows, at, int(self.most * _FOR_OWN_FILE * _NUMBERS), self.tokenizer)
        whole = (first, last) == (0, len(rows))
        above, below = ([GAP] if first else []), ([GAP] if last < len(rows) else [])
        shown = [*above, *rows[first:last], *below]
        lines = [*(0 for _ in above), *numbers[first:last], *(0 for _ in below)]
        self._add_skeleton(
            snippet.path, "skeleton" if whole else "part", "the place's own file", "\n".join(shown), lines
        )

    def _add_skeleton(self, path: str, level: str, purpose: str, text: str, lines: Sequence[int]) -> None:
        code = numbered_text(text, lines)
        self.left -= self.tokenizer.count(code)
        self.skeletons.append(SkeletonPiece.model_validate(
            {"path": path, "level": level, "purpose": purpose, "code": code}
        ))  # fmt: skip

    def _related(self, unit: int, name: str) -> Iterator[tuple[int, str]]:
        yield from ((other, f"calls {name}") for other in self.index.callers(unit)[:_RELATED])
        yield from ((other, f"is called by {name}") for other in self.index.callees(unit)[:_RELATED])
        overrides = self.index.graph.overrides(unit)[:_RELATED]
        yield from ((other, f"overrides or is overridden by {name}") for other in overrides)

    def _add_related(self, unit: int, snippet: Snippet) -> None:
        """Functions that the place has to do with, whole, each within half of what is left."""
        seen = {unit}
        for other, purpose in self._related(unit, snippet.qualified_name or "this code"):
            if other in seen:
                continue
            seen.add(other)
            near = self.index.snippet(other)
            lines = self._lines(near)
            if not lines:
                continue
            if self.tokenizer.count("\n".join(lines)) <= self.left // 2:
                self._add(near, purpose, lines, near.end_line)
            else:
                self.left_out.append(f"{near.path}:{near.start_line} {near.qualified_name} {purpose}".strip())

    def _add_around(self, snippet: Snippet) -> None:
        """Files around, nearest first, each within half of what is left."""
        code, task = self.index.code, "\n".join(self._lines(snippet))
        for near in neighbours_of(self.index, [snippet.path])[:_AROUND]:
            text = self.sources.get(near.path, "")
            share = int(self.left // 2 * _NUMBERS)
            if share < _LEAST:
                return
            language = code.languages[code.file_numbers[near.path]]
            shown = [(piece.start_line, piece.end_line) for piece in self.pieces if piece.path == near.path]
            packed = pack_file(text, language, share, self.tokenizer, task=task, shown=shown)
            if packed.text.strip():
                self._add_skeleton(near.path, packed.level, _WHY[near.relation], packed.text, packed.lines)


def _fitting(lines: Sequence[str], budget: int, tokenizer: NamedTokenizer) -> int:
    """How many lines from the first fit; at least one."""
    low, high = 1, max(1, len(lines))
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count("\n".join(lines[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _nearest(rows: Sequence[str], at: int, budget: int, tokenizer: NamedTokenizer) -> tuple[int, int]:
    """Rows around one that fit, as a half-open range; the row itself is always there."""
    first, last, left = at, at + 1, budget - tokenizer.count(rows[at])
    while True:
        grown = False
        for row in (first - 1, last):
            if 0 <= row < len(rows) and (cost := tokenizer.count(rows[row] + "\n")) <= left:
                first, last, left, grown = min(first, row), max(last, row + 1), left - cost, True
        if not grown:
            return first, last

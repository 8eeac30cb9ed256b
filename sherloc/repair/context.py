"""What a patch generator is shown: the lines around each target first, then what stands near, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sherloc.indexer.index import Index
from sherloc.llm import is_secret_file
from sherloc.protocols import PatchRequest
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.issue import Issue
from sherloc.schema.report import Diagnostic
from sherloc.settings import Settings
from sherloc.skeleton import Docs, language_of, make_skeleton
from sherloc.skeleton.context import Part, files_context
from sherloc.skeleton.document import block
from sherloc.skeleton.expand import definitions
from sherloc.syntax import LANGUAGES, GrammarUnavailable
from sherloc.tokens import NamedTokenizer, get_tokenizer

Lines = tuple[int, int]

_LONGEST_LINE = 2_000
_CUT = " [... the line goes on]"
_MOST_FOR_TARGETS = 0.75
"""Of the budget, for the files that must change, when there is more to show."""


@dataclass(frozen=True, slots=True)
class PatchContext:
    """A request, and what it took.

    Attributes:
        request: For a patch generator.
        tokens: Tokens of its ``context``.
        left_out: Paths that had no room.
        notes: What the user should know.
    """

    request: PatchRequest
    tokens: int
    left_out: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


def patch_context(
    issue: Issue,
    brief: SurgeryBrief,
    sources: Mapping[str, str],
    settings: Settings,
    *,
    index: Index | None = None,
    language: str = "en",
    tokenizer: NamedTokenizer | None = None,
) -> PatchContext:
    """The request for a brief, with the code that a generator needs.

    Of each file that must change it has ``repair.context_lines`` around each target, the functions around them, and the
    heads of the rest, as far as there is room; with ``repair.context_mode`` "files" the whole file. Then come callers,
    and the files that these import, that import them, and that stand beside them, as skeletons or whole. A file that
    exists to hold secrets is in none of it.

    Args:
        issue: The issue.
        brief: Where to change what.
        sources: Path to text, for the files of the repository.
        settings: ``repair``; of ``skeleton`` what neighbours are shown.
        index: The index of the repository; without it there are no neighbours.
        language: The ticket's.
        tokenizer: Counts; None is the estimator.

    Returns:
        ``request.context`` is Markdown with numbered lines; the same input gives the same bytes. Its ``sources`` has
        the files of the brief.
    """
    tokenizer = tokenizer or get_tokenizer()
    brief, secret = _without_secrets(brief)
    open_sources = _Open(sources)
    wanted = _targets(brief.change_sets, open_sources)
    whole = settings.repair.context_mode == "files"
    shown, left_out = _target_parts(wanted, open_sources, settings, index, tokenizer, whole)
    parts = shown
    if index is not None and wanted:
        order = ("changed", *(kind for kind in settings.skeleton.order if kind not in ("changed", "diff")))
        found = files_context(
            list(wanted), index, open_sources, wanted=wanted, tokenizer=tokenizer, shown=shown,
            around=settings.repair.context_mode,
            settings=settings.skeleton.model_copy(
                update={"budget": settings.repair.context_tokens, "order": order}
            ),
        )  # fmt: skip
        parts, more = _fitting(found.parts, settings.repair.context_tokens, tokenizer)
        left_out = [*left_out, *more, *found.left_out]
    text = "\n\n".join(block(part, numbered=True) for part in parts)
    named = {each.file_path for each in brief.change_sets} | {each.file_path for each in brief.global_context}
    request = PatchRequest(
        issue, brief, {path: open_sources[path] for path in sorted(named) if path in open_sources}, text, language
    )
    return PatchContext(request, tokenizer.count(text), tuple(dict.fromkeys(left_out)), secret)


class _Open(Mapping[str, str]):
    """Texts without those of files that hold secrets."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def __getitem__(self, path: str) -> str:
        if is_secret_file(path):
            raise KeyError(path)
        return self._sources[path]

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._sources if not is_secret_file(path))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _without_secrets(brief: SurgeryBrief) -> tuple[SurgeryBrief, tuple[Diagnostic, ...]]:
    """The brief without the code of files that hold secrets, and a note for each of these."""
    places = brief.change_sets + brief.global_context
    paths = sorted({each.file_path for each in places if is_secret_file(each.file_path)})
    if not paths:
        return brief, ()
    clean = brief.model_copy(
        update={
            "change_sets": tuple(
                each.model_copy(update={"context_code_snippet": ""}) if each.file_path in paths else each
                for each in brief.change_sets
            ),
            "global_context": tuple(each for each in brief.global_context if each.file_path not in paths),
        }
    )
    return clean, tuple(
        Diagnostic(
            code="secret_file", severity="warning", path=path,
            message="It is named like a file that holds secrets, so its text is shown to no patch generator.",
        )
        for path in paths
    )  # fmt: skip


def _targets(change_sets: Sequence[ChangeSet], sources: Mapping[str, str]) -> dict[str, list[Lines]]:
    """The suspect lines by file, in the order of the brief; a file without lines is shown from its begin."""
    found: dict[str, list[Lines]] = {}
    for each in change_sets:
        if each.new_file or each.file_path not in sources:
            continue
        first = each.target_location.start_line or 1
        found.setdefault(each.file_path, []).append((first, max(first, each.target_location.end_line or first)))
    return found


def _target_parts(
    wanted: Mapping[str, Sequence[Lines]],
    sources: Mapping[str, str],
    settings: Settings,
    index: Index | None,
    tokenizer: NamedTokenizer,
    whole: bool,
) -> tuple[list[Part], list[str]]:
    budget = settings.repair.context_tokens
    left = budget if index is None or whole else int(budget * _MOST_FOR_TARGETS)
    parts: list[Part] = []
    left_out: list[str] = []
    for number, (path, targets) in enumerate(wanted.items()):
        share = left // (len(wanted) - number)
        part = _Target(path, sources[path], _language(path, sources[path], index), targets).part(
            share, settings.repair.context_lines, tokenizer, whole=whole
        )
        if part is None:
            left_out.append(path)
            continue
        parts.append(part)
        left -= part.tokens
    return parts, left_out


def _fitting(parts: Sequence[Part], budget: int, tokenizer: NamedTokenizer) -> tuple[list[Part], list[str]]:
    """The parts that fit, line numbers counted, and the paths of the others."""
    kept: list[Part] = []
    left_out: list[str] = []
    for part in parts:
        cost = tokenizer.count(block(part, numbered=True)) + 1
        if cost > budget:
            left_out.append(part.path)
            continue
        kept.append(part)
        budget -= cost
    return kept, left_out


def _language(path: str, text: str, index: Index | None) -> str:
    number = index.code.file_numbers.get(path) if index is not None else None
    if index is not None and number is not None:
        return index.code.languages[number]
    return language_of(path, text[:200].encode("utf-8", "surrogatepass"))


class _Target:
    """A file that must change, shown around the lines that are suspected.

    Args:
        path: Its path.
        text: Its text.
        language: Its language; empty when there is no grammar.
        targets: The lines, 1-based and inclusive.
    """

    def __init__(self, path: str, text: str, language: str, targets: Sequence[Lines]) -> None:
        self._path, self._text, self._language = path, text, language
        self._rows = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
        count = len(self._rows)
        self._targets = [(min(first, count), min(last, count)) for first, last in targets]

    def part(self, budget: int, margin: int, tokenizer: NamedTokenizer, *, whole: bool) -> Part | None:
        """As much as the budget allows, the targets before all else; None when not even these fit."""
        for lines in self._choices(margin, whole=whole):
            part = self._shown(sorted(lines), tokenizer)
            if part.tokens <= budget:
                return part
        return None

    def _choices(self, margin: int, *, whole: bool) -> Iterator[set[int]]:
        """Sets of lines to show, the fullest first."""
        if whole:
            yield set(range(1, len(self._rows) + 1))
        windows = self._around(margin)
        functions = windows | self._functions()
        yield functions | self._heads("first")
        bare = self._heads("none")
        yield functions | bare
        yield windows | bare
        yield functions
        while margin:
            yield self._around(margin)
            margin //= 2
        yield self._around(0)

    def _around(self, margin: int) -> set[int]:
        return _lines((max(1, first - margin), min(len(self._rows), last + margin)) for first, last in self._targets)

    def _functions(self) -> set[int]:
        """Lines of the innermost functions around the targets."""
        try:
            found = definitions(self._text, self._language) if self._language in LANGUAGES else []
        except GrammarUnavailable:
            return set()
        functions = [d for d in found if d.kind != "class"]
        chosen: list[Lines] = []
        for first, last in self._targets:
            over = [d for d in functions if d.start_line <= last and first <= d.end_line]
            inner = [d for d in over if not any(d is not o and d.start_line <= o.start_line <= o.end_line <= d.end_line
                                                for o in over)]  # fmt: skip
            chosen += [(d.start_line, d.end_line) for d in inner]
        return _lines(chosen)

    def _heads(self, docs: Docs) -> set[int]:
        """Lines that the file's skeleton has."""
        try:
            made = make_skeleton(self._text, self._language, docs=docs)
        except GrammarUnavailable:
            return set()
        if made.reason:
            return set()
        rows = zip(made.text.split("\n"), made.lines, strict=False)
        return {line for row, line in rows if _is_shown(row, self._rows[line - 1])}

    def _shown(self, lines: Sequence[int], tokenizer: NamedTokenizer) -> Part:
        rows: list[str] = []
        numbers: list[int] = []
        for before, line in zip((0, *lines), lines, strict=False):
            if line > before + 1:
                rows.append("...")
                numbers.append(0)
            row = self._rows[line - 1]
            rows.append(row if len(row) <= _LONGEST_LINE else row[:_LONGEST_LINE] + _CUT)
            numbers.append(line)
        if lines and lines[-1] < len(self._rows):
            rows.append("...")
            numbers.append(0)
        level = "whole" if len(lines) == len(self._rows) else "part"
        title = f"{self._path} ({_words(self._targets)}; {'whole file' if level == 'whole' else 'lines left out'})"
        text = "\n".join(rows) + "\n" if rows else ""
        part = Part("changed", self._path, title, text, self._language, level, 0, tuple(numbers))
        # With the line numbers, which cost about as much as short lines.
        tokens = tokenizer.count(block(part, numbered=True))
        return Part("changed", self._path, title, text, self._language, level, tokens, tuple(numbers))


def _lines(spans: Iterable[Lines]) -> set[int]:
    return {line for first, last in spans for line in range(first, last + 1)}


def _is_shown(row: str, line: str) -> bool:
    """Whether a skeleton's row shows a line, or at least its begin; a placeholder stands for another one."""
    row, line = row.strip(), line.strip()
    return row[:2] == line[:2]


def _words(targets: Sequence[Lines]) -> str:
    spans = [f"{first}-{last}" if last > first else str(first) for first, last in sorted(set(targets))]
    return f"targets: line{'s' if len(spans) > 1 or '-' in spans[0] else ''} {', '.join(spans)}"

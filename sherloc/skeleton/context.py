"""The least context that a task needs: the diff, the changed files, and what stands around them, within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from sherloc.errors import UsageError
from sherloc.indexer.index import Index
from sherloc.repository.changes import Change, Changes
from sherloc.settings import SkeletonSettings
from sherloc.skeleton.diff_share import shortened
from sherloc.skeleton.make import make_skeleton
from sherloc.skeleton.neighbours import callers_of, changed_units, neighbours_of
from sherloc.skeleton.packing import Packed, all_but, pack_file
from sherloc.syntax import LANGUAGES
from sherloc.tokens import NamedTokenizer, get_tokenizer

PartKind = Literal["diff", "changed", "callers", "imported", "importing", "folder"]
Around = Literal["packed", "skeletons", "files"]

_LEAST_PART = 40  # tokens; less than this of a file says nothing
_MOST_FOR_ONE = 0.34  # of what is left, for one file around the change
_HEAD_TOKENS = 24  # for the title and the fence of a part


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a context.

    Attributes:
        kind: What it is.
        path: The file; empty for a diff of several.
        title: What it is and why it is there, one line.
        text: Its text.
        language: For the fence; empty for none.
        level: ``whole``, ``skeleton``, ``part``; of a diff ``whole`` or ``part``.
        tokens: Tokens of ``text``.
        lines: For each line of ``text`` the line of the file, 0 for none; empty for a diff.
    """

    kind: PartKind
    path: str
    title: str
    text: str
    language: str = ""
    level: str = "whole"
    tokens: int = 0
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Parts in order of relevance, and what had no room.

    Attributes:
        parts: Most relevant first.
        left_out: Paths that had no room.
        notes: What the reader should know.
        base: The commit that the diff is against; empty without a diff.
        revision: The revision that is shown.
        budget: Tokens that the parts may have.
        tokenizer: What counted them.
        task: What is to be done; empty for none.
        contract: The form that an answer must have; empty for none.
    """

    parts: tuple[Part, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    base: str = ""
    revision: str = ""
    budget: int = 0
    tokenizer: str = ""
    task: str = ""
    contract: str = ""

    @property
    def tokens(self) -> int:
        """Tokens of all parts."""
        return sum(part.tokens for part in self.parts)


@dataclass
class _Builder:
    """A context in the making."""

    sources: Mapping[str, str]
    index: Index
    settings: SkeletonSettings
    tokenizer: NamedTokenizer
    task: str
    left: int
    around: Around = "packed"
    parts: list[Part] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Paths, each with the caller that it is about, or nothing."""

    def language(self, path: str) -> str:
        number = self.index.code.file_numbers.get(path)
        return "" if number is None else self.index.code.languages[number]

    def add(self, part: Part) -> None:
        self.parts.append(part)
        self.left -= part.tokens + _HEAD_TOKENS

    def add_file(
        self, kind: PartKind, path: str, why: str, budget: int, wanted: Sequence[tuple[int, int]] = ()
    ) -> bool:
        """Show a file within a budget; whether anything of it fits."""
        text = self.sources.get(path)
        budget = min(budget, self.left - _HEAD_TOKENS)
        language = self.language(path)
        if text is None or budget < _LEAST_PART:
            self.left_out.append((path, ""))
            return False
        if not text.strip():
            return True
        packed = self._packed(kind, path, text, budget, wanted)
        if packed.level == "nothing":
            self.left_out.append((path, ""))
            return False
        title = f"{path} ({why}; {_LEVEL_WORDS[packed.level]})"
        self.add(Part(kind, path, title, packed.text, language, packed.level, packed.tokens, packed.lines))
        return True

    def _packed(self, kind: PartKind, path: str, text: str, budget: int, wanted: Sequence[tuple[int, int]]) -> Packed:
        language = self.language(path)
        docs, attributes = self.settings.docs, self.settings.attributes
        shown = [(part.lines[0], part.lines[-1]) for part in self.parts if part.kind == "callers" and part.path == path]
        if kind != "changed" and self.around == "files":
            packed = all_but(text, language, shown, self.tokenizer)
            return packed if packed.tokens <= self.left - _HEAD_TOKENS else Packed("", 0, "nothing")
        if kind != "changed" and self.around == "skeletons" and language in LANGUAGES:
            made = make_skeleton(text, language, docs=docs, attributes=attributes)
            tokens = self.tokenizer.count(made.text)
            if tokens <= budget:
                return Packed(made.text, tokens, "skeleton", (), made.lines)
        return pack_file(
            text, language, budget, self.tokenizer, task=self.task, wanted=wanted, shown=shown, docs=docs,
            attributes=attributes,
        )  # fmt: skip


_LEVEL_WORDS = {"whole": "whole file", "skeleton": "bodies left out", "part": "only a part"}


def change_context(
    changes: Changes,
    index: Index,
    sources: Mapping[str, str],
    *,
    settings: SkeletonSettings,
    task: str = "",
    contract: str = "",
    tokenizer: NamedTokenizer | None = None,
) -> Context:
    """The context of a change.

    Args:
        changes: What changed.
        index: The index of the new state.
        sources: Path to text, of the new state.
        settings: The budget and what parts have.
        task: What is to be done.
        contract: The form that an answer must have.
        tokenizer: Counts; None is the estimator.
    """
    tokenizer = tokenizer or get_tokenizer()
    builder = _builder(index, sources, settings, tokenizer, task, contract)
    units = changed_units(index, changes.changes)
    paths = [change.path for change in changes.changes if change.status not in ("deleted", "submodule")]
    # Of these the diff has no text.
    moved = {each.path: _MOVED[each.status] for each in changes.changes if each.status in _MOVED and not each.lines}
    in_full = [path for path in paths if path not in moved]
    diff, cut = shortened(changes.changes, int(builder.left * settings.diff_share), tokenizer)
    for kind in settings.order:
        if kind == "diff" and diff:
            title = f"Diff against {changes.base[:12]} ({changes.asked})"
            builder.add(Part("diff", "", title, diff, "diff", "part" if cut else "whole", tokenizer.count(diff)))
        elif kind == "changed":
            _add_changed(builder, changes.changes)
        elif kind == "callers":
            _add_callers(builder, units, in_full)
    _add_neighbours(builder, paths, moved)
    return _finished(builder, changes.tree.revision, changes.base, (*changes.notes, *cut), contract)


def files_context(
    paths: Sequence[str],
    index: Index,
    sources: Mapping[str, str],
    *,
    settings: SkeletonSettings,
    revision: str = "",
    task: str = "",
    contract: str = "",
    wanted: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    tokenizer: NamedTokenizer | None = None,
    shown: Sequence[Part] | None = None,
    around: Around = "packed",
) -> Context:
    """The context of some files that a task is about: they, with what the task needs in full, then what is around.

    Args:
        paths: The files, most relevant first.
        index: The index.
        sources: Path to text.
        settings: The budget and what parts have.
        revision: The revision that is shown.
        task: What is to be done.
        contract: The form that an answer must have.
        wanted: Lines by path that are to be shown in full.
        tokenizer: Counts; None is the estimator.
        shown: The parts that show the files, where the caller has made them.
        around: How files around are shown: packed (whole where they fit their share), without bodies, or whole or not
            at all.

    Raises:
        UsageError: A path is not in the repository.
    """
    tokenizer = tokenizer or get_tokenizer()
    builder = _builder(index, sources, settings, tokenizer, task, contract)
    for path in paths:
        if sources.get(path) is None:
            raise UsageError(f"There is no readable file {path!r} in the repository.")
    if shown is None:
        for number, path in enumerate(paths):
            share = builder.left // (len(paths) - number)
            builder.add_file("changed", path, "asked for", share, (wanted or {}).get(path, ()))
    for part in shown or ():
        builder.add(part)
    builder.around = around
    units = [
        unit
        for path in paths
        for unit in index.units_of(path)
        if any(
            first <= int(index.code.arrays["end"][unit]) and int(index.code.arrays["start"][unit]) <= last
            for first, last in (wanted or {}).get(path, ())
        )
    ]
    if "callers" in settings.order:
        _add_callers(builder, units, paths)
    _add_neighbours(builder, paths)
    return _finished(builder, revision, "", (), contract)


def _builder(
    index: Index,
    sources: Mapping[str, str],
    settings: SkeletonSettings,
    tokenizer: NamedTokenizer,
    task: str,
    contract: str,
) -> _Builder:
    # The task and the contract stand there twice.
    left = settings.budget - 2 * (tokenizer.count(task) + tokenizer.count(contract))
    if left < _LEAST_PART:
        raise UsageError(
            f"A budget of {settings.budget} tokens has no room for anything but the task.",
            hint="Give more tokens, or a shorter task.",
        )
    return _Builder(sources, index, settings, tokenizer, task, left)


def _add_changed(builder: _Builder, changes: Sequence[Change]) -> None:
    shown = [change for change in changes if change.lines and builder.language(change.path)]
    # Of a new file the diff has all.
    shown = [change for change in shown if change.status != "added"]
    for number, change in enumerate(shown):
        share = max(_LEAST_PART, builder.left // (2 * (len(shown) - number)))
        builder.add_file("changed", change.path, "changed", share, change.lines)


def _add_callers(builder: _Builder, units: Sequence[int], paths: Sequence[str]) -> None:
    for caller in callers_of(builder.index, units, paths):
        text = builder.sources.get(caller.path)
        if text is None:
            continue
        body = "\n".join(text.split("\n")[caller.start_line - 1 : caller.end_line])
        tokens = builder.tokenizer.count(body)
        if tokens + _HEAD_TOKENS > builder.left // 2:
            builder.left_out.append((caller.path, caller.qualified_name))
            continue
        title = f"{caller.path}:{caller.start_line} {caller.qualified_name} (calls {caller.calls})"
        lines = tuple(range(caller.start_line, caller.end_line + 1))
        builder.add(Part("callers", caller.path, title, body, builder.language(caller.path), "whole", tokens, lines))


_MOVED = {"renamed": "renamed", "mode": "its mode changed"}
_WHY = {"imported": "imported by what changed", "importing": "imports what changed", "folder": "in the same folder"}


def _add_neighbours(builder: _Builder, paths: Sequence[str], moved: Mapping[str, str] = MappingProxyType({})) -> None:
    """Files around, in the order of the settings; each within its share of what is left.

    Args:
        builder: Takes them.
        paths: The files in the middle.
        moved: Those of them that are not shown yet, each with what became of it.
    """
    order = [kind for kind in builder.settings.order if kind in _WHY]
    shown = [path for path in paths if path not in moved]
    found = [each for each in neighbours_of(builder.index, paths, but=shown) if each.relation in order]
    found.sort(key=lambda each: (order.index(each.relation), -each.score, each.path))
    for each in found[: builder.settings.neighbours]:
        share = max(_LEAST_PART, int(builder.left * _MOST_FOR_ONE))
        builder.add_file(each.relation, each.path, moved.get(each.path, _WHY[each.relation]), share)
    builder.left_out += [(each.path, "") for each in found[builder.settings.neighbours :]]


def _finished(builder: _Builder, revision: str, base: str, notes: Sequence[str], contract: str) -> Context:
    order = list(builder.settings.order)
    builder.parts.sort(key=lambda part: order.index(part.kind) if part.kind in order else 0)
    # A caller that had no room by itself came with its file.
    whole = {part.path for part in builder.parts if part.level == "whole" and part.kind != "callers"}
    left_out = [f"{path} ({name})" if name else path for path, name in builder.left_out if path not in whole]
    return Context(
        tuple(builder.parts), tuple(dict.fromkeys(left_out)), tuple(notes), base, revision,
        builder.settings.budget, builder.tokenizer.name, builder.task, contract,
    )  # fmt: skip

"""Path narrowing: a model sees the paths of a repository, without contents, and says which files the issue concerns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sherloc.errors import UnsafePathError
from sherloc.json_hardening import LooseList, LooseModel, ReplyPath
from sherloc.llm.material import Part
from sherloc.llm.prompts import load_prompt
from sherloc.llm.questions import Asker, Question
from sherloc.paths import WRITING, KnownPaths, inspect_path, nearest_paths
from sherloc.schema.report import Diagnostic
from sherloc.settings import NarrowingSettings
from sherloc.tokens import estimate_tokens

_MOST_FOLDERS = 8
_MOST_NEW = 3


class PathsReply(LooseModel):
    """What a model answers."""

    files: LooseList[ReplyPath] = []
    folders: LooseList[ReplyPath] = []
    directions_in_material: LooseList[str] = []


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that does not exist yet, and the existing one whose path is nearest (empty when none is like it)."""

    path: str
    sibling: str


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The files that a model named, the most relevant first, and those that would have to be made."""

    files: tuple[str, ...] = ()
    new_files: tuple[NewFile, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


async def narrow(asker: Asker, issue: str, paths: Sequence[str], settings: NarrowingSettings) -> Narrowed:
    """Ask which files an issue concerns, in rounds while the list is too long.

    Args:
        asker: Asks the role ``filter``.
        issue: Summary and description as the prompt shows them.
        paths: Of the repository, as reports show them.
        settings: Bounds.
    """
    prompt = load_prompt("narrow")
    shown, notes = list(paths), []
    for left in range(settings.rounds - 1, -1, -1):
        listing, cut = path_listing(shown, settings.tree_tokens, folders=left > 0)
        if cut:
            notes.append(_cut_note(cut))
        places = [(line, 0) if line in shown else None for line in listing.split("\n")]
        question = Question(
            "filter", prompt, (Part("The issue:", issue), Part("The paths:", listing, "", places)), PathsReply,
            settings.reply_tokens,
        )  # fmt: skip
        answer = await asker.ask(question)
        notes += answer.notes
        if answer.value is None:
            return Narrowed(notes=(*notes, _failed(answer.why)))
        inside = _inside(shown, answer.value.folders)
        if answer.value.files or not inside or left == 0:
            return _checked(answer.value.files, paths, settings, notes)
        shown = inside
    return Narrowed(notes=tuple(notes))


def path_listing(paths: Sequence[str], tokens: int, *, folders: bool) -> tuple[str, int]:
    r"""Paths as a list, by folder when there are too many; and how many were cut off.

    Args:
        paths: What to list, sorted.
        tokens: Longest list.
        folders: Whether folders may stand for their files.

    >>> path_listing(["a/x.py", "b/c/y.py", "b/d/z.py"], 6, folders=True)
    ('a/ (1 file)\nb/ (2 files)', 0)
    """
    whole = "\n".join(paths)
    if estimate_tokens(whole) <= tokens:
        return whole, 0
    if folders:
        best = ""
        for depth in range(1, max(path.count("/") for path in paths) + 1):
            text = "\n".join(_by_folder(paths, depth))
            if estimate_tokens(text) > tokens:
                break
            best = text
        if best:
            return best, 0
    kept: list[str] = []
    used = 0
    for path in paths:
        used += estimate_tokens(path) + 1
        if used > tokens:
            break
        kept.append(path)
    return "\n".join(kept), len(paths) - len(kept)


def _by_folder(paths: Iterable[str], depth: int) -> list[str]:
    counts: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")
        counts["/".join(parts[:depth]) + "/" if len(parts) > depth else path] += 1
    return [
        f"{name} ({count} file{'s' if count > 1 else ''})" if name.endswith("/") else name
        for name, count in sorted(counts.items())
    ]


def _inside(paths: Sequence[str], folders: Sequence[str]) -> list[str]:
    starts = tuple(folder.strip().strip("/") + "/" for folder in folders[:_MOST_FOLDERS] if folder.strip("/ "))
    return [path for path in paths if path.startswith(starts)] if starts else []


def _checked(
    given: Sequence[str], paths: Sequence[str], settings: NarrowingSettings, notes: Sequence[Diagnostic]
) -> Narrowed:
    known = KnownPaths(paths)
    files: dict[str, None] = {}
    new: dict[str, NewFile] = {}
    said = list(notes)
    for each in given[: settings.files]:
        try:
            found = inspect_path(each, known)
            if found.kind == "file":
                files[found.path] = None
            elif found.kind is None and len(new) < _MOST_NEW:
                path = inspect_path(each, known, WRITING).path
                new[path] = NewFile(path, _sibling(path, paths))
        except UnsafePathError as error:
            words = f"A file that the model of the role filter named was left out. {error.message}"
            said.append(Diagnostic(code="path_refused", severity="warning", message=words))
    return Narrowed(tuple(files), tuple(new.values()), tuple(said))


def _sibling(path: str, paths: Sequence[str]) -> str:
    """The existing file that a new one is most like: of its own folder and kind, else of a like path; or empty."""
    folder, _, name = path.rpartition("/")
    kind = name.rpartition(".")[2]
    beside = [each for each in paths if each.rpartition("/")[0] == folder and each.endswith(f".{kind}")]
    own = [each for each in beside if not each.endswith("/__init__.py")] or beside
    likest = get_close_matches(path, own, n=1, cutoff=0.0) or nearest_paths(path, paths, 1)
    return likest[0] if likest else ""


def _failed(why: str) -> Diagnostic:
    return Diagnostic(code="narrowing_failed", severity="warning", message=f"Paths were not narrowed by a model: {why}")


def _cut_note(count: int) -> Diagnostic:
    return Diagnostic(
        code="paths_cut", severity="info", count=count,
        message=f"{count:,} paths were not shown to the model: the list is too long (narrowing.tree_tokens).",
    )  # fmt: skip

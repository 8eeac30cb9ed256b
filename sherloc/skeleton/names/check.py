"""Which functions, attributes and keyword arguments of a patch the repository does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sherloc.skeleton.names.patches import Patched, patched_files, texts_before

NameKind = Literal["name", "call", "attribute", "keyword", "import"]
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's parser raises; the last two for what is nested too deeply."""
PYTHON = ("python",)
SCRIPTS = ("typescript", "tsx", "javascript")


@dataclass(frozen=True, slots=True, order=True)
class UnknownName:
    """A name that a patch uses and nothing defines.

    Attributes:
        path: The file.
        line: Line in the file with the patch, 1-based.
        kind: What it is used as.
        name: The name.
        reason: Why it is taken for unknown, in words.
    """

    path: str
    line: int
    kind: NameKind
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class NameCheck:
    """The outcome.

    Attributes:
        unknown: By path and line.
        checked: How many uses of names were looked at.
        skipped: Files that were not looked at, with the reason.
    """

    unknown: tuple[UnknownName, ...]
    checked: int
    skipped: tuple[tuple[str, str], ...]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "unknown": [asdict(each) for each in self.unknown], "checked": self.checked,
            "skipped": [{"path": path, "reason": reason} for path, reason in self.skipped],
        }  # fmt: skip


def check_names(patch: str, sources: Mapping[str, str], languages: Mapping[str, str]) -> NameCheck:
    """Look up every name that the added lines of a patch use.

    A name is unknown when what it must belong to is known and does not have it (a module or class of the repository, a
    function's parameters, the names that a file binds), or when nothing in the code of the repository, in the patch, in
    the language or in the standard modules that the file imports is called so. What belongs to other people's packages
    is never unknown.

    Args:
        patch: A unified diff.
        sources: Path to text, with or without the patch, of all code that counts, tests too. Where the patch is there
            already, what the file was without it counts: what a patch adds proves nothing.
        languages: Path to language, for the files that are to be read; Python, TypeScript and JavaScript are checked.

    Complexity: linear in the repository's code in the languages of the patch.
    """
    sources, languages = _without(patch, sources, languages)
    files = patched_files(patch, sources)
    unknown: list[UnknownName] = []
    skipped: list[tuple[str, str]] = []
    checked = 0
    groups: dict[str, list[Patched]] = {}
    for file in files:
        language = languages.get(file.path) or _by_suffix(file.path)
        if language in PYTHON:
            groups.setdefault("python", []).append(file)
        elif language in SCRIPTS:
            groups.setdefault("script", []).append(file)
        else:
            skipped.append((file.path, "names of its language are not checked"))
            continue
        if not file.fits:
            skipped.append((file.path, "the patch does not fit the file: only its added lines were looked at"))
    for group, patched in groups.items():
        wanted = PYTHON if group == "python" else SCRIPTS
        paths = [path for path in sorted(languages) if languages[path] in wanted]
        if group == "python":
            from sherloc.skeleton.names.python import PythonNames

            outcome = PythonNames(paths, sources, patched).check()
        else:
            from sherloc.skeleton.names.script import ScriptNames

            outcome = ScriptNames(paths, sources, patched).check()
        unknown += outcome.unknown
        skipped += outcome.skipped
        checked += outcome.checked
    return NameCheck(tuple(sorted(set(unknown))), checked, tuple(skipped))


def _without(
    patch: str, sources: Mapping[str, str], languages: Mapping[str, str]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Texts and languages as they were before a patch."""
    before = texts_before(patch, sources)
    texts = {path: sources[path] for path in languages if path in sources and path not in before}
    texts |= {path: text for path, text in before.items() if text is not None}
    kept = {path: language for path, language in languages.items() if before.get(path, "") is not None}
    return texts, kept | {path: _by_suffix(path) for path in texts if path not in kept}


_SUFFIXES = {
    "py": "python", "pyi": "python", "ts": "typescript", "mts": "typescript", "tsx": "tsx", "js": "javascript",
    "jsx": "javascript", "mjs": "javascript",
}  # fmt: skip


def _by_suffix(path: str) -> str:
    """The language of a new file."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "")


def texts_of(paths: Iterable[str], sources: Mapping[str, str]) -> list[str]:
    """The texts that can be read."""
    texts = (sources.get(path) for path in paths)
    return [text for text in texts if text is not None]

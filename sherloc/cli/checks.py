"""The checks of ``sherloc doctor``. None of them leaves anything behind, or asks the network."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from sherloc.errors import SherlocError
from sherloc.settings import Overrides, Settings, load_settings

NETWORK = "sherloc opens no connection but to a model, a forge or a server of vectors that you name."

_SAMPLES = {
    "python": "def probe():\n    return 1\n",
    "javascript": "function probe() { return 1; }\n",
    "typescript": "function probe(): number { return 1; }\n",
    "tsx": "function probe() { return <b>1</b>; }\n",
    "java": "class A { int probe() { return 1; } }\n",
    "go": "package a\n\nfunc probe() int { return 1 }\n",
    "rust": "fn probe() -> i32 { 1 }\n",
    "c": "int probe(void) { return 1; }\n",
    "cpp": "int probe() { return 1; }\n",
    "ruby": "def probe\n  1\nend\n",
    "php": "<?php\nfunction probe() { return 1; }\n",
    "kotlin": "fun probe(): Int = 1\n",
    "csharp": "class A { int probe() { return 1; } }\n",
}
_DEPENDENCIES = (
    "json-repair",
    "numpy",
    "networkx",
    "pydantic",
    "click",
    "platformdirs",
    "rich",
    "tree-sitter",
)
_OLDEST_GIT = (2, 25)


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes:
        group: Checks of one kind are told together.
        name: What was looked at.
        status: ``ok``; ``note``: good to know; ``broken``: something will not work.
        words: What was found.
        short: What is worth telling when all is well, or empty.
        hint: What to do, or empty.
    """

    group: str
    name: str
    status: Literal["ok", "note", "broken"]
    words: str
    short: str = ""
    hint: str = ""

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def run_checks(repo: str | None = None) -> list[Check]:
    """All checks, in order.

    Args:
        repo: A repository to look at too.
    """
    overrides, of_settings = _settings()
    checks = [*_versions(), *_dependencies(), *_grammars(), _git(), of_settings, *_cache(overrides), *_extras()]
    if repo is not None:
        checks.append(_repository(repo, overrides))
    checks.append(Check("network", "network", "note", NETWORK))
    return checks


def _versions() -> Iterator[Check]:
    from sherloc.version import __version__

    yield Check("versions", "sherloc", "ok", __version__, __version__)
    python = platform.python_version()
    yield Check("versions", "Python", "ok", f"{python} at {sys.executable}", python)


def _dependencies() -> Iterator[Check]:
    for name in _DEPENDENCIES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Check("dependencies", name, "broken", "not installed", hint=f"Install it with: pip install {name}")
        else:
            yield Check("dependencies", name, "ok", version, version)


def _grammars() -> Iterator[Check]:
    from sherloc.syntax import LANGUAGES

    for language in LANGUAGES:
        yield _grammar(language)


def _grammar(language: str) -> Check:
    from sherloc.syntax import outline

    try:
        names = [definition.name for definition in outline(language, _SAMPLES[language].encode()).definitions]
    except SherlocError as error:
        return Check("grammars", language, "broken", error.message, hint=error.hint)
    except (ImportError, OSError, ValueError, TypeError) as error:
        return Check("grammars", language, "broken", f"does not load: {error}", hint="Install its package again.")
    if "probe" not in names:
        return Check("grammars", language, "broken", "does not find a function in a sample of one", hint=_TOO_NEW)
    return Check("grammars", language, "ok", "loads and parses")


_TOO_NEW = "Its package may be newer than this sherloc."


def _git() -> Check:
    from sherloc.repository.git import Git

    try:
        words = Git(os.sep).run("version").decode("utf-8", "replace").strip()
    except (SherlocError, OSError) as error:
        hint = "Without git only plain folders can be read."
        return Check("git", "git", "broken", str(error).splitlines()[0], hint=hint)
    found = re.search(r"(\d+)\.(\d+)", words)
    if found and (int(found[1]), int(found[2])) < _OLDEST_GIT:
        oldest = ".".join(map(str, _OLDEST_GIT))
        return Check("git", "git", "broken", f"{words} is too old", hint=f"git {oldest} or newer is needed.")
    return Check("git", "git", "ok", words.removeprefix("git version "))


def _settings() -> tuple[Overrides, Check]:
    """What the user's file and environment set, and whether it can be used; nothing when it cannot."""
    from sherloc.settings_sources import user_file, user_overrides

    try:
        overrides = user_overrides()
        load_settings(overrides)
        path = user_file()
    except SherlocError as error:
        return Overrides(), Check("settings", "settings", "broken", error.message, hint=error.hint)
    count = sum(map(len, overrides.user.values()))
    return overrides, Check("settings", "settings", "ok", f"{path} sets {count}" if count else f"{path} sets nothing")


def _cache(overrides: Overrides) -> Iterator[Check]:
    from sherloc.indexer.cache_files import cache_folder, list_stores
    from sherloc.render.words import size_in_words

    settings: Settings = load_settings(overrides)
    try:
        folder = cache_folder(settings.cache)
    except SherlocError as error:
        yield Check("cache", "cache", "broken", error.message, hint=error.hint)
        return
    stores = list_stores(settings.cache)
    size = size_in_words(sum(each for _, each in stores))
    count = f"{len(stores)} {'index' if len(stores) == 1 else 'indexes'}, {size}"
    if _can_write(folder):
        yield Check("cache", "cache", "ok", f"{folder} ({count}, limit {size_in_words(settings.cache.max_bytes)})")
    else:
        yield Check(
            "cache", "cache", "broken", f"{folder} cannot be written; each run would index anew",
            hint="Set SHERLOC_CACHE to a folder that can.",
        )  # fmt: skip


def _can_write(folder: Path) -> bool:
    """Whether it, or the first folder above it that exists, can be written."""
    for each in (folder, *folder.parents):
        if each.exists():
            try:
                # To the superuser all folders look writable, also those of the kernel and of read-only disks.
                with tempfile.TemporaryFile(dir=each):
                    return True
            except OSError:
                return False
    return False


def _extras() -> Iterator[Check]:
    """What the installed distribution calls optional, and whether it is here."""
    try:
        distribution = metadata.distribution("sherloc")
    except metadata.PackageNotFoundError:
        yield Check("extras", "extras", "note", "unknown: sherloc runs from a source folder, it is not installed")
        return
    for extra in sorted(distribution.metadata.get_all("Provides-Extra") or ()):
        wanted = [line for line in distribution.requires or () if re.search(rf"extra\s*==\s*['\"]{extra}['\"]", line)]
        if any(_name(line) == "sherloc" for line in wanted):
            continue  # an extra that only gathers others
        missing = [name for name in map(_name, wanted) if not _installed(name)]
        words = f"not installed: {', '.join(missing)}" if missing else "installed"
        yield Check("extras", f"extra {extra}", "note", words)


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return found.group() if found else requirement


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _repository(repo: str, overrides: Overrides) -> Check:
    from sherloc.inspection.status import read_status
    from sherloc.render.words import revision_in_words

    try:
        state = read_status(repo=repo, settings=overrides)
    except SherlocError as error:
        return Check("repository", "repository", "broken", error.message, hint=error.hint)
    at = f" @ {revision_in_words(state.revision)}" if state.revision else ""
    words = f"{state.repository}{at}: {state.files} files to index, index {state.status}"
    return Check("repository", "repository", "ok" if state.files else "broken", words)

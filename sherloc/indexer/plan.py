"""Which files of a tree are indexed, how, and which are left out for what reason."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from sherloc.indexer.job import Job
from sherloc.indexer.record import FORMAT
from sherloc.printable import printable
from sherloc.repository import Tree, classify, header_language
from sherloc.schema.path_text import shown_path
from sherloc.settings import IndexSettings

SIDE_PARTITIONS = ("docs", "config", "template")


class Planned(NamedTuple):
    """A file to index; ``key`` is its record's, ``generated`` what its path says."""

    job: Job
    key: str
    generated: bool


class IndexPlan(NamedTuple):
    """What an index of a tree holds: files by path, skipped files by reason, and the index's key.

    ``unknown`` counts files of no known kind by extension.
    """

    files: tuple[Planned, ...]
    skipped: dict[str, list[str]]
    unknown: dict[str, int]
    key: str


def index_key(tree: Tree, settings: IndexSettings) -> str:
    """The key of a tree's index: equal keys are equal indexes."""
    skipped = "".join(f"{skip.path}\0{skip.reason}\n" for skip in tree.skipped)
    read_later = {"unit"}  # vectors are made of an index, not kept in it
    parts = (str(FORMAT), tree.key, settings.model_dump_json(exclude=read_later), skipped)
    return hashlib.sha256("|".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def plan_index(tree: Tree, settings: IndexSettings) -> IndexPlan:
    """Decide for each file of a tree by its path alone.

    Complexity: linear in the number of files.
    """
    headers = header_language([entry.path for entry in tree.entries])
    excluded = _excluder(settings.exclude)
    skipped: dict[str, list[str]] = {}
    unknown: Counter[str] = Counter()
    files: list[Planned] = []
    for skip in tree.skipped:
        skipped.setdefault(skip.reason, []).append(skip.path)
    for entry in tree.entries:
        kind = classify(entry.path)
        partition, reason = kind.partition, kind.excluded
        if partition == "test" and settings.include_tests:
            partition = "code"
        if not reason and excluded(printable(entry.path)):
            reason = "setting"
        if reason or partition == "test":
            skipped.setdefault(reason or "test", []).append(entry.path)
            continue
        if partition == "other":
            unknown[shown_path(_extension(entry.path))] += 1
            continue
        parsed = partition == "code"
        language = (headers if entry.path.endswith(".h") else kind.language) if parsed else ""
        limit = settings.max_file_bytes if parsed else settings.max_text_file_bytes
        job = Job(entry.path, entry.content_id, language, partition, limit)
        kind_of_words = "docs" if partition == "docs" else "code"
        parts = (entry.content_id, language, kind_of_words, settings.max_snippet_lines, limit, FORMAT)
        files.append(Planned(job, ":".join(map(str, parts)), kind.generated))
    return IndexPlan(tuple(files), skipped, dict(unknown), index_key(tree, settings))


def _excluder(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    if not patterns:
        return lambda path: False
    joined = re.compile("|".join(f"(?:{fnmatch.translate(pattern)})" for pattern in patterns))
    return lambda path: joined.match(path) is not None


def _extension(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return "." + name.rsplit(".", 1)[-1].lower() if "." in name[1:] else "(none)"

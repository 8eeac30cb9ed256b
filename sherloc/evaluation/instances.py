"""Issues with what is known of their fixes: data sets of SWE-bench's shape, and a team's own issues."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sherloc.errors import DataError, MissingExtraError

_NAMES: Mapping[str, tuple[str, ...]] = {
    "instance_id": ("instance_id", "id"),
    "repo": ("repo", "repository"),
    "base_commit": ("base_commit", "revision", "commit"),
    "patch": ("patch", "fix_patch"),
    "language": ("language", "repo_language", "lang"),
    "mirror": ("mirror",),
}
_ISSUE = (("problem_statement", "issue", "text"), ("title",), ("body", "description"))
_FORMS = ".json, .jsonl or .parquet, the first two also as .gz"


@dataclass(frozen=True, slots=True)
class Instance:
    """An issue, the revision that it was filed against, and what is known of its fix.

    Attributes:
        instance_id: Unique in its data set.
        repo: ``OWNER/NAME``, or the path of a local repository.
        base_commit: Commit, branch or tag before the fix; empty is the repository as it is.
        problem_statement: The issue's text; the only thing that a method under test is given.
        patch: The fix as a unified diff, or empty.
        language: ``python`` counts .py files alone as gold, as SWE-bench's papers do; empty or another one counts code
            files of any language that are no tests.
        mirror: Name of the mirror that holds the base commit, where it is not the repository's own.
        files: Gold files where there is no patch.
        functions: Likewise, ``path::qualified name``.
        lines: Likewise, (path, first, last).
        tags: Everything else that the data set says in short texts, numbers and booleans: for grouping and choosing.
    """

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    patch: str = ""
    language: str = ""
    mirror: str = ""
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    lines: tuple[tuple[str, int, int], ...] = ()
    tags: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The issue's first line that is not blank."""
        return next((line.strip() for line in self.problem_statement.split("\n") if line.strip()), "")

    @property
    def fingerprint(self) -> str:
        """A hash of what is located: issue, repository and revision."""
        parts = (self.repo, self.base_commit, self.problem_statement)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def load_instances(source: str | os.PathLike[str], *, split: str = "test") -> list[Instance]:
    """Read a data set.

    Args:
        source: A file (JSON list or object by id, JSONL, Parquet; the JSON ones may be gzipped), or a name or folder
            that the library ``datasets`` knows (``princeton-nlp/SWE-bench_Verified``).
        split: Of a data set read by name.

    Returns:
        In the data set's order.

    Raises:
        DataError: It cannot be read, an entry lacks a field, or two have the same id.
        MissingExtraError: Parquet or a name, without the extra ``datasets``.
    """
    path = Path(source)
    records = _read_file(path) if path.is_file() else _read_by_name(os.fspath(source), split)
    instances = [_instance(record, number, os.fspath(source)) for number, record in enumerate(records, 1)]
    seen: set[str] = set()
    for instance in instances:
        if instance.instance_id in seen:
            raise DataError(f"{source} has two entries with the id {instance.instance_id!r}.")
        seen.add(instance.instance_id)
    if not instances:
        raise DataError(f"{source} has no entries.")
    return instances


def select(
    instances: Iterable[Instance], *, ids: Sequence[str] = (), where: Sequence[str] = (), limit: int | None = None
) -> list[Instance]:
    """Some of the instances, in their order.

    Args:
        instances: All.
        ids: Only these ids; empty is all.
        where: ``field=value`` each, all of which must hold: ``repo``, ``language``, or a tag (``quick=true``).
        limit: At most so many.

    Raises:
        DataError: An id is not there, a condition has no ``=``, or nothing is left.
    """
    chosen = list(instances)
    if ids:
        unknown = sorted(set(ids) - {instance.instance_id for instance in chosen})
        if unknown:
            raise DataError(f"The data set has no instance {', '.join(unknown[:5])}.")
        chosen = [instance for instance in chosen if instance.instance_id in set(ids)]
    for condition in where:
        name, equals, value = condition.partition("=")
        if not equals:
            raise DataError(f"The condition {condition!r} has no '='.", hint="For example: language=go or quick=true")
        chosen = [instance for instance in chosen if _says(instance, name.strip()) == value.strip().lower()]
    if not chosen:
        raise DataError("No instance is left to evaluate.", hint="Loosen the conditions.")
    return chosen if limit is None else chosen[:limit]


def _says(instance: Instance, name: str) -> str:
    value = getattr(instance, name) if name in ("repo", "language", "mirror") else instance.tags.get(name, "")
    return str(value).lower()


def _read_file(path: Path) -> list[Mapping[str, Any]]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    kind = (suffixes[:-1] if zipped else suffixes)[-1:]
    if kind == [".parquet"] and not zipped:
        return _read_parquet(path)
    if kind not in ([".json"], [".jsonl"]):
        raise DataError(f"{path} is not a data set.", hint=f"Give {_FORMS}.")
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if zipped else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error
    return _read_lines(text, path) if kind == [".jsonl"] else _read_document(text, path)


def _read_document(text: str, path: Path) -> list[Mapping[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}.", hint="One JSON object a line? Name it .jsonl.") from error
    if isinstance(value, dict):
        value = [{"instance_id": key, **entry} for key, entry in value.items() if isinstance(entry, dict)]
    if not isinstance(value, list):
        raise DataError(f"{path} holds neither a list nor an object of entries.")
    return value


def _read_lines(text: str, path: Path) -> list[Mapping[str, Any]]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}:{number} is not JSON: {error}.") from error
    return found


def _read_parquet(path: Path) -> list[Mapping[str, Any]]:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "datasets", "Reading Parquet") from error
    try:
        rows: list[Mapping[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # pyarrow's errors are these
        raise DataError(f"{path} cannot be read as Parquet: {error}.") from error
    return rows


def _read_by_name(name: str, split: str) -> list[Mapping[str, Any]]:
    if Path(name).suffix in (".json", ".jsonl", ".parquet", ".gz"):
        raise DataError(f"The file {name} does not exist.")
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("datasets", "datasets", f"Loading the data set {name!r} by name") from error
    try:
        rows = list(datasets.load_dataset(name, split=split))
    except Exception as error:  # noqa: BLE001 - the library raises errors of many libraries below it
        raise DataError(
            f"The data set {name!r} (split {split}) cannot be loaded: {' '.join(str(error).split())[:300]}",
            hint="Give a file instead, or see whether the name, the split and the network are right.",
        ) from error
    return rows


def _instance(record: Any, number: int, source: str) -> Instance:
    if not isinstance(record, Mapping):
        raise DataError(f"Entry {number} of {source} is not an object.")
    known = {name: _text(record, keys) for name, keys in _NAMES.items()}
    issue = _issue(record)
    for name, value in (("instance_id", known["instance_id"]), ("repo", known["repo"]), ("problem_statement", issue)):
        if not value.strip():
            raise DataError(
                f"Entry {number} of {source} has no {name}.",
                hint="Own issues need: id, issue (or title and body) and repo; see docs/evaluation.md.",
            )
    for name, value in known.items():
        if value != value.encode("utf-8", "replace").decode():
            raise DataError(f"Entry {number} of {source}: its {name} holds half a character, which no file can keep.")
    used = {key for keys in (*_NAMES.values(), *_ISSUE) for key in keys} | {"files", "functions", "lines"}
    return Instance(
        **known,
        problem_statement=issue,
        files=tuple(_list(record, "files", number, source)),
        functions=tuple(_list(record, "functions", number, source)),
        lines=tuple(_span(entry, number, source) for entry in record.get("lines") or ()),
        tags={key: value for key, value in record.items() if key not in used and _is_tag(value)},
    )


def _text(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    value = next((record[key] for key in keys if record.get(key) is not None), "")
    return str(value)


def _issue(record: Mapping[str, Any]) -> str:
    whole, title, body = (_text(record, keys) for keys in _ISSUE)
    return whole or "\n\n".join(filter(None, (title, body)))


def _list(record: Mapping[str, Any], key: str, number: int, source: str) -> list[str]:
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise DataError(f"Entry {number} of {source}: {key!r} must be a list of texts.")
    return list(value)


def _span(entry: Any, number: int, source: str) -> tuple[str, int, int]:
    try:
        path, first, *rest = entry
        span = str(path), int(first), int(rest[0] if rest else first)
    except (TypeError, ValueError) as error:
        raise DataError(f"Entry {number} of {source}: 'lines' must hold [path, first, last] each.") from error
    return span


def _is_tag(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= 100)

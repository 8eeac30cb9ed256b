"""The gold of instances: from the fix, read at the base revision without a checkout, or as the data set states it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sherloc.errors import DataError
from sherloc.evaluation.gold import Gold, gold_of_patch, stretches
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.repositories import Repositories
from sherloc.repository import classify, header_language, open_tree

Progress = Callable[[str, int, int], None]


def gold_of(instance: Instance, location: str) -> Gold:
    """The gold of an instance.

    Files that the base revision does not hold have no place and are left out, and so are tests, documents and
    configuration. For ``python`` only .py files count, as in SWE-bench's papers.

    Args:
        instance: With a patch, or with files.
        location: Its repository.

    Raises:
        RepositoryError: The repository or revision cannot be read.
        DataError: The instance has neither a patch nor files.
    """
    if not instance.patch:
        return _stated(instance)
    tree = open_tree(location, instance.base_commit or None)
    entries = {entry.path: entry for entry in tree.entries}
    headers = ""

    def language_of(path: str) -> str:
        nonlocal headers
        if path.endswith(".h"):
            headers = headers or header_language(entries)
            return headers
        return classify(path).language

    def counts(path: str) -> bool:
        if path not in entries:
            return False
        return path.endswith(".py") if instance.language.lower() == "python" else classify(path).partition == "code"

    def read(path: str) -> bytes | None:
        return next(data for _, data in tree.read([entries[path]]))

    return gold_of_patch(instance.patch, read, language_of, counts)


def _stated(instance: Instance) -> Gold:
    """Gold that the data set states itself; a function's file and a line's file are gold files, too."""
    named = [function.partition("::") for function in instance.functions]
    lines = sorted({(path, line) for path, first, last in instance.lines for line in range(first, last + 1)})
    files = [*instance.files, *(path for path, _, _ in named), *(path for path, _ in lines)]
    if not files:
        raise DataError(
            f"{instance.instance_id} has neither a patch nor files, functions or lines to compare with.",
            hint="Give the fix as 'patch', or what had to change as 'files' and 'functions'.",
        )
    gold = Gold(files=list(dict.fromkeys(files)), functions=list(instance.functions), lines=lines)
    gold.outer_functions = list(instance.functions)
    gold.owners = {(path, name) for path, _, name in named}
    for path in dict.fromkeys(path for path, _ in lines):
        gold.chunks += [(path, *run) for run in stretches([line for where, line in lines if where == path])]
    return gold


def golds_of(
    instances: Iterable[Instance], repositories: Repositories, *, on_progress: Progress | None = None
) -> dict[str, Gold]:
    """The gold of each instance, by id. An instance whose fix only adds files has a gold without files.

    Args:
        instances: See ``gold_of``.
        repositories: Finds theirs.
        on_progress: Called with ("gold", done, total).
    """
    chosen = list(instances)
    found = {}
    for number, instance in enumerate(chosen, 1):
        location = repositories.find(instance) if instance.patch else ""
        found[instance.instance_id] = gold_of(instance, location)
        if on_progress is not None:
            on_progress("gold", number, len(chosen))
    return found

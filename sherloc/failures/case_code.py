"""The code of a failing test: what it imports and calls points to what it tests."""

from __future__ import annotations

import re

from sherloc.failures.coverage import _parts
from sherloc.indexer.decoding import decode
from sherloc.repository import Tree, classify
from sherloc.repository.tree import Entry
from sherloc.schema.failures import FailingCase
from sherloc.syntax import GrammarUnavailable, outline

_IMPORT = re.compile(
    r"^\s*(?:from\s|import\s|using\s|#include|use\s|require|const .{0,200}\brequire\(|export .{0,200}\bfrom\b)"
)
_MOST_LINES = 80
_MOST_IMPORTS = 40
_MOST_CASES = 8
_LARGEST = 2_000_000


def code_of_tests(cases: tuple[FailingCase, ...], tree: Tree) -> tuple[str, ...]:
    """For each failing test whose code is found, its file's imports and its own code as a fenced block.

    Args:
        cases: Tests that failed; the first eight are looked for.
        tree: The repository.

    Complexity: linear in the number of files and in the bytes of the test files.
    """
    blocks = []
    for case in cases[:_MOST_CASES]:
        entry = file_of(case, tree)
        if entry is not None:
            block = _block(case, entry, tree)
            if block:
                blocks.append(block)
    return tuple(blocks)


def file_of(case: FailingCase, tree: Tree) -> Entry | None:
    """The file that holds a test, or None: the path told, or the one whose end the test's id begins with.

    Args:
        case: The test.
        tree: The repository.
    """
    named = case.path or (case.id.partition("::")[0] if "::" in case.id else "")
    if named:
        wanted = named.replace("\\", "/").lstrip("./")
        exact = [e for e in tree.entries if e.path == wanted or wanted.endswith(f"/{e.path}")]
        if exact:
            return max(exact, key=lambda entry: len(entry.path))
    parts, _ = _parts(case.id)
    for end in range(len(parts), 0, -1):
        for start in range(max(0, end - 4), end):
            tail = "/".join(parts[start:end])
            ends = [e for e in tree.entries if f"/{e.path.rpartition('.')[0]}".endswith(f"/{tail}")]
            if len(ends) == 1 or (ends and end - start > 1):
                return ends[0]
    return None


def _block(case: FailingCase, entry: Entry, tree: Tree) -> str:
    language = classify(entry.path).language
    ((_, data),) = tree.read([entry])
    if not language or data is None or len(data) > _LARGEST:
        return ""
    lines = decode(data)[0].split("\n")
    try:
        definitions = outline(language, "\n".join(lines).encode("utf-8", "replace")).definitions
    except GrammarUnavailable:
        return ""
    name = _parts(case.id)[0][-1:]
    mine = [each for each in definitions if [each.name] == name]
    if not mine:
        return ""
    first, last = mine[0].start_line, min(mine[0].end_line, mine[0].start_line + _MOST_LINES)
    imports = [line for line in lines if _IMPORT.match(line)][:_MOST_IMPORTS]
    code = "\n".join([*imports, "", *lines[first - 1 : last]])
    return f"The failing test `{case.id}`:\n\n```{language}\n{code.replace('```', '')}\n```"

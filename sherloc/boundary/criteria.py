"""Notices when a diff changes the criteria by which it would be judged.

A repository may keep its review criteria in a document; then a diff can hold the change and the criteria at once, and
no mark around the material keeps a shortened table from being used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sherloc.boundary.diffs import DiffLine, read_diff
from sherloc.boundary.folding import fold

_NAMES = re.compile(
    r"(?:^|[/_.-])(?:code[_-]?review|review(?:ing|ers?)?|contributing|criteria|check-?list|guidelines?|rubric|"
    r"codeowners|agents|claude|gemini|copilot-instructions|cursorrules|windsurfrules)(?:[/_.-]|$)"
)
_DOCUMENTS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".mdc", ".cursorrules", "codeowners")
_TOPIC = re.compile(
    r"\breview(?:s|ed|er|ers|ing)?\b|\bcriteria\b|\bchecklist\b|\brubric\b|レビュー|査読|観点|判定基準|指摘|审查|评审|審查|审核|评判标准"
)
_SEPARATOR = re.compile(r"[|:\- +=]*-[|:\- +=]*")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)]) (?:\[[ xX]\] )?\S")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of criteria: of a table, or an item of a list.

    Attributes:
        line: Its line in the file: the old one for removed rows, the new one for added rows.
        text: The row as it stands.
    """

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class CriteriaInMaterial:
    """A finding: the diff edits a document that holds criteria, so those criteria must come from elsewhere.

    Attributes:
        path: The document.
        removed: Rows that are gone, in order; a row that only moved is not among them.
        added: Rows that are new, in order.
        rows_before: Rows that the diff shows of the old document; more may stand outside its hunks.
        rows_after: Rows that it shows of the new one.
        directions: Lines that the diff adds besides rows, which may change how the criteria are used.
    """

    path: str
    removed: tuple[Row, ...]
    added: tuple[Row, ...]
    rows_before: int
    rows_after: int
    directions: tuple[Row, ...] = ()

    def __str__(self) -> str:
        gone = "; ".join(row.text for row in self.removed)
        change = f"criteria rows {self.rows_before} -> {self.rows_after}"
        return f"{self.path}: {change}" + (f", removed: {gone}" if gone else "")

    def record(self) -> dict[str, Any]:
        """As JSON."""
        rows = {name: [{"line": row.line, "text": row.text} for row in getattr(self, name)] for name in _ROWS}
        return {"path": self.path, "rows_before": self.rows_before, "rows_after": self.rows_after, **rows}


_ROWS = ("removed", "added", "directions")


def criteria_in(diff: str, is_criteria: Callable[[str], bool] | None = None) -> list[CriteriaInMaterial]:
    """Documents with criteria that a diff edits.

    A document counts when its name says so (CONTRIBUTING, REVIEW, CHECKLIST, AGENTS and the like), or when it is text
    that speaks of reviewing and the diff takes rows of a table or a list out of it.

    Args:
        diff: A unified diff.
        is_criteria: Tells from a path that a document holds criteria; besides the rule above.

    Returns:
        At most one finding a document, in the order of the diff. Linear.
    """
    documents: dict[str, list[DiffLine]] = {}
    for line in read_diff(diff):
        if line.path is not None and line.hunk:
            documents.setdefault(line.path, []).append(line)
    found = []
    for path, lines in documents.items():
        named = _is_named(path) or (is_criteria is not None and is_criteria(path))
        finding = _finding(path, lines)
        if (named and _changes(lines)) or (finding.removed and _is_text(path) and _speaks_of_review(lines)):
            found.append(finding)
    return found


def _is_named(path: str) -> bool:
    return _is_text(path) and bool(_NAMES.search(path.lower()))


def _is_text(path: str) -> bool:
    return path.lower().endswith(_DOCUMENTS)


def _changes(lines: Iterable[DiffLine]) -> bool:
    return any(line.origin != "context" for line in lines)


def _speaks_of_review(lines: Iterable[DiffLine]) -> bool:
    return any(_TOPIC.search(fold(line.text)) for line in lines)


def _finding(path: str, lines: list[DiffLine]) -> CriteriaInMaterial:
    rows = _rows(lines)
    kept = Counter(_plain(line.text) for line in rows if line.origin == "added")
    gone = Counter(_plain(line.text) for line in rows if line.origin == "removed")
    return CriteriaInMaterial(
        path,
        tuple(_without([line for line in rows if line.origin == "removed"], kept)),
        tuple(_without([line for line in rows if line.origin == "added"], gone)),
        sum(line.origin != "added" for line in rows),
        sum(line.origin != "removed" for line in rows),
        tuple(Row(line.line, line.text.strip()) for line in lines if line.origin == "added" and _is_prose(line)),
    )


def _rows(lines: list[DiffLine]) -> list[DiffLine]:
    """Rows of tables, without heads and the lines below heads, and items of lists."""
    rows = []
    for number, line in enumerate(lines):
        text = line.text.strip()
        if text.startswith("|"):
            below = lines[number + 1].text.strip() if number + 1 < len(lines) else ""
            if not _SEPARATOR.fullmatch(text) and not (below.startswith("|") and _SEPARATOR.fullmatch(below)):
                rows.append(line)
        elif _ITEM.match(text):
            rows.append(line)
    return rows


def _is_prose(line: DiffLine) -> bool:
    text = line.text.strip()
    return bool(text) and not text.startswith("|") and not _ITEM.match(text)


def _without(lines: list[DiffLine], others: Counter[str]) -> Iterable[Row]:
    """Rows but for those that the other side has too."""
    for line in lines:
        if others[_plain(line.text)] > 0:
            others[_plain(line.text)] -= 1
        else:
            yield Row(line.line, line.text.strip())


def _plain(text: str) -> str:
    return " ".join(text.split())

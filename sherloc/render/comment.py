"""A report as a comment on an issue: short, folded, within the forge's limit, and recognisable to be updated."""

from __future__ import annotations

import html
from collections.abc import Sequence

from sherloc.forge.harmless import inert
from sherloc.render.markdown import code, escaped, fenced, table
from sherloc.render.words import (
    chance,
    change_in_words,
    evidence_in_words,
    level_in_words,
    place,
    revision_in_words,
    why,
)
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.report import RankedFile, Report
from sherloc.visible import one_line

MARK = "<!-- sherloc: diagnosis -->"
"""Stands first in every comment, so that the next run finds and replaces it."""
LONGEST = 65_000
"""Characters; GitHub refuses a comment of more than 65,536."""
_FILES = 5
_EVIDENCE = 6
_ROOM = 300


def report_comment(report: Report, *, limit: int = LONGEST) -> str:
    """A report as Markdown for a comment; what does not fit is left out from the end, and the comment says so.

    Nothing in it mentions a user, refers to another issue or holds markup of strangers.

    Args:
        report: What ``locate`` gave.
        limit: The longest comment, in characters; at least 2,000.

    Raises:
        ValueError: The limit leaves no room for anything.
    """
    if limit < 2000:
        raise ValueError(f"a comment needs room for 2,000 characters, not {limit}")
    head = [MARK, f"### Where this may have to change\n\n{_sure(report)}"]
    foot = f"<sub>Found by sherloc from the text of this issue{_at(report)}; nobody has run the code.</sub>"
    if not report.change_sets:
        return "\n\n".join([*head, "No place was found.", foot]) + "\n"
    parts = [_places(report.change_sets), *map(_folded, report.change_sets), _further(report.ranked_files)]
    left = limit - sum(len(part) + 2 for part in [*head, foot]) - _ROOM
    kept = [part for part in _fitting(parts, left) if part]
    missing = sum(1 for part in parts if part) - len(kept)
    if missing:
        kept.append(f"*{missing} parts left out: the comment would be too long.*")
    return "\n\n".join([*head, *kept, foot]) + "\n"


def prose(text: str) -> str:
    """As ``markdown.prose``; a forge finds nobody to notify and nothing to link in it either.

    A forge looks for ``@name``, ``#7`` and addresses in the text that a reader sees, where an escape does not show.
    """
    return escaped(inert(one_line(text)))


def _fitting(parts: Sequence[str], room: int) -> list[str]:
    """Parts, in their order, as long as there is room; one that is too long does not keep the next out."""
    kept = []
    for part in parts:
        if len(part) + 2 <= room:
            kept.append(part)
            room -= len(part) + 2
    return kept


def _sure(report: Report) -> str:
    lines = [f"**{level_in_words(report.confidence)}.**"]
    if report.short_cut:
        lines.append("The issue names its place outright.")
    return " ".join([*lines, *(prose(reason) for reason in report.confidence_reasons)])


def _at(report: Report) -> str:
    return f" at {code(revision_in_words(report.revision))}" if report.revision else ""


def _places(change_sets: Sequence[ChangeSet]) -> str:
    rows = []
    for each in change_sets:
        target = each.target_location
        name = code(target.function_name) if target.function_name else ""
        where = code(place(each.file_path, target.start_line, target.end_line))
        rows.append((where, name, chance(each.confidence), prose(change_in_words(each.change_type.value))))
    return table(("place", "function", "chance", "kind of change"), rows)


def _folded(change_set: ChangeSet) -> str:
    target = change_set.target_location
    where = place(change_set.file_path, target.start_line, target.end_line)
    evidence = [
        f"- {prose(evidence_in_words(item.source, item.description))}"
        for item in change_set.diagnostic_evidence[:_EVIDENCE]
        if item.source != "unknown"
    ]
    body = ["\n".join(evidence)] if evidence else []
    if change_set.context_code_snippet.strip():
        body.append(fenced(_suspect(change_set), change_set.file_path))
    inner = "\n\n".join(body) or "No further evidence."
    # Inside a summary there is no Markdown; in a code element a forge links nothing.
    return f"<details><summary>Why <code>{html.escape(one_line(where))}</code></summary>\n\n{inner}\n\n</details>"


def _suspect(change_set: ChangeSet, around: int = 3) -> str:
    """The suspect lines with a few around them, numbered."""
    lines = change_set.context_code_snippet.rstrip("\n").split("\n")
    first = change_set.context_start_line or 1
    target = change_set.target_location
    start, end = target.start_line or first, target.end_line or first
    width = len(str(end + around))
    return "\n".join(
        f"{number:>{width}}  {line}"
        for number, line in enumerate(lines, first)
        if start - around <= number <= end + around
    )


def _further(files: Sequence[RankedFile]) -> str:
    rows = [f"{n}. {code(each.path)} {chance(each.confidence)} {prose(why(each.signals))}" for n, each in
            enumerate(files[:_FILES], 1)]  # fmt: skip
    return "<details><summary>Files by rank</summary>\n\n" + "\n".join(rows) + "\n\n</details>" if rows else ""

"""A report and a surgery brief as Markdown.

Text of issues and repositories never becomes markup: prose is escaped, names stand in code spans and code in fences
longer than any run of backticks inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sherloc.render.words import (
    chance,
    change_in_words,
    evidence_in_words,
    level_in_words,
    place,
    revision_in_words,
    why,
)
from sherloc.schema.brief import GlobalContext, SurgeryBrief
from sherloc.schema.change_set import ChangeSet, EvidenceItem
from sherloc.schema.report import RankedFile, RankedFunction, Report
from sherloc.visible import one_line, visible_code

_ROWS = 10
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~&@])")
_TICKS = re.compile("`+")
_UNKNOWN = "unknown"
_LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx",
    "ts": "typescript", "tsx": "tsx", "java": "java", "go": "go", "rs": "rust", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "rb": "ruby", "php": "php", "kt": "kotlin", "kts": "kotlin",
    "cs": "csharp", "yml": "yaml", "yaml": "yaml", "toml": "toml", "json": "json", "html": "html", "css": "css",
    "md": "markdown", "sh": "sh", "sql": "sql", "xml": "xml",
}  # fmt: skip


def report_markdown(report: Report, *, top: int | None = None) -> str:
    """A report as Markdown.

    Args:
        report: What ``locate`` gave.
        top: Rows of each table; None is ten.
    """
    rows = _ROWS if top is None else top
    where = prose(report.repository)
    if report.revision:
        where += f" @ {code(revision_in_words(report.revision))}"
    parts = [f"# Where to change {where}", _confidence(report)]
    if report.ranked_files:
        parts += ["## Files", _file_table(report.ranked_files[:rows])]
    if report.ranked_functions:
        parts += ["## Functions", _function_table(report.ranked_functions[:rows])]
    parts += _change_sets(report.change_sets)
    notes = [f"- {each.severity}: {prose(each.message)}" for each in report.diagnostics if each.severity != "info"]
    if notes:
        parts += ["## Warnings", "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def brief_markdown(brief: SurgeryBrief) -> str:
    """A surgery brief as Markdown, for a person or an agent that makes the change.

    Args:
        brief: Of a report.
    """
    parts = ["# Surgery brief", prose(brief.issue_summary)]
    if brief.repository:
        revision = f" at {code(revision_in_words(brief.revision))}" if brief.revision else ""
        parts.append(f"Repository: {prose(brief.repository)}{revision}")
    if brief.stale:
        parts.append("**Files changed after they were indexed: check the lines before you change them.**")
    if brief.reasoning:
        parts.append(prose(brief.reasoning))
    parts += _change_sets(brief.change_sets)
    if not brief.change_sets:
        parts.append("No place to change was found.")
    if brief.findings:
        parts += ["## Findings", "\n".join(f"- {prose(finding)}" for finding in brief.findings)]
    if brief.global_context:
        parts.append("## What the change must respect")
        parts += [part for context in brief.global_context for part in _context(context)]
    return "\n\n".join(part for part in parts if part) + "\n"


def prose(text: str) -> str:
    r"""A text as one line of prose that holds no markup.

    >>> prose("a|b <img> *c*")
    'a\\|b \\<img\\> \\*c\\*'
    """
    return escaped(one_line(text))


def escaped(line: str) -> str:
    """A line with its markup escaped.

    Args:
        line: Of ``one_line``, and more than that perhaps: nothing else is done to it.
    """
    return _MARKUP.sub(r"\\\1", line)


def code(text: str) -> str:
    """A text as a code span that nothing inside it can end."""
    inner = one_line(text)
    ticks = "`" * (_longest_run(inner) + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") or not inner else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def fenced(text: str, path: str = "") -> str:
    """Code in a fence longer than any run of backticks in it.

    Args:
        text: The code.
        path: Its file, which says the language.
    """
    inner = visible_code(text)
    fence = "`" * max(3, _longest_run(inner) + 1)
    language = _LANGUAGES.get(path.rpartition(".")[2].lower(), "")
    return f"{fence}{language}\n{inner}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; cells are Markdown already, and a ``|`` in them is escaped here.

    Args:
        head: Column titles.
        rows: Cells.
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    """A bar needs its back-slash in a table even inside a code span."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _confidence(report: Report) -> str:
    lines = [f"**{level_in_words(report.confidence)}.**"]
    if report.short_cut:
        lines.append("The issue names its place outright.")
    lines += [prose(reason) for reason in report.confidence_reasons]
    return " ".join(lines)


def _file_table(files: Sequence[RankedFile]) -> str:
    rows = [
        (str(rank), code(file.path), chance(file.confidence), prose(why(file.signals)))
        for rank, file in enumerate(files, 1)
    ]
    return table(("#", "file", "chance", "why"), rows)


def _function_table(functions: Sequence[RankedFunction]) -> str:
    rows = [
        (
            str(rank), code(each.qualified_name), code(place(each.path, each.start_line, each.end_line)),
            chance(each.confidence), prose(why(each.signals)),
        )
        for rank, each in enumerate(functions, 1)
    ]  # fmt: skip
    return table(("#", "function", "place", "chance", "why"), rows)


def _change_sets(change_sets: Sequence[ChangeSet]) -> list[str]:
    parts = ["## What to change"] if change_sets else []
    for number, change_set in enumerate(change_sets, 1):
        parts += _change_set(change_set, number)
    return parts


def _change_set(change_set: ChangeSet, number: int) -> list[str]:
    target = change_set.target_location
    title = f"### {number}. {code(place(change_set.file_path, target.start_line, target.end_line))}"
    if target.function_name:
        title += f" {code(target.function_name)}"
    nature = f"**{change_in_words(change_set.change_type.value)}**, {chance(change_set.confidence)} likely."
    if change_set.new_file:
        nature += " The file does not exist yet."
    if change_set.stale:
        nature += " **The file changed after it was indexed.**"
    if change_set.expected_change_nature:
        nature += f" {prose(change_set.expected_change_nature)}"
    parts = [title, nature]
    evidence = [_evidence(item) for item in change_set.diagnostic_evidence]
    if evidence:
        parts.append("\n".join(evidence))
    if change_set.context_code_snippet.strip():
        parts += [_extent(change_set), fenced(change_set.context_code_snippet, change_set.file_path)]
    return parts


def _evidence(item: EvidenceItem) -> str:
    if item.source == _UNKNOWN:
        return f"- Not known: {prose(item.description)}"
    return f"- {prose(evidence_in_words(item.source, item.description))}"


def _extent(change_set: ChangeSet) -> str:
    first = change_set.context_start_line
    if first is None:
        return "Code around it:"
    last = first + len(change_set.context_code_snippet.rstrip("\n").split("\n")) - 1
    target = change_set.target_location
    suspect = "" if target.start_line is None else f"; suspect are lines {target.start_line}-{target.end_line}"
    return f"Lines {first}-{last}{suspect}:"


def _context(context: GlobalContext) -> list[str]:
    where = code(place(context.file_path, context.start_line, context.end_line))
    return [f"### {where}", prose(context.purpose), fenced(context.snippet, context.file_path)]

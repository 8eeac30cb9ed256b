"""The surgery brief: change sets with the code around them, and what the change must respect."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from sherloc.change_set.contracts import contract_of
from sherloc.schema.brief import GlobalContext, SurgeryBrief
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query
from sherloc.schema.snippet import Snippet
from sherloc.settings import ChangeSetSettings

MAX_SUMMARY = 300
MAX_LINE = 400
ELLIPSIS = "…"

_MARGIN = 5
_MAX_CONTEXT_LINES = 30
_MIN_SENTENCE = 15
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_NOISE = re.compile(r"^\s*(?:[#>|<$*=\-+]|File \"|Traceback|at |\d+[.)]?\s|\S+[:=]\s*$|In \[|>>>|\.\.\. )|^(?: {4}|\t)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(])|(?<=[。！？])")
_TELLING_KINDS = ("actual", "expected", "description", "comment")


def checked_lines(start: int | None, end: int | None, line_count: int) -> tuple[int, int] | None:
    """Lines as someone gave them, made to fit a file, or None when nothing of them lies in it.

    A reversed range is turned round, an open end is the other end, zero and below become line 1, an end past the file
    becomes its last line.

    Args:
        start: First line, 1-based.
        end: Last line, inclusive.
        line_count: Lines of the file.

    >>> checked_lines(9, 3, 5), checked_lines(0, 2, 5), checked_lines(6, 9, 5), checked_lines(-3, 0, 5)
    ((3, 5), (1, 2), None, None)
    """
    start, end = (end if start is None else start), (start if end is None else end)
    if start is None or end is None or line_count < 1:
        return None
    low, high = min(start, end), max(start, end)
    if low > line_count or high < 1:
        return None
    return max(low, 1), min(high, line_count)


def build_brief(
    issue: Issue,
    change_sets: Sequence[ChangeSet],
    sources: Mapping[str, str],
    *,
    settings: ChangeSetSettings,
    query: Query | None = None,
    context: Sequence[tuple[Snippet, str]] = (),
    contracts: Sequence[tuple[Snippet, int, str]] = (),
    reasoning: str = "",
    repository: str = "",
    revision: str = "",
    stale: Collection[str] = (),
    findings: Sequence[str] = (),
) -> SurgeryBrief:
    """Put a brief together; change sets whose lines lie outside of their file are left out and named in ``reasoning``.

    Args:
        issue: The issue.
        change_sets: What must change, surest first.
        sources: Path to the file's text.
        settings: How much context is shown.
        query: The issue taken apart, when it is at hand: its expected and actual parts give the summary.
        context: Callers and overridden methods with the purpose of showing them.
        contracts: Classes that are shown without bodies, with the line that matters, and the purpose.
        reasoning: Why these change sets.
        repository: The repository's name.
        revision: The revision that the lines belong to.
        stale: Paths of files that changed since the lines were computed.
        findings: What an exploration found.
    """
    kept, refused = [], []
    for change_set in change_sets:
        shown = with_context(change_set, sources.get(change_set.file_path), settings)
        if shown is None:
            refused.append(f"{change_set.file_path}: its lines are not in the file.")
        else:
            kept.append(shown.model_copy(update={"stale": shown.stale or shown.file_path in stale}))
    return SurgeryBrief(
        issue_summary=issue_summary(issue, query),
        change_sets=tuple(kept),
        global_context=(*_global_context(context, sources), *_contracts(contracts, kept, sources)),
        repository=repository,
        revision=revision,
        content_hash=content_hash(kept),
        stale=any(change_set.stale for change_set in kept),
        reasoning=" ".join(part for part in (reasoning, *(f"Left out {each}" for each in refused)) if part),
        findings=tuple(findings),
    )


def with_context(change_set: ChangeSet, text: str | None, settings: ChangeSetSettings) -> ChangeSet | None:
    """The change set with checked lines and the code around them; None when its lines are not in the file.

    The snippet is ``context_lines`` long with the target in its middle, longer only for a target that would have less
    than five lines around it. It ends at the file's bounds, and lines over 400 characters are cut.

    Args:
        change_set: What must change; one for a new file, or without lines, is given back as it is.
        text: The file's text; None when it is not at hand.
        settings: How much context is shown.
    """
    target = change_set.target_location
    if change_set.new_file or text is None or target.start_line is None:
        return change_set
    lines = split_lines(text)
    checked = checked_lines(target.start_line, target.end_line, len(lines))
    if checked is None:
        return None
    first, last = _window(*checked, len(lines), settings.context_lines)
    return change_set.model_copy(
        update={
            "target_location": target.model_copy(update={"start_line": checked[0], "end_line": checked[1]}),
            "context_code_snippet": "\n".join(cap(line) for line in lines[first - 1 : last]),
            "context_start_line": first,
        }
    )


def split_lines(text: str) -> list[str]:
    """Lines parted by line feeds; a final one gives no empty line."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def cap(line: str) -> str:
    """A line of at most 400 characters; a longer one ends with an ellipsis mark."""
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + ELLIPSIS


def content_hash(change_sets: Sequence[ChangeSet]) -> str:
    """SHA-256 over the change sets' paths and file hashes, each file once, in order of path; empty for none."""
    files = sorted({(each.file_path, each.content_hash) for each in change_sets})
    if not files:
        return ""
    return hashlib.sha256("".join(f"{path}\0{value}\n" for path, value in files).encode("utf-8")).hexdigest()


def issue_summary(issue: Issue, query: Query | None = None) -> str:
    """The title and the first telling sentence, at most 300 characters; never a log or a traceback.

    Args:
        issue: The issue.
        query: The issue taken apart; without it the first sentence of prose in the body is taken.
    """
    title = " ".join(issue.title.split())
    sentence = _telling_sentence(issue, query)
    if sentence.rstrip(".") == title.rstrip("."):
        sentence = ""
    if title and sentence:
        joint = title if title.endswith((".", "!", "?", "。")) else f"{title}."
        return _cut(f"{joint} {sentence}")
    return _cut(title or sentence)


def _telling_sentence(issue: Issue, query: Query | None) -> str:
    if query is not None:
        for kind in _TELLING_KINDS:
            for segment in query.segments:
                sentence = _first_sentence(segment.text) if segment.kind == kind else ""
                if sentence:
                    return sentence
        if query.segments:
            return ""
    return _first_sentence(issue.body)


def _first_sentence(text: str) -> str:
    prose: list[str] = []
    fenced = False
    for line in text[:20_000].split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and not _NOISE.match(line):
            prose.append(line.strip())
            continue
        if prose and len(" ".join(prose)) >= _MIN_SENTENCE:
            break
        prose.clear()
    for sentence in _SENTENCE_END.split(" ".join(prose)):
        if len(sentence) >= _MIN_SENTENCE or not sentence.isascii():
            return sentence.strip()
    return ""


def _cut(text: str) -> str:
    if len(text) <= MAX_SUMMARY:
        return text
    head = text[: MAX_SUMMARY - 1]
    space = head.rfind(" ")
    return (head[:space] if space > MAX_SUMMARY // 2 else head).rstrip() + ELLIPSIS


def _window(start: int, end: int, count: int, wanted: int) -> tuple[int, int]:
    margin = min(_MARGIN, wanted // 2)
    size = max(wanted, end - start + 1 + 2 * margin)
    before = (size - (end - start + 1)) // 2
    first = max(1, start - before)
    last = min(count, first + size - 1)
    return max(1, min(first, last - size + 1)), max(last, end)


def _global_context(context: Sequence[tuple[Snippet, str]], sources: Mapping[str, str]) -> list[GlobalContext]:
    shown = []
    for snippet, purpose in context:
        lines = split_lines(sources.get(snippet.path, ""))
        checked = checked_lines(snippet.start_line, snippet.end_line, len(lines))
        if checked is None:
            continue
        first, last = checked[0], min(checked[1], checked[0] + _MAX_CONTEXT_LINES - 1)
        code = "\n".join(cap(line) for line in lines[first - 1 : last])
        shown.append(
            GlobalContext(file_path=snippet.path, purpose=purpose, snippet=code, start_line=first, end_line=last)
        )
    return shown


def _contracts(
    contracts: Sequence[tuple[Snippet, int, str]], change_sets: Sequence[ChangeSet], sources: Mapping[str, str]
) -> Iterator[GlobalContext]:
    """Classes without bodies, where a change set does not show all of them anyway."""
    for owner, near, purpose in contracts:
        text = sources.get(owner.path)
        if text is None or any(_shows(change_set, owner) for change_set in change_sets):
            continue
        shown = contract_of(owner, near, purpose, "\n".join(cap(line) for line in text.split("\n")))
        if shown is not None:
            yield shown


def _shows(change_set: ChangeSet, owner: Snippet) -> bool:
    first = change_set.context_start_line
    if change_set.file_path != owner.path or first is None:
        return False
    return first <= owner.start_line and owner.end_line < first + len(change_set.context_code_snippet.split("\n"))

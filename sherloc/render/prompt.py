"""A report as a few lines for an agent's prompt: where to start, how sure that is, all of it fenced as material."""

from __future__ import annotations

from collections.abc import Iterable

from sherloc.boundary import declare, fence, scan
from sherloc.render.words import chance, change_in_words, evidence_in_words, place, why
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.report import Report
from sherloc.tokens import estimate_tokens
from sherloc.visible import one_line, visible, visible_code

MOST_TOKENS = 1500
_AROUND = 3
_EVIDENCE = 3
_FILES = 5
_CONTEXT = 3
_SURE = {
    "high": "High confidence",
    "medium": "Medium confidence: look before you trust it",
    "low": "LOW confidence: take it as a place to start, and search on your own as well",
}
_HOW = (
    "sherloc searched the repository for the place that an issue is about. It read the text of the issue and the code; "
    "nothing was run."
)
_USE = (
    "Read the first place before you edit. If it cannot cause what the issue describes, say so to yourself and go on "
    "searching: a wrong lead costs more than none."
)


def report_prompt(report: Report, *, max_tokens: int = MOST_TOKENS) -> str:
    """A report for the first prompt of an agent that is to make the change.

    What comes from the issue or the repository stands between marks that occur nowhere in it, behind a declaration of
    what that means and a list of its lines that read like orders. Places come first, then their code as far as there is
    room; what was left out is said.

    Args:
        report: What ``locate`` gave.
        max_tokens: The longest material, as sherloc estimates tokens; the frame around it has about 250 more.
    """
    material = _material(report, max_tokens)
    fenced = fence(material)
    said = declare(fenced, scan(material, "brief"))
    sure = " ".join([f"{_SURE[report.confidence]}.", *_own_reasons(report)])
    parts = [_HOW, sure, said.text, fenced.text, _USE]
    return "\n\n".join(part for part in parts if part) + "\n"


def _own_reasons(report: Report) -> Iterable[str]:
    """The first file's chance, and why the answer is not surer.

    Sentences that could quote a stranger stand in the material.
    """
    if report.ranked_files:
        yield f"The first file has an estimated chance of {chance(report.ranked_files[0].confidence)}."
    yield from (each for each in report.confidence_reasons if not _quotes(each))


def _quotes(reason: str) -> bool:
    return any(mark in reason for mark in "`'\"<>:\n")


def _material(report: Report, max_tokens: int) -> str:
    reasons = [one_line(each) for each in report.confidence_reasons if _quotes(each)]
    doubts = [f"Why the answer is not surer: {' '.join(reasons)}"] if reasons else []
    head = [f"Issue: {one_line(report.brief.issue_summary)}", *doubts, ""]
    if not report.change_sets:
        return "\n".join([*head, "No place was found."])
    lines = [*head, "Places, most likely first:"]
    for number, each in enumerate(report.change_sets, 1):
        lines += _place(each, number)
    files = [f"- {visible(f.path)} ({chance(f.confidence)}): {one_line(why(f.signals))}" for f in report.ranked_files]
    lines += ["", "Files, most likely first:", *files[:_FILES]]
    left = max_tokens - estimate_tokens("\n".join(lines))
    missing = 0
    for block in (*map(_code, report.change_sets), *_callers(report)):
        cost = estimate_tokens(block)
        if block and cost <= left:
            lines += ["", block]
            left -= cost
        else:
            missing += 1
    if missing:
        lines += ["", f"({missing} pieces of code left out to keep this short.)"]
    return "\n".join(lines)


def _place(change_set: ChangeSet, number: int) -> list[str]:
    target = change_set.target_location
    where = place(visible(change_set.file_path), target.start_line, target.end_line)
    name = f" in {one_line(target.function_name)}" if target.function_name else ""
    kind = change_in_words(change_set.change_type.value)
    stale = "; the file changed since, its lines may have moved" if change_set.stale else ""
    evidence = [item for item in change_set.diagnostic_evidence if item.source != "unknown"][:_EVIDENCE]
    return [
        f"{number}. {where}{name} ({chance(change_set.confidence)} likely; {kind}{stale})",
        *(f"   - {evidence_in_words(item.source, item.description)}" for item in evidence),
    ]


def _code(change_set: ChangeSet) -> str:
    """The suspect lines with their numbers."""
    lines = visible_code(change_set.context_code_snippet).split("\n")
    if not change_set.context_code_snippet.strip():
        return ""
    first = change_set.context_start_line or 1
    target = change_set.target_location
    start, end = target.start_line or first, target.end_line or first + len(lines) - 1
    width = len(str(end + _AROUND))
    shown = [
        f"{number:>{width}}{'>' if start <= number <= end else ' '} {line}"
        for number, line in enumerate(lines, first)
        if start - _AROUND <= number <= end + _AROUND
    ]
    return "\n".join([f"{visible(change_set.file_path)}, lines {start}-{end} are suspect:", *shown])


def _callers(report: Report) -> list[str]:
    found = []
    for each in report.brief.global_context[:_CONTEXT]:
        where = place(visible(each.file_path), each.start_line, each.end_line)
        found.append(f"{where} {one_line(each.purpose)}:\n{visible_code(each.snippet)}".rstrip())
    return found

"""A report as GitHub's workflow commands: annotations beside the code of a pull request or run."""

from __future__ import annotations

from sherloc.render.words import chance, change_in_words, evidence_in_words, level_in_words
from sherloc.schema.change_set import ChangeSet
from sherloc.schema.path_text import original_path
from sherloc.schema.report import Report
from sherloc.visible import one_line

MOST = 10
"""GitHub shows so many annotations of one kind a step; further ones are dropped without a word."""
_LONGEST = 1000


def report_annotations(report: Report) -> str:
    """One command a change set, surest first; notices where the whole answer has low confidence, else warnings.

    Args:
        report: What ``locate`` gave.
    """
    kind = "notice" if report.confidence == "low" else "warning"
    lines = [_command(kind, each, report) for each in report.change_sets[:MOST]]
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, change_set: ChangeSet, report: Report) -> str:
    target = change_set.target_location
    first = target.start_line or 1
    name = f" {one_line(target.function_name)}" if target.function_name else ""
    properties = {
        "file": original_path(change_set.file_path) or change_set.file_path,
        "line": str(first),
        "endLine": str(max(first, target.end_line or first)),
        "title": f"sherloc:{name} {chance(change_set.confidence)} likely",
    }
    told = [evidence_in_words(item.source, item.description) for item in change_set.diagnostic_evidence]
    words = [f"{change_in_words(change_set.change_type.value)}. {level_in_words(report.confidence)}.", *told]
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {written}::{_message(one_line(' '.join(words))[:_LONGEST])}"


def _message(text: str) -> str:
    r"""Text as the runner reads it back.

    >>> _message("50% done\nnext")
    '50%25 done%0Anext'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A value of a property, in which colons and commas mean something too."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")

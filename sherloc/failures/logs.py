"""The log of a failing run as an issue: the parts that tell of the failure, without colours, clocks and progress."""

from __future__ import annotations

import re

from sherloc.schema.failures import FailingCase
from sherloc.schema.issue import Issue

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|[]PX^_][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[ -/]{1,4}[0-~]|[@-Z\\-_])"
)
# Job and step of ``gh run view --log``; the container of Docker Compose.
_ORIGIN = re.compile(r"^(?:[^\t]{1,200}\t[^\t]{1,200}\t\ufeff?(?=\d{4}-)|[\w.-]{1,80}[-_]\d{1,3} {1,40}\| )")
# Behind the date GitLab tells the stream (``01O``), and behind a time of the day Jenkins leaves two blanks.
_CLOCK = re.compile(
    r"^\s{0,4}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE](?=[ +]|$)\+?)?"
    r"|\[?\d\d:\d\d:\d\d\]?(?: (?= ))?)\s?"
)
_MARKS = re.compile(r"^(?:##\[[a-z]+\]|::(?:error|warning|notice|debug|group|endgroup)[^:\n]{0,500}::)")
_TELLING = re.compile(
    r"(?i)\b(?:error|exception|failed|failure|fatal|panic(?:ked)?|traceback|assert\w*|segfault|undefined reference)\b"
    r"|^E  "
)
_NOTHING = re.compile(r"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b|error handling|\bif errors?\b")
_PYTHON = re.compile(
    r"^(?:E\s{1,7})?((?:[a-zA-Z_][\w.]{0,120}\.)?[A-Z]\w{0,80}(?:Error|Exception|Warning|Exit|Interrupt|Failure))"
    r"(?:: (.{0,400}))?$"
)
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) ([^\s:]{1,300}::[^\s]{1,300}|[^\s]{1,300})(?: - (.{0,400}))?$")
_BEFORE, _AFTER = 6, 40
_MOST_LINES = 600
_LONGEST_LINE = 500
_LONGEST_TITLE = 300
_MOST_CASES = 20


def cleaned(log: str) -> list[str]:
    r"""The lines of a log without terminal control, clocks and CI marks; of a line that was overwritten the last state.

    Args:
        log: As a terminal or a CI system kept it. Linear.

    >>> cleaned("2024-05-01T10:00:00.123Z \x1b[31mFAILED\x1b[0m a\n 10%\r 100%\n##[error]Process failed")
    ['FAILED a', ' 100%', 'Process failed']
    """
    lines = []
    for line in _ANSI.sub("", log.replace("\r\n", "\n").replace("\x9b", "\x1b[")).split("\n"):
        last = line.rstrip("\r").rpartition("\r")[2][: _LONGEST_LINE * 4]
        if "\t" in last or "| " in last:
            last = _ORIGIN.sub("", last)
        lines.append(_MARKS.sub("", _CLOCK.sub("", last)).rstrip()[:_LONGEST_LINE])
    return lines


def issue_from_log(log: str) -> Issue:
    """An issue that says what a failing run's log says.

    The title is the last error in it, the body the stretches around lines that tell of failures, the last 600 lines of
    them: what a run ends with is what made it fail.

    Args:
        log: The whole log.
    """
    lines = cleaned(log)
    chosen = _chosen(lines)
    body: list[str] = []
    last = -1
    for number in chosen:
        if last >= 0 and number > last + 1:
            body.append("")
        body.append(lines[number])
        last = number
    return Issue(title=_title(lines, chosen), body="\n".join(body).strip("\n"))


def cases_in_log(log: str) -> tuple[FailingCase, ...]:
    """The tests that pytest's short summary names as failed, at most 20, each once.

    Args:
        log: The whole log.
    """
    found: dict[str, FailingCase] = {}
    for line in cleaned(log):
        match = _SUMMARY.match(line)
        if match and ("::" in match[1] or match[1].endswith(".py")):
            found.setdefault(match[1], FailingCase(match[1], match[1].partition("::")[0], match[2] or ""))
    return tuple(found.values())[:_MOST_CASES]


def _chosen(lines: list[str]) -> list[int]:
    if len(lines) <= _BEFORE + _AFTER:
        return list(range(len(lines)))
    kept: set[int] = set()
    for number, line in enumerate(lines):
        if _TELLING.search(line) and not _NOTHING.search(line):
            kept.update(range(max(0, number - _BEFORE), min(len(lines), number + _AFTER)))
    if not kept:
        kept = set(range(len(lines) - _AFTER, len(lines)))
    return sorted(kept)[-_MOST_LINES:]


def _title(lines: list[str], chosen: list[int]) -> str:
    """The last exception; else the last failing test; else the last line that tells of a failure."""
    exceptions = [m for number in chosen if (m := _PYTHON.match(lines[number]))]
    if exceptions:
        name, words = exceptions[-1][1], exceptions[-1][2]
        return f"{name}: {words}" if words else name
    tests = [m for number in chosen if (m := _SUMMARY.match(lines[number]))]
    if tests:
        return f"{tests[-1][1]}: {tests[-1][2] or 'failed'}"[:_LONGEST_TITLE]
    told = [lines[n] for n in chosen if _TELLING.search(lines[n]) and not _NOTHING.search(lines[n])]
    filled = told or [lines[n] for n in chosen if lines[n].strip()]
    return filled[-1].strip()[:_LONGEST_TITLE] if filled else ""

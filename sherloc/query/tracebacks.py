"""Tracebacks in lines of text: where they start and end, their frames, innermost first, and what was raised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sherloc.late import late
from sherloc.query.shapes import is_sentence
from sherloc.query.trace_formats import FORMATS, Place, TraceFormat
from sherloc.schema.query import Frame

_LONGEST_LINE = 4000
# What stands between two parts of a traceback says which of them is the cause of the other, if any is.
_CHAINED = late(
    r"(?P<after>During handling of the above exception)|(?P<cause_above>The above exception was the direct cause)"
    r"|(?P<cause_below>[Cc]aused by: ?|\[cause\]: ?)|(?P<aside>Suppressed: ?)"
)
_HEADER = late(
    r"Traceback \(|Exception in thread|goroutine \d+ \[|panic: |Caused by|Stack ?trace|stack backtrace|Backtrace"
    r"|Call stack|Uncaught "
    r"|(?:PHP )?(?:Fatal|Parse) error|Unhandled |Program (?:received|terminated)|Thread \d|-{10,}"
    r"|={2,}\d+={2,} ?ERROR|={3,}|\[signal ",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z_][\w.$\\]{0,160}(?:::\w{1,80}){0,8}"
_RAISED = late(
    r"(?:E\s{1,40})?(?:\S{0,40} ?Exception in thread \"[^\"\n]{0,80}\" |Caused by: |Suppressed: |\[cause\]: "
    r"|(?:PHP )?Fatal error: {1,4}Uncaught "
    r"|Uncaught (?:\(in promise\) |Kotlin exception: )?|Unhandled [Ee]xception[.:] ?|Unhandled rejection |throw new "
    r"|\S{1,300}:\d+:in [`'][^'\n]{1,100}': ?)?"
    rf"({_NAME})(?:: ?(.*)|)$"
)
_RUBY_RAISED = late(r".{0,400}:in [`'][^'\n]{1,200}': (.{0,2000}?) \(([\w:]{1,120})\)$")
_ERROR_NAME = late(
    r"[\w.$\\:]*(?:Error|Exception|Warning|Failure|Fault|Interrupt|Exit|Abort|Failed|Iteration|Throwable|Http404"
    r"|DoesNotExist)\w*$"
)
_GO_PANIC = late(r"(panic|fatal error): (.*?)(?: \[recovered\])?$")
_SIGNAL = late(r"Program (?:received|terminated with) signal (\w+), (.*)$")
_SANITIZER = late(r"={2,}\d+={2,} ?ERROR: \w+Sanitizer: (\S+)(.*)$")
_RUST_OLD = late(r"thread '[^'\n]{0,200}'.{0,20} panicked at '(.{1,2000})', \S+$")
_DEFINITION = late(r"(?:async )?def (\w{1,80})\(")
_PYTEST_MARK = late(r"(?:E  |>  |_ _ _ )")
_ARROW = late(r"-{2,6}> ?(\d{1,7})\b")
_BACKSLASHES = late(r"\\+")
_WIDE = 14
_NARROW = 5
_CHAIN_GAP = 60


class Raised(NamedTuple):
    """What a traceback says was raised; ``name`` without package, either may be empty.

    ``wraps`` says that it has a cause in the same traceback.
    """

    name: str
    message: str
    wraps: bool = False


class Trace(NamedTuple):
    """A traceback in lines ``start`` to ``end`` (exclusive).

    Attributes:
        start: Index of its first line.
        end: Index after its last line.
        frames: Innermost first; of chained errors the root cause first. Of errors that were raised while another was
            handled, and of which none is the other's cause, the last raised first.
        raised: What was raised, in the frames' order.
        message_lines: Indices of the lines that say what was raised.
        wrapper_lines: Indices of the lines with the frames of what only wraps the root cause.
    """

    start: int
    end: int
    frames: tuple[Frame, ...]
    raised: tuple[Raised, ...]
    message_lines: tuple[int, ...]
    wrapper_lines: frozenset[int] = frozenset()


class _Hit(NamedTuple):
    line: int
    format: TraceFormat
    place: Place


def find_traces(lines: Sequence[str]) -> list[Trace]:
    """All tracebacks in lines of text, in order; linear in the text's length."""
    groups: list[list[list[_Hit]]] = []
    for hit in _hits(lines):
        if groups and (link := _link(lines, groups[-1][-1][-1], hit)):
            if link == "chain":
                groups[-1].append([])
            groups[-1][-1].append(hit)
        else:
            groups.append([[hit]])
    traces: list[Trace] = []
    for i, group in enumerate(groups):
        limit = groups[i + 1][0][0].line if i + 1 < len(groups) else len(lines)
        traces.append(_trace(lines, group, traces[-1].end if traces else 0, limit))
    return traces


def _hits(lines: Sequence[str]) -> list[_Hit]:
    found: list[_Hit] = []
    previous = shown = ""
    for i, line in enumerate(lines):
        text = line.strip() if len(line) <= _LONGEST_LINE else ""
        if found and found[-1].place[1] is None and (arrow := _ARROW().match(text)):
            path, _, function = found[-1].place
            found[-1] = _Hit(found[-1].line, found[-1].format, (path, int(arrow[1]), function))
        if not shown and "def " in text and (definition := _DEFINITION().match(text)):
            shown = definition[1]
        if text and (":" in text or "(" in text or "line " in text or " in " in text):
            for form in FORMATS:
                if form.needle in text and (place := form.read(text, previous)):
                    if form.language == "python" and not place[2]:
                        place = (place[0], place[1], shown)
                    found.append(_Hit(i, form, place))
                    shown = ""
                    break
        previous = text
    return found


def _link(lines: Sequence[str], last: _Hit, hit: _Hit) -> str:
    """How a frame's line continues the traceback before it: ``same`` section, ``chain``, or not at all."""
    if last.format.language != hit.format.language and {last.format.language, hit.format.language} != {"java", "ruby"}:
        return ""
    between = lines[last.line + 1 : hit.line]
    if len(between) > _CHAIN_GAP:
        return ""
    if any(_CHAINED().search(line[:400]) for line in between):
        return "chain"
    if any("Traceback (most recent call last" in line or line.startswith("goroutine ") for line in between):
        return ""
    python = last.format.language == "python"
    if python and any(_PYTEST_MARK().match(line) for line in between):
        return "same"
    wide = python and (last.format.needle != 'File "' or hit.format.needle != 'File "')
    return "same" if len(between) <= (_WIDE if wide else _NARROW) else ""


def _trace(lines: Sequence[str], sections: list[list[_Hit]], floor: int, limit: int) -> Trace:
    first, last = sections[0][0], sections[-1][-1]
    start = _start(lines, first.line, floor)
    after = first.format.innermost_last
    found: list[tuple[int, Raised] | None] = []
    for i, section in enumerate(sections):
        if after:
            end = sections[i + 1][0].line if i + 1 < len(sections) else limit
            found.append(_raised_after(lines, section, end))
        else:
            found.append(_raised_before(lines, section[0].line, start if i == 0 else sections[i - 1][-1].line + 1))
    order, wrappers = _causes_first(lines, sections)
    has_root = any(found[i] for i in order if i not in wrappers)
    raised = tuple(said[1]._replace(wraps=has_root and i in wrappers) for i in order if (said := found[i]))
    message_lines = tuple(sorted(said[0] for said in found if said))
    end = max(last.line + 1, *(number + 1 for number in message_lines)) if message_lines else last.line + 1
    frames = _frames([list(reversed(sections[i])) if after else sections[i] for i in order])
    spans = [(sections[i][0].line, sections[i][-1].line) for i in wrappers if has_root]
    around = frozenset(line for begin, stop in spans for line in range(begin, stop + 1 + after))
    return Trace(start, _end(lines, end, limit, last), frames, raised, message_lines, around)


def _causes_first(lines: Sequence[str], sections: list[list[_Hit]]) -> tuple[list[int], set[int]]:
    """The order of a traceback's parts, root cause first, and the parts that have a cause among the others."""
    python = sections[0][0].format.language == "python"
    order, wrappers = [0], set()
    for i in range(1, len(sections)):
        link = _chain_before(lines, sections[i][0].line, sections[i - 1][-1].line + 1)
        if link == "cause_above":
            order.append(i)
            wrappers.add(i)
        elif link == "cause_below":
            order.insert(0, i)
            wrappers.add(i - 1)
        elif link == "after" or (python and not link):
            order.insert(0, i)
        else:
            order.append(i)
    return order, wrappers


def _chain_before(lines: Sequence[str], first: int, floor: int) -> str:
    """What the lines before a part say of it and the part before."""
    for i in range(first, floor - 1, -1):
        if found := _CHAINED().search(lines[i][:400]):
            return found.lastgroup or ""
    return ""


def _frames(sections: list[list[_Hit]]) -> tuple[Frame, ...]:
    frames: dict[tuple[str, int | None, str], Frame] = {}
    for hit in (hit for section in sections for hit in section):
        path, line, function = hit.place
        if path.startswith("<") or "<ipython-input" in path:
            continue
        path = _BACKSLASHES().sub("/", path).removeprefix("./")
        key = (path, line, function)
        if key in frames:
            continue
        previous = next(reversed(frames.values()), None)
        if previous and (previous.path, previous.line) == (path, line) and not previous.function:
            frames.popitem()
            frames[key] = Frame(path, line, function, previous.depth, previous.language)
            continue
        frames[key] = Frame(path, line, function, len(frames), hit.format.language)
    return tuple(frames.values())


def _start(lines: Sequence[str], first: int, floor: int) -> int:
    """The first line of the traceback's heading."""
    start = first
    for i in range(first - 1, max(floor, first - 9) - 1, -1):
        text = lines[i].strip()
        if _HEADER().match(text) or _raised(text) or (i == first - 1 and text and not is_sentence(text)):
            start = i
        elif text and is_sentence(text):
            break
    return start


def _end(lines: Sequence[str], end: int, limit: int, last: _Hit) -> int:
    """Take in the source lines that stand under the last frame, and ``... 12 more``."""
    while end < limit:
        line = lines[end]
        text = line.strip()
        if (
            not text
            or not (line.startswith(("  ", "\t")) or text.startswith(("...", "---->", "note: ")))
            or is_sentence(text)
        ):
            break
        end += 1
    return end


def _raised_before(lines: Sequence[str], first: int, floor: int) -> tuple[int, Raised] | None:
    for i in range(first, max(floor, first - 9) - 1, -1):
        text = lines[i].strip()[:_LONGEST_LINE]
        if i == first and (found := _raised_on_frame(lines, i, text)):
            return found
        if i < first and (raised := _raised(text)):
            return i, raised
    return None


def _raised_on_frame(lines: Sequence[str], i: int, text: str) -> tuple[int, Raised] | None:
    """What the first frame's own line says (Ruby, PHP, Rust)."""
    if ruby := _RUBY_RAISED().match(text):
        return i, Raised(_last_name(ruby[2]), ruby[1])
    if old := _RUST_OLD().match(text):
        return i, Raised("panic", old[1])
    if " panicked at " in text and i + 1 < len(lines):
        return i + 1, Raised("panic", lines[i + 1].strip())
    if ".php" in text and (raised := _raised(text)):
        return i, Raised(raised.name, re.split(r" in \S+\.php", raised.message)[0])
    return None


def _raised_after(lines: Sequence[str], section: list[_Hit], end: int) -> tuple[int, Raised] | None:
    first, last = section[0].line, section[-1].line
    for i in range(last + 1, min(end, last + 1 + _WIDE, len(lines))):
        line = lines[i]
        if line[:1] not in (" ", "\t") or i == last + 2 or line.lstrip() == line.strip():
            found = _RAISED().match(line.strip()[:_LONGEST_LINE])
            if found and (line[:1] not in (" ", "\t") or _ERROR_NAME().match(found[1])) and " " not in found[1]:
                if i == last + 1 and not _ERROR_NAME().match(found[1]) and line[:1] in (" ", "\t"):
                    continue
                return i, Raised(_last_name(found[1]), _continued(lines, i, end, found[2] or ""))
    for i in range(last, first - 1, -1):
        found = _RAISED().match(lines[i].strip()[:_LONGEST_LINE]) if lines[i].lstrip().startswith("E ") else None
        if found and _ERROR_NAME().match(found[1]):
            return i, Raised(_last_name(found[1]), found[2] or "")
    tail = re.match(r"\S+\.py:\d+: ([\w.]+)(?:: (.*))?$", lines[last].strip()[:_LONGEST_LINE])
    return (last, Raised(_last_name(tail[1]), tail[2] or "")) if tail else None


def _continued(lines: Sequence[str], i: int, end: int, message: str) -> str:
    """A message with the lines that go on with it."""
    parts = [message]
    for line in lines[i + 1 : min(end, i + 4)]:
        if (
            not line.strip()
            or _HEADER().match(line.strip())
            or _CHAINED().search(line[:400])
            or is_sentence(line)
            or message
        ):
            break
        parts.append(line.strip())
    return " ".join(part for part in parts if part)[:1000]


def _raised(text: str) -> Raised | None:
    text = text[:_LONGEST_LINE]
    for pattern in (_GO_PANIC(), _SIGNAL(), _SANITIZER()):
        if special := pattern.match(text):
            name = "panic" if special[1] == "fatal error" else special[1]
            return Raised(name, special[2].strip())
    if ruby := _RUBY_RAISED().match(text):
        return Raised(_last_name(ruby[2]), ruby[1])
    found = _RAISED().match(text)
    if found and _ERROR_NAME().match(found[1]):
        return Raised(_last_name(found[1]), (found[2] or "").strip())
    return None


def _last_name(name: str) -> str:
    return re.split(r"[.\\:$]", name.rstrip("."))[-1]

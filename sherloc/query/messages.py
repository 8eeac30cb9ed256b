"""Messages and exceptions that the issue tells of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sherloc.query.segments import Piece
from sherloc.query.shapes import code_score, is_code_language
from sherloc.query.spans import quoted, take_code_spans

_EXCEPTION = re.compile(
    r"\b[A-Z]\w{0,80}(?:Error|Exception|Warning|Failure|Fault|Interrupt|Panic)s?\b|\b(?:StopIteration"
    r"|StopAsyncIteration|SystemExit|GeneratorExit|DoesNotExist"
    r"|MultipleObjectsReturned|SIGSEGV|SIGABRT|SIGFPE|SIGBUS)\b"
)
_RAISES = re.compile(
    r"\b(?:raises?|raising|raised|throws?|throwing|thrown|throw new|rescue|except|catch) (?:an? |the "
    r"|new )?`?([A-Z]\w{2,80})\b"
)
_GENERIC = frozenset({"Error", "Exception", "Warning", "Failure", "Fault", "Errors", "Exceptions", "Warnings"})
_RAISED_LINE = re.compile(r"(?<![\w.])[\w.]{0,120}(?:Error|Exception|Warning|Failure)\b(?:\[\w+\])?: ?(\S.{2,600})")
# Code hands such names on, catches and raises them; only what a program prints begins with one and a colon.
_RAISED_ALONE = re.compile(
    r"^[ \t]{0,40}(?:E {1,8})?[\w.$]{0,120}(?:Error|Exception|Warning|Failure)\b(?:\[\w+\])?: (\S.{2,600})"
)
_HANDLER = re.compile(r"[ \t}]{0,40}(?:except|catch|rescue|raise|throw)\b")
_TYPED = re.compile(r"[ \t]{0,12}[\w.@:~/\\\[\]() -]{0,80}[$#%>] ")
_DATA = frozenset({"yaml", "yml", "json", "json5", "toml", "ini", "cfg"})
_LEVEL_LINE = re.compile(
    r"(?:^|[\[(|\s])(?:(?:ERROR|WARN|WARNING|FATAL|CRITICAL|SEVERE|ERR!)(?:\[[\w-]{1,40}\])?[\])]?[:\s|-]{1,8}"
    r"|(?:[Ee]rror|[Ff]atal(?: error)?|[Ww]arning|panic)(?:\[[\w-]{1,40}\])?: {1,4})(\S.{4,600})"
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_CODE_SIGNS = re.compile(r"[(){}\[\];=<>]|\b\w+\.\w+\(|--\w")
_MAX_MESSAGES = 40
_LONGEST = 500


def exceptions_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Names of exceptions in order: raised in tracebacks first, then mentioned."""
    found: dict[str, None] = {}
    for piece in pieces:
        if piece.trace:
            found.update((raised.name, None) for raised in piece.trace.raised if raised.name)
    for piece in pieces:
        if piece.kind == "environment":
            continue
        found.update((match[1], None) for match in _RAISES.finditer(piece.text))
        for match in _EXCEPTION.finditer(piece.text):
            name = match.group()
            if name not in _GENERIC:
                found[name[:-1] if name.endswith("s") and not name.endswith("ss") else name] = None
        if "panic: " in piece.text:
            found["panic"] = None
    return tuple(found)


def messages_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Messages, most telling first: raised, logged as errors, quoted, quoted in output; each as written."""
    raised = [r.message for piece in pieces if piece.trace for r in piece.trace.raised]
    logged: list[str] = []
    told: list[str] = []
    shown: list[str] = []
    for piece in pieces:
        if piece.kind in ("environment", "traceback"):
            continue
        if not piece.is_code:
            logged.extend(_error_lines(piece.text, _RAISED_LINE, _LEVEL_LINE))
        elif not is_code_language(piece.language):
            text = "\n".join(line for line in piece.text.split("\n") if not _HANDLER.match(line))
            logged.extend(_error_lines(text, _RAISED_ALONE, _LEVEL_LINE))
            shown.extend(_quotes("\n".join(line for line in piece.text.split("\n") if _is_output(line))))
        elif piece.language not in _DATA:
            logged.extend(_error_lines(piece.text, _RAISED_ALONE))
        if piece.is_prose:
            told.extend(_quotes(piece.text))
    found = dict.fromkeys(_tidy(message) for message in (*raised, *logged, *told, *shown))
    return tuple(message for message in found if message)[:_MAX_MESSAGES]


def _error_lines(text: str, *patterns: re.Pattern[str]) -> Iterable[str]:
    for line in text.split("\n"):
        found = next(filter(None, (pattern.search(line[: 2 * _LONGEST]) for pattern in patterns)), None)
        if found:
            yield found[1]


def _is_output(line: str) -> bool:
    """Whether a line of a terminal's text is neither code nor what somebody typed."""
    return not code_score(line) and not _TYPED.match(line)


def _quotes(text: str) -> Iterable[str]:
    spans, rest = take_code_spans(text)
    for stretch in (*quoted(rest), *spans):
        if (
            len(stretch.split()) >= 3 <= len(_WORDS.findall(stretch))
            and len(_CODE_SIGNS.findall(stretch)) * 6 <= len(stretch.split()) + 5
        ):
            yield stretch


def _tidy(message: str) -> str:
    message = message.strip(" \t*_")[:_LONGEST]
    if message.startswith("`") and message.endswith("`") and message.count("`") == 2:
        message = message[1:-1]
    return message if len(_WORDS.findall(message)) >= 1 and len(message) >= 4 else ""

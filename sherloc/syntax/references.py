"""Calls, raises, decorators and imports."""

from __future__ import annotations

import re
from bisect import bisect_left

from sherloc.late import late
from sherloc.syntax.imports import IMPORTS
from sherloc.syntax.shapes import Definition, Reference
from sherloc.syntax.source import Source
from sherloc.syntax.spans import Captures

_MAX_PARTS = 4
_JOINED = frozenset({b".", b">", b":"})
# What a name hangs on, read from its end: `.c?.b.a` is a.b?.c turned round.
_BACK = rb"(?:\s*(?:%s)\s*[!?]?[\w\x80-\xff$\\]+[@$]*){1,3}"
_BACKWARDS = late(rb"(?:\s*>[^<>]*<(?=\s*\.))?" + _BACK % rb"\.[?&!]{0,2}|::")
_BACKWARDS_WITH_ARROWS = late(_BACK % rb"\.[?&!]{0,2}|>-\??|::")
_TAIL_BYTES = 160
_ARROWS = frozenset({"c", "cpp", "php"})
"""Where ``->`` reaches into an object; elsewhere it parts a parameter from what is done with it."""
_JOINT = r"\s*(?:\?\.|!!\.|!\.|&\.|\.|\?->|->|::)\s*"
_SEPARATOR = re.compile(r"\s*(\?\.|!!\.|!\.|&\.|\.|\?->|->|::)\s*")
_PART = r"[@$]*\w[\w$\\]*[!?]?"
_PATH = re.compile(rf"\\?{_PART}(?:{_JOINT}{_PART})*\s*$")
_ARGUMENTS = re.compile(r"(?:::)?<[^<>]*>")


class _Names(dict[bytes, str]):
    """A memo: the same things are called again and again."""

    def __missing__(self, written: bytes) -> str:
        name = self[written] = path_of(written.decode("utf-8", "replace"))
        return name


def path_of(text: str) -> str:
    """The dotted name at the end of an expression; empty when it ends otherwise.

    Args:
        text: An expression, or the end of a long one.
    """
    if text.isidentifier():
        return text
    if text.isascii():
        words = text.split(".")
        if all(map(str.isidentifier, words)):
            return ".".join(words[-_MAX_PARTS:])
    for _ in range(3):
        if "<" not in text:
            break
        text = _ARGUMENTS.sub("", text)
    match = _PATH.search(text)
    if match is None:
        return ""
    pieces = _SEPARATOR.split(match.group().strip())
    parts = [part.strip("@$!?") for part in pieces[::2]]
    marks = ["::" if mark == "::" else "." for mark in pieces[1::2]] + [""]
    kept = list(zip(parts, marks, strict=True))[-_MAX_PARTS:]
    return "".join(part + mark for part, mark in kept)


def references(captures: Captures, source: Source, language: str, definitions: list[Definition]) -> list[Reference]:
    """All references of a file, by position.

    Args:
        captures: Byte spans by capture name.
        source: The file.
        language: One of ``LANGUAGES``.
        definitions: Sorted as in the outline; owners are indices into it.
    """
    data = source.data
    names = _Names()
    found: list[tuple[int, str, str, str]] = []
    for kind in ("call", "decorator", "raise"):
        for start, end in captures.get(kind, ()):
            name = names[data[start if end - start < _TAIL_BYTES else end - _TAIL_BYTES : end]]
            if name:
                found.append((start, kind, name, ""))
    found += _last_words(captures, data, names, arrows=language in _ARROWS)
    read = IMPORTS[language]
    for start, end in captures.get("import", ()):
        found += [(start, "import", name, alias) for name, alias in read(source.text(start, end)) if name]
    found.sort(key=lambda item: item[0])
    return _own(found, source, definitions)


def _last_words(captures: Captures, data: bytes, names: _Names, *, arrows: bool) -> list[tuple[int, str, str, str]]:
    """Calls of which only the last word was captured; what it hangs on is read backwards from it."""
    found = []
    spans = captures.get("call.name", [])
    spans = spans + [(start, end) for start, end in captures.get("call.token", ()) if data[end : end + 1] == b"("]
    backwards = _BACKWARDS_WITH_ARROWS() if arrows else _BACKWARDS()
    for start, end in spans:
        before = data[max(0, start - _TAIL_BYTES) : start]
        if before[-1:] in _JOINED or before.rstrip()[-1:] in _JOINED:
            path = backwards.match(before[::-1])
            start -= path.end() if path else 0
        name = names[data[start:end]]
        if name:
            found.append((start, "call", name, ""))
    for start, end in captures.get("call.component", ()):
        name = names[data[start:end]]
        if not name[:1].islower() or "." in name:
            found.append((start, "call", name, ""))
    return found


def _own(found: list[tuple[int, str, str, str]], source: Source, definitions: list[Definition]) -> list[Reference]:
    newlines = source.newlines
    starts = [definition.start_byte for definition in definitions] + [len(source.data) + 1]
    ends = [definition.end_byte for definition in definitions]
    stack = [-1]
    ends.append(len(source.data) + 1)
    following = row = 0
    result: list[Reference] = []
    for start, kind, name, alias in found:
        while starts[following] <= start:
            stack.append(following)
            following += 1
        while ends[stack[-1]] <= start:
            stack.pop()
        row = bisect_left(newlines, start, row)
        result.append(Reference(kind, name, alias, row + 1, stack[-1]))
    return result

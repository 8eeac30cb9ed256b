"""Weak passwords, which no shape gives away: found where a line of configuration gives them to a name that says so.

In an environment (``DB_PASSWORD=``), in YAML, ini and properties (``password:``), in options of a command, in the
pairs of a connection. Code looks much the same (``password = pw2``), so the value must be none that code could hold
there: no call, no type, no name that the text defines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

_MARK = re.compile(r"pass|pwd|secret|token|api[_.-]?key|[st]_key|credential|name:|--", re.I)
_BEFORE, _AFTER = 160, 320
"""Characters of a line around a mark that are looked at; bounds keep long lines linear."""

_GAP = r"[ \t]{0,40}"
_LEAD = rf"{_GAP}(?:[0-9]{{1,6}}\|{_GAP})?(?:(?:[-+>*#;]|//){_GAP}){{0,3}}"
_VALUE = r"(?:\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|(?P<bare>[^\s\"'`,;]{1,200}))"
_REST = r"[ \t]{0,8}(?P<end>[,;]?)(?:[ \t]{1,40}[#;].{0,200})?[ \t]{0,40}\r?"
_NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,80}"
_LINE = re.compile(
    rf"{_LEAD}(?P<shell>(?:export|env|arg|set|setx)[ \t]{{1,8}})?[\"']?(?P<name>{_NAME})[\"']?"
    rf"(?P<sign>[ \t]{{0,20}}(?:=|:)[ \t]{{0,20}}){_VALUE}{_REST}",
    re.I,
)
_DOCKER = re.compile(rf"{_LEAD}(?:ENV|ARG)[ \t]{{1,8}}(?P<name>{_NAME})(?P<sign>[ \t]{{1,8}}){_VALUE}{_REST}")
_INLINE = re.compile(rf"(?<![^\s\"'`])(?P<name>[A-Z][A-Z0-9_]{{0,60}})(?P<sign>=){_VALUE}(?=[\s\"'`;]|$)")
_OPTION = re.compile(rf"(?<![\w-])--?(?P<name>[a-z][a-z0-9-]{{0,40}})(?P<sign>[= ]){_VALUE}(?=[\s\"'`;]|$)")
_PAIRS = re.compile(
    r"(?:;[ \t]?|(?:host|user|username|login|dbname|server|port)=[^\s;,]{0,80}[ \t])"
    rf"(?P<name>\w{{0,20}}(?:password|passwd|pwd))(?P<sign>=){_VALUE}(?=[\s\"'`;]|$)", re.I,
)  # fmt: skip
_NETRC = re.compile(
    rf"\blogin[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}(?P<name>password)(?P<sign>[ \t]{{1,8}}){_VALUE}{_REST}"
)
_ELEMENT = re.compile(rf"<(?P<name>{_NAME})(?P<sign>>)(?P<bare>[^<>\s]{{1,200}})</")
_NAMED = re.compile(
    rf"\bname(?P<sign>:[ \t]{{1,8}})[\"']?(?P<name>{_NAME})[\"']?[ \t]{{0,20}}\r?\n{_LEAD}value:[ \t]{{1,8}}{_VALUE}"
)
_BLOCK = re.compile(
    rf"(?m:^){_LEAD}[\"']?(?P<name>{_NAME})[\"']?(?P<sign>:)[ \t]{{1,8}}[|>][0-9+-]{{0,2}}[ \t]{{0,8}}\r?\n"
    r"(?:[ \t]{0,8}[0-9]{1,6}\|)?[+]?[ \t]{1,40}(?P<bare>[^\s\"'`,;]{1,200})[ \t]{0,8}(?=\r?\n|\Z)"
)
_ATTRIBUTE = re.compile(
    rf"\b(?:key|name)=[\"'](?P<name>{_NAME})[\"'](?P<sign>[ \t]{{1,8}})value=(?:\"(?P<double>[^\"\n]{{1,200}})\""
    r"|'(?P<single>[^'\n]{1,200})')"
)

_PASSWORDS = frozenset("password passwd passphrase pwd pass passcode".split())
_KEYS = frozenset("secret token credential credentials apikey secretkey".split())
_KINDS_OF_KEY = frozenset("api secret access private auth account signing encryption master".split())
_PLAIN = frozenset(
    "none null nil true false yes no on off str string text int integer number bool boolean bytes byte char object any "
    "optional required unset empty undefined default disabled enabled password passwd pass passphrase pwd secret token "
    "key apikey credential credentials self this value hidden masked prompt input file env vault varchar buffer uuid "
    "blob nullable sensitive void array list dict map set tuple type unknown never auto plain".split()
)
_PLACEHOLDER = re.compile(
    r"example|sample|change.?(?:me|it|this)|placeholder|your|xxx|\*\*\*|\.\.\.|dummy|redacted|todo|fixme|insert|replace"
    r"|<|>", re.I,
)  # fmt: skip
_CODE = re.compile(
    r"^[$%&*({\[|>!?@]|\$[({A-Za-z_]|%\(|\{\{|\}\}|[\w\])]\(|\w\[|\]$|\)$|\\$|::|->|=>|==|\+=|://|^/|^\."
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\??")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TYPE = re.compile(
    r"(?:u?int|float|double|str|string|bytes?|char|varchar|utf|base|sha|md|aes|hs|rs|es|ps|ed|blake|crc|vec|[uif])[_-]?"
    r"[0-9]{1,4}\w{0,3}", re.I,
)  # fmt: skip
_NUMBERED = re.compile(r"(?:password|passwd|passphrase|pwd|pw|pass|secret|token|key)_?[0-9]{1,2}", re.I)
_CAMEL = re.compile(r"[A-Z][a-z]\w*")
_DEFINED = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,80})[ \t]{0,8}(?:=(?!=)|:(?=[ \t])|,|\))")
_SETTING = re.compile(
    rf"{_LEAD}(?:\[[\w .:\"'-]{{1,80}}\]|(?:export[ \t])?[\"']?{_NAME}[\"']?[ \t]{{0,20}}[=:].{{0,300}}|[#;].{{0,300}}"
    r"|-{3}|)\r?"
)
_NO_SETTING = re.compile(r"\w\(|[{}]\s*$|;\s*$|\b(?:def|return|if|for|while|class|self|let|const|var|func|new)\b")
_WINDOW = 4

Group = Literal["password", "key", ""]


def weak_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Spans (start, end) of values that lines give to names of passwords and keys. O(n); order as found."""
    lines, done = _Text(text), -1
    for mark in _MARK.finditer(text):
        if mark.start() < done:
            continue
        line = lines.around(mark.start(), mark.end())
        if line is None:
            continue
        done = line[1]
        yield from _in_line(lines, *line)


def _in_line(lines: _Text, start: int, end: int) -> Iterator[tuple[int, int]]:
    text = lines.text
    whole = _LINE.fullmatch(text, start, end)
    if whole and (group := _group(whole["name"])):
        span = _value(whole)
        if _assigned(lines, whole, group, start, end):
            yield span
            return
    for pattern, accepts in _INSIDE:
        for found in pattern.finditer(
            text, start, min(len(text), end + _AFTER) if pattern in (_NAMED, _BLOCK) else end
        ):
            group = _group(found["name"])
            span = _value(found)
            if group and found.start() < end and accepts(text[slice(*span)], group, lines):
                yield span


def _assigned(lines: _Text, found: re.Match[str], group: Group, start: int, end: int) -> bool:
    """Whether a line that is one assignment gives a password away."""
    value, name, sign = lines.text[slice(*_value(found))], found["name"], found["sign"]
    quoted = found["bare"] is None
    if found["end"] and not quoted:
        return False
    spaced, colon = sign != sign.strip(), ":" in sign
    upper = name.isupper()
    if (upper and not spaced and not colon) or (found["shell"] and not colon):
        return _told_plainly(value, group, lines)
    if not colon and not spaced and not quoted and ("." in name or "-" in name):
        return _told_plainly(value, group, lines)
    if quoted:
        return (upper or colon) and group == "password" and _weak(value, group, lines) and " " not in value
    if colon and not spaced:
        return False
    if not _weak(value, group, lines) or value in lines.defined or _NUMBERED.fullmatch(value):
        return False
    if colon and _CAMEL.fullmatch(value):
        return lines.is_configuration(start, end)
    if colon and len(value) >= 6:
        return True
    return not _IDENTIFIER.fullmatch(value) or lines.is_configuration(start, end)


def _told_plainly(value: str, group: Group, lines: _Text) -> bool:
    """Whether a value after a name of an environment variable or a property is one: a word will do."""
    if not _may_be(value) or value in lines.defined or (_IDENTIFIER.fullmatch(value) and value.isupper()):
        return False
    if value.isdigit():
        return group == "password" and len(value) >= 4
    return len(value) >= (3 if group == "password" else 6)


def _weak(value: str, group: Group, lines: _Text) -> bool:
    """Whether a value can be no word, name or type: letters with digits, or signs that names do not have."""
    if not _may_be(value) or _TYPE.fullmatch(value) or len(value) < (4 if group == "password" else 8):
        return False
    signs = any(not c.isalnum() and c not in "_-. /:" for c in value)
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    if group == "password":
        return (letters and (digits or signs)) or (digits and not letters and len(value) >= 4 and value.isdigit())
    return letters and digits


def _may_be(value: str) -> bool:
    return not (
        value.lower() in _PLAIN or _PLACEHOLDER.search(value) or _CODE.search(value) or _DOTTED.fullmatch(value)
    )


def _option(value: str, group: Group, lines: _Text) -> bool:
    return not value.startswith("-") and not value.isdigit() and _weak(value, group, lines)


def _inline(value: str, group: Group, lines: _Text) -> bool:
    return group == "password" and not value.isdigit() and _told_plainly(value, group, lines)


_INSIDE: tuple[tuple[re.Pattern[str], Callable[[str, Group, _Text], bool]], ...] = (
    (_DOCKER, _told_plainly), (_INLINE, _inline), (_OPTION, _option), (_PAIRS, _told_plainly), (_NETRC, _told_plainly),
    (_ELEMENT, _told_plainly), (_NAMED, _told_plainly), (_BLOCK, _weak), (_ATTRIBUTE, _weak),
)  # fmt: skip


def _value(found: re.Match[str]) -> tuple[int, int]:
    names = found.re.groupindex
    return next(found.span(each) for each in ("double", "single", "bare") if each in names and found[each] is not None)


def _group(name: str) -> Group:
    """Whether a name says that it holds a password or a key, by its last words: ``dbPassword``, ``SECRET_KEY``."""
    words = re.split(r"[_.-]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    words = [word.rstrip("0123456789") for word in words]
    words = [word for word in words if word]
    if not words:
        return ""
    if words[-1] in _PASSWORDS:
        return "password"
    if words[-1] in _KEYS or (words[-1] == "key" and len(words) > 1 and words[-2] in _KINDS_OF_KEY):
        return "key"
    return ""


@dataclass
class _Text:
    """A text, and what is looked up in it."""

    text: str

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        """The line around a place; None where it is too long to be a setting."""
        first = self.text.rfind("\n", max(0, start - _BEFORE), start) + 1
        if not first and start > _BEFORE:
            return None
        last = self.text.find("\n", end, end + _AFTER)
        if last < 0:
            last = len(self.text)
            if last - end > _AFTER:
                return None
        return first, last

    @cached_property
    def defined(self) -> frozenset[str]:
        """Names that the text gives a value, a type, or takes as arguments."""
        return frozenset(_DEFINED.findall(self.text))

    def is_configuration(self, start: int, end: int) -> bool:
        """Whether the lines next to one, up to a blank one, are settings, too."""
        before = self.text[max(0, start - 1_000) : start].split("\n")[:-1][-_WINDOW:]
        after = self.text[end : end + 1_000].split("\n")[1 : 1 + _WINDOW]
        near: list[str] = []
        for block in (reversed(before), after):
            for line in block:
                if not line.partition("|")[2].strip() if "|" in line[:8] else not line.strip():
                    break
                near.append(line)
        return all(_SETTING.fullmatch(line) and not _NO_SETTING.search(line) for line in near)

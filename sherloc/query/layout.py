"""The layout of an issue: fences, headings, hidden comments, quotes; no look at what the text says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from sherloc.late import late
from sherloc.query.cleaning import plain_markup
from sherloc.query.headings import read_heading
from sherloc.schema.query import SegmentKind

_FENCE = re.compile(r"(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,8})?(`{3,}|~{3,})([^`]*)$")
_ATX = re.compile(r"(#{1,6})[ \t]{1,8}(\S.*)$")
_TIGHT_ATX = re.compile(r"(#{2,6})([A-Za-z].*)$")
_TRAC_HEADING = re.compile(r"(={1,5}) (\S[^=]*) ={1,5}$")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|~{4,}|\^{4,})$")
_BOLD = re.compile(r"(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,8})?(\*\*|__)([^*_\n]{2,120})\1[ \t]{0,8}[:\uff1a]?(.*)$")
_LEAD_IN = re.compile(r"(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,8})?([^\n:\uff1a`]{2,60})[:\uff1a](.*)$")
_BARE_HEADINGS = re.compile(
    r"(?:(?:bug |issue |problem )?description|summary|(?:(?:steps?|code|how) )?to reproduce|expectations?"
    r"|(?:the )?results?|failing tests?"
    r"|(?:expected|actual|observed|current) (?:behaviou?rs?|results?|outputs?)|expected|actual|environment"
    r"|versions?"
    r"|system info(?:rmation)?|installed versions|additional (?:context|information))$",
    re.IGNORECASE,
)
_SUMMARY = late(r"<summary>(.*?)</summary>", re.IGNORECASE)
_PRE = late(r"<pre\b[^<>]{0,200}>", re.IGNORECASE)
_CHECKBOX = re.compile(r"[-*+] ?\[[ xX\u2713]?\](.*)$")
_PLEDGE = late(
    r"\b(i(?:'ve|\u2019ve| have)?|search|existing|duplicate|documentation|docs|contributing|code of conduct"
    r"|latest|agree|guidelines"
    r"|willing|pull request|bug report|feature request|read|checked|confirm\w*)\b",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(r"_?(no response|n/?a|none|not applicable)_?\.?$", re.IGNORECASE)
_DETAILS_END = "</details>"
_BOLD_LEVEL = 6
_DETAILS_LEVEL = 7
_QUOTE = re.compile(r">(?!>>(?: |$)| {4,}| \S{1,400}\.py\(\d)")
_LONGEST_ODD_FENCE = 200
_LONGEST_HEADING = 160


class Chunk(NamedTuple):
    """Lines of one section, all prose or all of one fence.

    Attributes:
        lines: The lines, fences and hidden comments gone.
        section: The kind of section they stand in.
        fenced: Whether they stood in a fence.
        language: What the fence says, lower case, or empty.
        quoted: Whether they are a quotation (``> ``).
    """

    lines: tuple[str, ...]
    section: SegmentKind
    fenced: bool = False
    language: str = ""
    quoted: bool = False


@dataclass(slots=True)
class _Section:
    kind: SegmentKind
    level: int
    until_blank: bool = False


@dataclass(slots=True)
class _Layout:
    """The state of one pass over the lines; every line is looked at once."""

    lines: list[str]
    base: SegmentKind
    position: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    quoted: bool = False
    section: _Section = field(init=False)
    last_comment_end: int = field(init=False)

    def __post_init__(self) -> None:
        self.section = _Section(self.base, 0)
        self.last_comment_end = max((i for i, line in enumerate(self.lines) if "-->" in line), default=-1)

    def run(self) -> list[Chunk]:
        while self.position < len(self.lines):
            line = self.lines[self.position]
            self.position += 1
            if not self._fence(line) and not self._odd_fence(line):
                self._prose_line(line)
        self._flush()
        return self.chunks

    def _flush(self) -> None:
        if any(line.strip() for line in self.prose):
            self.chunks.append(Chunk(tuple(self.prose), self.section.kind, quoted=self.quoted))
        self.prose = []

    def _enter(self, kind: SegmentKind, level: int, *, until_blank: bool = False) -> None:
        self._flush()
        self.section = _Section(kind, level, until_blank)

    # Fences

    def _fence(self, line: str) -> bool:
        """Take a whole fenced block when the line opens one."""
        stripped = line.strip()
        found = _FENCE.match(stripped)
        if found:
            self._take_fence(found[1], found[2].strip())
            return True
        if stripped.startswith("{{{") and "}}}" not in stripped:
            self._take_until("}}}", stripped[3:])
            return True
        if "<pre" in line.lower() and "</pre>" not in line.lower() and (opened := _PRE().search(line)):
            self._prose_line(line[: opened.start()])
            self._take_until("</pre>", line[opened.end() :])
            return True
        return False

    def _odd_fence(self, line: str) -> bool:
        """A fence that opens at the end of a line of prose."""
        if line.count("```") != 1 or not line.strip():
            return False
        before, after = line.split("```")
        if before.lstrip().startswith(">") or len(after.split()) > 1:
            return False
        if not any("```" in later for later in self.lines[self.position : self.position + _LONGEST_ODD_FENCE]):
            return False
        self._prose_line(before)
        self._take_fence("```", after.strip())
        return True

    def _take_fence(self, mark: str, info: str) -> None:
        body = [info] if len(info.split()) > 2 else []
        language = "" if body or not info else info.split()[0].strip("{}.").lower()
        start = self.position
        while self.position < len(self.lines):
            line = self.lines[self.position]
            stripped = line.strip()
            self.position += 1
            if stripped.startswith(mark) and not stripped.strip(mark[0]):
                self._add_fence(body, language)
                return
            if mark[0] == "`" and stripped.endswith(mark) and stripped.count(mark) == 1:
                self._add_fence([*body, stripped[: -len(mark)]], language)
                return
            body.append(line)
        self._take_unclosed(start, body, language)

    def _take_unclosed(self, start: int, body: list[str], language: str) -> None:
        """A fence that nobody closed ends before the next heading of the issue."""
        for i in range(start, len(self.lines)):
            found = _ATX.match(self.lines[i].strip())
            if found and (len(found[1]) > 1 or read_heading(found[2]).boilerplate):
                self.position = i
                body = body[: i - start + (len(body) - (len(self.lines) - start))]
                break
        self._add_fence(body, language)

    def _take_until(self, mark: str, first: str) -> None:
        language = ""
        body = []
        if first.strip().startswith("#!"):
            language = first.strip()[2:].split()[0].lower() if first.strip()[2:].split() else ""
        elif first.strip():
            body.append(plain_markup(first))
        while self.position < len(self.lines):
            line = self.lines[self.position]
            self.position += 1
            if mark in line.lower():
                body.append(line[: line.lower().index(mark)])
                break
            body.append(line)
        self._add_fence(body, language)

    def _add_fence(self, body: list[str], language: str) -> None:
        self._flush()
        if any(line.strip() for line in body):
            self.chunks.append(Chunk(tuple(body), self.section.kind, True, language))

    # Prose

    def _prose_line(self, line: str) -> None:
        if "<!--" in line:
            line = self._without_comment(line)
        is_quote = bool(_QUOTE.match(line.lstrip()))
        if is_quote != self.quoted and line.strip():
            self._flush()
            self.quoted = is_quote
        if is_quote:
            self._quote(line)
            return
        if not line.strip():
            self.prose.append("")
            if self.section.until_blank:
                self._enter(self.base, 0)
            return
        stripped = line.strip()
        if not self._heading(stripped, line) and not self._lead_in(stripped) and not self._boilerplate(stripped):
            self.prose.append(plain_markup(line))
        if _DETAILS_END in line.lower() and self.section.level >= _DETAILS_LEVEL:
            self._enter(self.base, 0)

    def _quote(self, line: str) -> None:
        text = line.lstrip()
        while text.startswith(">"):
            text = text[1:].removeprefix(" ")
        found = _FENCE.match(text.strip())
        if found:
            rest = []
            while self.position < len(self.lines) and self.lines[self.position].lstrip().startswith(">"):
                inner = self.lines[self.position].lstrip()[1:].removeprefix(" ")
                self.position += 1
                if inner.strip().startswith(found[1]):
                    break
                rest.append(inner)
            self._add_fence(rest, found[2].strip().lower())
            return
        self.prose.append(plain_markup(text))

    def _without_comment(self, line: str) -> str:
        """Drop hidden comments; one that opens a line hides all up to its end, as on the issue's page."""
        kept = ""
        while "<!--" in line:
            before, _, rest = line.partition("<!--")
            if before.count("`") % 2:
                return kept + line
            kept += before
            if "-->" in rest:
                line = rest.partition("-->")[2]
                continue
            if self.last_comment_end < self.position:
                if kept.strip():
                    return kept + "<!--" + rest
                self.position = len(self.lines)
                return ""
            while "-->" not in self.lines[self.position]:
                self.position += 1
            line = self.lines[self.position].partition("-->")[2]
            self.position += 1
        return kept + line

    def _heading(self, line: str, raw: str) -> bool:
        if len(line) > _LONGEST_HEADING:
            return False
        found = _ATX.match(line) or _TIGHT_ATX.match(line) or _TRAC_HEADING.match(line)
        if found and not raw.startswith(("    ", "\t")):
            self._open(found[2].rstrip("# \t"), len(found[1]))
            return True
        if "<summary>" in line.lower() and (summary := _SUMMARY().search(line)):
            self._open(plain_markup(summary[1]), _DETAILS_LEVEL)
            return True
        if self._underlined(line):
            self.position += 1
            self._open(line, 2)
            return True
        if _BARE_HEADINGS.match(line):
            self._open(line, _BOLD_LEVEL)
            return True
        return False

    def _underlined(self, line: str) -> bool:
        if self.position >= len(self.lines) or not _UNDERLINE.match(self.lines[self.position].strip()):
            return False
        alone = self.position < 2 or not self.lines[self.position - 2].strip()
        return alone and not line.startswith(("-", "*", "|", ">", "#"))

    def _open(self, text: str, level: int) -> None:
        heading = read_heading(text)
        inside = self.section.kind != self.base and 0 < self.section.level < level
        kind = heading.kind or (self.section.kind if inside else self.base)
        if heading.kind == "description":
            kind = self.base
        self._enter(kind, level)
        if not heading.boilerplate:
            self.prose.append(plain_markup(text))
            self.prose.append("")

    def _lead_in(self, line: str) -> bool:
        """``Expected behavior: ...`` and ``**Expected behavior** ...``."""
        bold = _BOLD.match(line)
        found = bold or _LEAD_IN.match(line)
        if not found:
            return False
        text, rest = (bold[2], bold[3]) if bold else (found[1], found[2])
        heading = read_heading(text)
        if bold and not rest.strip(" :\uff1a") and not heading.boilerplate and line.startswith(("**", "__")):
            self._open(text, _BOLD_LEVEL)
            return True
        if not heading.boilerplate or heading.kind is None or (not bold and heading.kind == "description"):
            return False
        if not bold and heading.kind == "log" and "trace" in text.lower():
            return False
        kind = self.base if heading.kind == "description" else heading.kind
        if kind == "environment" and rest.strip() and not bold:
            return False
        self._enter(kind, _BOLD_LEVEL, until_blank=bool(rest.strip()) and not bold)
        if rest.strip():
            self.prose.append(plain_markup(rest))
        return True

    def _boilerplate(self, line: str) -> bool:
        box = _CHECKBOX.match(line)
        return bool((box and _PLEDGE().search(box[1])) or _NO_ANSWER.match(line))


def lay_out(text: str, base: SegmentKind = "description") -> list[Chunk]:
    """Cut a text into chunks, in its order; linear in its length.

    Args:
        text: Markdown, reStructuredText, Trac markup or plain text, already ``visible``.
        base: The kind of text outside of any known section.
    """
    return _Layout(text.split("\n"), base).run()

"""What a line looks like: code, prose, a version table, a log, output that a program repeats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sherloc.late import late

PROMPT = re.compile(
    r"[ \t]{0,12}(?:>>>|\.\.\.|In ?\[\d*\]:|Out ?\[\d*\]:|irb\(\S{1,40}\)[^>]{0,12}>|(?:iex|php|julia|mysql|sqlite)> )"
)
_STRONG_CODE = re.compile(
    r"(?:from [\w.]+ import\b|import (?:[\w.*]+(?: as \w+)?(?:, ?[\w.]+)*;?$|[\w{*].* from ['\"])"
    r"|(?:async )?def \w+\(|class \w+\b.{0,120}[:{]$"
    r"|@\w[\w.]*(?:\(.*)?$|#include\b|using [\w.:]+;|package [\w.]+;?$|(?:pub |async |static |export |public "
    r"|private |protected )"
    r"|(?:fn|func|function|fun) \w|(?:const|let|var|val|auto) [\w{\[]|(?:SELECT|INSERT|CREATE|ALTER|UPDATE"
    r"|DROP) [A-Z*\"]"
    r"|(?:if|for|while|elif|except|with|try|else)\b.{0,200}:$|raise \w+\("
    r"|return [\w\[({'\"-]{1,80}[\w.()\[\]{}'\", +-]{0,80}$"
    r"|</?\w[^<>]{0,200}>$|\$ \w|assert \w.*[=(])"
)
_ASSIGNMENT = re.compile(r"[\w.\[\]'\"*, ()]{1,80} ?(?:[-+*/|&:]?=|<-|:=) ?\S")
_CALL_LINE = re.compile(r"[\w.:>\[\]'\"-]{1,80}\(.*\)[;,]?$|[\w.:]{1,80}\($")
_CODE_END = re.compile(r"(?:[;{}]|\)\s?\{|\(|\[|=>|\),|\],|['\"],)$")
_CODE_START = re.compile(r"[)\]}]|//|/\*|\* |#!|--[ ]|['\"]\w+['\"]\s?[:,]")
_SENTENCE = re.compile(
    r"\b(?:the|is|are|to|of|that|this|it|and|when|with|for|not|a|an|in|i|we|be|but|if|has|have|should|which|from|on)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_EAST_ASIAN = late(r"[\u3040-\u30ff\u4e00-\u9fff]{2,40}[\u3001\u3002\uff0c]|[\u3040-\u30ff\u4e00-\u9fff]{8}")
_LIST_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,3}[.)]|[a-z][.)])[ \t]")

_VERSION_LINE = re.compile(
    r"[-*|+ \t]{0,8}`?[A-Za-z][\w .()/@+-]{0,40}?`?\*{0,2}[ \t]{0,40}(?:==|@|[:=|]+|[ \t]|,|\bversion\b)[ \t"
    r"|*`]{0,40}[v^~\"']?\d+(?:\.[\dx*]+)+.{0,60}$"
)
_SYSTEM_LINE = re.compile(
    r"[-*|+ \t]{0,8}\*{0,2}(?:os|operating system|platform|system|machine|processor|architecture|arch|cpu|gpu"
    r"|byteorder|lc_all|lang|locale"
    r"|os-release|python(?:-bits| executable| version| implementation)?|libhdf5|libnetcdf|browser|node(?:\.js)?"
    r"|npm|yarn|java|jdk|jvm|gcc|clang"
    r"|go version|rustc|cargo|compiler|kernel|shell|terminal|distro|backend|executable|installed via"
    r"|install method|commit)\*{0,2}"
    r"[ \t]{0,20}(?:version)?\*{0,2}[ \t]{0,20}[:=|].{0,120}$",
    re.IGNORECASE,
)
_SYSTEM_WORD = late(
    r"\b(?:python|numpy|pandas|scipy|node|npm|pip|setuptools|java|jdk|openjdk|gcc|clang|rustc|cargo|go\d|ruby"
    r"|php|windows|linux|macos|ubuntu"
    r"|debian|darwin|version|os|msc|installed versions|anaconda|conda|chrome|firefox)\b",
    re.IGNORECASE,
)
_LOG_LINE = re.compile(
    r"[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|[\[(]?\d\d:\d\d:\d\d\b|[\[(]?(?:INFO|DEBUG|WARN|WARNING|ERROR"
    r"|TRACE|FATAL|CRITICAL|NOTICE)\b[\])]?[: |-]"
    r"|\w{3} \d{1,2} \d\d:\d\d:\d\d|[EWIDF]\d{4} \d\d:|(?:npm|yarn) (?:ERR!|WARN|error)|Collecting |Downloading "
    r"|Requirement already"
    r"|Get:\d|Hit:\d|make(?:\[\d+\])?: |\[ *\d+%\]|[=+-]{10,}$|=+ .{1,80} =+$"
)
_ERROR_TEXT = late(r"[\w.:$]{0,120}(?:[Ee]rror|Exception|Warning|panic|fatal)(?:\[\w+\])?: {1,4}\S")
_SHORT_BLOCK = 4
_MASK = late(r"0x[0-9a-fA-F]+|\d+|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'")
_SHAPE_WORDS = late(r"[^\W\d_]+")
_CODE_LANGUAGES_NOT = frozenset(
    "text txt plain plaintext none log logs console output terminal she"
    "ll bash sh zsh cmd powershell bat ps1 pytb traceback shell-session".split()
)


def is_code_language(language: str) -> bool:
    """Whether a fence's language says that code stands in it, rather than a terminal's text."""
    return bool(language) and language not in _CODE_LANGUAGES_NOT


def is_sentence(line: str) -> bool:
    """Whether a line reads as prose: several of the small words that code has not."""
    if not line.isascii() and _EAST_ASIAN().search(line[:400]):
        return True
    small = len(_SENTENCE.findall(line[:400]))
    return (
        small >= 3
        or (small >= 2 and len(_WORD.findall(line[:400])) >= 5)
        or bool(_LIST_ITEM.match(line.lstrip()) and small)
    )


def code_score(line: str) -> int:
    """0 for prose, 1 for a line that could be code, 2 for one that must be."""
    text = line.strip()[:400]
    if not text or _LIST_ITEM.match(text):
        return 0
    if _STRONG_CODE.match(text) and not is_sentence(text):
        return 2
    if is_sentence(text):
        return 0
    if _ASSIGNMENT.match(text) or _CALL_LINE.match(text) or _CODE_START.match(text):
        return 1
    return 1 if _CODE_END.search(text[-3:]) else 0


def is_version_line(line: str) -> bool:
    """Whether a line of a version table or of a system's description."""
    text = line.strip()
    if len(text) > 240:
        return False
    return bool(_VERSION_LINE.match(text) or _SYSTEM_LINE.match(text)) and not is_sentence(text)


def is_environment(lines: Sequence[str]) -> bool:
    """Whether a block is a version table: most lines name a version, one names a system."""
    filled = [line for line in lines if line.strip()]
    hits = sum(map(is_version_line, filled))
    return hits >= 2 and hits * 2 >= len(filled) and any(_SYSTEM_WORD().search(line[:240]) for line in filled)


def is_log_line(line: str) -> bool:
    """Whether a line has a log's time or level."""
    return bool(_LOG_LINE.match(line.strip()))


def is_error_text(lines: Sequence[str]) -> bool:
    """Whether a short block is nothing but what was raised: ``ValueError: no such key``."""
    filled = [line for line in lines if line.strip()]
    return 0 < len(filled) <= _SHORT_BLOCK and bool(_ERROR_TEXT().match(filled[0].strip()))


def is_log(lines: Sequence[str]) -> bool:
    """Whether most lines of a block are a log's."""
    filled = [line for line in lines if line.strip()]
    hits = sum(map(is_log_line, filled))
    return hits >= 1 and hits * 2 >= len(filled)


def shape(line: str) -> str:
    """A line with numbers and quoted text masked; lines of one shape are alike."""
    text = line.strip()[:300]
    masked = _MASK().sub("#", text)
    return masked if len(masked) < 24 else _SHAPE_WORDS().sub("w", masked[40:]) + masked[:40]


def alike(lines: Sequence[str]) -> int:
    """How many lines have the shape of an earlier one."""
    seen: set[str] = set()
    repeated = 0
    for line in lines:
        if line.strip():
            form = shape(line)
            repeated += form in seen
            seen.add(form)
    return repeated

"""Which section of an issue a heading opens, in English, Japanese and Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sherloc.late import late
from sherloc.schema.query import SegmentKind

_WORD = re.compile(r"[a-z]+")
_CJK = late(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

# Words that headings of issue templates are made of; a heading of nothing else says nothing about the problem.
_TEMPLATE_WORDS = frozenset(
    """a about actual actually additional affected all an and any applicable are as attach attempted background be
    behave behaved behavior behaviour being below brief briefly browser browsers bug build can case cause
    change changed changes checklist code command configuration console context copy could current currently
    debug describe description detail detailed details did do does edit encountered env environment error
    errors every example examples exception expect expectation expectations expected explain explanation
    feature file files fix for found full further got happen happened happening happens here how i if impact
    improvement in include info information input installation installed instead is issue it kind link list
    local log logs look machine main message messages minimal minimum more motivation my necessary need node
    notes observe observed occur occurs of old on operating optional or os other out output outputs overview
    package packages paste platform please possible possibly precondition preconditions prerequisites preview
    problem problems proposal proposed provide python question rationale reference references related relevant
    report reporting repro reproduce reproducer reproducible reproducing reproduction request requested
    requirement requirements result results run runtime sample screenshot screenshots script see seeing seen
    set setup should show snippet software solution source specific specification specs stack stacktrace step
    steps suggested suggestion summary system task test text that the this to trace traceback tried try trying
    type use used user using variables including versus version versions want was were what when where which
    who why will with workaround would write you your project extra title anything else tell us tool tools
    extension extensions plugin plugins failing""".split()
)

_ENGLISH: tuple[tuple[SegmentKind, Callable[[], re.Pattern[str]]], ...] = (
    (
        "environment",
        late(
            r"\b(environment|env|versions?|system info\w*|platform|operating system|os|your setup|browsers?"
            r"|installed)\b"
        ),
    ),
    ("log", late(r"\b(logs?|stack ?traces?|tracebacks?|console|debug|error messages?|outputs?)\b")),
    ("expected", late(r"\b(expect\w*|desired|should)\b")),
    (
        "reproduction",
        late(r"\b(repro\w*|steps?|examples?|code|snippet|script|test case|sample|preconditions?|mwe|mcve)\b"),
    ),
    ("actual", late(r"\b(actual\w*|observed?|current\w*|happen\w*|instead|results?|got|see|seeing|seen)\b")),
    ("description", late(r"")),
)
_OPENING: tuple[tuple[SegmentKind, Callable[[], re.Pattern[str]]], ...] = (
    ("expected", late(r"(expected|desired)\b|what (i|you|we) expect")),
    ("actual", late(r"(actual|observed)\b")),
    ("reproduction", late(r"(steps? to |to )?reproduc")),
    ("environment", late(r"[\w.+-]+ (\w+ )?(versions?|info)( and \w+)?$")),
)
_EAST_ASIAN: tuple[tuple[SegmentKind, tuple[str, ...]], ...] = (
    ("environment", ("環境", "环境", "版本", "バージョン", "システム情報", "系统信息", "操作系统", "平台")),
    ("expected", ("期待", "预期", "預期", "期望", "想定", "あるべき")),
    ("actual", ("実際", "实际", "實際", "現状", "现状", "現在の", "目前", "当前", "當前", "発生している")),
    (
        "reproduction",
        ("再現", "复现", "複現", "重现", "重現", "手順", "步骤", "步驟", "サンプルコード", "示例", "代码", "コード"),
    ),
    (
        "log",
        ("ログ", "日志", "日誌", "スタックトレース", "堆栈", "エラーメッセージ", "报错", "错误信息", "出力", "输出"),
    ),
    (
        "description",
        ("概要", "説明", "说明", "描述", "問題", "问题", "背景", "詳細", "详情", "现象", "現象", "補足", "补充"),
    ),
)
_LONGEST_TEMPLATE = 12
_LONGEST_EAST_ASIAN = 16


class Heading(NamedTuple):
    """What a heading means.

    Attributes:
        kind: The section it opens, or None when it is not a heading of a template.
        boilerplate: Whether its words are the template's, not the author's.
    """

    kind: SegmentKind | None
    boilerplate: bool


def read_heading(text: str) -> Heading:
    """Find the section that a heading opens."""
    text = text.strip(" \t*_#=:?!.()[]\uff1a\u3010\u3011\u300c\u300d").lower()
    if not text.isascii() and _CJK().search(text):
        return _read_east_asian(text)
    words = _WORD.findall(text[:200])
    if (
        words
        and len(words) <= _LONGEST_TEMPLATE
        and not (set(words) - _TEMPLATE_WORDS)
        and not re.search(r"[`\d(_]", text)
    ):
        joined = " ".join(words)
        return Heading(next(kind for kind, pattern in _ENGLISH if pattern().search(joined)), True)
    return Heading(next((kind for kind, pattern in _OPENING if pattern().match(text)), None), False)


def _read_east_asian(text: str) -> Heading:
    if len(text) <= _LONGEST_EAST_ASIAN:
        for kind, keys in _EAST_ASIAN:
            if any(key in text for key in keys):
                return Heading(kind, True)
    return Heading(None, False)

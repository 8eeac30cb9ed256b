"""The 64 kinds of malformed output: rows with one exact value give it, the others raise their named error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, Field

from sherloc.errors import (
    AmbiguousOutput,
    ConflictingAlias,
    DuplicateKey,
    ElidedOutput,
    InvalidNumber,
    InvalidText,
    LimitExceeded,
    MalformedJson,
    NoJsonFound,
    PlaceholderInContent,
    ReplyError,
    SchemaEcho,
    SchemaMismatch,
    TruncatedOutput,
)
from sherloc.json_hardening import Confidence, ReplyPath, parse_reply


class Answer(BaseModel):
    is_fixable: bool = Field(
        validation_alias=AliasChoices("is_fixable", "fixable", "修正可能", "可修复"),
    )
    files: list[ReplyPath] = []
    reasoning: str = Field(default="", validation_alias=AliasChoices("reasoning", "reason", "理由"))


class File(BaseModel):
    path: ReplyPath
    content: str = ""


class Sure(BaseModel):
    confidence: Confidence


V = '{"is_fixable": true, "files": ["a.py"]}'
W = '{"is_fixable": false, "files": []}'
VALUE = Answer.model_validate_json(V)
ANY = None

# (row, reply, schema, the value, the repairs by kind)
VALUES: list[tuple[int, str, Any, Any, list[str]]] = [
    (1, '```json\n{"ok":1}\n```', ANY, {"ok": 1}, ["fence"]),
    (1, '```json\n[{"ok":1}]\n```', ANY, [{"ok": 1}], ["fence"]),
    (2, f"```JSON\n{V}\n```\nHope this helps", Answer, VALUE, ["fence", "prose"]),
    (3, f"Sure! Here:\n{V}", Answer, VALUE, ["prose"]),
    (3, f"Sure! Here: {V}", ANY, json.loads(V), ["prose"]),
    (4, f'I saw {{config}} and f"{{x}}".\n{V}', Answer, VALUE, ["prose"]),
    (4, f"See [1] and [the docs](x): {V}", Answer, VALUE, ["prose"]),
    (5, f"{V}\nthe {{placeholder}} stays", Answer, VALUE, ["prose"]),
    (6, f"```json\n{V}", Answer, VALUE, ["unclosed_fence"]),
    (7, f"~~~json\n{V}\n~~~", Answer, VALUE, ["fence"]),
    (7, f"````\n{V}\n````", Answer, VALUE, ["fence"]),
    (8, '```json\n{"content":"```py\\nx\\n```"}\n```', ANY, {"content": "```py\nx\n```"}, ["fence"]),
    (8, '```json\n{"content":"```py\nx\n```"}\n```', ANY, {"content": "```py\nx\n```"}, ["fence", "raw_control"]),
    (9, f"```python\n{{'a': 1, \"b\": f(x)}}\n```\n```json\n{V}\n```", Answer, VALUE, ["fence"]),
    (9, f"```python\n{{'is_fixable': False}}\n```\n```json\n{V}\n```", Answer, VALUE, ["fence"]),
    (11, '{"is_fixable": true, "files":["a.py",],}', Answer, VALUE, ["trailing_comma"] * 2),
    (12, "{'is_fixable': true}", ANY, {"is_fixable": True}, ["single_quotes"]),
    (13, r"{'r':'it isn\'t set'}", ANY, {"r": "it isn't set"}, ["single_quotes"] * 2),
    (14, "{'ok': True, 'x': None}", ANY, {"ok": True, "x": None}, ["single_quotes", "python_literal"] * 2),
    (15, "{'files': ('a.py',)}", ANY, {"files": ["a.py"]}, ["single_quotes", "single_quotes", "tuple"]),
    (16, '{"ok":true, // yes\n"n":1}', ANY, {"ok": True, "n": 1}, ["comment"]),
    (17, '{"ok":true /*y*/}', ANY, {"ok": True}, ["comment"]),
    (17, '{"ok":true, # y\n"n":1}', ANY, {"ok": True, "n": 1}, ["comment"]),
    (18, '{"url":"http://x/y","n":1,}', ANY, {"url": "http://x/y", "n": 1}, ["trailing_comma"]),
    (19, '{"content":"a\nb"}', ANY, {"content": "a\nb"}, ["raw_control"]),
    (20, '{"c":"a\tb\r\n"}', ANY, {"c": "a\tb\r\n"}, ["raw_control"]),
    (21, r'{"re":"\d+\.py"}', ANY, {"re": r"\d+\.py"}, ["invalid_escape"]),
    (23, '{"r":"call get("x") fails"}', ANY, {"r": 'call get("x") fails'}, ["inner_quotes"]),
    (30, '{"ok":true,"ok":true}', ANY, {"ok": True}, ["duplicate_key"]),
    (32, '{"isFixable": true, "Files": ["a.py"]}', Answer, VALUE, ["key_style"] * 2),
    (32, '{"Is-Fixable": true, "files": ["a.py"]}', Answer, VALUE, ["key_style"]),
    (32, '{"is fixable": true, "FILES": ["a.py"]}', Answer, VALUE, ["key_style"] * 2),
    (33, '{"修正可能":true,"理由":"x"}', Answer, Answer(is_fixable=True, reasoning="x"), ["alias"] * 2),
    (33, '{"可修复":true}', Answer, Answer(is_fixable=True), ["alias"]),
    (34, '{"is_fixable": "true", "files": ["a.py"]}', Answer, VALUE, ["scalar"]),
    (34, '{"is_fixable": "True ", "files": ["a.py"]}', Answer, VALUE, ["scalar"]),
    (34, '{"is_fixable": "yes", "files": ["a.py"]}', Answer, VALUE, ["scalar"]),
    (34, '{"is_fixable": "はい", "files": ["a.py"]}', Answer, VALUE, ["scalar"]),
    (34, '{"is_fixable": "是", "files": ["a.py"]}', Answer, VALUE, ["scalar"]),
    (34, '{"is_fixable": "否"}', Answer, Answer(is_fixable=False), ["scalar"]),
    (34, '{"is_fixable": "false"}', Answer, Answer(is_fixable=False), ["scalar"]),
    (35, f"[{V}]", Answer, VALUE, ["single_item"]),
    (35, f"[{V}]", list[Answer], [VALUE], []),
    (36, '{"is_fixable": true, "files":{"path":"a.py"}}', Answer, VALUE, ["wrapped_item", "scalar"]),
    (36, '{"is_fixable": true, "files":"a.py"}', Answer, VALUE, ["wrapped_item"]),
    (
        36,
        '{"is_fixable": true, "files":"a.py, b.py"}',
        Answer,
        Answer(is_fixable=True, files=["a.py", "b.py"]),
        ["split"],
    ),
    (37, '{"is_fixable": true, "files":[{"path":"a.py","why":".."}]}', Answer, VALUE, ["scalar"]),
    (39, '{"path":"a.py"}\n{"path":"b.py"}', list[File], [File(path="a.py"), File(path="b.py")], ["json_lines"]),
    (41, f"<think>maybe {W}</think>\n{V}", Answer, VALUE, ["think"]),
    (42, f"maybe {W}\n</think>\n{V}", Answer, VALUE, ["think"]),
    (42, f'maybe {{"is_fixable": \n</think>\n{V}', Answer, VALUE, ["think"]),
    (44, '{"r":"use <think> tags"}', ANY, {"r": "use <think> tags"}, []),
    (44, '{"r":"use <think> and </think> tags",}', ANY, {"r": "use <think> and </think> tags"}, ["trailing_comma"]),
    (45, f"<answer>{V}</answer>", Answer, VALUE, ["xml"]),
    (45, f"<json>{V}</json>", Answer, VALUE, ["xml"]),
    (46, "\ufeff" + V, Answer, VALUE, ["edges"]),
    (47, '{\u00a0"ok":\u200btrue}', ANY, {"ok": True}, ["odd_space"] * 2),
    (48, "{“ok”: true}", ANY, {"ok": True}, ["smart_quotes"]),
    (49, '{"r":"the “x” key",}', ANY, {"r": "the “x” key"}, ["trailing_comma"]),
    (50, '{"ok"：true，"files"：["a.py"]}', ANY, {"ok": True, "files": ["a.py"]}, ["full_width"] * 3),
    (50, '｛"a"：［1，2］｝', ANY, {"a": [1, 2]}, ["full_width"] * 6),
    (
        51,
        '{ok: true files: ["a.py"]}',
        ANY,
        {"ok": True, "files": ["a.py"]},
        ["unquoted_key", "missing_comma", "unquoted_key"],
    ),
    (52, json.dumps(V), Answer, VALUE, ["double_encoded"]),
    (52, '"{\\"ok\\":true}"', ANY, {"ok": True}, ["double_encoded"]),
    (52, '{\\"ok\\":true}', ANY, {"ok": True}, ["double_encoded"]),
    (53, json.dumps({"name": "submit", "arguments": V}), Answer, VALUE, ["envelope", "double_encoded"]),
    (53, json.dumps({"name": "submit", "arguments": json.loads(V)}), Answer, VALUE, ["envelope"]),
    (53, f'<tool_call>{{"name": "submit", "arguments": {V}}}</tool_call>', Answer, VALUE, ["xml", "envelope"]),
    (54, f'{{"result":{V}}}', Answer, VALUE, ["wrapper_key"]),
    (54, f'{{"data":{V}}}', Answer, VALUE, ["wrapper_key"]),
    (56, '{"content":"""a\nb"""}', ANY, {"content": "a\nb"}, ["triple_quotes"]),
    (56, '{"content":`a\nb`}', ANY, {"content": "a\nb"}, ["template"]),
    (59, V + "}", Answer, VALUE, ["extra_closer"]),
    (60, '+{\n+"ok":true\n+}', ANY, {"ok": True}, ["line_prefix"]),
    (60, f"> {V}", Answer, VALUE, ["line_prefix"]),
    (61, '{"confidence": +0.9}', Sure, Sure(confidence=0.9), ["number_sign"]),
    (62, '{"a": "\\u30d5 \\ud83d\\ude00"}', ANY, {"a": "フ 😀"}, []),
]

# (row, reply, schema, stop reason, the error)
ERRORS: list[tuple[int, str, Any, str | None, type[ReplyError]]] = [
    (10, f"```json\n{V}\n```\n```json\n{W}\n```", Answer, None, AmbiguousOutput),
    (21, r'{"content":"\d+\.py"}', ANY, None, MalformedJson),
    (22, r'{"p":"C:\Users\new"}', ANY, None, MalformedJson),
    (23, '{"content":"call get("x") fails"}', ANY, None, MalformedJson),
    (24, '{"ok":true,"content":"def f(', ANY, None, TruncatedOutput),
    (25, '{"ok":true,"commit_groups":[{"message":"m","files":[]}', ANY, None, TruncatedOutput),
    (26, '{"start": 4', ANY, None, TruncatedOutput),
    (27, '{"ok":true}', ANY, "max_tokens", TruncatedOutput),
    (27, '{"ok":true}', ANY, "length", TruncatedOutput),
    (28, '{"score": NaN}', ANY, None, InvalidNumber),
    (28, '{"score": -Infinity}', ANY, None, InvalidNumber),
    (28, "{'score': nan}", ANY, None, InvalidNumber),
    (29, '{"confidence": 1e999}', ANY, None, InvalidNumber),
    (29, "{'confidence': 1e999}", ANY, None, InvalidNumber),
    (30, '{"ok":true,"ok":false}', ANY, None, DuplicateKey),
    (30, "{'ok':1,'ok':true}", ANY, None, DuplicateKey),
    (31, '{"is_fixable":true,"isFixable":false}', Answer, None, ConflictingAlias),
    (33, '{"直せる":true}', Answer, None, SchemaMismatch),
    (33, '{"is_fixable": true, "ファイル": ["a.py"]}', Answer, None, SchemaMismatch),
    (34, '{"is_fixable": "unknown"}', Answer, None, SchemaMismatch),
    (34, '{"is_fixable": 2}', Answer, None, SchemaMismatch),
    (34, '{"is_fixable": null}', Answer, None, SchemaMismatch),
    (35, f"[{V}, {V}]", Answer, None, SchemaMismatch),
    (38, '{"ok":true}{"ok":false}', ANY, None, AmbiguousOutput),
    (38, f"{V}{W}", Answer, None, AmbiguousOutput),
    (39, '{"path":"a.py"}\n{"path":"b.py"}', File, None, AmbiguousOutput),
    (40, f"Draft: {W}\nFinal: {V}", Answer, None, AmbiguousOutput),
    (43, f"<think>maybe {V}", Answer, None, TruncatedOutput),
    (55, '{"type":"object","properties":{"is_fixable":{"type":"boolean"}}}', Answer, None, SchemaEcho),
    (56, '{"content":"""a\\nb"""}', ANY, None, MalformedJson),
    (56, '{"content":"""a"""b"""}', ANY, None, MalformedJson),
    (57, '{"files":["a.py", ...]}', ANY, None, ElidedOutput),
    (57, '{"files":["a.py", "..."]}', ANY, None, ElidedOutput),
    (57, '{"files":["a.py" /* ... more ... */]}', ANY, None, ElidedOutput),
    (58, '{"content":"def f():\\n    # ... rest unchanged ..."}', ANY, None, PlaceholderInContent),
    (58, '{"content":"x = 1\\n# 以下同じ"}', ANY, None, PlaceholderInContent),
    (58, '{"content":"x = 1\\n// 省略"}', ANY, None, PlaceholderInContent),
    (58, '{"content":"x = 1\\n# 其余代码不变"}', ANY, None, PlaceholderInContent),
    (59, '{"files":["a.py","ok":true}', ANY, None, MalformedJson),
    (61, '{"r": "a"+"b"}', ANY, None, MalformedJson),
    (61, '{"start": 045}', ANY, None, InvalidNumber),
    (61, '{"start": 0x2d}', ANY, None, InvalidNumber),
    (61, '{"start": 1_200}', ANY, None, InvalidNumber),
    (62, '{"r": "\\ud800"}', ANY, None, InvalidText),
    (62, '{"path": "a\\u0000.py"}', File, None, SchemaMismatch),
    (63, "[" * 100_000, ANY, None, LimitExceeded),
    (63, '{"a":' * 70 + "1" + "}" * 70, ANY, None, LimitExceeded),
    (63, '{"n": ' + "9" * 5_000 + "}", ANY, None, LimitExceeded),
    (63, '{"a": "' + "x" * 20_000_000 + '"}', ANY, None, LimitExceeded),
    (64, "", ANY, None, NoJsonFound),
    (64, "null", ANY, None, NoJsonFound),
    (64, "null", Answer, None, NoJsonFound),
    (64, "I cannot help", Answer, None, NoJsonFound),
    (64, "is_fixable: true\nfiles:\n  - a.py", Answer, None, NoJsonFound),
    (64, "Use {a: b} in yaml", ANY, None, NoJsonFound),
    (64, "Use {a: b} in yaml", Answer, None, NoJsonFound),
]


def row_and_text(value: object) -> str | None:
    return None if isinstance(value, (int, str)) else ""


@pytest.mark.parametrize(
    ("row", "text", "schema", "value", "kinds"), VALUES, ids=[f"{i}-row{v[0]}" for i, v in enumerate(VALUES)]
)
def test_rows_with_one_value(row: int, text: str, schema: Any, value: Any, kinds: list[str]) -> None:
    parsed = parse_reply(text, schema)
    assert parsed.value == value
    assert type(parsed.value) is type(value)
    assert sorted(repair.kind for repair in parsed.repairs) == sorted(kinds)


@pytest.mark.parametrize(
    ("row", "text", "schema", "stop", "error"), ERRORS, ids=[f"{i}-row{v[0]}" for i, v in enumerate(ERRORS)]
)
def test_rows_with_a_named_error(row: int, text: str, schema: Any, stop: str | None, error: type[ReplyError]) -> None:
    with pytest.raises(ReplyError) as raised:
        parse_reply(text, schema, stop)
    assert type(raised.value) is error
    assert raised.value.text == text


def test_every_row_of_the_catalogue_is_here() -> None:
    assert {row for row, *_ in VALUES} | {row for row, *_ in ERRORS} == set(range(1, 65))

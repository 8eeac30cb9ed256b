"""The contract, line by line, beyond the catalogue."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator

import sherloc
from sherloc import errors
from sherloc.errors import (
    AmbiguousOutput,
    ConflictingAlias,
    LimitExceeded,
    MalformedJson,
    ModelError,
    NoJsonFound,
    PlaceholderInContent,
    Refused,
    ReplyError,
    SchemaMismatch,
    TruncatedOutput,
)
from sherloc.json_hardening import REPAIRS, CompleteText, ExactText, Limits, ReplyPath, parse_reply

DOCS = Path(sherloc.__file__).parents[1] / "docs" / "model-output.md"


class File(BaseModel):
    path: ReplyPath
    content: CompleteText = ""


class Group(BaseModel):
    message: str
    files: list[File] = []


class Proposal(BaseModel):
    is_fixable: bool
    reasoning: str = ""
    commit_groups: list[Group] = Field(default=[])


V = '{"is_fixable": true}'


def kinds(text: str, schema: Any = None) -> list[str]:
    return [repair.kind for repair in parse_reply(text, schema).repairs]


# 1. the stop reason comes first


@pytest.mark.parametrize("stop", ["length", "max_tokens", "MAX_TOKENS", "error"])
def test_nothing_is_read_from_a_reply_that_was_cut(stop: str) -> None:
    with pytest.raises(TruncatedOutput):
        parse_reply(V, Proposal, stop)


@pytest.mark.parametrize("stop", ["refusal", "content_filter", "SAFETY"])
def test_nothing_is_read_from_a_refusal(stop: str) -> None:
    with pytest.raises(Refused):
        parse_reply(V, Proposal, stop)


@pytest.mark.parametrize("stop", [None, "", "end", "stop", "tool_calls", "tool_use", "something new"])
def test_other_stop_reasons_say_nothing(stop: str | None) -> None:
    assert parse_reply(V, Proposal, stop).value == Proposal(is_fixable=True)


# 2. strict JSON is left alone


@pytest.mark.parametrize(
    "content", ["```json\n{}\n```", "<think>{}</think>", "\ufeff", "“x”", "a\u200bb", "{x} // y", "\u2028"]
)
def test_texts_of_clean_json_are_the_same_to_the_byte(content: str) -> None:
    for ascii_only in (True, False):
        text = json.dumps({"path": "a", "content": content}, ensure_ascii=ascii_only)
        parsed = parse_reply(f"  {text}\n", File)
        assert (parsed.value.content, parsed.repairs) == (content, ())


# 3. layers, in combination


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"\ufeff<think>x</think>\n```json\n{V}\n```", ["edges", "think", "fence"]),
        (f"<answer>\n```json\n{V}\n```\n</answer>", ["xml", "fence"]),
        (f"```\n<answer>{V}</answer>\n```", ["fence", "xml"]),
        ("> ```json\n> " + V + "\n> ```", ["line_prefix", "fence"]),
        ('```json\n+{\n+  "is_fixable": true\n+}\n```', ["fence", "line_prefix"]),
        (f"`````\n{V}\n`````", ["fence"]),
        (
            "Answer:\n```json\n{'is_fixable': True,}\n```\nBye",
            ["fence", "prose", "single_quotes", "python_literal", "trailing_comma"],
        ),
    ],
)
def test_layers(text: str, wanted: list[str]) -> None:
    assert parse_reply(text, Proposal).value == Proposal(is_fixable=True)
    assert kinds(text, Proposal) == wanted


def test_the_projects_own_documents_as_content() -> None:
    for path in sorted(DOCS.parent.glob("*.md")):
        content = path.read_text(encoding="utf-8")
        answer = {"path": "a.md", "content": content}
        originals = {"a.md": content}
        text = json.dumps(answer, ensure_ascii=False)
        for reply in (
            text,
            f"```json\n{text}\n```",
            f"Here:\n~~~~\n{text}\n~~~~\nDone",
            re.sub(r"(?<!\\)\\n", "\n", text),
        ):
            assert parse_reply(reply, File, originals=originals).value.content == content


# 4. one answer, or none


def test_equal_answers_are_one() -> None:
    assert parse_reply(f"{V}\n\nAgain: {V}", Proposal).value == Proposal(is_fixable=True)
    assert "repeated" in kinds(f"{V} {V}", Proposal)


def test_both_answers_are_listed() -> None:
    other = '{"is_fixable": false}'
    with pytest.raises(AmbiguousOutput) as raised:
        parse_reply(f"{V}\n{other}", Proposal)
    assert raised.value.candidates == (V, other)
    assert V in raised.value.message
    assert other in raised.value.message
    parsed = parse_reply(f"{V}\n{other}", Proposal, when_ambiguous="last")
    assert (parsed.value.is_fixable, parsed.guessed) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        f'{V}\n{{"is_fixable": fals}}',
        f'{{"is_fixable": maybe}}\n{V}',
        f'{V}\n{{"is_fixable": "unsure"}}',
        f'{{"outer": {V}, broken}}',
        f'{{"outer" {V}}}',
        f'"outer": {V}',
        f'{V}, "reasoning": "x"}}',
        f'It has "is_fixable": false, but\n{V}',
        f'{{"message": "m", "files": [{V}',
    ],
)
def test_a_whole_value_does_not_stand_in_for_a_broken_one(text: str) -> None:
    with pytest.raises(ReplyError):
        parse_reply(text, Proposal)


# 5. exact texts


@pytest.mark.parametrize("field", ["content", "patch", "diff", "Content", "new_content"])
@pytest.mark.parametrize(
    "written", [r'"\d+"', '"say "hi" now"', "“x”", r'"it isn\'t"', r"'a\qb'", '["say "hi" now"]', r'{"a": "\d"}']
)
def test_no_guess_touches_an_exact_text(field: str, written: str) -> None:
    with pytest.raises(MalformedJson):
        parse_reply(f'{{"{field}": {written}}}')


def test_a_schema_declares_exact_texts() -> None:
    class Edit(BaseModel):
        hunk: ExactText

    with pytest.raises(MalformedJson):
        parse_reply(r'{"hunk": "\d+"}', Edit)
    with pytest.raises(MalformedJson):
        parse_reply(r'{"Hunk": "\d+"}', Edit)
    assert parse_reply(r'{"other": "\d+"}').guessed


def test_one_odd_escape_makes_the_others_unclear() -> None:
    for text in (r'{"a": "\d\n"}', r'{"a": "\d", "b": "x\ny"}', r'{"a": "\d\\"}'):
        with pytest.raises(MalformedJson):
            parse_reply(text)
    assert parse_reply(r'{"a": "it isn\'t", "b": "x\ny"}').value == {"a": "it isn't", "b": "x\ny"}


def test_lines_of_the_original_are_no_placeholders() -> None:
    line = "# ... rest of the file unchanged"
    text = json.dumps({"path": "a.py", "content": f"x = 1\n{line}\n"})
    with pytest.raises(PlaceholderInContent):
        parse_reply(text, File)
    with pytest.raises(PlaceholderInContent):
        parse_reply(text, File, originals={"b.py": line})
    assert parse_reply(text, File, originals={"a.py": f"  {line}\n"}).value.path == "a.py"


@pytest.mark.parametrize(
    "line",
    [
        "# ...",
        "// ... existing code ...",
        "/* rest of the file */",
        "<!-- omitted for brevity -->",
        "[... rest of the code ...]",
    ]
    + [
        "# remaining methods unchanged",
        "# …以下同じ",
        "# (中略)",
        "// 其余代码不变",
        "# 나머지는 생략",
        "-- same as before",
        "; 変更なし",
    ],
)
def test_placeholders(line: str) -> None:
    with pytest.raises(PlaceholderInContent):
        parse_reply(json.dumps({"path": "a", "content": f"a\n    {line}\nb"}), File)


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "def f(): ...",
        "x = [...]",
        "# 省略時は None",
        "# see the rest",
        "print('...')",
        "# existing code paths",
        "f(*args, ...)",
    ]
    + ["# Tests for other methods", "return (yield ...)", "assert x  # unchanged"],
)
def test_no_placeholders(line: str) -> None:
    assert parse_reply(json.dumps({"path": "a", "content": f"a\n    {line}\nb"}), File).value.path == "a"


# 6. limits and time


def test_limits_can_be_set() -> None:
    for text, limits in (
        ('{"a": "' + "é" * 60 + '"}', Limits(max_bytes=120)),
        ("[[[1]]]", Limits(max_depth=2)),
        ("[[['a',]]]", Limits(max_depth=2)),
        ("[1234]", Limits(max_digits=3)),
        ("[1234,]", Limits(max_digits=3)),
        ("[0.123]", Limits(max_digits=3)),
    ):
        with pytest.raises(LimitExceeded):
            parse_reply(text, None, limits=limits)
        assert parse_reply(text).value
    assert Limits(max_depth=10_000).max_depth == 200


PADDED: dict[str, Callable[[int], str]] = {
    "spaces after a fence": lambda n: "```json\n" + " " * n,
    "prose with braces": lambda n: "{x} " * n + V,
    "half objects": lambda n: '{ "a ' * n + '":1}',
    "yaml": lambda n: "{a: b} " * n,
    "unclosed yaml": lambda n: "{a: b " * n + V,
    "thoughts": lambda n: "</think>{" * n,
    "escapes": lambda n: '["' + r"\d" * n + '", "x",]',
    "strings with escapes": lambda n: "[" + r'"\d", ' * n + "]",
    "back-slashes": lambda n: '{"a":x "' + "\\" * n,
    "bare quotes": lambda n: '{"r": "' + 'call get("x") ' * n + '"}',
    "comments": lambda n: "{//" * n + "…\n",
    "lines": lambda n: '{"is_fixable": true}\n' * n,
    "closers": lambda n: V + " x}" * n,
    "closers too many": lambda n: V + "}" * n,
    "closers after a long text": lambda n: '{"a": "' + "x" * n + '"}' + "}" * n,
    "prose brackets of both kinds": lambda n: "{ [ " * n + "} " * n + V,
    "quoted openers": lambda n: '{"' * n,
    "empty lists": lambda n: "[]" * n,
    "empty objects": lambda n: "{}" * n + V,
    "bare quotes and lists": lambda n: '{"r": "' + '["a" b ' * n + '"}',
    "bare quotes and objects": lambda n: '{"r": "' + '["a" b ' * 16 + "{a: " * n + '"}',
    "answers with bare quotes": lambda n: '{"r": "call ["x"] {a: {b: "}\n' * n,
    "fences": lambda n: "~~~\n" * n,
    "clean": lambda n: json.dumps([{"is_fixable": True}] * n),
    "trailing comma": lambda n: json.dumps([{"is_fixable": True}] * n)[:-1] + ",]",
    "duplicates": lambda n: "{" + '"a":1,' * n + '"b":2}',
    "placeholders": lambda n: json.dumps({"content": "# x ... \n" * n}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PADDED)
def test_twice_the_text_takes_at_most_two_and_a_half_times_as_long(kind: str) -> None:
    def seconds(text: str) -> float:
        best = 1e9
        for _ in range(5):
            start = time.process_time()
            with contextlib.suppress(ReplyError):
                parse_reply(text, Proposal)
            best = min(best, time.process_time() - start)
        return best

    count = 2000
    while seconds(PADDED[kind](count)) < 0.06 and count < 2_000_000:
        count *= 2

    def growth(size: int) -> float:
        # A busy machine slows one of the two at random; work that grows as the square is four times as much each time.
        return min(seconds(PADDED[kind](2 * size)) / seconds(PADDED[kind](size)) for _ in range(3))

    # Where the processor's caches end there is one step, which is behind a text four times as long; a square is not.
    ratios = [growth(count)]
    if ratios[0] > 2.5:
        ratios.append(growth(4 * count))
    assert ratios[-1] <= 2.5, ratios


# 7. and 8. are in test_fuzz.py; the family of errors


def test_a_validator_that_fails_is_an_error_of_the_family() -> None:
    class Odd(BaseModel):
        a: int

        @field_validator("a")
        @classmethod
        def fail(cls, value: int) -> int:
            raise KeyError("oops")

    with pytest.raises(SchemaMismatch, match="KeyError"):
        parse_reply('{"a": 1}', Odd)


def test_every_problem_is_named() -> None:
    with pytest.raises(SchemaMismatch) as raised:
        parse_reply('{"is_fixable": 3, "commit_groups": [{"message": 4}]}', Proposal)
    assert [problem.partition(":")[0] for problem in raised.value.problems] == [
        "is_fixable",
        "commit_groups[0].message",
    ]


def test_a_conflict_deep_inside_is_found() -> None:
    with pytest.raises(ConflictingAlias):
        parse_reply('{"is_fixable": true, "commitGroups": [{"message": "a", "Message": "b"}]}', Proposal)


@pytest.mark.parametrize(
    "text",
    [
        # a value beside a broken one, with no schema that could tell which is the answer
        'Let\'s see [1].\n[null, "a",, 2]',
        'Let\'s see [1].\n{\n "a""a": null\n}',
        'I saw {config} and [x].\n{\n "q": false,\n }b c": {}\n}\n[see docs]',
        'Sure: {"a[: {"b c": "x"}}',
        'Use {x}. {"a": {"b": true}}}',
        # a key in two lines, where a model went on in the middle of it
        '{"reaso\nreasoning": "x", "ok": true}',
        '{"reaso\n```\n```json\nreasoning": "x"}',
        "{'reaso\nreasoning': 'x'}",
        '{"a\t": 1,}',
        # a bracket in the place of a comma, so that quotes seem to hold it
        '[["{"{""]]',
        '[["["["x"]]',
        # a number in two lines
        "[87287851\n8514695, 1]",
        '{"n": 4\n5}',
    ],
)
def test_what_may_be_a_part_of_something_else_is_no_answer(text: str) -> None:
    for schema in (None, list[int], dict):
        with pytest.raises(ReplyError):
            parse_reply(text, schema)


@pytest.mark.parametrize("text", ['["a" b ' * 10_000, "{a: " * 10_000, '["a" b ' * 16 + "{a: " * 2000])
def test_a_second_opinion_costs_no_minutes(text: str) -> None:
    """``json-repair`` takes 20 seconds for 32,000 characters of the first, and 6 for 8,000 of the last."""
    start = time.process_time()
    with pytest.raises(ReplyError):
        parse_reply('{"r": "call "x" now ' + text + '"}')
    assert time.process_time() - start < 5


def test_errors_survive_pickling() -> None:
    for text in ("", "{", f'{V}{{"is_fixable": false}}', '{"is_fixable": 3}'):
        with pytest.raises(ReplyError) as raised:
            parse_reply(text, Proposal)
        again = pickle.loads(pickle.dumps(raised.value))
        assert (type(again), str(again), again.__dict__) == (
            type(raised.value),
            str(raised.value),
            raised.value.__dict__,
        )


def test_the_family_is_drawn_in_the_tree_of_errors() -> None:
    family = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ReplyError)]
    assert len(family) == 15
    assert all(kind.__name__ in (errors.__doc__ or "") and issubclass(kind, ModelError) for kind in family)


def test_every_repair_and_error_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [kind for kind in REPAIRS if f"`{kind}`" not in text] == []
    family = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ReplyError)]
    assert [kind.__name__ for kind in family if f"`{kind.__name__}`" not in text] == []


def test_json_repair_is_not_imported_before_it_is_needed() -> None:
    code = (
        "import sys; from sherloc.json_hardening import parse_reply; parse_reply('{\"a\": 1,}');"
        'assert \'json_repair\' not in sys.modules; parse_reply(\'{"a": "say "hi" now"}\');'
        "assert 'json_repair' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_wrappers_that_are_no_wrappers() -> None:
    for text in ('{"result": {"ok": 1}, "other": {"is_fixable": true}}', '{"name": "x", "arguments": "no json"}'):
        with pytest.raises(SchemaMismatch):
            parse_reply(text, Proposal)
    for text in ('"just text"', "42", "true", '"{broken"'):
        with pytest.raises(NoJsonFound):
            parse_reply(text, Proposal)


def test_plain_types_are_schemas_too() -> None:
    assert parse_reply("42", int).value == 42
    assert parse_reply('"x"', str).value == "x"
    assert parse_reply("```json\n[1, 2]\n```", list[int]).value == [1, 2]
    assert parse_reply('{"a": [1]}', dict[str, list[int]]).value == {"a": [1]}
    assert parse_reply('{"a": "1"}', dict[str, int | None]).value == {"a": 1}
    assert parse_reply("null", int | None).value is None


def test_a_union_is_never_guessed() -> None:
    class Cat(BaseModel):
        name: str
        lives: int = 9

    class Dog(BaseModel):
        name: str
        tricks: list[str] = []

    assert parse_reply('{"name": "x", "lives": 7}', Cat | Dog).value == Cat(name="x", lives=7)
    with pytest.raises(SchemaMismatch, match="several members"):
        parse_reply('{"name": "x"}', Cat | Dog)

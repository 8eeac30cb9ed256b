"""What must hold for every text: one family of errors, no third value, no value from a cut text, linear time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sherloc.errors import ReplyError, TruncatedOutput
from sherloc.json_hardening import ExactText, LineRange, Parsed, ReplyPath, Score, parse_reply
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.reader import TolerantReader
from sherloc.json_hardening.strict import same


class File(BaseModel):
    path: ReplyPath
    content: ExactText = ""


class Answer(BaseModel):
    is_fixable: bool
    reasoning: str = ""
    files: list[File] = []
    lines: list[LineRange] = []
    score: Score | None = None


SCHEMAS: list[Any] = [None, dict, list, Answer, list[Answer], list[File], str, int]
BITS = st.sampled_from(
    [
        '{"',
        '":',
        '", ',
        "}",
        "]",
        "[",
        "{",
        "'",
        "```json\n",
        "```",
        "<think>",
        "</think>",
        "\\",
        "\\u",
        "NaN",
        "...",
        "//",
        "/*",
    ]
    + [
        '"is_fixable": true',
        '"files": [',
        '"content": "',
        "True",
        "“",
        "”",
        "：",
        "\n",
        " ",
        "\u200b",
        "\ud800",
        "1e999",
        '"""',
        "0x",
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(
        lambda text: text.strip() not in ("...", "…", "......", "……")
    ),
    st.sampled_from(
        [
            "it's",
            'say "hi" now',
            "a, b",
            "x: y",
            "{a}",
            "[1]",
            "// no",
            "# no",
            "```py\nx\n```",
            "C:\\new",
            "\\d+",
            "“q”",
            "<think>x</think>",
        ]
    ),
)
KEYS = st.sampled_from(["is_fixable", "files", "path", "reason", "a", "b c", "キー"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(KEYS, VALUES, max_size=4)
ANSWERS = st.builds(
    Answer,
    is_fixable=st.booleans(),
    reasoning=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    files=st.lists(
        st.builds(
            File,
            path=st.sampled_from(["a.py", "src/b c.ts"]),
            content=st.sampled_from(["", "x = 1\n", 'print("a")\n', "re.sub(r'\\d', '')"]),
        ),
        max_size=3,
    ),
    lines=st.lists(st.builds(LineRange, start_line=st.integers(1, 9), end_line=st.integers(9, 99)), max_size=2),
    score=st.none() | st.integers(0, 5).map(float),
)


@settings(max_examples=400, deadline=None)
@given(st.text() | st.lists(BITS | st.text(max_size=4), max_size=25).map("".join), st.sampled_from(SCHEMAS))
def test_only_one_family_of_errors_escapes(text: str, schema: Any) -> None:
    try:
        assert isinstance(parse_reply(text, schema), Parsed)
    except ReplyError as error:
        assert error.text == text


@settings(max_examples=200, deadline=None)
@given(CONTAINERS, st.booleans(), st.sampled_from([None, 1]))
def test_clean_json_needs_no_repair(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    parsed = parse_reply(text)
    assert same(parsed.value, value)
    assert parsed.repairs == ()


@settings(max_examples=200, deadline=None)
@given(CONTAINERS, st.booleans())
def test_the_tolerant_reader_reads_clean_json_as_the_strict_one_does(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    reader = TolerantReader(text, Limits(), ())
    found, end = reader.read(0)
    assert same(found, value)
    assert (end, reader.repairs) == (len(text), [])


@settings(max_examples=100, deadline=None)
@given(ANSWERS)
def test_reading_what_was_written_is_a_fixed_point(answer: Answer) -> None:
    parsed = parse_reply(answer.model_dump_json(), Answer)
    assert parsed.value == answer
    assert parsed.repairs == ()
    many = parse_reply(json.dumps([answer.model_dump(mode="json")] * 2), list[Answer])
    assert (many.value, many.repairs) == ([answer] * 2, ())


@settings(max_examples=150, deadline=None)
@given(CONTAINERS, st.data())
def test_no_value_comes_from_a_cut_text(value: Any, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)]))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    for schema in (None, dict, list, Answer):
        with pytest.raises(TruncatedOutput):
            parse_reply(cut, schema)
    for before in ("```json\n", "Sure:\n", "<think>no {</think>"):
        with pytest.raises(TruncatedOutput):
            parse_reply(before + cut)
    python = repr(value)
    with pytest.raises(ReplyError):
        parse_reply(python[: data.draw(st.integers(1, len(python) - 1))])


def test_every_prefix_of_an_answer_is_cut() -> None:
    answer = Answer(is_fixable=True, reasoning='say "hi"', files=[File(path="a.py", content="x = {1: [2]}\n")])
    text = answer.model_dump_json()
    for end in range(1, len(text)):
        with pytest.raises(TruncatedOutput):
            parse_reply(text[:end], Answer)
        with pytest.raises(TruncatedOutput):
            parse_reply("```json\n" + text[:end], Answer)


def python_style(text: str, value: Any, pick: random.Random) -> str:
    return repr(value)


def structural(text: str) -> list[int]:
    """Offsets of the marks of JSON outside of strings, and of the quotes around strings."""
    found, inside, escaped = [], False, False
    for at, character in enumerate(text):
        if inside and character == '"' and not escaped:
            inside = False
            found.append(at)
        elif not inside and character in '"{}[],:':
            inside = character == '"'
            found.append(at)
        escaped = inside and character == "\\" and not escaped
    return found


def drop(text: str, value: Any, pick: random.Random) -> str:
    at = pick.choice(structural(text))
    return text[:at] + text[at + 1 :]


def double(text: str, value: Any, pick: random.Random) -> str:
    at = pick.choice(structural(text))
    return text[:at] + text[at] + text[at:]


def swap(text: str, value: Any, pick: random.Random) -> str:
    at = pick.choice(structural(text))
    return text[:at] + pick.choice('{}[],:"') + text[at + 1 :]


def unescape_quotes(text: str, value: Any, pick: random.Random) -> str:
    return text.replace('\\"', '"')


def lose_backslashes(text: str, value: Any, pick: random.Random) -> str:
    return text.replace("\\\\", "\\")


def raw_newlines(text: str, value: Any, pick: random.Random) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")


def trailing_comma(text: str, value: Any, pick: random.Random) -> str:
    ends = [at for at in structural(text) if text[at] in "}]" and text[at - 1] not in "{["]
    at = pick.choice(ends) if ends else len(text)
    return text[:at] + "," + text[at:]


def comment(text: str, value: Any, pick: random.Random) -> str:
    at = pick.choice([at for at in structural(text) if text[at] in "{[,:"] or [0])
    return text[: at + 1] + pick.choice([" // so\n", "/* so */", " # so\n"]) + text[at + 1 :]


def unquote_keys(text: str, value: Any, pick: random.Random) -> str:
    return text.replace('"is_fixable":', "is_fixable:").replace('"a":', "a:")


def full_width(text: str, value: Any, pick: random.Random) -> str:
    table = dict(zip("{}[],:", "｛｝［］，：", strict=True))
    places = set(structural(text))
    return "".join(table.get(c, c) if at in places else c for at, c in enumerate(text))


def smart_quotes(text: str, value: Any, pick: random.Random) -> str:
    places, out, inside = set(structural(text)), [], False
    for at, character in enumerate(text):
        if at in places and character == '"':
            inside = not inside
            character = "“" if inside else "”"
        out.append(character)
    return "".join(out)


def fence(text: str, value: Any, pick: random.Random) -> str:
    mark = pick.choice(["```json", "```", "~~~", "````JSON"])
    return f"{mark}\n{text}\n{mark.rstrip('jsonJSON')}"


def prose(text: str, value: Any, pick: random.Random) -> str:
    before = pick.choice(["Sure: ", "I saw {config} and [x].\n", 'It is f"{x}".\n', "Let's see [1].\n"])
    return before + text + pick.choice(["", "\nDone {now}.", "\n[see docs]", " Hope it's fine"])


def think(text: str, value: Any, pick: random.Random) -> str:
    return (
        pick.choice(['<think>{"is_fixable": false}</think>\n', '{"is_fixable": false}</think>\n', "<think>{[</think>"])
        + text
    )


def line_prefix(text: str, value: Any, pick: random.Random) -> str:
    mark = pick.choice(["+", "> ", "- "])
    return "\n".join(mark + line for line in json.dumps(value, indent=1).split("\n"))


def odd_space(text: str, value: Any, pick: random.Random) -> str:
    places = set(structural(text))
    return "".join(c + "\u00a0" if at in places and c in "{[,:" else c for at, c in enumerate(text))


def encode_again(text: str, value: Any, pick: random.Random) -> str:
    return json.dumps(text)


def escape_all(text: str, value: Any, pick: random.Random) -> str:
    return json.dumps(text)[1:-1]


MUTATIONS: list[Callable[[str, Any, random.Random], str]] = [
    python_style,
    drop,
    double,
    swap,
    unescape_quotes,
    lose_backslashes,
    raw_newlines,
    trailing_comma,
    comment,
    unquote_keys,
    full_width,
    smart_quotes,
    fence,
    prose,
    think,
    line_prefix,
    odd_space,
    encode_again,
    escape_all,
]


def still_json(text: str) -> bool:
    """Whether a mutation made another valid JSON text: then nobody can tell that it was one."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
@settings(max_examples=60, deadline=None)
@given(CONTAINERS, st.randoms(use_true_random=False), st.booleans())
def test_never_a_third_value(mutation: Callable[..., str], value: Any, pick: random.Random, tight: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else None)
    mutated = mutation(text, value, pick)
    if still_json(mutated) and mutation is not encode_again:
        return
    try:
        found = parse_reply(mutated).value
    except ReplyError:
        return
    assert same(found, value), mutated


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
@settings(max_examples=60, deadline=None)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_never_a_third_answer(mutation: Callable[..., str], answer: Answer, pick: random.Random) -> None:
    value = answer.model_dump(mode="json")
    mutated = mutation(json.dumps(value, ensure_ascii=False), value, pick)
    if still_json(mutated) and mutation is not encode_again:
        return
    try:
        found = parse_reply(mutated, Answer).value
    except ReplyError:
        return
    assert found == answer, mutated

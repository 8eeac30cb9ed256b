"""Any text, in linear time, the same each time; and what makes an issue vague."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sherloc.query import build_query
from sherloc.query.mentions import STRENGTH
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query

PASTED = ("(", "a.", "`", " ", '"', "'")
HOSTILE = [
    "(", "a.", "`", "` ", " ", "\t", "\n", "\"", "'", "<", "<!--", "[", "[a](", "![", "*", "**a", "-", "#", "a/",
    "\\", "a\\", "::", "a::", "a->", "@", "a@", "http://", "<summary>", "= x ", "a: ", "error: ", "E ", "xError: ",
    "at ", "at a(", "File \"a\", ", "1.", "a", "A_", "{{{\n", "```\n", "```", "`a ** b ` ", "operator ", "--a-",
    "a-", "#0 0x1 in ", "abcdef0123", "import a, ", "\u671f\u5f85", "\u300c", "x = 1\n", "  at a.b(c.java:1)\n",
    "> ", ">\n", "| a ", "$A", "a,b, ", "\u200b", "0", "it's ", "def f(x):\n    return 1\n",
    "    at ", "File \"", "1\n", "(\n", "-\n", "a\n---\n", "Error: ", "$ a\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE, ids=repr)
@pytest.mark.parametrize("before", ["", "```python\n"], ids=["prose", "code"])
def test_hostile_text_takes_linear_time(unit: str, before: str) -> None:
    size = 480_000 if unit in PASTED else 120_000
    issue = Issue(title="A title", body=before + unit * (size // len(unit)))
    assert any(seconds(issue) < size / 100_000 for _ in range(3)), (
        "the best of three runs, for a busy machine slows some"
    )


def seconds(issue: Issue) -> float:
    """Of processor time."""
    start = time.process_time()
    build_query(issue)
    return time.process_time() - start


def test_back_ticks_of_every_length() -> None:
    start = time.process_time()
    build_query(Issue(body=" ".join("`" * n for n in range(900))))
    assert time.process_time() - start < 5


PIECES = st.sampled_from(
    [
        *HOSTILE,
        "Traceback (most recent call last):\n", "  File \"a.py\", line 1, in f\n", "KeyError: 'x'\n",
        "## Expected\n", "Actual: ", "`Q`", "~~~\n", "<details>", "</details>\n", "-->", "-> ",
        "goroutine 1 [running]:\n", "main.f()\n\t/a.go:1\n", "\r\n", "\ud83d\ude00", ">>> f()\n", "In [1]: f()\n",
        "panic: ", "Caused by: a.B: c\n", "thread 'main' panicked at src/a.rs:1:2:\n", "{{{#!\n", "+++ b/a.py\n",
    ]
)  # fmt: skip


def check(query: Query) -> None:
    assert all(weight > 0 and math.isfinite(weight) for _, weight in query.terms)
    assert list(query.terms) == sorted(query.terms, key=lambda item: (-item[1], item[0]))
    assert len({term for term, _ in query.terms}) == len(query.terms)
    assert all(0 < segment.weight < math.inf and segment.text.strip() for segment in query.segments)
    ranks = [STRENGTH.index(mention.origin) for mention in query.mentions]
    assert ranks == sorted(ranks)
    assert len({mention.name for mention in query.mentions}) == len(query.mentions)
    assert all(mention.name and mention.count >= 1 for mention in query.mentions)
    assert all(frame.path and frame.depth >= 0 for frame in query.frames)
    assert all(path.path for path in query.paths)
    assert query.terms or query.vague


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=60), st.text(max_size=400), st.lists(st.text(max_size=80), max_size=2))
@example("`", "<!--", ["```"])
def test_any_text(title: str, body: str, comments: list[str]) -> None:
    issue = Issue(title=title, body=body, comments=tuple(comments))
    query = build_query(issue)
    check(query)
    assert build_query(issue) == query


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(PIECES, st.text(alphabet="aB_1.:/ \n`'\"(){}<>-#*", max_size=12)), max_size=40))
def test_any_arrangement_of_markup(pieces: list[str]) -> None:
    query = build_query(Issue.from_text("".join(pieces)))
    check(query)


ISSUE = Issue(
    title="`Cart` loses items",
    body='In shop/cart.py the `+` of Money fails: "no such currency here", use --strict-mode.\n\n'
    "```python\nfrom a import b, c\nb(c())\n```\n",
    comments=("And MAX_ITEMS, too.",),
)


def test_same_bytes_under_any_hash_seed() -> None:
    code = (
        "from sherloc.query import build_query; from sherloc.schema.issue import Issue; import sys;"
        "print(build_query(Issue.model_validate_json(sys.argv[1])))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, ISSUE.model_dump_json()],
            env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, check=True,
        ).stdout
        for seed in range(3)
    }  # fmt: skip
    assert len(outputs) == 1


def test_import_is_light() -> None:
    heavy = ("numpy", "networkx", "tree_sitter", "sqlite3", "rich")
    code = f"import sys, sherloc.query; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_line_ends_do_not_matter() -> None:
    body = "Alpha\n\n## Expected behavior\n\nBeta\n```python\nx = 1\n```"
    assert build_query(Issue(body=body.replace("\n", "\r\n"))) == build_query(Issue(body=body))


def test_invisible_characters_are_dropped() -> None:
    assert build_query(Issue(title="Ca\u200brt\u202e loses")) == build_query(Issue(title="Cart loses"))


@pytest.mark.parametrize(
    "text",
    [
        "App is slow sometimes. Please fix.",
        "It does not work",
        "crash",
        "Please help!!!",
        "Bug: error",
        "the page is broken since the update",
    ],
)
def test_vague(text: str) -> None:
    assert build_query(Issue.from_text(text)).vague


@pytest.mark.parametrize("text", ["", "   \n", "\U0001f622\U0001f622", "!!! ??? ...", "the and of", "1 2 3"])
def test_no_words_at_all(text: str) -> None:
    query = build_query(Issue(body=text))
    assert query.terms == ()
    assert query.vague == ("The issue has no words to search for.",)


def test_empty_issue() -> None:
    assert build_query(Issue()) == Query(vague=("The issue has no words to search for.",))


@pytest.mark.parametrize(
    "text",
    [
        "Cart.apply loses the coupon when it is empty",
        "crash in `merge`",
        "It fails with KeyError: 'total'",
        "Decimal columns are rounded when a pivot table has more than one index level and margins are requested",
        "shop/cart.py does not work",
    ],
)
def test_not_vague(text: str) -> None:
    assert build_query(Issue.from_text(text)).vague == ()


def test_title_only_is_said() -> None:
    assert "It has a title only." in build_query(Issue(title="Crash sometimes")).vague

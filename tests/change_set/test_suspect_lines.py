from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from sherloc.change_set import suspect_lines
from sherloc.schema.snippet import Snippet


def snippet(start: int, end: int, *, name: str = "f", language: str = "python") -> Snippet:
    return Snippet("a.py", name, "function", start, end, language=language)


def function(*special: tuple[int, str], length: int = 40) -> str:
    """A function of plain lines with some in their place (1-based)."""
    lines = ["def f(x):", *(f"    step_{n} = {n}" for n in range(2, length + 1))]
    for number, line in special:
        lines[number - 1] = line
    return "\n".join(lines) + "\n"


def test_a_short_snippet_is_given_whole() -> None:
    assert suspect_lines(snippet(1, 10), function(), {}, [], 20) == (1, 10)


def test_the_span_holds_the_dense_lines() -> None:
    text = function((30, "    parse(token)"), (31, "    token = parse(token)"))
    start, end = suspect_lines(snippet(1, 40), text, {"parse": 2.0, "token": 1.0}, [], 12)
    assert start <= 30 < 31 <= end
    assert end - start + 1 <= 12


def test_it_is_shorter_where_the_terms_stand_together() -> None:
    text = function(*((n, "    token = parse()") for n in range(20, 30)), length=60)
    start, end = suspect_lines(snippet(1, 60), text, {"parse": 1.0}, [], 40, share=0.5)
    assert (start, end) == (20, 29)
    scattered = function(*((n, "    token = parse()") for n in range(3, 60, 8)), length=60)
    start, end = suspect_lines(snippet(1, 60), scattered, {"parse": 1.0}, [], 40, share=0.8)
    assert end - start + 1 > 30


def test_each_term_counts_once_a_line() -> None:
    text = function((10, "    token(token, token, token, token)"), (30, "    token = parse"))
    start, end = suspect_lines(snippet(1, 40), text, {"parse": 1.0, "token": 1.0}, [], 10)
    assert start <= 30 <= end


def test_docstring_and_comments_count_less() -> None:
    doc = [
        (2, '    """Parse a token.'),
        (3, "    Parse the token with parse."),
        (4, '    """'),
        (6, "    # parse token"),
    ]
    text = function(*doc, (33, "    token = parse(x)"))
    start, end = suspect_lines(snippet(1, 40), text, {"parse": 1.0, "token": 1.0}, [], 12)
    assert start <= 33 <= end


def test_the_signature_counts_less() -> None:
    text = function((1, "def parse_token(x):"), (33, "    token = parse(x)"))
    start, end = suspect_lines(snippet(1, 40, name="parse_token"), text, {"parse": 1.0, "token": 1.0}, [], 12)
    assert start <= 33 <= end


def test_a_hash_is_code_where_the_language_says_so() -> None:
    text = function((10, "    #define parse(token)"), (30, "    parse(other)"))
    weights = {"parse": 1.0, "token": 0.5}
    in_c = suspect_lines(snippet(1, 40, language="c"), text, weights, [], 10)
    in_python = suspect_lines(snippet(1, 40), text, weights, [], 10)
    assert in_c[0] <= 10 <= in_c[1]
    assert in_python[0] <= 30 <= in_python[1]


def test_block_comments_are_comments_to_their_end() -> None:
    block = [(8, "    /* parse token"), (9, "       parse token"), (10, "       parse token */")]
    text = function(*block, (30, "    parse(token)"))
    start, end = suspect_lines(snippet(1, 40, language="java"), text, {"parse": 1.0, "token": 1.0}, [], 10)
    assert start <= 30 <= end


def test_anchors_win() -> None:
    text = function((30, "    token = parse(x)"))
    start, end = suspect_lines(snippet(1, 40), text, {"parse": 1.0}, [8], 12)
    assert start <= 8 <= end


def test_the_first_anchor_wins_and_others_join_if_they_fit() -> None:
    start, end = suspect_lines(snippet(1, 40), function(), {}, [30, 2, 20], 12)
    assert start <= 20 and end >= 30


def test_an_anchor_outside_is_left_out() -> None:
    text = function()
    assert suspect_lines(snippet(1, 40), text, {}, [0, 41, 99], 12) == suspect_lines(snippet(1, 40), text, {}, [], 12)


def test_an_open_bracket_is_closed() -> None:
    text = function((14, "    call("), (15, "        1,"), (16, "    )"), *((n, "    token") for n in range(5, 14)))
    start, end = suspect_lines(snippet(1, 40), text, {"token": 1.0, "call": 0.9}, [], 20, share=0.1)
    assert (start, end) == (5, 16)


def test_ends_do_not_stand_on_blank_lines() -> None:
    blank = [(n, "") for n in range(24, 41)]
    start, end = suspect_lines(snippet(1, 40), function(*blank, (22, "    parse")), {"parse": 3.0}, [], 12)
    assert start <= 22 <= end <= 23


def test_a_snippet_past_the_end_of_the_file() -> None:
    assert suspect_lines(snippet(50, 60), "a\nb\n", {}, [], 12) == (2, 2)
    assert suspect_lines(snippet(5, 9), "", {}, [], 12) == (1, 1)


def test_a_snippet_that_ends_past_the_file_is_cut() -> None:
    assert suspect_lines(snippet(1, 99), "a\nb\nc", {}, [], 12) == (1, 3)


LINES = st.lists(
    st.sampled_from(["", "    token = parse(x)", "    call(", "    )", '    """Doc.', "    # note", "def f():", "é名"]),
    min_size=1, max_size=60,
)  # fmt: skip


@given(
    LINES,
    st.integers(1, 70),
    st.integers(0, 70),
    st.dictionaries(st.sampled_from(["token", "parse", "call", "doc"]), st.floats(-1, 1e6)),
    st.lists(st.integers(-5, 80), max_size=4),
    st.integers(1, 25),
    st.floats(0.01, 1),
)
@example(["a"] * 30, 1, 29, {}, [29, 1], 5, 1.0)
def test_the_span_is_within_snippet_and_file(
    lines: list[str], start: int, length: int, weights: dict[str, float], anchors: list[int], most: int, share: float
) -> None:
    text = "\n".join(lines)
    count = len(lines) - (len(lines) > 1 and not lines[-1])
    place = snippet(start, start + length)
    first, last = suspect_lines(place, text, weights, anchors, most, share=share)
    assert 1 <= first <= last <= count
    assert last - first + 1 <= max(1, most)
    if start <= count:
        assert start <= first and last <= start + length
        inside = [anchor for anchor in anchors if start <= anchor <= min(start + length, count)]
        assert not inside or first <= inside[0] <= last
    assert (first, last) == suspect_lines(place, text, dict(reversed(weights.items())), anchors, most, share=share)

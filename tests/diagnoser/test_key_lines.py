from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from sherloc.diagnoser.key_lines import holds_message, key_lines
from sherloc.schema.candidate import Signal
from sherloc.schema.snippet import Snippet
from sherloc.terms import TermTable

LINES = [
    "import os",
    "def load(path):",
    "    if not os.path.exists(path):",
    '        raise OSError("cannot open the file %s" % path)',
    "    parse(token)",
    "    return token",
    "",
]


def lines_of(
    snippet: Snippet,
    lines: Sequence[str] = LINES,
    signals: Sequence[Signal] = (),
    messages: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
) -> list[tuple[int, str]]:
    found = key_lines(snippet, lines, signals, messages, weights or {}, TermTable())
    assert all(each.start_line == each.end_line for each in found)
    return [(each.start_line, each.why) for each in found]


LOAD = Snippet("a.py", "load", "function", 2, 6)


def test_signals_then_messages_then_dense_lines() -> None:
    found = lines_of(
        LOAD,
        signals=[Signal("structural", "traceback", "load", 1.0, 6)],
        messages=["OSError: cannot open the file a.txt"],
        weights={"parse": 2.0, "token": 1.0},
    )
    assert found == [
        (6, "The traceback passes here."),
        (4, "Holds the message that the issue quotes."),
        (5, "Shares the issue's words: parse, token."),
    ]


def test_a_line_is_named_once() -> None:
    message = Signal("structural", "message", "cannot open", 1.0, 4)
    assert lines_of(LOAD, signals=[message], messages=["cannot open the file a"], weights={"oserror": 1.0}) == [
        (4, "Holds the message that the issue quotes.")
    ]


def test_lines_outside_of_snippet_or_file_are_not_named() -> None:
    signals = [Signal("structural", "traceback", "x", 1.0, line) for line in (1, 7, 0, 99)]
    assert lines_of(LOAD, signals=signals) == []
    assert lines_of(Snippet("a.py", "f", "function", 50, 60), weights={"token": 1.0}) == []
    assert lines_of(LOAD, lines=(), weights={"token": 1.0}) == []


def test_ties_go_to_the_first_lines() -> None:
    assert [line for line, _ in lines_of(LOAD, weights={"path": 1.0})] == [2, 3]


def test_a_message_needs_a_run_of_words() -> None:
    assert holds_message("raise E('unknown option: {}'.format(x))", ["E: unknown option: -v"])
    assert holds_message("throw new E(`value ${x} is not allowed here`)", ["value 3 is not allowed here"])
    assert not holds_message("x = 'unknown'", ["unknown option"])
    assert not holds_message("x = ''", ["unknown option"])
    assert not holds_message("raise E('unknown option: {}')", [])


@given(
    st.lists(st.sampled_from(["", "parse(token)", "raise E('it is not there')", "é"]), max_size=20),
    st.integers(1, 30),
    st.integers(0, 30),
    st.lists(st.integers(-5, 40), max_size=5),
)
def test_key_lines_are_within_snippet_and_file(lines: list[str], start: int, more: int, at: list[int]) -> None:
    snippet = Snippet("a.py", "f", "function", start, start + more)
    signals = [Signal("structural", "traceback", "x", 1.0, line) for line in at]
    found = lines_of(snippet, lines, signals, ["it is not there"], {"parse": 1.0})
    assert len(found) <= 4
    assert len({line for line, _ in found}) == len(found)
    assert all(start <= line <= min(start + more, len(lines)) for line, _ in found)

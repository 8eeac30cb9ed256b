from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.schema import path_text
from sherloc.schema.path_text import original_path, shown_path
from sherloc.visible import visible

# Names as Python has them on POSIX: any bytes but the slash and zero.
NAMES = st.binary(max_size=12).map(lambda data: data.decode("utf-8", "surrogateescape")) | st.lists(
    st.sampled_from(
        ["\\", "\\x", "ff", "\udcff", "\udcad", "\xad", "\x9b", "\udc9b", "\n", "\x1b", "u009b", "U0001", "a"]
    )
).map("".join)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/a.py", "src/a.py"),
        ("caf\u00e9/\u65e5\u672c.py", "caf\u00e9/\u65e5\u672c.py"),
        ("\udcff.py", "\\xff.py"),
        ("\\xff.py", "\\\\xff.py"),
        ("a\\b.py", "a\\\\b.py"),
        ("C:\\x.py", "C:\\\\x.py"),
        ("a\nb", "a\\x0ab"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b", "\\u009b"),
        ("\udc9b", "\\x9b"),
        ("\xad", "\\u00ad"),
        ("\ud800", "\\ud800"),
    ],
)
def test_by_hand(path: str, shown: str) -> None:
    assert shown_path(path) == shown
    assert original_path(shown) == path


@pytest.mark.parametrize(
    "text", ["a\\b.py", "C:\\x.py", "\\", "a\\", "\\xf", "\\xFF", "\\u12", "\\U99999999", "\\\\\\"]
)
def test_what_is_no_shown_path(text: str) -> None:
    assert original_path(text) is None


@given(NAMES)
def test_nothing_is_lost_neither_in_a_report_nor_on_a_terminal(path: str) -> None:
    shown = shown_path(path)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert original_path(shown) == path
    assert original_path(visible(shown)) == path


@given(st.sets(NAMES, min_size=2, max_size=6))
def test_two_names_are_never_shown_alike(paths: set[str]) -> None:
    assert len({visible(shown_path(path)) for path in paths}) == len(paths)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    path = original_path(text)
    assert path is None or isinstance(path, str)


def test_examples() -> None:
    assert doctest.testmod(path_text).failed == 0

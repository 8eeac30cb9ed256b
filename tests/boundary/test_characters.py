r"""Invisible and bidirectional characters; all written as escapes, so that this file holds none."""

from __future__ import annotations

import pytest

from sherloc.boundary import scan


def rules(text: str) -> set[str]:
    return {name for hit in scan(text) for name in hit.rules}


@pytest.mark.parametrize(
    "text",
    [
        'if level != "none\u202e\u2066// check\u2069\u2066":',
        '"""Take money from the account then \u2067""" ; return',
        "/*\u202e } \u2066if (admin)\u2069 \u2066 begin */",
        "a \u202d b \u202c",
        "x = '\u202a'",
        "\u2068 and no end",
    ],
)
def test_bidirectional_controls_that_deceive(text: str) -> None:
    assert rules(text) == {"bidirectional"}


@pytest.mark.parametrize(
    "text",
    [
        "Sender: \u202a{sender}\u202c",
        "\u2068name\u2069 has left",
        "\u200fשלום\u200f",
        "\u061cمرحبا",
        "\u2067שלום \u2066{n}\u2069\u2069",
    ],
)
def test_bidirectional_controls_that_close_in_their_line(text: str) -> None:
    assert rules(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "def is_\u200badmin():",
        "pass\u200cword",
        "pass\u200dword",
        "pay\u2060load",
        "a\ufeffb",
        "".join(chr(0xE0000 + ord(each)) for each in "hidden words"),
        "x" + "\u200b\u200c\u200b\u200b\u200d",
        "smile\U0001f600\ufe0f\U000e0121\U000e0122",
        "const \u3164 = 1",
        "確\u200b認",
    ],
)
def test_invisible_characters(text: str) -> None:
    assert "invisible" in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff# a file with a byte order mark",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
        "\u2764\ufe0f heart",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f flag",
        "नमस्\u200dते",
        "می\u200cخواهم",
        "ភាសា\u200bខ្មែរ",
        "word \u200b next",
        "soft\u00adhyphen",
        "",
    ],
)
def test_what_scripts_and_emoji_need_is_let_through(text: str) -> None:
    assert rules(text) == set()


def test_the_line_and_the_file_are_told() -> None:
    (hit,) = scan("one\ntwo\u202e\nthree", "a.c")
    assert (hit.path, hit.line, hit.rules) == ("a.c", 2, ("bidirectional",))

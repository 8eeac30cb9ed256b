"""Text of strangers on a forge: nobody is notified, nothing is referred to, hidden or obeyed; code stays as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sherloc.forge import BODY_LIMIT, cut_body, harmless, harmless_line, harmless_message

J = "\u2060"
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTS = re.compile(
    r"@\w|#\d|GH-\d|[!&%$~]\d|://|\bwww\.|\[skip\sci\]|::include|(?<![0-9a-z])0a1b2c3d4e5f60718293(?![0-9a-z])|</?[a-z!?]|<!--",
    re.IGNORECASE,
)
OBEYED = re.compile(r"^\s*/[a-z]|^[a-z-]+-by:", re.IGNORECASE | re.MULTILINE)
DECEIVES = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2061-\u2069\ufeff\u00ad\x00-\x08\x1b]")


def shown(text: str) -> tuple[str, list[str], list[str]]:
    """What GitHub Flavored Markdown makes of it: text outside of code, code, and kinds of tokens."""
    prose: list[str] = []
    code: list[str] = []
    kinds: list[str] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            kinds.append(token.type)
            if token.type in ("fence", "code_inline"):
                code.append(token.content)
                prose.append("\0")  # what stands on either side of it does not touch
            elif token.type in ("text", "text_special", "html_block", "html_inline"):
                prose.append(token.content)
            elif token.type in ("softbreak", "hardbreak", "paragraph_close", "heading_close"):
                prose.append("\n")
            walk(token.children or [])

    walk(PARSER.parse(text))
    return "".join(prose), code, kinds


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Thanks @octocat and @org/team.", f"Thanks @{J}octocat and @{J}org/team."),
        ("Closes #12, fixes o/r#3, GH-4, gh-5", f"Closes #{J}12, fixes o/r#{J}3, GH{J}-4, gh{J}-5"),
        ("resolves https://github.com/o/r/issues/4", f"resolves https:{J}//github.com/o/r/issues/4"),
        ("Implements: SHOP-12", f"Implement{J}s: SHOP-12"),
        ("fix: SHOP-12 and UTF-8", f"fix{J}: SHOP-12 and UTF-8"),
        ("!7 &8 group/p!9", f"!{J}7 &{J}8 group/p!{J}9"),
        ("&#64;user &commat;user \\@user", f"&{J}#{J}64;user &{J}commat;user \\@{J}user"),
        ("<!-- hidden --> <img src=x> <b>", f"<{J}!-- hidden --> <{J}img src=x> <{J}b>"),
        ("![pixel](http://e.x/p) [a](b) [c]: d [e][f]",
         f"!{J}[pixel]{J}(http:{J}//e.x/p) [a]{J}(b) [c]{J}: d [e]{J}[f]"),
        ("www.example.org a@b.example", f"www{J}.example.org a@{J}b.example"),
        ("/merge", f"/{J}merge"),
        ("> /close", f"> /{J}close"),
        ("[skip ci] [ci skip] ***NO_CI***", f"[{J}skip ci] [{J}ci skip] ***{J}NO_CI***"),
        ("Co-authored-by: A <a@b.c>", f"Co-authored-by{J}: A <{J}a@{J}b.c>"),
        ("---Signed-off-by: x", f"---Signed-off-by{J}: x"),
        ("a\u202eb\u200bc\u2060d e\u3164f", "a\\u202eb\\u200bcd e\\u3164f"),
        ("## Why\n\n- a < b && c != d, 5 > 4, x & y, a | b", "## Why\n\n- a < b && c != d, 5 > 4, x & y, a | b"),
        ("`@app.route` and ``a`b #1``", "`@app.route` and ``a`b #1``"),
        ("a ` b @c", f"a \\` b @{J}c"),
        ("| `a | @b` |", f"| `a | @{J}b` |"),
        ("```py\n@app.route('/')  # GH-1 <!-- x -->\n```", "```py\n@app.route('/')  # GH-1 <!-- x -->\n```"),
        ("~~~\n```\n@a\n~~~", "````\n```\n@a\n````"),
        ("1. so:\n   ```py\n   @a\n     b\n   ```\n2. x", "1. so:\n```py\n@a\n  b\n```\n2. x"),
        ("```mermaid\ngraph\n```", "```\ngraph\n```"),
        ("```\nnever ended @a", "```\nnever ended @a\n```"),
        ("````\n```\n/merge\n````", f"````\n```\n/{J}merge\n````"),
        ("a\r\nb\r\n", "a\nb\n"),
        (f"see {'0a1b2c3d4e' * 4}.", f"see 0a1b2c{J}3d4e0a{J}1b2c3d{J}4e0a1b{J}2c3d4e{J}0a1b2c{J}3d4e."),
        ("ABCDEF1, abcdef1x, 1234567, defaced, " + "1" * 40,
         f"ABCDEF{J}1, abcdef1x, 1234567, defaced, " + J.join(["1" * 6] * 6 + ["1" * 4])),
        ("%12 %\"a b\" %v1 ~bug ~\"a b\" $1 100% ~/x $x ~~gone~~",
         f"%{J}12 %{J}\"a b\" %{J}v1 ~{J}bug ~{J}\"a b\" ${J}1 100% ~/x $x ~~{J}gone~~"),
        ("::include{file=x}", f":{J}:include{{file=x}}"),
        ("[skip\u00a0ci] [ci  skip] [no\tci]", f"[{J}skip\u00a0ci] [{J}ci  skip] [{J}no\tci]"),
        ("\\`` a `b @c ```d``", f"\\`` a `b @{J}c \\`\\`\\`d\\`\\`"),
    ],
)  # fmt: skip
def test_what_becomes_of_it(text: str, result: str) -> None:
    assert harmless(text) == result
    assert harmless(result) == result


PIECES = st.sampled_from([
    "@user", "@o/team", "#12", "o/r#12", "GH-12", "closes ", "https://github.com/o/r/issues/1", "www.a.de", "<!--",
    "-->", "<img src=x>", "<details>", "</details>", "![", "](", "[a]", ")", "[a]: b", "[^1]", "&#64;", "&num;", "`",
    "``", "```", "````", "~~~", "~~~~", "\n", "\n\n", "\n- ", "\n1. ", "\n> ", "\n    ", "\n\t", "  ", " ", "\\", "|",
    "\n|---|---|\n", "| a | b |", "# ", "---", "===", "***", "/merge", "text", "a`b", "\u202e", "\u200b", "\u2060",
    "\u200d", "é", "$", "$$", "```py\n", "\n```\n", "[skip ci]", "Signed-off-by: x", "!5", "%5", "~a", "$5",
    "0a1b2c3d4e5f60718293", "[skip\u00a0ci]", "::include{file=x}", "<", ">", "&", "*", "_",
    "<a href=\"`\">", "\r\n", "\r",
])  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=60))


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_nothing_acts_whatever_the_text(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once
    prose, _, kinds = shown(once)
    assert not ACTS.search(prose), (once, prose)
    assert not {"html_block", "html_inline", "link_open", "image"} & set(kinds), once
    assert not DECEIVES.search(once)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_plain_text_acts_nowhere(text: str) -> None:
    line, message = harmless_line(text), harmless_message(text)
    assert harmless_line(line) == line
    assert harmless_message(message) == message
    assert "\n" not in line
    assert len(line) <= 256
    for each in (line, message):
        assert not ACTS.search(each), each
        assert not OBEYED.search(each), each
        assert not DECEIVES.search(each)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(blacklist_characters="`\r\u2060", max_codepoint=0x7E, min_codepoint=0x20), max_size=80))
def test_code_is_kept_to_the_byte(code: str) -> None:
    text = f"Before\n\n```py\n{code}\n@{code}\n```\n\nafter"
    assert harmless(text) == text
    assert shown(harmless(text))[1] == [f"{code}\n@{code}\n"]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(80, 400))
def test_a_cut_keeps_the_limit_and_what_is_code(text: str, limit: int) -> None:
    whole = harmless(text * 8)
    cut = cut_body(whole, limit=limit)
    assert len(cut) <= limit
    assert cut_body(cut, limit=limit) == cut
    assert (cut == whole) == (len(whole) <= limit)
    assert not ACTS.search(shown(cut)[0]), cut


def test_where_a_body_is_cut() -> None:
    text = "A line.\n" * 10_000
    cut = cut_body(text)
    assert BODY_LIMIT - 100 < len(cut) <= BODY_LIMIT
    assert cut.startswith("A line.\nA line.")
    assert cut.endswith("A line.\n\n*The rest is left out: it would be too long for the forge.*")
    code = cut_body("```py\n" + "x = 1\n" * 20_000 + "```\n")
    assert code.endswith("x = 1\n```\n\n*The rest is left out: it would be too long for the forge.*")
    accents = cut_body("e\u0301" * 50_000, limit=1000, notice="…")
    assert accents.endswith("e\u0301\n\n…")
    with pytest.raises(ValueError, match="no room"):
        cut_body("x" * 100, limit=10)


def test_a_title_is_one_line() -> None:
    assert harmless_line("Fix\n the `total`\tof @a ") == f"Fix the `total` of @{J}a"
    assert harmless_line("x" * 300) == "x" * 255 + "…"


def test_it_takes_linear_time() -> None:
    import time

    for piece in ("`", "``x", "@a ", "[", "<", "\n```\n", "closes ", "- ", "> ", "\\`", "&"):
        begin = time.perf_counter()
        harmless(piece * 40_000)
        assert time.perf_counter() - begin < 5, piece


def test_a_line_of_runs_of_many_lengths_takes_linear_time() -> None:
    import time

    took = []
    for number in (350, 700):
        text = " ".join("`" * length for length in range(1, number))
        begin = time.process_time()
        harmless(text)
        took.append(time.process_time() - begin)
    assert took[1] < 1  # 245 KB
    assert took[1] < 8 * took[0] + 0.05
    assert harmless_line("closes #1 " * 50_000).endswith("…")

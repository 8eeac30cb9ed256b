"""Mentions, settings, operators, paths, code blocks and messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.query import build_query
from sherloc.query.names import chains
from sherloc.schema.issue import Issue
from sherloc.schema.query import PathMention, Query


def query(body: str, title: str = "") -> Query:
    return build_query(Issue(title=title, body=body))


def origins(body: str, title: str = "") -> dict[str, str]:
    return {m.name: m.origin for m in query(body, title).mentions if m.origin != "prose"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("the `apply` method", {"apply": "code_span"}),
        ("it calls apply() twice", {"apply": "call"}),
        (
            "in shop.cart.Cart of course",
            {"shop.cart.Cart": "dotted", "shop": "dotted", "cart": "dotted", "Cart": "dotted"},
        ),
        ("the applyDiscount step", {"applyDiscount": "camel"}),
        ("a DiscountCart there", {"DiscountCart": "camel"}),
        ("an HTTPServer there", {"HTTPServer": "camel"}),
        ("set apply_discount there", {"apply_discount": "snake"}),
        ("the __init__ of it", {"__init__": "snake"}),
        ("the _private one", {"_private": "snake"}),
        ("when MAX_ITEMS is one", {"MAX_ITEMS": "caps"}),
        ("combine `Q` objects", {"Q": "short"}),
        ("combine F() objects", {"F": "short"}),
        ("in 3d plots", {"3d": "short"}),
        ("the `3d` plots", {"3d": "short"}),
        ("the 'apply' step", {"apply": "code_span"}),
        ("the `apply' step", {"apply": "code_span"}),
        (
            "use `crate::walk::Walker`",
            {"crate::walk::Walker": "dotted", "crate": "code_span", "walk": "code_span", "Walker": "code_span"},
        ),
        ("see Shop::Cart#total", {"Shop::Cart#total": "dotted", "Shop": "dotted", "Cart": "dotted", "total": "dotted"}),
        (
            "see com.acme.Bar#baz now",
            {"com.acme.Bar#baz": "dotted", "com": "dotted", "acme": "dotted", "Bar": "dotted", "baz": "dotted"},
        ),
        ("a Bar::baz reference", {"Bar::baz": "dotted", "Bar": "dotted", "baz": "dotted"}),
        (
            "the Acme\\Mailer::send method",
            {"Acme\\Mailer::send": "dotted", "Acme": "dotted", "Mailer": "dotted", "send": "dotted"},
        ),
        ("it reads `node->next`", {"node->next": "dotted", "node": "code_span", "next": "code_span"}),
        ("it reads this.x.yes", {"this.x.yes": "dotted", "x": "dotted", "yes": "dotted"}),
        (
            "calls http.ListenAndServe(addr)",
            {"http.ListenAndServe": "dotted", "http": "dotted", "ListenAndServe": "call"},
        ),
    ],
)
def test_names_and_how_they_stand_out(body: str, expected: dict[str, str]) -> None:
    found = origins(body)
    assert {name: found.get(name) for name in expected} == expected
    assert not set(found) - set(expected)


@pytest.mark.parametrize(
    "body",
    [
        "since version 1.2.3 and v2.0.1b1 of it",
        "see https://example.org/some_page/fooBar?x_y=1 there",
        "write to some_body@example.org",
        "at commit 9d65a5c0ffee and 0xDEADBEEF",
        "e.g. this, i.e. that, etc.",
        "on example.com and docs.example.org",
        "with Node.js and Vue.js",
        "It is _very_ slow",
        "don't, doesn't, I'm, they've",
        "since #1234 and GitHub",
        "1st, 2nd and 3rd of 20 MB in 5ms",
        "![classes_test](https://images.example.org/classes_test.png)",
    ],
)
def test_what_is_no_name(body: str) -> None:
    assert origins(body) == {}


def test_strongest_origin_wins_and_occurrences_are_counted() -> None:
    q = query("apply_discount is called. `apply_discount` fails, apply_discount() too.", title="apply_discount")
    found = next(m for m in q.mentions if m.name == "apply_discount")
    assert (found.origin, found.count, found.in_title) == ("code_span", 4, True)


def test_mentions_are_ordered_by_strength() -> None:
    q = query("```python\nlater = 1\n```\nthe plain word, MAX_ITEMS, fooBar and `first`")
    assert [m.name for m in q.mentions][:4] == ["first", "fooBar", "MAX_ITEMS", "later"]


def test_prose_words_come_last_title_first_and_are_limited() -> None:
    q = query(" ".join(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200)), title="Blueprint names")
    prose = [m for m in q.mentions if m.origin == "prose"]
    assert len(prose) == 60
    assert [(m.name, m.in_title) for m in prose[:2]] == [("blueprint", True), ("names", True)]


@pytest.mark.parametrize(
    ("body", "methods"),
    [
        ("`**` fails", ["__pow__"]),
        ("the ** operator fails", ["__pow__"]),
        ("the operator '+' fails", ["__add__"]),
        ('comparing with "==" fails', ["__eq__"]),
        ("`[]` and `@` and `//`", ["__getitem__", "__matmul__", "__floordiv__"]),
        ("`a | b` and `a & b`", ["__or__", "__and__"]),
        ("`^`, `~`, `<`, `>=`", ["__xor__", "__invert__", "__lt__", "__ge__"]),
        ("`x in y` and the not in operator", ["__contains__"]),
        ("`x**y`", ["__pow__"]),
        ("it is * not * so, a < b - c, in part | whole", []),
        ("`<div>` and `--flag` and `a = b`", []),
    ],
)
def test_operators(body: str, methods: list[str]) -> None:
    assert [m.name for m in query(body).mentions if m.origin == "operator"] == methods


def test_operator_gives_its_methods_term() -> None:
    assert dict(query("`**` fails").terms)["pow"] > 0


def test_cpp_operator_keeps_its_name() -> None:
    assert "operator==" in {m.name for m in query("the operator== of `Path`").mentions}


@pytest.mark.parametrize(
    ("body", "settings", "names"),
    [
        ("Use --ignore-paths here", ("--ignore-paths",), {"ignore_paths"}),
        ("Use `--jobs=4` here", ("--jobs",), {"jobs"}),
        ("The `ignore-paths` key", ("ignore-paths",), {"ignore_paths"}),
        ("```console\n$ lint --ignore-paths=x -q\n```", ("--ignore-paths",), {"ignore_paths"}),
        ("```ini\n[lint]\nignore-paths = x\n```", ("ignore-paths",), {"ignore_paths"}),
        ("with $CACHE_DIR set", ("CACHE_DIR",), {"CACHE_DIR"}),
        ("pass `-W` to it", ("-W",), set()),
        ("a -- dash, and well-known words", (), set()),
    ],
)
def test_flags_and_settings(body: str, settings: tuple[str, ...], names: set[str]) -> None:
    q = query(body)
    assert q.settings == settings
    assert names <= {m.name for m in q.mentions}


def test_setting_gives_the_term_of_its_identifier() -> None:
    assert "ignorepath" in dict(query("Use --ignore-paths here").terms)


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("in shop/cart.py it", [("shop/cart.py", None)]),
        ("in `shop/cart.py:12` it", [("shop/cart.py", 12)]),
        ("in shop/cart.py, line 12 it", [("shop/cart.py", 12)]),
        ("in cart.py#L12.", [("cart.py", 12)]),
        ("in shop\\src\\cart.cs it", [("shop/src/cart.cs", None)]),
        ("under src/shop/ there", [("src/shop/", None)]),
        ("(see ./lib/a.ts)", [("lib/a.ts", None)]),
        ("tests/test_a.py::TestA::test_b fails", [("tests/test_a.py", None)]),
        ("```python\nopen('data.json'); self.c = x.rs\n```", [("data.json", None)]),
        ("at https://github.com/o/r/blob/0a1b2c3/src/deep/a_b.py#L10-L20", [("src/deep/a_b.py", 10)]),
        ("[here](https://github.com/o/r/blob/main/src/a.go#L7)", [("src/a.go", 7)]),
        ("[`a.go`](https://github.com/o/r/blob/main/src/a.go)", [("a.go", None), ("src/a.go", None)]),
        ("Node.js and/or 1.2.3, e.g. x.y", []),
        ("at https://example.org/page.html", []),
    ],
)
def test_paths(body: str, paths: list[tuple[str, int | None]]) -> None:
    assert list(query(body).paths) == [PathMention(*path) for path in paths]


def test_words_of_links_are_not_the_issues() -> None:
    terms = dict(query("Look [at this](https://example.org/strange/words) and https://example.org/more/strange").terms)
    assert not {"example", "org", "strange", "http"} & set(terms)


@pytest.mark.parametrize(
    ("fence", "code", "language", "imports", "calls"),
    [
        (
            "py",
            "from a.b import c, d as e\nimport x.y as z\nc(z.run(1))",
            "python",
            ("a.b.c", "a.b.d", "x.y"),
            ("c", "z.run"),
        ),
        ("", ">>> from a import *\n>>> f()", "python", ("a",), ("f",)),
        ("js", "import x from './y'\nconst q = require('z')", "javascript", ("./y", "z"), ("require",)),
        ("rust", "use a::b::{C, D};\nuse e::f;", "rust", ("a::b::C", "a::b::D", "e::f"), ()),
        ("", '#include "x.h"\n#include <vector>\nstd::sort(a);', "cpp", ("x.h", "vector"), ("std::sort",)),
        ("java", "import com.foo.Bar;\nnew Bar().run();", "java", ("com.foo.Bar",), ("Bar", "run")),
        ("kotlin", "import com.foo.Bar\nfun main() { go() }", "kotlin", ("com.foo.Bar",), ("main", "go")),
        ("go", 'import (\n\t"fmt"\n\t"net/http"\n)\n', "go", ("fmt", "net/http"), ()),
    ],
)
def test_code_blocks(fence: str, code: str, language: str, imports: tuple[str, ...], calls: tuple[str, ...]) -> None:
    (block,) = query(f"Look:\n\n```{fence}\n{code}\n```\n").code_blocks
    assert (block.language, set(block.imports), block.calls) == (language, set(imports), calls)


def test_code_block_knows_what_it_defines() -> None:
    (block,) = query("```python\nclass Mine(Base):\n    def run(self): ...\n```").code_blocks
    assert block.defines == ("Mine", "run")


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        (
            "It says TypeError: foo() got an unexpected keyword argument 'x'",
            ["foo() got an unexpected keyword argument 'x'"],
        ),
        ('It says "cart must not be empty" then', ["cart must not be empty"]),
        ("It says \u201ccart must not be empty\u201d then", ["cart must not be empty"]),
        ("It says `cart must not be empty` then", ["cart must not be empty"]),
        ("```\n2024-05-01 10:00:00 ERROR cart must not be empty\n```", ["cart must not be empty"]),
        ("```\nerror[E0382]: borrow of moved value: `cart`\n```", ["borrow of moved value: `cart`"]),
        ("error: no such option", ["no such option"]),
        ('the "cart" and "two words"', []),
        ("`for x in y: run(x)`", []),
    ],
)
def test_messages(body: str, messages: list[str]) -> None:
    assert list(query(body).messages) == messages


@pytest.mark.parametrize(
    ("body", "exceptions"),
    [
        ("it raises ValueError, not KeyErrors", ("ValueError", "KeyError")),
        ("a NullPointerException is thrown", ("NullPointerException",)),
        ("it throws CartFull", ("CartFull",)),
        ("```\npanic: assignment to entry in nil map\n```", ("panic",)),
        ("An Error and an Exception", ()),
    ],
)
def test_exceptions(body: str, exceptions: tuple[str, ...]) -> None:
    assert query(body).exceptions == exceptions


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_ascii_gives_the_same_names_alone_as_beside_other_letters(text: str) -> None:
    alone = [(*match.span(), match["call"]) for match in chains(text)]
    beside = [(match.start() - 2, match.end() - 2, match["call"]) for match in chains("\u00e9 " + text)]
    assert beside[1:] == alone


def test_names_of_other_alphabets_and_between_japanese() -> None:
    found = [(match.group(), match["call"]) for match in chains("na\u00efve_sum(\u65e5\u672copen.read \u03b1.\u03b2")]
    assert found == [("na\u00efve_sum(", "("), ("open.read", None), ("\u03b1.\u03b2", None)]

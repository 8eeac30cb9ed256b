"""Broken, deep, huge and random sources."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sherloc.syntax import LANGUAGES, Outline, outline
from tests.syntax.test_languages import EXPECTED, SAMPLES

SOURCES = {language: (SAMPLES / name).read_bytes() for language, (name, _) in EXPECTED.items()}
DEEP = 20_000


def check(source: bytes, found: Outline) -> None:
    """What holds of every outline."""
    lines = source.count(b"\n") + 1
    order = [(d.start_byte, -d.end_byte) for d in found.definitions]
    assert order == sorted(order)
    for index, definition in enumerate(found.definitions):
        start, end = definition.start_byte, definition.end_byte
        assert 0 <= start < end <= len(source)
        assert start <= definition.body_start_byte <= end
        assert definition.start_line == source.count(b"\n", 0, start) + 1
        assert definition.end_line == source.count(b"\n", 0, end - 1) + 1
        assert definition.start_line <= definition.name_line <= definition.end_line
        assert definition.kind in ("function", "method", "class")
        assert definition.name and definition.qualified_name.endswith(definition.name)
        assert "\n" not in definition.signature and len(definition.signature) <= 300
        assert len(definition.docstring) <= 400
        assert -1 <= definition.parent < index
        if definition.parent >= 0:
            outer = found.definitions[definition.parent]
            assert outer.start_byte <= start and end <= outer.end_byte
    position = 0
    for zone in found.zones:
        assert position <= zone.start_byte < zone.end_byte <= len(source)
        position = zone.end_byte
    assert [r.line for r in found.references] == sorted(r.line for r in found.references)
    for reference in found.references:
        assert -1 <= reference.owner < len(found.definitions)
        assert 1 <= reference.line <= lines
        assert reference.name
    assert len(found.errors) <= 50
    assert all(1 <= first <= last <= lines for first, last in found.errors)


@pytest.mark.parametrize("language", LANGUAGES)
def test_samples(language: str) -> None:
    source = SOURCES[language]
    found = outline(language, source)
    check(source, found)
    for definition in found.definitions:
        text = source[definition.start_byte : definition.end_byte].decode()
        name = definition.name.lstrip("~").removeprefix("operator ").strip()
        assert name in text or definition.name == "default"


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=400))
def test_random_bytes(language: str, data: bytes) -> None:
    check(data, outline(language, data))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
@example(seed=157)
def test_mutated_samples(language: str, seed: int) -> None:
    luck = random.Random(seed)
    data = bytearray(SOURCES[language])
    for _ in range(luck.randint(1, 12)):
        at = luck.randrange(len(data))
        if luck.random() < 0.5:
            del data[at : at + luck.randint(1, 40)]
        else:
            data[at:at] = luck.choice(
                [b"{", b"}", b"(", b")", b'"', b"\n", b"/*", b"#", b"\xff", "é".encode(), b"<", b"def "]
            )
    check(bytes(data), outline(language, bytes(data)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "\u2028", "\x0c\n", "\r", "// x", "# x", "/*", '"', "é"])
def test_tiny_sources(language: str, text: str) -> None:
    check(text.encode(), outline(language, text.encode()))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "body",
    [b"[" * DEEP + b"]" * DEEP, b"(" * DEEP + b"1" + b")" * DEEP, b"1 + " * DEEP + b"1", b"a" + b".b()" * DEEP],
    ids=["brackets", "parentheses", "sums", "calls"],
)
def test_deep_nesting(language: str, body: bytes) -> None:
    started = time.thread_time()
    outline(language, (b"<?php\n" if language == "php" else b"") + b"x = " + body + b"\n")
    assert time.thread_time() - started < 4


def test_deep_nesting_leaves_what_follows_alone() -> None:
    source = b"def a(): pass\nx = " + b"[" * DEEP + b"]" * DEEP + b"\ndef b(): pass\n"
    assert [d.name for d in outline("python", source).definitions] == ["a", "b"]


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", b"((" * 240_000),
        ("javascript", b"`${" * 160_000),
        ("cpp", b"template<class T> " * 26_000),
        ("c", b"// x\n" * 100_000 + b"int f(){}"),
        ("c", b"int f(" + b" " * 480_000),
        ("ruby", b"x.y z " * 80_000),
        ("python", b"x = '" + b"a b " * 120_000 + b"'\n"),
    ],
)
def test_half_a_megabyte_of_malice(language: str, source: bytes) -> None:
    started = time.thread_time()
    check(source, outline(language, source))
    assert time.thread_time() - started < 4


def test_one_long_line() -> None:
    source = b"function a(b){var c=b.d(e);return c+1};" * 25_000
    started = time.thread_time()
    found = outline("javascript", source)
    assert len(found.definitions) == 25_000
    assert {d.end_line for d in found.definitions} == {1}
    assert time.thread_time() - started < 8


BROKEN = {
    "python": "def good():\n    pass\n\n\ndef bad(:\n    x = = 1\n\n\ndef fine():\n    pass\n",
    "javascript": "function good() {\n}\n\nfunction bad( {\n  let = ;\n}\n\nfunction fine() {\n}\n",
    "typescript": "function good(): void {\n}\n\nfunction bad( {\n  let = ;\n}\n\nfunction fine(): void {\n}\n",
    "tsx": "function good() {\n}\n\nfunction bad( {\n  let = ;\n}\n\nfunction fine() {\n}\n",
    "java": "class A {\n  void good() {\n  }\n\n  void bad( {\n    int = ;\n  }\n\n  void fine() {\n  }\n}\n",
    "go": "package p\n\nfunc good() {\n}\n\nfunc bad( {\n\tx := := 1\n}\n\nfunc fine() {\n}\n",
    "rust": "fn good() {\n}\n\nfn bad( {\n  let = ;\n}\n\nfn fine() {\n}\n",
    "c": "int good(void) {\n}\n\nint bad( {\n  int = ;\n}\n\nint fine(void) {\n}\n",
    "cpp": "int good() {\n}\n\nint bad( {\n  int = ;\n}\n\nint fine() {\n}\n",
    "ruby": "def good\nend\n\ndef bad(\n  x = = 1\nend\n\ndef fine\nend\n",
    "php": "<?php\nfunction good() {\n}\n\nfunction bad( {\n  $x = = 1;\n}\n\nfunction fine() {\n}\n",
    "kotlin": "fun good() {\n}\n\nfun bad( {\n  val = = 1\n}\n\nfun fine() {\n}\n",
    "csharp": "class A {\n  void good() {\n  }\n\n  void bad( {\n    int = ;\n  }\n\n  void fine() {\n  }\n}\n",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_broken_function_between_two_good_ones(language: str) -> None:
    source = BROKEN[language]
    found = outline(language, source.encode())
    names = [d.name for d in found.definitions]
    assert "good" in names and "fine" in names
    broken = source[: source.index("bad")].count("\n") + 1
    assert any(first <= broken + 1 and broken <= last for first, last in found.errors)


def test_bytes_are_not_characters() -> None:
    source = 'x = "' + "é" * 10 + '"; y = "\u2028"\n@d("é")\ndef naïve(a): return "é"\n'
    found = outline("python", source.encode())
    (definition,) = found.definitions
    assert source.encode()[definition.start_byte : definition.end_byte].decode() == '@d("é")\ndef naïve(a): return "é"'
    assert (definition.name, definition.start_line, definition.end_line) == ("naïve", 2, 3)


def test_latin_text_is_read_as_well_as_it_can_be() -> None:
    found = outline("python", "# é\ndef f():\n    return 'é'\n".encode("latin-1"))
    assert [(d.name, d.start_line, d.end_line) for d in found.definitions] == [("f", 1, 3)]


def test_same_names_are_all_kept() -> None:
    source = b"class A { void f(int a) {} void f(String a) {} static class B { void f() {} } }"
    names = [d.qualified_name for d in outline("java", source).definitions]
    assert names == ["A", "A.f", "A.f", "A.B", "A.B.f"]


def test_the_same_source_gives_the_same_outline() -> None:
    for language, source in SOURCES.items():
        assert outline(language, source) == outline(language, source)

"""What holds of the outline of any bytes: random ones, and samples that were cut, spliced and sprinkled."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlines.sample import Sample
from sherloc.syntax import LANGUAGES, Outline, Reference, outline

_SAMPLES: dict[str, Sample] = {
    language: import_module(f"outlines.{language}_sample").SAMPLE for language in sorted(LANGUAGES)
}
_DUST = (
    *(mark.encode() for mark in "{ } ( ) [ ] < > ; : , . # ' \" ` \\ / @ = é \u2028 \x00 \t \r \n".split(" ")),
    *(b"/*", b"*/", b"//", b'"""', b"\xff", b"\xe2\x80", b"\r\n"),
    *(b"class ", b"def ", b"fn ", b"func ", b"fun ", b"end\n"),
)
_FAST = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def _mutated(draw: st.DrawFn, language: str) -> bytes:
    """A sample with some runs of bytes dropped, doubled, moved or sprinkled with marks."""
    data = _SAMPLES[language].data
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 60)))
        change = draw(st.sampled_from(["drop", "double", "move", "dust", "cut"]))
        if change == "drop":
            data = data[:start] + data[end:]
        elif change == "double":
            data = data[:end] + data[start:end] + data[end:]
        elif change == "move":
            data = data[start:end] + data[:start] + data[end:]
        elif change == "dust":
            data = data[:start] + draw(st.sampled_from(_DUST)) + data[start:]
        elif draw(st.booleans()):
            data = data[:end]
    return data


def check(source: bytes, found: Outline) -> None:
    """Every definition lies in the file, in its parent and around its name; all lists are in order."""
    _check_definitions(source, found)
    lines = source.count(b"\n") + 1
    last = 0
    for zone in found.zones:
        assert last <= zone.start_byte < zone.end_byte <= len(source)
        last = zone.end_byte
    assert [each.line for each in found.references] == sorted(each.line for each in found.references)
    for each in found.references:
        assert each.name
        assert 1 <= each.line <= lines
        if each.owner >= 0:
            owner = found.definitions[each.owner]
            assert owner.start_line <= each.line <= owner.end_line
    assert all(1 <= first <= last <= lines for first, last in found.errors)
    assert found.errors == sorted(found.errors)


def _check_definitions(source: bytes, found: Outline) -> None:
    places = [(each.start_byte, -each.end_byte) for each in found.definitions]
    assert places == sorted(places)
    for index, each in enumerate(found.definitions):
        assert 0 <= each.start_byte < each.end_byte <= len(source)
        assert each.start_byte <= each.body_start_byte <= each.end_byte
        text = source[each.start_byte : each.end_byte]
        assert text.strip()
        assert _in(each.name, text), (each, text)
        assert each.start_line == 1 + source.count(b"\n", 0, each.start_byte)
        assert each.end_line == each.start_line + text.count(b"\n")
        assert each.start_line <= each.name_line <= each.end_line
        assert each.parent < index
        if each.parent >= 0:
            outer = found.definitions[each.parent]
            assert outer.start_byte <= each.start_byte and each.end_byte <= outer.end_byte


def _in(name: str, text: bytes) -> bool:
    """A name is there up to white space, which is made one blank in names and taken out of operators."""
    return "".join(name.split()) in "".join(text.decode("utf-8", "replace").split())


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_samples(language: str) -> None:
    check(_SAMPLES[language].data, outline(language, _SAMPLES[language].data))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_mutated_samples(language: str) -> None:
    @_FAST
    @given(_mutated(language))
    def run(source: bytes) -> None:
        check(source, outline(language, source))

    run()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_random_bytes_and_random_marks(language: str) -> None:
    @_FAST
    @given(st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(_DUST), max_size=80).map(b"".join)))
    def run(source: bytes) -> None:
        check(source, outline(language, source))

    run()


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_many_mutated_samples(language: str) -> None:
    @settings(_FAST, max_examples=300)
    @given(_mutated(language))
    def run(source: bytes) -> None:
        check(source, outline(language, source))

    run()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_beginning_of_a_sample(language: str) -> None:
    """A file that is being written: cut at the end of every third line."""
    lines = _SAMPLES[language].data.splitlines(keepends=True)
    for end in range(0, len(lines), 3):
        source = b"".join(lines[:end])
        check(source, outline(language, source))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_line_ends_do_not_matter(language: str) -> None:
    sample = _SAMPLES[language]
    with_returns = sample.data.replace(b"\n", b"\r\n")
    found = outline(language, with_returns)
    check(with_returns, found)
    assert [
        (each.kind, each.qualified_name, each.start_line, each.end_line) for each in found.definitions
    ] == sample.definitions
    plain = outline(language, sample.data)
    assert sorted(map(_words, found.references)) == sorted(map(_words, plain.references))
    comments = [with_returns[zone.start_byte : zone.end_byte] for zone in found.zones if zone.kind == "comment"]
    assert comments and not any(comment.endswith(b"\r") for comment in comments)


def _words(reference: Reference) -> tuple[int, str, str, str, int]:
    return reference.line, reference.kind, reference.name, reference.alias, reference.owner


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"kotlin"}))
def test_the_end_of_the_file_does_not_matter(language: str) -> None:
    sample = _SAMPLES[language]
    for source in (sample.data.rstrip(), sample.data + b"\n\n \n", sample.data.rstrip() + b"\r"):
        found = outline(language, source)
        check(source, found)
        assert [
            (each.kind, each.qualified_name, each.start_line, each.end_line) for each in found.definitions
        ] == sample.definitions

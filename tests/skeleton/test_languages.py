"""Each language's sample against the skeleton that was read line by line, and what must hold for all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sherloc.skeleton import expand, make_skeleton
from sherloc.syntax import LANGUAGES, outline

SAMPLES = Path(__file__).parent / "samples"
FILES = {path.stem: path for path in sorted(SAMPLES.iterdir()) if path.suffix != ".txt"}
MODES = ("all", "first", "none")


def source_of(language: str) -> str:
    return FILES[language].read_text(encoding="utf-8")


def test_every_language_has_a_sample() -> None:
    assert set(FILES) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_skeleton_is_the_one_that_was_read(language: str) -> None:
    expected = FILES[language].with_suffix(".txt").read_text(encoding="utf-8")
    assert make_skeleton(source_of(language), language).numbered() == expected


@pytest.mark.parametrize("docs", MODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_valid_file_gives_a_valid_skeleton_that_is_its_own(language: str, docs: str) -> None:
    text = source_of(language)
    assert not outline(language, text.encode()).errors
    made = make_skeleton(text, language, docs=docs)  # type: ignore[arg-type]
    assert not made.broken
    assert not outline(language, made.text.encode()).errors
    again = make_skeleton(made.text, language, docs=docs)  # type: ignore[arg-type]
    assert again.text == made.text
    assert len(made.text) < len(text)


@pytest.mark.parametrize("docs", MODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_definition_and_no_signature_is_lost(language: str, docs: str) -> None:
    def defined(text: str) -> Counter[tuple[str, str]]:
        # An empty Ruby method reads as if its end were part of the head.
        found = outline(language, text.encode()).definitions
        return Counter((d.qualified_name, d.signature.removesuffix(" end").rstrip(";")) for d in found)

    text = source_of(language)
    made = make_skeleton(text, language, docs=docs)  # type: ignore[arg-type]
    assert defined(made.text) == defined(text)


@pytest.mark.parametrize("docs", MODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_map_to_the_file_and_back(language: str, docs: str) -> None:
    text = source_of(language)
    made = make_skeleton(text, language, docs=docs)  # type: ignore[arg-type]
    rows, original = made.text.split("\n"), text.split("\n")
    assert len(made.lines) == len(rows) - 1 and list(made.lines) == sorted(made.lines)
    for number, (row, line) in enumerate(zip(rows, made.lines, strict=False), 1):
        assert made.original_line(number) == line
        if made.lines.count(line) == 1:
            assert made.line_of(line) == number
        words = row.replace("/* ... */", "...").replace("# ...", "...").split("...")[0].split()
        if docs == "all" and words and words != ["}"]:
            assert words[0].strip("@;{}") in original[line - 1]
    for first, last in made.hidden:
        assert 1 <= first <= last <= len(original)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_is_shown_or_said_to_be_hidden(language: str) -> None:
    text = source_of(language)
    made = make_skeleton(text, language)
    hidden = {line for first, last in made.hidden for line in range(first, last + 1)}
    for number, row in enumerate(text.split("\n"), 1):
        code = row.strip()
        comment = code.startswith(("#", "//", "/*", "*"))
        assert not code or comment or code in ("}", "};", "end") or number in hidden | set(made.lines), (number, row)


@pytest.mark.parametrize("language", LANGUAGES)
def test_expand_gives_the_exact_source_of_every_definition(language: str) -> None:
    text = source_of(language)
    lines = text.split("\n")
    for definition in outline(language, text.encode()).definitions:
        found = expand(text, language, definition.qualified_name)
        assert any(
            each.text == "\n".join(lines[definition.start_line - 1 : definition.end_line])
            and (each.start_line, each.end_line) == (definition.start_line, definition.end_line)
            for each in found
        )


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name not in ("python", "ruby")])
def test_line_ends_of_windows_stay(language: str) -> None:
    text = source_of(language)
    made = make_skeleton(text.replace("\n", "\r\n"), language)
    assert made.text.replace("\r\n", "\n") == make_skeleton(text, language).text
    assert "\n" not in made.text.replace("\r\n", "")

"""One realistic file of each language, and all of its outline."""

from __future__ import annotations

from importlib import import_module

import pytest

from outlines.sample import Sample
from sherloc.syntax import LANGUAGES, Definition, Outline, outline

_SAMPLES: dict[str, Sample] = {
    language: import_module(f"outlines.{language}_sample").SAMPLE for language in sorted(LANGUAGES)
}


@pytest.fixture(params=sorted(_SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return _SAMPLES[request.param]


@pytest.fixture
def found(sample: Sample) -> Outline:
    return outline(sample.language, sample.data)


def _by_name(found: Outline) -> dict[str, Definition]:
    return {definition.qualified_name: definition for definition in found.definitions}


def test_samples_parse_and_are_of_their_own_language(sample: Sample, found: Outline) -> None:
    assert _SAMPLES[sample.language] is sample
    assert found.errors == []


def test_definitions(sample: Sample, found: Outline) -> None:
    assert [
        (each.kind, each.qualified_name, each.start_line, each.end_line) for each in found.definitions
    ] == sample.definitions


def test_details(sample: Sample, found: Outline) -> None:
    named = _by_name(found)
    assert {name: named[name].detail for name in sample.details} == sample.details


def test_bases_signatures_and_docstrings(sample: Sample, found: Outline) -> None:
    named = _by_name(found)
    assert sample.bases and sample.signatures and sample.docstrings
    assert {name: named[name].bases for name in sample.bases} == sample.bases
    assert {name: named[name].signature for name in sample.signatures} == sample.signatures
    assert {name: named[name].docstring for name in sample.docstrings} == sample.docstrings


@pytest.mark.parametrize("language", [language for language, sample in _SAMPLES.items() if sample.references])
def test_references(language: str) -> None:
    sample = _SAMPLES[language]
    found = outline(language, sample.data)
    owners = [definition.qualified_name for definition in found.definitions] + [""]
    listed = [
        (each.kind, each.name, each.alias, each.line, owners[each.owner])
        for each in found.references
        if each.kind != "decorator"
    ]
    assert sorted(listed) == sorted(sample.references)
    assert [line for *_, line, _ in listed] == sorted(line for *_, line, _ in listed)


def test_zones(sample: Sample, found: Outline) -> None:
    zones = [(zone.kind, sample.data[zone.start_byte : zone.end_byte].decode()) for zone in found.zones]
    assert sample.zones and set(sample.zones) <= set(zones)
    for words in sample.no_zones:
        position = sample.data.index(words.encode())
        assert all(zone.end_byte <= position or zone.start_byte > position for zone in found.zones), words


def test_zones_are_sorted_and_apart(sample: Sample, found: Outline) -> None:
    ends = [0]
    for zone in found.zones:
        assert ends[-1] <= zone.start_byte < zone.end_byte
        ends.append(zone.end_byte)


def test_parents(found: Outline) -> None:
    """A name's prefix is its parent's name, unless the name says another one, as Go's receivers do."""
    named = [definition.qualified_name for definition in found.definitions]
    for definition in found.definitions:
        if definition.parent >= 0:
            assert definition.qualified_name.startswith(named[definition.parent])

"""One fault in a repository of each language: the words of the issue lead elsewhere, sherloc leads to the fault."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from languages.repository import Repository
from sherloc import locate
from sherloc.schema.report import Report
from sherloc.syntax import LANGUAGES

_REPOSITORIES: dict[str, Repository] = {
    language: import_module(f"languages.{language}_repository").REPOSITORY for language in sorted(LANGUAGES)
}
_MOST_SOFT = 3


@pytest.fixture(params=sorted(_REPOSITORIES))
def repository(request: pytest.FixtureRequest) -> Repository:
    return _REPOSITORIES[request.param]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    return {}


@pytest.fixture
def report(
    repository: Repository, reports: dict[str, Report], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Report:
    """The report of the repository's issue; made once."""
    if repository.language not in reports:
        monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path / "cache"))
        folder = repository.write(tmp_path / "repository")
        reports[repository.language] = locate(repository.issue, folder, settings={"cache": {"workers": 1}})
    return reports[repository.language]


def test_every_language_has_a_repository_and_few_are_let_off() -> None:
    soft = [repository.language for repository in _REPOSITORIES.values() if repository.within > 1]
    assert len(_REPOSITORIES) == 13
    assert len(soft) <= _MOST_SOFT, soft
    assert all(repository.within <= 3 for repository in _REPOSITORIES.values())


def test_words_alone_lead_elsewhere(repository: Repository) -> None:
    """The pair is honest: plain BM25 over files puts another file first."""
    assert len(repository.sources) >= 15
    assert repository.by_bm25()[0] != repository.path
    assert len(repository.decoys) >= 3
    own = repository.words_shared(repository.path)
    shared = {path: repository.words_shared(path) for path in repository.decoys}
    assert repository.path not in shared and shared.keys() <= repository.sources.keys()
    assert min(shared.values()) > own, (own, shared)


def test_culprit_comes_first(repository: Repository, report: Report) -> None:
    found = [(each.path, each.qualified_name) for each in report.ranked_functions]
    culprit = (repository.path, repository.name)
    if repository.within == 1:
        assert found[0] == culprit
    assert culprit in found[: repository.within]


def test_span_of_the_culprit_is_exact(repository: Repository, report: Report) -> None:
    spans = {(f.path, f.qualified_name): (f.start_line, f.end_line) for f in report.ranked_functions}
    assert spans[repository.path, repository.name] == repository.span


def test_change_set_names_the_culprit(repository: Repository, report: Report) -> None:
    """Where the culprit comes first, the first change set is in it; elsewhere one of them is in its file."""
    places = [(each.file_path, each.target_location.function_name) for each in report.change_sets]
    if repository.within > 1:
        assert repository.path in [path for path, _ in places]
        return
    assert places[0] == (repository.path, repository.name)
    target = report.change_sets[0].target_location
    start, end = repository.span
    assert start <= target.start_line <= target.end_line <= end


def test_tests_vendored_and_minified_files_are_no_candidates(repository: Repository, report: Report) -> None:
    """Though they hold the issue's own words."""
    assert len(repository.never) >= 3 and repository.never_is_tempting()
    ranked = {each.path for each in (*report.ranked_files, *report.ranked_functions, *report.ranked_spans)}
    assert ranked.isdisjoint(repository.never)
    assert ranked & repository.sources.keys()


def test_nothing_went_wrong(report: Report) -> None:
    assert not report.degraded
    assert [d.code for d in report.diagnostics if d.severity != "info"] == []

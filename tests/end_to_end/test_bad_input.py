"""Input as it comes: each case gives a clear error or a diagnostic, and nothing is lost."""

from __future__ import annotations

import codecs
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import Locator, Report, locate
from sherloc.errors import (
    DiagnosticsError,
    EmptyIssueError,
    EmptyRepositoryError,
    NotARepositoryError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
    SettingsError,
    UsageError,
)

Make = Callable[..., Path]
ISSUE = "parse_header drops the charset\n\nCalling `parse_header` gives no charset."
CULPRIT = "def parse_header(line):\n    name, _, rest = line.partition(';')\n    return name, {'charset': rest}\n"
FILES = {
    "web/headers.py": CULPRIT,
    "web/server.py": "from web.headers import parse_header\n\n\ndef serve(r):\n    return parse_header(r.line)\n",
    "web/client.py": "class Client:\n    def get(self, url):\n        return url\n",
}


def codes(report: Report) -> set[str]:
    return {d.code for d in report.diagnostics}


def test_the_place_is_found_with_its_lines_and_evidence(make_repository: Make) -> None:
    report = locate(ISSUE, make_repository(FILES))
    first = report.ranked_functions[0]
    assert report.ranked_files[0].path == "web/headers.py"
    assert (first.path, first.qualified_name, first.start_line, first.end_line) == (
        "web/headers.py",
        "parse_header",
        1,
        3,
    )
    assert report.change_sets[0].file_path == "web/headers.py"
    assert report.brief.change_sets == report.change_sets
    assert [c.file_path for c in report.brief.global_context] == ["web/server.py"]
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize("issue", ["", "  \n\t", "\ufeff"])
def test_an_issue_without_text_is_refused(make_repository: Make, issue: str) -> None:
    with pytest.raises(EmptyIssueError):
        locate(issue, make_repository(FILES))


def test_repositories_that_cannot_be_read(make_repository: Make, tmp_path: Path) -> None:
    repo = make_repository(FILES)
    with pytest.raises(RepositoryNotFoundError, match="nowhere"):
        locate(ISSUE, tmp_path / "nowhere")
    with pytest.raises(RepositoryNotFoundError):
        locate(ISSUE, repo / "web/headers.py")
    with pytest.raises(RevisionNotFoundError, match="no-such-branch"):
        locate(ISSUE, repo, revision="no-such-branch")
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmptyRepositoryError):
        locate(ISSUE, tmp_path / "empty")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text(CULPRIT)
    with pytest.raises(NotARepositoryError):
        locate(ISSUE, tmp_path / "plain", revision="HEAD")
    assert locate(ISSUE, tmp_path / "plain").ranked_files[0].path == "a.py"


def test_bad_settings_and_a_mode_without_its_model_are_refused(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository(FILES)
    with pytest.raises(SettingsError, match="retrieval.k1"):
        locate(ISSUE, repo, settings={"retrieval": {"k1": -1}})
    with pytest.raises(SettingsError, match="nonsense"):
        locate(ISSUE, repo, settings={"nonsense": {}})
    with pytest.raises(UsageError):
        locate(ISSUE, repo, mode="diagnose")
    git_tools.put(repo, {".sherloc.toml": '[cache]\nfolder = "/somewhere"\n'})
    with pytest.raises(SettingsError, match="may set only"):
        locate(ISSUE, repo)
    git_tools.put(repo, {".sherloc.toml": '[index]\nexclude = ["web/headers.py"]\n'})
    assert [f.path for f in locate(ISSUE, repo).ranked_files][0] == "web/server.py"


def test_files_of_every_odd_kind(make_repository: Make) -> None:
    files: dict[str, str | bytes] = {
        **FILES,
        "enc/latin.py": "def parse_latin():\n    return 'é charset'\n".encode("latin-1"),
        "enc/utf16.py": codecs.BOM_UTF16_LE + "def parse_wide():\n    return 'charset'\n".encode("utf-16-le"),
        "enc/bom.py": codecs.BOM_UTF8 + b"def parse_bom():\n    return 'charset'\n",
        "enc/crlf.py": b"def parse_crlf():\r\n    return 'charset'\r\n",
        "enc/feed.py": "\x0cdef parse_feed():\n    return 'charset \u2028 \x85'\n".encode(),
        "enc/nul.py": b"def parse_nul():\n    return '\x00'\n",
        "enc/\u540d\u524d.py": "def parse_cjk():\n    return 'charset'\n",
        "enc/sp ace'\"#%.py": "def parse_space():\n    return 'charset'\n",
        "enc/empty.py": "",
        "enc/only_newlines.py": "\n\n\n",
        "enc/no_end.py": "def parse_no_end(): return 'charset'",
    }
    repo = make_repository(files)
    (repo / "loop").symlink_to(".")
    (repo / "dangling.py").symlink_to("nowhere.py")
    (repo / "outside.py").symlink_to("/etc/hostname")
    os.mkfifo(repo / "pipe.py")
    report = locate("charset of parse_bom, parse_wide, parse_crlf, parse_feed, parse_cjk, parse_space", repo)
    spans = {f.qualified_name: (f.path, f.start_line, f.end_line) for f in report.ranked_functions}
    assert spans["parse_bom"] == ("enc/bom.py", 1, 2)
    assert spans["parse_wide"] == ("enc/utf16.py", 1, 2)
    assert spans["parse_crlf"] == ("enc/crlf.py", 1, 2)
    assert spans["parse_feed"] == ("enc/feed.py", 1, 2)
    assert spans["parse_cjk"][0] == "enc/\u540d\u524d.py"
    assert spans["parse_space"][0] == "enc/sp ace'\"#%.py"
    assert spans["parse_no_end"] == ("enc/no_end.py", 1, 1)
    assert "parse_nul" not in spans
    assert {"skipped_symlink", "skipped_binary", "encoding_guessed"} <= codes(report)
    report.model_dump_json().encode("utf-8")


def test_a_name_that_is_not_utf8_is_found_and_the_report_is_valid(make_repository: Make) -> None:
    repo = make_repository({"a.py": "x = 1\n"})
    with open(os.fsencode(repo) + b"/b\xff.py", "wb") as file:
        file.write(CULPRIT.encode())
    report = locate(ISSUE, repo)
    assert report.ranked_files[0].path == "b\\xff.py"
    assert report.change_sets[0].file_path == "b\\xff.py"
    report.model_dump_json().encode("utf-8")


def test_what_git_ignores_and_what_it_tracks_all_the_same(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository(
        {**FILES, ".gitignore": "*.gen.py\nbuild/\n", "build/tracked.py": "def tracked_charset():\n    pass\n"}
    )
    git_tools.put(
        repo,
        {
            "build/junk.py": CULPRIT,
            "deep/.gitignore": "*.py\n!keep.py\n",
            "deep/keep.py": "def keep_charset():\n    pass\n",
            "deep/drop.py": CULPRIT,
        },
    )
    paths = {f.path for f in locate("charset", repo).ranked_files}
    assert {"build/tracked.py", "deep/keep.py", "web/headers.py"} <= paths
    assert not {"build/junk.py", "deep/drop.py"} & paths


def test_a_submodule_and_a_partial_clone(make_repository: Make, git_tools: Any, tmp_path: Path) -> None:
    inner = make_repository({"inner.py": CULPRIT}, name="inner")
    repo = make_repository(FILES)
    git_tools.run_git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git_tools.commit(repo, "submodule")
    report = locate(ISSUE, repo, revision="HEAD")
    assert "skipped_submodule" in codes(report)
    git_tools.run_git(repo, "config", "uploadpack.allowFilter", "true")
    git_tools.run_git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:limit=80", f"file://{repo}", "partial")
    partial = locate("charset client url", tmp_path / "partial", revision="HEAD")
    assert "skipped_missing_blob" in codes(partial)
    assert [f.path for f in partial.ranked_files] == ["web/client.py"]


def test_a_long_issue_and_issues_in_other_scripts(make_repository: Make) -> None:
    repo = make_repository(
        {
            **FILES,
            "web/ja.py": "def decode(x):\n    # 変換に失敗する\n    raise ValueError('文字コードが不正です')\n",
        }
    )
    long = ISSUE + "\n\n```\n" + "2024-01-01 12:00:00 INFO web.client get url took 3 ms\n" * 4000 + "```\n"
    assert len(long) > 200_000
    start = time.process_time()
    assert locate(long, repo).ranked_files[0].path == "web/headers.py"
    assert time.process_time() - start < 5
    assert locate("文字コードが不正です\n\n変換に失敗します。", repo).ranked_files[0].path == "web/ja.py"
    assert locate("字符编码错误\n\n调用 `parse_header` 时字符集丢失", repo).ranked_files[0].path == "web/headers.py"


@pytest.mark.parametrize("issue", ["It does not work", "😀😀😀", "the of and", "!!! ??? ..."])
def test_a_vague_issue_gives_low_confidence_with_a_reason(make_repository: Make, issue: str) -> None:
    report = locate(issue, make_repository(FILES))
    assert report.confidence == "low"
    assert report.confidence_reasons
    assert report.brief.reasoning


def test_a_repository_without_code_still_gives_its_files(make_repository: Make) -> None:
    report = locate(
        "Install guide is wrong\n\nThe install guide names a wrong package.",
        make_repository(
            {"docs/install.md": "# Install guide\n\nInstall the package.\n", "setup.cfg": "[metadata]\nname = x\n"}
        ),
    )
    assert report.ranked_files[0].path == "docs/install.md"
    assert report.ranked_functions == ()


def test_an_edit_between_two_issues_is_seen(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository(FILES)
    with Locator(repo) as locator:
        assert locator.locate(ISSUE).ranked_functions[0].start_line == 1
        git_tools.put(repo, {"web/headers.py": "# moved\n\n\n" + CULPRIT})
        report = locator.locate(ISSUE)
        assert (report.ranked_functions[0].start_line, report.run.files_parsed) == (4, 1)


def test_an_edit_between_indexing_and_reading_is_marked_stale(
    make_repository: Make, git_tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sherloc import plans

    repo = make_repository(FILES)
    real = plans.open_retriever

    def edited(*args: Any, **options: Any) -> Any:
        (repo / "web/headers.py").write_text("x = 1\n")
        return real(*args, **options)

    monkeypatch.setattr(plans, "open_retriever", edited)
    report = locate(ISSUE, repo)
    assert report.brief.stale
    assert [(d.code, d.path) for d in report.diagnostics] == [("stale", "web/headers.py")]
    git_tools.put(repo, FILES)
    with pytest.raises(DiagnosticsError, match="stale"):
        locate(ISSUE, repo, strict=True)


def test_the_checkout_is_never_written_to(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository(FILES)

    def state() -> list[tuple[str, int]]:
        return sorted((str(p), p.stat().st_mtime_ns) for p in repo.rglob("*"))

    before = state()
    locate(ISSUE, repo)
    assert state() == before

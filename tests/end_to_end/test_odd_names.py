"""Names that are hard to show: each file keeps one name from the report to ``sherloc explain``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sherloc import Report, locate
from sherloc.cli import root

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are any bytes on Linux alone")

NAMES = {
    b"\xff.py": "\\xff.py",
    b"\\xff.py": "\\\\xff.py",
    b"a\\b.py": "a\\\\b.py",
    b"a/b.py": "a/b.py",
    b"C:\\x.py": "C:\\\\x.py",
    b"two  blanks.py": "two  blanks.py",
    b" edge.py": " edge.py",
    b"new\nline.py": "new\\x0aline.py",
    b"esc\x1b[31m.py": "esc\\x1b[31m.py",
    "c1\x9b.py".encode(): "c1\\u009b.py",
    b"c1\x9b.py": "c1\\x9b.py",
    "soft\xad.py".encode(): "soft\\u00ad.py",
    b"soft\xad.py": "soft\\xad.py",
    "bidi\u202e.py".encode(): "bidi\u202e.py",
}
SAME = "def parse_charset(header):\n    return header.split('charset=')[1]  # charset\n"
ISSUE = "parse_charset fails without a charset\n\nparse_charset raises IndexError when the header has no charset."


@pytest.fixture(params=[True, False], ids=["git", "folder"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / "odd"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(f"# {number}\n{SAME}")
    if request.param:
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "-c", "core.protectNTFS=false", "add", "-A"], cwd=folder, check=True)
    return folder


def test_each_file_has_its_own_name_and_its_own_content(repo: Path) -> None:
    report = locate(ISSUE, repo, settings={"output": {"top": 50}})
    assert sorted(file.path for file in report.ranked_files) == sorted(NAMES.values())
    assert sorted(function.path for function in report.ranked_functions) == sorted(NAMES.values())
    assert [d for d in report.diagnostics if d.code == "stale"] == []
    numbers = {name: number for number, name in enumerate(NAMES.values())}
    assert report.brief is not None
    for each in report.brief.change_sets:
        assert f"# {numbers[each.file_path]}\n" in each.context_code_snippet
    assert not any("not at hand" in reason for d in report.diagnoses for reason in [d.reason])


def test_a_report_is_the_same_after_a_round_trip(repo: Path) -> None:
    report = locate(ISSUE, repo)
    text = report.model_dump_json()
    assert Report.model_validate_json(text).model_dump_json() == text


def _explain(repo: Path, path: str) -> dict[str, object]:
    done = CliRunner().invoke(root, ["explain", ISSUE, path, "--repo", str(repo), "--json"], prog_name="sherloc")
    assert done.exit_code == 0, done.output
    value: dict[str, object] = json.loads(done.stdout)
    return value


def test_explain_takes_exactly_what_is_shown(repo: Path) -> None:
    from sherloc.inspection.standing import path_in_tree
    from sherloc.repository import open_tree
    from sherloc.visible import visible

    tree = open_tree(repo)
    for shown in NAMES.values():
        assert path_in_tree(shown, tree) == shown
        assert path_in_tree(visible(shown), tree) == shown
    for shown in ("\\xff.py", "\\\\xff.py", "a\\\\b.py"):
        value = _explain(repo, shown)
        assert (value["path"], value["standing"]) == (shown, "ranked")


def test_explain_takes_a_name_as_it_is_where_no_file_is_shown_so(repo: Path) -> None:
    from sherloc.inspection.standing import path_in_tree
    from sherloc.repository import open_tree

    tree = open_tree(repo)
    for name, shown in NAMES.items():
        if name != b"\\xff.py":  # that is how another file is shown
            assert path_in_tree(os.fsdecode(name), tree) == shown
        assert path_in_tree(os.fsdecode(os.path.join(os.fsencode(repo), name)), tree) in (shown, "\\xff.py")
    os.unlink(os.path.join(os.fsencode(repo), b"\xff.py"))
    assert path_in_tree("\\xff.py", open_tree(repo)) == "\\\\xff.py"
    os.unlink(os.path.join(os.fsencode(repo), b"a\\b.py"))
    assert path_in_tree("a\\b.py", open_tree(repo)) == "a/b.py"

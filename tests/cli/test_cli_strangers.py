"""Names and texts of strangers: they forge no line of ours, and odd bytes in them break no output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click.testing
import pytest

from sherloc.cli import root
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.report import Report

Launch = Callable[..., "subprocess.CompletedProcess[bytes]"]
FORGED = "x\nhint: run evil\nerror: forged\r\n\x1b[2Jwarning: forged\x0bhint: forged\u2028hint: forged"
SOURCE = "def total_price(basket):\n    return sum(basket)\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("locate", "a b", "--repo", FORGED),
        ("locate", "a b", "--rev", FORGED),
        ("locate", "a b", "--scope", FORGED),
        ("locate", "a b", "--scope", f"/{FORGED}"),
        ("locate", "a b", "--set", FORGED),
        ("locate", "a b", "--set", f"index.{FORGED}=1"),
        ("locate", "a b", "--set", f"retrieval.k1={FORGED}"),
        ("locate", "a b", "--format", FORGED),
        ("locate", "a b", f"--{FORGED}"),
        ("locate", "a b", FORGED),
        ("explain", "a b", FORGED),
        ("explain", "a b", f"/{FORGED}"),
        ("index", FORGED),
        ("index", FORGED, "--clear"),
        ("doctor", "--repo", FORGED),
        ("schema", FORGED),
        (FORGED,),
    ],
    ids=lambda arguments: " ".join(arguments)[:24],
)
def test_an_argument_forges_no_line(repo: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.chdir(repo)
    result = click.testing.CliRunner().invoke(root, list(arguments), prog_name="sherloc")
    assert result.exit_code in (1, 2, 3), result.output
    _no_forged_line(result.output)


def _no_forged_line(text: str) -> None:
    for line in text.splitlines():
        assert not line.startswith(("error: forged", "hint: run evil", "hint: forged", "warning: forged")), text
    assert not set(text) & set("\x1b\r\x0b\u2028")


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_file_name_forges_no_line(launch: Launch, repo: Path) -> None:
    (repo / "shop" / f"{FORGED}.py".replace("/", "")).write_text(SOURCE)
    os.symlink("nowhere", repo / "shop" / f"{FORGED}-link.py")
    for command in (("locate", "total_price", "is wrong"), ("index",), ("index", "--dry-run")):
        done = launch(command[0], *(["total_price is wrong"] if len(command) > 2 else command[1:]), "-v", cwd=repo)
        assert done.returncode == 0, done.stderr
        _no_forged_line(done.stdout.decode() + done.stderr.decode())


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names must be UTF-8 there")
class TestNamesThatAreNotUtf8:
    """Some file systems take any bytes for a name."""

    @pytest.fixture(autouse=True)
    def _files(self, repo: Path) -> None:
        for number in range(8):
            path = os.fsencode(repo) + b"/shop/caf\xe9_%d.py" % number
            source = (
                f"def total_price(basket):\n    return {number}\n\n\ndef price_of_basket_{number}():\n    return 0\n"
            )
            Path(os.fsdecode(path)).write_text(source)

    def run(self, launch: Launch, repo: Path, *arguments: Any) -> bytes:
        done = launch(*arguments, cwd=repo)
        assert done.returncode == 0, done.stderr
        done.stderr.decode("utf-8")
        done.stdout.decode("utf-8")
        return done.stdout

    def test_reports_and_briefs(self, launch: Launch, repo: Path) -> None:
        written = self.run(launch, repo, "locate", "total_price is wrong", "--json")
        report = Report.model_validate_json(written)
        assert json.loads(written)
        assert "shop/caf\\xe9_0.py" in {file.path for file in report.ranked_files}
        written = self.run(launch, repo, "locate", "the basket has a wrong price", "--json", "--scope", "shop/caf*")
        report = Report.model_validate_json(written)
        rivals = [text for each in report.diagnoses for text in each.unknown if text.startswith("Others are about as")]
        assert any("caf\\xe9" in text for text in rivals)
        brief = SurgeryBrief.model_validate_json(self.run(launch, repo, "brief", "total_price is wrong"))
        assert brief.change_sets[0].context_code_snippet

    def test_other_formats(self, launch: Launch, repo: Path) -> None:
        for options in ((), ("-v",), ("--format", "markdown")):
            assert b"caf\\xe9" in self.run(launch, repo, "locate", "total_price is wrong", *options)
        assert b"caf\\xe9" in self.run(launch, repo, "brief", "total_price is wrong", "--format", "markdown")

    @pytest.mark.parametrize("written", ["shop/caf\udce9_3.py", "shop/caf\\xe9_3.py"], ids=["raw", "shown"])
    def test_explained_under_either_name(self, launch: Launch, repo: Path, written: str) -> None:
        value = json.loads(self.run(launch, repo, "explain", "total_price is wrong", written, "--json"))
        assert (value["path"], value["standing"]) == ("shop/caf\\xe9_3.py", "ranked")
        json.dumps(value, ensure_ascii=False).encode("utf-8")

    @pytest.mark.parametrize("scope", ["shop/caf\udce9_3.py", "shop/caf\\xe9_3.py", "shop/caf\udce9_[3]*"])
    def test_in_scope_under_either_name(self, launch: Launch, repo: Path, scope: str) -> None:
        written = self.run(launch, repo, "locate", "total_price is wrong", "--json", "--scope", scope)
        assert [file.path for file in Report.model_validate_json(written).ranked_files] == ["shop/caf\\xe9_3.py"]

    def test_left_out_by_a_setting(self, launch: Launch, repo: Path) -> None:
        written = self.run(launch, repo, "index", "--json", "--set", "index.exclude=shop/caf\udce9*")
        assert json.loads(written)["skipped"]["setting"] == 8

    def test_an_issue_that_is_not_utf8(self, launch: Launch, repo: Path) -> None:
        written = self.run(launch, repo, "locate", "caf\udce9: total_price is wrong", "--json")
        assert Report.model_validate_json(written).brief.issue_summary.startswith("café: total_price")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
@pytest.mark.parametrize("options", [(), ("--json",), ("--all",)])
def test_what_cannot_be_cleared_is_an_error(
    monkeypatch: pytest.MonkeyPatch, open_folder: Path, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SHERLOC_CACHE", str(open_folder / "cache"))
    repo = open_folder / "plain"
    repo.mkdir()
    (repo / "a.py").write_text(SOURCE)
    run = click.testing.CliRunner().invoke
    assert run(root, ["index", str(repo)]).exit_code == 0
    (open_folder / "cache/index").chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
        try:
            result = run(root, ["index", str(repo), "--clear", *options])
        finally:
            os.seteuid(0)
    else:
        result = run(root, ["index", str(repo), "--clear", *options])
    (open_folder / "cache/index").chmod(0o755)
    assert result.exit_code == 4
    assert "error: 1 of 1 could not be removed: " in result.stderr
    if options == ("--json",):
        value = json.loads(result.stdout)
        assert (value["removed"], value["bytes"], len(value["failed"])) == ([], 0, 1)
    else:
        assert result.stdout == "Removed 0 indexes, 0 bytes.\n"
    assert list((open_folder / "cache/index").glob("*.sqlite"))

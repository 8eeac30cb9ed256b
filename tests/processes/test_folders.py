"""Folders for outside programs are removed whatever these leave in them, and nothing outside is touched."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sherloc.processes import held_folder, remove_dead, remove_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, rights, locks")
NESTED = """
import os, sys
for number in range(int(sys.argv[2])):
    os.mkdir(sys.argv[1]); os.chdir(sys.argv[1]); open("f", "w").close()
"""


def nest(folder: Path, name: str, depth: int) -> None:
    subprocess.run([sys.executable, "-c", NESTED, name, str(depth)], cwd=folder, check=True)


@pytest.mark.parametrize(("name", "depth"), [("d", 3_000), ("n" * 255, 40)], ids=["deep", "long"])
def test_folders_that_are_nested_deeply(tmp_path: Path, name: str, depth: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    nest(folder, name, depth)
    remove_folder(str(folder))
    assert not folder.exists()


def test_rights_that_were_taken_away_and_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "kept").mkdir(parents=True)
    (outside / "kept/file").write_text("kept")
    (outside / "kept").chmod(0o500)
    folder = tmp_path / "folder"
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/file").write_text("x")
    (folder / "a/link").symlink_to(outside)
    os.mkfifo(folder / "a/pipe")
    (folder / "a/b").chmod(0)
    (folder / "a").chmod(0)
    remove_folder(str(folder))
    assert not folder.exists()
    folder.symlink_to(outside)
    remove_folder(str(folder))
    assert not folder.is_symlink() and (outside / "kept/file").read_text() == "kept"
    assert (outside / "kept").stat().st_mode & 0o777 == 0o500
    (outside / "kept").chmod(0o700)


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = [tmp_path / f"sherloc-{kind}-{int(gone.stdout)}-abc" for kind in
            ("repair", "checkout", "command", "generator", "tests", "push")]  # fmt: skip
    for folder in left:
        folder.mkdir()
    nest(left[1], "d", 2_000)
    other = tmp_path / f"sherloc-other-{int(gone.stdout)}-abc"
    other.mkdir()
    with held_folder("tests") as own:
        remove_dead()
        assert [folder.name for folder in left if folder.exists()] == []
        assert other.is_dir() and Path(own).is_dir()
    assert not Path(own).exists()

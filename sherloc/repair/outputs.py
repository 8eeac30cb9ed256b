"""What a dry run leaves: a folder with the diff, the commits, the text of the pull request and the report."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePath

from sherloc.errors import UsageError

REPORT = "report.json"
_NAMES = (REPORT, "brief.json", "changes.diff", "comment.md", "pull_request.md")


def check_out(folder: Path, repository: str) -> None:
    """Refuse a folder that cannot be a run's, before anything is paid for.

    Args:
        folder: Where a run is to be written.
        repository: The work tree or git directory, which is not written to.

    Raises:
        UsageError: It is in the repository or around it, or holds other files.
    """
    place, top = os.path.realpath(folder), os.path.realpath(repository)
    if os.path.commonpath((place, top)) in (place, top):
        raise UsageError(
            f"{folder} is in the repository, or the repository in it; nothing is written there.",
            hint="Give a folder elsewhere.",
        )
    _check(folder)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder whole or not at all; one that an earlier run wrote is replaced.

    Args:
        folder: Where; nothing, an empty folder, or one that holds an earlier run's files and nothing else.
        files: Names, with ``/`` between, and contents.

    Raises:
        UsageError: Something else is there, or it cannot be written.
    """
    _check(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name[:40]}-", dir=folder.parent))
        try:
            for name, data in files.items():
                target = new / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            _exchange(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror or error}.", hint="Give another folder with --out."
        ) from error


def _check(folder: Path) -> None:
    """Only an empty folder, or one with the files of an earlier run and nothing else, is replaced."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is no folder.", hint="Give another one with --out.")
    if not folder.is_dir():
        return
    others = [path for path in sorted(folder.rglob("*")) if not _is_ours(path.relative_to(folder), path)]
    if others or (any(folder.iterdir()) and not (folder / REPORT).is_file()):
        shown = f", such as {others[0].name}" if others else ""
        raise UsageError(
            f"{folder} holds other files than those of an earlier run{shown}.", hint="Give an empty or a new folder."
        )


def _is_ours(name: PurePath, path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.is_dir():
        return name.as_posix() == "commits"
    return name.as_posix() in _NAMES or re.fullmatch(r"commits/\d{4}\.patch", name.as_posix()) is not None


def _exchange(new: Path, folder: Path) -> None:
    """Put a finished folder in the place of another; between the two steps there is none, never a half one."""
    os.chmod(new, 0o755)  # mkdtemp's own mode keeps everybody else out
    if folder.is_dir():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name[:40]}-old-", dir=folder.parent))
        os.rename(folder, old / "old")
        os.rename(new, folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(new, folder)

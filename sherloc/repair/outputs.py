"""What a dry run leaves: a folder with the diff, the commits, the text of the pull request and the report."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sherloc.errors import UsageError

REPORT = "report.json"


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder whole or not at all; one that an earlier run wrote is replaced.

    Args:
        folder: Where; nothing, an empty folder, or one that holds a ``report.json``.
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
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is no folder.", hint="Give another one with --out.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / REPORT).is_file():
        raise UsageError(
            f"{folder} holds other files than those of an earlier run.", hint="Give an empty or a new folder."
        )


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

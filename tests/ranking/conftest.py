"""Tiny repositories, located in with one process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import locate
from sherloc.schema.report import Report

Locate = Callable[..., Report]


@pytest.fixture
def find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Locate:
    """Locates an issue in files by path, written to a plain folder."""
    monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path / "cache"))

    def run(files: dict[str, str], issue: str, **options: Any) -> Report:
        folder = tmp_path / "repository"
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8", newline="\n")
        return locate(issue, folder, settings={"cache": {"workers": 1}}, **options)

    return run

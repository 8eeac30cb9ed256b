"""The examples of docs/models.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def test_the_examples_give_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    assert len(blocks) == 4
    exec("\n".join(blocks), {})
    assert capsys.readouterr().out.splitlines() == [
        "hello",
        "a = 1", "password = '[redacted password]'", "",
        "[Redaction(line=2, kind='password')]",
        "True False",
        "hello",
    ]  # fmt: skip

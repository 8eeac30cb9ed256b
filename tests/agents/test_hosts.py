"""Putting the server into hosts' files and taking it out again: nothing else changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.agents.hosts import (
    BEGIN,
    END,
    HOSTS,
    SNIPPET,
    apply,
    with_server,
    with_snippet,
    without_server,
    without_snippet,
)
from sherloc.errors import UsageError

COMMAND = ["sherloc", "mcp"]


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_in_and_out_again(tmp_path: Path, host: object) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    edit = with_server(host, COMMAND, project, home)  # type: ignore[arg-type]
    assert edit.before is None
    apply(edit)
    config = json.loads(edit.path.read_text())
    (servers,) = config.values()
    assert servers["sherloc"]["command"] == "sherloc"
    assert servers["sherloc"]["args"] == ["mcp"]
    assert not with_server(host, COMMAND, project, home).changes  # type: ignore[arg-type]
    apply(without_server(host, project, home))  # type: ignore[arg-type]
    assert not edit.path.exists()
    assert not without_server(host, project, home).changes  # type: ignore[arg-type]


def test_others_stay_as_they_are_and_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    before = json.dumps(
        {"z": 1, "mcpServers": {"b": {"command": "x"}, "a": {}}, "ä": "é"}, indent=2, ensure_ascii=False
    )
    path.write_text(before + "\n", encoding="utf-8")
    host = HOSTS[0]
    apply(with_server(host, COMMAND, tmp_path, tmp_path))
    config = json.loads(path.read_text(encoding="utf-8"))
    assert list(config) == ["z", "mcpServers", "ä"]
    assert list(config["mcpServers"]) == ["b", "a", "sherloc"]
    apply(without_server(host, tmp_path, tmp_path))
    assert path.read_text(encoding="utf-8") == before + "\n"


@pytest.mark.parametrize("text", ['{"a": 1, // a comment\n}', "[1]", '{"mcpServers": []}', "{", "[" * 20_000])
def test_what_is_not_plain_json_is_left_alone_and_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text(text)
    for change in (lambda: with_server(HOSTS[0], COMMAND, tmp_path, tmp_path),
                   lambda: without_server(HOSTS[0], tmp_path, tmp_path)):  # fmt: skip
        with pytest.raises(UsageError, match="by hand") as caught:
            change()
        assert "left as it is" in caught.value.message
    assert path.read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (tmp_path / ".mcp.json").symlink_to(real)
    apply(with_server(HOSTS[0], COMMAND, tmp_path, tmp_path))
    assert (tmp_path / ".mcp.json").is_symlink()
    assert "sherloc" in real.read_text()


@given(st.text(alphabet="ab #\n", max_size=40))
def test_the_paragraph_comes_and_goes(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("agents")
    path = folder / "AGENTS.md"
    path.write_text(text, newline="")
    apply(with_snippet(folder))
    with_it = path.read_text()
    assert with_it.count(BEGIN) == with_it.count(END) == 1
    assert with_it.startswith(text.rstrip("\n"))
    assert not with_snippet(folder).changes
    edit = without_snippet(folder)
    assert (edit.after or "").strip("\n") == (text.strip("\n") if text.strip() else "")


def test_an_older_paragraph_is_replaced_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text(f"# A\n\n{BEGIN}\nold\n{END}\n\n# B\n")
    apply(with_snippet(tmp_path))
    assert path.read_text() == f"# A\n\n{SNIPPET}\n# B\n"

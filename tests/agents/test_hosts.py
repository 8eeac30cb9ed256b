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


FIRST = HOSTS[0]


@pytest.mark.parametrize(
    "text",
    [
        '{\n    "mcpServers": {\n        "x": {"command": "a", "args": ["1"]}\n    }\n}',
        '{\r\n\t"mcpServers": {\r\n\t\t"x": {}\r\n\t}\r\n}\r\n',
        '{"mcpServers":{"x":{}},"z":1.0,"big":1e3,"far":1e999,"exact":0.10000000000000000001,"e":"caf\\u00e9 \\ud800"}',
        '{"mcpServers": {"a": {"v": 1}, "a": {"v": 2}}, "b": 1, "b": 2}',
        '\ufeff{\n  "other": []\n}\n',
    ],
    ids=["four blanks", "tabs of Windows", "numbers and escapes", "keys twice", "byte-order mark"],
)
def test_every_byte_of_others_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".mcp.json"
    path.write_bytes(text.encode())
    apply(with_server(FIRST, COMMAND, tmp_path, tmp_path))
    assert b'"sherloc": {' in path.read_bytes()
    assert not with_server(FIRST, COMMAND, tmp_path, tmp_path).changes
    apply(without_server(FIRST, tmp_path, tmp_path))
    assert path.read_bytes() == text.encode()
    assert [each.name for each in tmp_path.iterdir()] == [".mcp.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', "more than once"),
        ('{"mcpServers": {"sherloc": {}, "sherloc": {"b": 1}}}', "more than once"),
        ('{"mcpServers": {}, "x": NaN}', "NaN is no JSON"),
        ('{"mcpServers": null}', "no object under"),
    ],
)
def test_what_would_lose_something_is_left_alone(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / ".mcp.json").write_text(text)
    for change in (with_server, without_server):
        with pytest.raises(UsageError, match=words):
            change(FIRST, COMMAND, tmp_path, tmp_path) if change is with_server else change(FIRST, tmp_path, tmp_path)  # type: ignore[operator]


def test_what_was_added_to_our_entry_stays(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text('{"mcpServers": {"sherloc": {"command": "old", "env": {"SHERLOC_CACHE": "/c"}}}}')
    apply(with_server(FIRST, COMMAND, tmp_path, tmp_path))
    assert json.loads(path.read_text())["mcpServers"]["sherloc"] == {
        "command": "sherloc", "env": {"SHERLOC_CACHE": "/c"}, "type": "stdio", "args": ["mcp"],
    }  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="other permissions there")
def test_permissions_stay_and_are_heeded(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text('{"mcpServers": {"x": {"env": {"KEY": "secret"}}}}')
    path.chmod(0o600)
    apply(with_server(FIRST, COMMAND, tmp_path, tmp_path))
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o444)
    before = path.read_text()
    with pytest.raises(UsageError, match="write-protected"):
        apply(without_server(FIRST, tmp_path, tmp_path))
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == [".mcp.json"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", [".mcp.json", "AGENTS.md"])
def test_a_link_out_of_the_project_is_somebody_elses_file(tmp_path: Path, name: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.write_text("{}")
    (project / name).symlink_to(outside)
    for change in (
        lambda: with_server(FIRST, COMMAND, project, tmp_path) if name != "AGENTS.md" else with_snippet(project),
        lambda: without_server(FIRST, project, tmp_path) if name != "AGENTS.md" else without_snippet(project),
    ):
        with pytest.raises(UsageError, match="outside of the project"):
            change()
    assert outside.read_text() == "{}"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_linked_file_that_holds_nothing_more_is_emptied(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (tmp_path / ".mcp.json").symlink_to(real)
    apply(with_server(FIRST, COMMAND, tmp_path, tmp_path))
    apply(without_server(FIRST, tmp_path, tmp_path))
    assert (tmp_path / ".mcp.json").is_symlink()
    assert real.read_text() == "{}"


@pytest.mark.skipif(os.name == "nt", reason="no pipes of that kind there")
@pytest.mark.parametrize("kind", ["pipe", "folder", "circle", "below a file"])
def test_what_is_no_file_is_told(tmp_path: Path, kind: str) -> None:
    cursor = next(host for host in HOSTS if host.name == "cursor")
    path = tmp_path / ".cursor/mcp.json"
    if kind == "below a file":
        path.parent.write_text("x")
    else:
        path.parent.mkdir()
        {"pipe": lambda: os.mkfifo(path), "folder": path.mkdir, "circle": lambda: path.symlink_to(path)}[kind]()
    with pytest.raises(UsageError, match="cannot be read"):
        with_server(cursor, COMMAND, tmp_path, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "# A\n",
        "# A\r\n\r\ntext\r\n",
        "\n\n# A\n\n\n",
        f"{END}\ntext\n{BEGIN}\nmore\n",
        f"a\n{BEGIN}\nb\n",
        f"a\n{END}\n",
    ],
)
def test_the_paragraph_leaves_no_trace(tmp_path: Path, text: str) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_bytes(text.encode())
    apply(with_snippet(tmp_path))
    assert path.read_bytes().startswith(text.encode())
    assert not with_snippet(tmp_path).changes
    apply(without_snippet(tmp_path))
    assert path.read_bytes() == text.encode()


def test_of_several_paragraphs_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text(f"# A\n\n{SNIPPET}\nmiddle\n\n{SNIPPET}")
    apply(with_snippet(tmp_path))
    assert path.read_text() == f"# A\n\n{SNIPPET}\nmiddle\n"

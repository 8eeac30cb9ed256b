"""Agent hosts that start MCP servers: where each keeps its list of servers, and how ours is put in and taken out.

Nothing but our own entry is touched: the file is read as strict JSON, and one that is not (comments, a trailing comma)
is left alone and the entry is told instead.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.errors import UsageError

NAME = "sherloc"
BEGIN, END = "<!-- sherloc: begin -->", "<!-- sherloc: end -->"
SNIPPET = f"""{BEGIN}
## Finding where to change something

`sherloc` finds the files, functions and lines that an issue, error or failing test is about, offline, in a second.
Before searching by hand for where a problem lies, use its MCP tool `locate` with the whole text of the issue, or run
`sherloc brief --format prompt - < issue.md`. Its answer says how sure it is; with low confidence, search on as usual.
{END}
"""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Host:
    """A host.

    Attributes:
        name: What it is called on the command line.
        title: What people call it.
        file: Its list of servers, from the folder of the project and of the user.
        key: The object in that file that holds servers by name.
        entry: Our entry, from the command that starts the server.
    """

    name: str
    title: str
    file: Callable[[Path, Path], Path]
    key: str
    entry: Callable[[Sequence[str]], Json]


def _plain(command: Sequence[str]) -> Json:
    return {"command": command[0], "args": list(command[1:])}


def _typed(command: Sequence[str]) -> Json:
    return {"type": "stdio", **_plain(command)}


def _desktop(_: Path, home: Path) -> Path:
    if sys.platform == "darwin":
        return home / "Library/Application Support/Claude/claude_desktop_config.json"
    if os.name == "nt":
        return Path(os.environ.get("APPDATA", home / "AppData/Roaming")) / "Claude/claude_desktop_config.json"
    return home / ".config/Claude/claude_desktop_config.json"


def _windsurf(_: Path, home: Path) -> Path:
    return home / ".codeium/windsurf/mcp_config.json"


HOSTS = (
    Host("claude-code", "Claude Code (.mcp.json)", lambda project, _: project / ".mcp.json", "mcpServers", _typed),
    Host("cursor", "Cursor", lambda project, _: project / ".cursor/mcp.json", "mcpServers", _plain),
    Host("vscode", "VS Code", lambda project, _: project / ".vscode/mcp.json", "servers", _typed),
    Host("gemini", "Gemini CLI", lambda project, _: project / ".gemini/settings.json", "mcpServers", _plain),
    Host("claude-desktop", "Claude Desktop (for this user)", _desktop, "mcpServers", _plain),
    Host("windsurf", "Windsurf (for this user)", _windsurf, "mcpServers", _plain),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What would become of a file; ``after`` is None when it is removed, ``before`` when it does not exist."""

    path: Path
    before: str | None
    after: str | None

    @property
    def changes(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after


def with_server(host: Host, command: Sequence[str], project: Path, home: Path) -> Edit:
    """The host's file with our entry in it.

    Args:
        host: The host.
        command: What starts the server.
        project: The project's folder.
        home: The user's folder.

    Raises:
        UsageError: The file is not strict JSON of the shape that the host uses.
    """
    path = host.file(project, home)
    before, config = _read(path, host)
    servers = dict(_servers(config, host, path))
    servers[NAME] = host.entry(command)
    return Edit(path, before, _written({**config, host.key: servers}))


def without_server(host: Host, project: Path, home: Path) -> Edit:
    """The host's file without our entry; a file that then holds nothing is removed.

    Args:
        host: The host.
        project: The project's folder.
        home: The user's folder.

    Raises:
        UsageError: The file is not strict JSON of the shape that the host uses.
    """
    path = host.file(project, home)
    before, config = _read(path, host)
    servers = dict(_servers(config, host, path))
    if NAME not in servers:
        return Edit(path, before, before)
    del servers[NAME]
    rest = {key: value for key, value in config.items() if key != host.key}
    kept = {key: servers if key == host.key else value for key, value in config.items()} if servers else rest
    return Edit(path, before, _written(kept) if kept else None)


def with_snippet(project: Path) -> Edit:
    """``AGENTS.md`` with our paragraph, in the place where an older one stands or at its end.

    Args:
        project: The project's folder.
    """
    path = project / "AGENTS.md"
    before = _text(path)
    cleaned = _without_block(before or "")
    if before is not None and BEGIN in before and END in before:
        start = before.index(BEGIN)
        return Edit(path, before, before[:start] + SNIPPET.rstrip("\n") + before[before.index(END) + len(END) :])
    gap = "\n\n" if cleaned.strip() else ""
    return Edit(path, before, cleaned.rstrip("\n") + gap + SNIPPET)


def without_snippet(project: Path) -> Edit:
    """``AGENTS.md`` without our paragraph; a file that then holds nothing is removed.

    Args:
        project: The project's folder.
    """
    path = project / "AGENTS.md"
    before = _text(path)
    if before is None or BEGIN not in before or END not in before:
        return Edit(path, before, before)
    cleaned = _without_block(before)
    return Edit(path, before, cleaned if cleaned.strip() else None)


def apply(edit: Edit) -> None:
    """Write, replace or remove a file; whole or not at all.

    Args:
        edit: What becomes of it.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        if edit.after is None:
            edit.path.unlink(missing_ok=True)
            return
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        target = edit.path.resolve()  # a link to a file that is kept elsewhere stays a link
        new = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        new.write_text(edit.after, encoding="utf-8", newline="")
        new.replace(target)
    except OSError as error:
        raise UsageError(f"{edit.path} cannot be written: {error.strerror}.") from error


def _read(path: Path, host: Host) -> tuple[str | None, Json]:
    text = _text(path)
    if text is None or not text.strip():
        return text, {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _by_hand(path, host, f"is not plain JSON ({error})") from error
    if not isinstance(value, dict):
        raise _by_hand(path, host, "holds no JSON object")
    return text, value


def _servers(config: Json, host: Host, path: Path) -> Json:
    servers = config.get(host.key, {})
    if not isinstance(servers, dict):
        raise _by_hand(path, host, f"holds no object under {host.key!r}")
    return servers


def _by_hand(path: Path, host: Host, what: str) -> UsageError:
    entry = json.dumps({NAME: host.entry(["sherloc", "mcp"])})
    return UsageError(f"{path} {what}; it was left as it is.", hint=f"Put this under {host.key!r} by hand: {entry}")


def _text(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {why}.") from error


def _written(config: Json) -> str:
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def _without_block(text: str) -> str:
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        return text
    before, after = text[:start].rstrip("\n"), text[end + len(END) :].lstrip("\n")
    return f"{before}\n\n{after}" if before and after else f"{before}\n" if before else after

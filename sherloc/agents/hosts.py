"""Agent hosts that start MCP servers: where each keeps its list of servers, and how ours is put in and taken out.

Nothing but our own entry is touched, and no other byte of the file: it is read as strict JSON, and one that is not
(comments, a trailing comma) is left alone and the entry is told instead.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.agents.json_text import count, read_object, with_member, without_member
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
# From the last beginning before an end: a beginning without an end is somebody's text.
_BLOCK = re.compile(f"{BEGIN}(?:(?!{BEGIN}).)*?{END}", re.DOTALL)
_MARK = "\ufeff"
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
        is_of_user: Whether the file is in the user's folder.
    """

    name: str
    title: str
    file: Callable[[Path, Path], Path]
    key: str
    entry: Callable[[Sequence[str]], Json]
    is_of_user: bool = False


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
    Host("claude-desktop", "Claude Desktop (for this user)", _desktop, "mcpServers", _plain, True),
    Host("windsurf", "Windsurf (for this user)", _windsurf, "mcpServers", _plain, True),
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
    """The host's file with our entry in it; all else in it stays as it is written.

    Args:
        host: The host.
        command: What starts the server.
        project: The project's folder.
        home: The user's folder.

    Raises:
        UsageError: The file is not strict JSON of the shape that the host uses, or a link leads out of the project.
    """
    path = _inside(host.file(project, home), project)
    before = _text(path)
    mark, text, servers = _read(path, before, host)
    held = servers.get(NAME)
    # What somebody has added to our entry, such as variables of the environment, is not ours.
    entry = {**(held if isinstance(held, dict) else {}), **host.entry(command)}
    if held == entry:
        return Edit(path, before, before)
    return Edit(path, before, mark + with_member(text, (host.key, NAME), entry))


def without_server(host: Host, project: Path, home: Path) -> Edit:
    """The host's file without our entry; a file that then holds nothing is removed.

    Args:
        host: The host.
        project: The project's folder.
        home: The user's folder.

    Raises:
        UsageError: As ``with_server``.
    """
    path = _inside(host.file(project, home), project)
    before = _text(path)
    mark, text, servers = _read(path, before, host)
    if NAME not in servers:
        return Edit(path, before, before)
    rest = without_member(text, (host.key, NAME))
    # What a link leads to is kept elsewhere for a reason.
    is_empty = not read_object(rest) and not path.is_symlink()
    return Edit(path, before, None if is_empty else mark + rest)


def with_snippet(project: Path) -> Edit:
    """``AGENTS.md`` with our paragraph, in the place where an older one stands or at its end.

    Args:
        project: The project's folder.

    Raises:
        UsageError: The file cannot be read, or a link leads out of the project.
    """
    path = _inside(project / "AGENTS.md", project)
    before = _text(path)
    text = before or ""
    end = _line_end(text)
    snippet = SNIPPET.replace("\n", end)
    old = _BLOCK.search(text)
    if old is not None:
        after = _without_blocks(text[old.end() :]) if _BLOCK.search(text, old.end()) else text[old.end() :]
        return Edit(path, before, text[: old.start()] + snippet.rstrip() + after)
    if not text.strip():
        return Edit(path, before, text.rstrip("\r\n") + snippet)
    return Edit(path, before, text + end * (1 if text.endswith("\n") else 2) + snippet)


def without_snippet(project: Path) -> Edit:
    """``AGENTS.md`` without our paragraph; a file that then holds nothing is removed.

    Args:
        project: The project's folder.

    Raises:
        UsageError: As ``with_snippet``.
    """
    path = _inside(project / "AGENTS.md", project)
    before = _text(path)
    if before is None or not _BLOCK.search(before):
        return Edit(path, before, before)
    rest = _without_blocks(before)
    return Edit(path, before, rest if rest.strip() or path.is_symlink() else None)


def apply(edit: Edit) -> None:
    """Write, replace or remove a file; whole or not at all. Its permissions stay: it may hold keys.

    Args:
        edit: What becomes of it.

    Raises:
        UsageError: It cannot be written.
    """
    new = None
    try:
        if edit.after is None:
            edit.path.unlink(missing_ok=True)
            return
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        target = edit.path.resolve()  # a link to a file that is kept elsewhere stays a link
        if target.exists() and not target.stat().st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "it is write-protected")
        data = edit.after.encode()
        new = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with open(new, "xb", opener=_private if target.exists() else None) as file:
            file.write(data)
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    except OSError as error:
        if new is not None:
            new.unlink(missing_ok=True)
        raise UsageError(f"{edit.path} cannot be written: {error.strerror}.") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _inside(path: Path, project: Path) -> Path:
    """The path of a file, unless it belongs to the project and a link leads out of it: that is somebody else's file."""
    try:
        if path.is_relative_to(project) and not path.resolve().is_relative_to(project.resolve()):
            raise UsageError(
                f"{path} is a link to {path.resolve()}, outside of the project; it was left as it is.",
                hint="Edit that file by hand if it is yours.",
            )
    except (OSError, RuntimeError) as error:  # links in a circle
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return path


def _read(path: Path, before: str | None, host: Host) -> tuple[str, str, Json]:
    """A byte-order mark or nothing, the document, and the servers in it."""
    mark = _MARK if (before or "").startswith(_MARK) else ""
    text = (before or "").removeprefix(_MARK)
    if not text.strip():
        return mark, "{}\n", {}
    try:
        config = read_object(text)
    except RecursionError as error:
        raise _by_hand(path, host, "is nested too deeply") from error
    except ValueError as error:
        words = str(error)
        raise _by_hand(path, host, words if words.startswith("holds") else f"is not plain JSON ({words})") from error
    if count(text, (host.key,)) > 1 or count(text, (host.key, NAME)) > 1:
        raise _by_hand(path, host, f"has {host.key!r}, or {NAME!r} in it, more than once")
    servers = config.get(host.key, {})
    if not isinstance(servers, dict):
        raise _by_hand(path, host, f"holds no object under {host.key!r}")
    return mark, text, servers


def _by_hand(path: Path, host: Host, what: str) -> UsageError:
    entry = json.dumps({NAME: host.entry(["sherloc", "mcp"])})
    return UsageError(f"{path} {what}; it was left as it is.", hint=f"Put this under {host.key!r} by hand: {entry}")


def _text(path: Path) -> str | None:
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} cannot be read: it is no file.")
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {why}.") from error


def _without_blocks(text: str) -> str:
    """The text without our paragraphs; one at its end goes with the one line end that was put before it."""
    while (found := _BLOCK.search(text)) is not None:
        before, after = text[: found.start()], text[found.end() :].lstrip("\r\n")
        end = _line_end(text)
        text = f"{before.rstrip()}{end}{end}{after}" if before.strip() and after else before.removesuffix(end) + after
    return text


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"

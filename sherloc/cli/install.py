"""``sherloc install``: make agents know sherloc, and take that back."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sherloc.cli.common import talk_of, talk_options, write_data
from sherloc.errors import UsageError
from sherloc.user_folders import home_folder

if TYPE_CHECKING:
    from sherloc.agents.hosts import Edit

_HELP = """Put sherloc's MCP server into the configuration of agent HOSTs, and a paragraph into AGENTS.md.

HOST is one of claude-code, cursor, vscode, gemini (each in the project), claude-desktop, windsurf (for this user), or
agents-md (the paragraph). Without a HOST it tells how, also for other hosts, and changes nothing.

\b
  sherloc install claude-code agents-md --dry-run
  sherloc install claude-code agents-md
  sherloc install claude-code agents-md --uninstall
"""
_SNIPPET = "agents-md"


@click.command(help=_HELP, short_help="Make agents know sherloc.")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--repo", default=".", metavar="PATH", help="The project.  [default: .]")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--uninstall", is_flag=True, help="Take out what was put in, and nothing else.")
@talk_options
@click.pass_context
def install(ctx: click.Context, /, hosts: tuple[str, ...], repo: str, dry_run: bool, uninstall: bool) -> None:
    """See ``_HELP``."""
    from sherloc.agents.hosts import apply

    talk = talk_of(ctx)
    if not hosts:
        write_data(_how_to())
        return
    project = Path(repo)
    if not project.is_dir():
        raise UsageError(f"--repo {repo} is no folder.")
    edits = [_edit(name, project, uninstall=uninstall) for name in hosts]
    for edit in edits:
        if not edit.changes:
            talk.say(f"{edit.path}: nothing to {'take out' if uninstall else 'change'}")
        elif dry_run:
            write_data(_difference(edit))
        else:
            apply(edit)
            talk.say(f"{'removed' if edit.after is None else 'wrote'} {edit.path}")


def _edit(name: str, project: Path, *, uninstall: bool) -> Edit:
    from sherloc.agents.hosts import HOSTS, with_server, with_snippet, without_server, without_snippet

    if name == _SNIPPET:
        return without_snippet(project) if uninstall else with_snippet(project)
    host = next((each for each in HOSTS if each.name == name), None)
    if host is None:
        names = [*(each.name for each in HOSTS), _SNIPPET]
        near = difflib.get_close_matches(name, names, n=1)
        raise UsageError(
            f"No host {name!r} is known.",
            hint=f"Did you mean {near[0]}?" if near else f"Known are {', '.join(names)}. See: sherloc install",
        )
    home = home_folder()
    if home is None and host.is_of_user:
        raise UsageError(f"Where {host.title} keeps its file is not known: this user has no home folder.")
    home = home or project
    return without_server(host, project, home) if uninstall else with_server(host, _command(), project, home)


def _command() -> list[str]:
    """What starts the server: by name where everybody finds it, else by its path, else through this Python.

    A host starts it in the project's folder, and Python would look for modules there first: the project's ``json.py``
    would run. ``-P`` keeps it from that; ``-I`` does so before Python 3.11, but leaves out packages of the user.
    """
    if shutil.which("sherloc"):
        return ["sherloc", "mcp"]
    beside = shutil.which("sherloc", path=os.path.dirname(sys.executable))
    if beside:
        return [os.path.abspath(beside), "mcp"]
    return [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-m", "sherloc", "mcp"]


def _difference(edit: Edit) -> str:
    before, after = ((text or "").splitlines(keepends=True) for text in (edit.before, edit.after))
    path = str(edit.path)
    lines = difflib.unified_diff(
        before, after, path if edit.before is not None else "/dev/null",
        path if edit.after is not None else "/dev/null",
    )  # fmt: skip
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _how_to() -> str:
    from sherloc.agents.hosts import HOSTS, SNIPPET

    width = max(len(each.name) for each in HOSTS)
    lines = ["sherloc install HOST writes the entry for", ""]
    lines += [f"  {each.name:<{width}}  {each.title}" for each in HOSTS]
    lines += [
        f"  {_SNIPPET:<{width}}  a paragraph in AGENTS.md",
        "",
        "Other hosts take a command; it needs pip install 'sherloc[mcp]':",
        "",
        "  claude mcp add sherloc -- sherloc mcp",
        "  codex mcp add sherloc -- sherloc mcp",
        "  uvx --from 'sherloc[mcp]' sherloc mcp      # without installing first",
        "",
        "The paragraph for AGENTS.md:",
        "",
        SNIPPET,
    ]
    return "\n".join(lines)

"""``sherloc settings``: every setting, its value, and where that came from."""

from __future__ import annotations

import json
from typing import Any

import click

from sherloc.cli.common import repository_options, talk_of, talk_options, write_data, write_json
from sherloc.errors import SettingsError, SherlocError
from sherloc.visible import visible

_HELP = """Show settings, their values and where each value came from.

NAME is a section or a setting; without one all are shown. Later ones win: default, your file, the repository's
.sherloc.toml (index and retrieval only), environment variables, --set.

\b
  sherloc settings retrieval
  SHERLOC_RETRIEVAL__K1=1.5 sherloc settings retrieval.k1
"""


@click.command(help=_HELP, short_help="Settings, and where each value came from.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@repository_options
@click.option("--path", "only_path", is_flag=True, help="Only say where your settings file is, there or not.")
@click.option("--changed", is_flag=True, help="Only settings that are not at their default.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@talk_options
@click.pass_context
def settings(
    ctx: click.Context, /, names: tuple[str, ...], only_path: bool, changed: bool, as_json: bool, repo: str,
    revision: str | None, assignments: tuple[str, ...],
) -> None:  # fmt: skip
    """See ``_HELP``."""
    from sherloc.cli.assignments import given_sections
    from sherloc.settings_sources import origins, user_file, user_overrides

    if only_path:
        write_data(str(user_file()))
        return
    given = given_sections(assignments)
    talk = talk_of(ctx)
    try:
        toml = _repository_toml(repo, revision)
    except SherlocError as error:
        talk.say(f"without a repository: {error.message}")
        toml = b""
    shown = [each for each in origins(user_overrides(given), given, toml) if _wanted(each.name, names)]
    if names and not shown:
        raise SettingsError(f"There is no setting or section {names[0]!r}.", hint="See: sherloc settings")
    if changed:
        shown = [each for each in shown if each.source != "default"]
    if as_json:
        write_json([{"name": each.name, "value": each.value, "source": each.source} for each in shown])
        return
    # A value may come from the repository.
    written = [(each.name, visible(json.dumps(each.value, ensure_ascii=False)), each.source) for each in shown]
    widths = [max((len(row[at]) for row in written), default=0) for at in (0, 1)]
    width = min(widths[1], 40)
    lines = [f"{name:<{widths[0]}}  {value:<{width}}  {source}" for name, value, source in written]
    write_data("\n".join(lines) if lines else "All settings are at their defaults.")


def _wanted(name: str, names: tuple[str, ...]) -> bool:
    return not names or any(name == each or name.startswith(f"{each}.") for each in names)


def _repository_toml(repo: str, revision: str | None) -> bytes:
    from sherloc.arguments import check_repository
    from sherloc.repository import open_tree
    from sherloc.settings_toml import REPOSITORY_SETTINGS_FILE

    check_repository(repo, revision)
    tree: Any = open_tree(repo, revision)
    found = [entry for entry in tree.entries if entry.path == REPOSITORY_SETTINGS_FILE]
    return b"".join(data or b"" for _, data in tree.read(found)) if found else b""

"""``sherloc check-names``: names that a patch uses and the repository does not have."""

from __future__ import annotations

from typing import Any

import click

from sherloc.cli.common import repository_options, stdout_kept_clean, talk_of, talk_options, write_data, write_json
from sherloc.errors import UsageError
from sherloc.input_files import read_whole

_MOST_BYTES = 64_000_000
FOUND = 10
"""Exit code when a name is unknown; no error has it."""

_HELP = """List functions, attributes and keyword arguments that a PATCH uses and the repository does not have.

PATCH is a unified diff, or - for stdin; the repository is as it is before the patch, or already with it: then what
the patch adds is taken out first. Python, TypeScript and JavaScript are checked. What belongs to other packages is
never reported.

\b
  git diff | sherloc check-names - --rev HEAD
"""

_EXIT_CODES = """\b
Exit codes:
  0    all names are known
  2    usage: a patch that cannot be read, or is none
  10   names are unknown
"""


@click.command("check-names", help=_HELP, short_help="Names of a patch that do not exist.", epilog=_EXIT_CODES)
@click.argument("patch")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@repository_options
@talk_options
@click.pass_context
def check_names(ctx: click.Context, /, patch: str, as_json: bool, **where: Any) -> None:
    """Check a patch; see ``_HELP``."""
    from sherloc.skeleton.repository import check_patch
    from sherloc.visible import one_line

    talk = talk_of(ctx)
    with stdout_kept_clean():
        found = check_patch(_read(patch), where["repo"], revision=where["revision"])
    for path, reason in found.skipped:
        talk.say(f"{path}: {reason}", mark="warning")
    if as_json:
        write_json(found.record())
    else:
        rows = [
            f"{one_line(each.path)}:{each.line}: {each.kind} {one_line(each.name)}: {one_line(each.reason)}"
            for each in found.unknown
        ]
        words = f"{len(found.unknown)} unknown of {found.checked} names"
        skipped = len({path for path, _ in found.skipped})
        if skipped:
            words += f"; {skipped} {'file was' if skipped == 1 else 'files were'} not checked, or only in part"
        write_data("\n".join([*rows, words]))
    if found.unknown:
        ctx.exit(FOUND)


def _read(given: str) -> str:
    from sherloc.boundary import looks_like_diff
    from sherloc.indexer.decoding import decode

    text = decode(read_whole(given, "The patch", _MOST_BYTES))[0]
    if text.strip() and not looks_like_diff(text):
        raise UsageError(f"{given!r} is no unified diff.", hint="Make one with: git diff")
    return text

"""``sherloc doctor``: is everything here that sherloc needs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sherloc.cli.common import stdout_kept_clean, talk_of, talk_options, write_json

if TYPE_CHECKING:
    from sherloc.cli.checks import Check


@click.command(short_help="Is everything here that sherloc needs?")
@click.option("--repo", metavar="PATH", help="Look at this repository too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@talk_options
@click.pass_context
def doctor(ctx: click.Context, /, repo: str | None, as_json: bool) -> None:
    """Check versions, grammars, git, the cache folder and, with --repo, a repository.

    Exits with 1 when something is broken.
    """
    from sherloc.cli.checks import run_checks

    talk = talk_of(ctx)
    with stdout_kept_clean():
        checks = run_checks(repo)
    broken = [check for check in checks if check.status == "broken"]
    if as_json:
        write_json({"ok": not broken, "checks": [check.record() for check in checks]})
    else:
        _print(checks, verbose=talk.verbose, no_color=talk.no_color)
    if broken:
        ctx.exit(1)


def _print(checks: list[Check], *, verbose: bool, no_color: bool) -> None:
    """What is well of one kind is told on one line, unless all is asked for."""
    import sys

    from rich.text import Text

    from sherloc.render.console import make_console
    from sherloc.render.layout import print_bullet
    from sherloc.visible import one_line

    console = make_console(sys.stdout, no_color=no_color)
    signs = {"ok": ("+", "green"), "note": (" ", "dim"), "broken": ("!", "bold red")}
    for group in dict.fromkeys(check.group for check in checks):
        mine = [check for check in checks if check.group == group]
        fine = [check for check in mine if check.status == "ok"]
        if len(fine) > 1 and not verbose:
            names = ", ".join(f"{check.name} {check.short}".strip() for check in fine)
            print_bullet(f"{group}: {names}", console, sign="+", style="green", indent="")
            mine = [check for check in mine if check.status != "ok"]
        for check in mine:
            sign, style = signs[check.status]
            print_bullet(f"{check.name}: {check.words}", console, sign=sign, style=style, indent="")
            if check.hint:
                console.print(Text(f"  {one_line(check.hint)}", "yellow"), soft_wrap=True)
    count = sum(check.status == "broken" for check in checks)
    console.print()
    console.print(Text(f"{count} broken" if count else "All is well.", "bold red" if count else "bold green"))

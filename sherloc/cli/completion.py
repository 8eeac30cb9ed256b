"""``sherloc completion``: what makes a shell complete commands and options."""

from __future__ import annotations

import os

import click

from sherloc.cli.common import write_data
from sherloc.errors import UsageError

_VARIABLE = "_SHERLOC_COMPLETE"
_HELP = """Print a script that makes a SHELL complete commands and options.

\b
  sherloc completion bash >> ~/.bashrc
  sherloc completion zsh >> ~/.zshrc
  sherloc completion fish > ~/.config/fish/completions/sherloc.fish
"""


@click.command(help=_HELP, short_help="A script for your shell that completes commands.")
@click.argument("shell", required=False, type=click.Choice(("bash", "zsh", "fish")), metavar="[SHELL]")
@click.pass_context
def completion(ctx: click.Context, /, shell: str | None) -> None:
    """See ``_HELP``."""
    from click.shell_completion import get_completion_class

    name = shell or os.path.basename(os.environ.get("SHELL", ""))
    kind = get_completion_class(name)
    if kind is None:
        raise UsageError("Which shell is not known.", hint="Name it: sherloc completion bash, zsh or fish")
    # Not ``source()``: it runs the shell to learn its version, which need not be here.
    complete = kind(ctx.find_root().command, {}, "sherloc", _VARIABLE)
    write_data(complete.source_template % complete.source_vars())

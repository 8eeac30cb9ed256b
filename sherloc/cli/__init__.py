"""The command line: data goes to stdout, talk to stderr.

Nothing heavy is imported here: a command's module is loaded when the command is asked for, and what it needs when it
runs.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from sherloc.errors import SherlocError

_COMMANDS = {
    "locate": "sherloc.cli.locate:locate",
    "brief": "sherloc.cli.brief:brief",
    "explain": "sherloc.cli.explain:explain",
    "index": "sherloc.cli.index:index",
    "scan": "sherloc.cli.scan:scan",
    "schema": "sherloc.cli.schema:schema",
    "doctor": "sherloc.cli.doctor:doctor",
}

_HELP = """From an issue and a repository to the files, functions and lines to change.

Works offline; the repository is only read. Data goes to stdout, everything else to stderr.

\b
  sherloc locate issue.md --repo path/to/repository
  gh issue view 7 | sherloc locate -
"""

_EXIT_CODES = """\b
Exit codes:
  0    done
  1    something failed, or doctor found something broken
  2    usage: arguments, issue or settings that cannot mean anything
  3    the repository or revision cannot be read
  4    the index can be neither read nor rebuilt
  5    an optional dependency is not installed
  6    a model failed
  7    --strict, and the report has warnings
  10   scan: something was found
  130  interrupted
"""

_INTERRUPTED = 130
_BROKEN_PIPE = 141


class Root(click.Group):
    """The group of all commands: it loads them late and turns errors into words and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which a newcomer needs them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None for an unknown name."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but a mistyped command gets the nearest names."""
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(name, _COMMANDS, n=2, cutoff=0.5)
            guess = f" Did you mean {' or '.join(near)}?" if near else " See: sherloc --help"
            ctx.fail(f"No such command {name!r}.{guess}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what sherloc raises on purpose becomes a message and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except SherlocError as error:
            raise Failure(error.message, error.hint, error.exit_code, _trace(ctx)) from error
        except KeyboardInterrupt:
            click.echo("interrupted; parsed files are kept", err=True)
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            trace = _trace(ctx)
            _drop_stdout()
            if _is_broken_pipe(error):
                ctx.exit(_BROKEN_PIPE)
            raise Failure(str(error), trace=trace) from error
        return result


class Failure(click.ClickException):
    """An error as a person reads it.

    Args:
        message: What happened.
        hint: What to do, or empty.
        exit_code: The process's.
        trace: The traceback for who asked for it, or empty.
    """

    exit_code: int  # type: ignore[misc]  # click's own is a class variable; each error here has its own

    def __init__(self, message: str, hint: str = "", exit_code: int = 1, trace: str = "") -> None:
        super().__init__(message)
        self.hint, self.exit_code, self.trace = hint, exit_code, trace

    def show(self, file: Any = None) -> None:
        """Write it to stderr."""
        from sherloc.render.visible import visible

        hint = f"\nhint: {self.hint}" if self.hint else ""
        click.echo(visible(f"{self.trace}error: {self.message}{hint}"), file=file, err=file is None)


def _trace(ctx: click.Context) -> str:
    """The traceback of the current error, only with --verbose."""
    from sherloc.cli.common import Talk

    if not (isinstance(ctx.obj, Talk) and ctx.obj.verbose):
        return ""
    from traceback import format_exc

    return format_exc()


def _is_broken_pipe(error: OSError) -> bool:
    """Windows says EINVAL when the reader of a pipe is gone."""
    return error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL)


def _drop_stdout() -> None:
    """What could not be written and is still buffered must not fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from sherloc.version import __version__

        click.echo(f"sherloc {__version__}")
        ctx.exit()


@click.group(
    cls=Root,
    help=_HELP,
    epilog=_EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
def root() -> None:
    """The group; it has nothing to do itself."""


def main() -> None:
    """Run the command line and exit."""
    # Loading the libraries makes many objects that all stay: looking for cycles among them is time for nothing.
    gc.set_threshold(100_000, 50, 100)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    root.main(prog_name="sherloc")

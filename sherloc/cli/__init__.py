"""The command line: data goes to stdout, talk to stderr.

Nothing heavy is imported here: a command's module is loaded when the command is asked for, and what it needs when it
runs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

from sherloc.cli.streams import STDOUT, drop_stdout, is_broken_pipe, prepare_streams
from sherloc.errors import SherlocError
from sherloc.visible import paragraph, visible

_COMMANDS = {
    "locate": "sherloc.cli.locate:locate",
    "brief": "sherloc.cli.brief:brief",
    "explain": "sherloc.cli.explain:explain",
    "report": "sherloc.cli.report:report",
    "index": "sherloc.cli.index:index",
    "fix": "sherloc.cli.fix:fix",
    "skeleton": "sherloc.cli.skeleton:skeleton",
    "context": "sherloc.cli.context:context",
    "check-names": "sherloc.cli.names:check_names",
    "scan": "sherloc.cli.scan:scan",
    "tasks": "sherloc.cli.tasks:tasks",
    "eval": "sherloc.cli.evaluating:evaluate",
    "mcp": "sherloc.cli.mcp:mcp",
    "install": "sherloc.cli.install:install",
    "settings": "sherloc.cli.settings:settings",
    "schema": "sherloc.cli.schema:schema",
    "doctor": "sherloc.cli.doctor:doctor",
    "completion": "sherloc.cli.completion:completion",
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
  4    the index can be neither read, rebuilt nor cleared
  5    an optional dependency is not installed
  6    a model failed
  7    --strict, and the report has warnings
  8    a path is refused as unsafe
  9    a task cannot be kept, read or resumed
  10   scan, check-names: something was found
  11   fix: no patch was good enough, or its commits or branch cannot be made
  12   fix: the forge refused or cannot be reached
  130  interrupted; what was done is kept
  141  the reader of stdout went away
  143  asked to end (SIGTERM); what was done is kept
"""

_INTERRUPTED, _TERMINATED = 130, 143
_BROKEN_PIPE = 141
_LESS_MEMORY = "Try --set cache.workers=1, or leave folders out with --set index.exclude=..."


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
            from difflib import get_close_matches

            near = get_close_matches(name, _COMMANDS, n=2, cutoff=0.5)
            guess = f" Did you mean {' or '.join(near)}?" if near else " See: sherloc --help"
            ctx.fail(f"No such command {name!r}.{guess}")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments; --help and --version are written here already."""
        with _errors_in_words(None):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what sherloc raises on purpose becomes a message and an exit code."""
        with _errors_in_words(ctx):
            result = super().invoke(ctx)
            sys.stdout.flush()
        return result


@contextlib.contextmanager
def _errors_in_words(ctx: click.Context | None) -> Iterator[None]:
    """The one place where errors become messages and exit codes."""
    try:
        yield
    except click.UsageError as error:
        words = error.format_message()
        if words == paragraph(words) or isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            raise
        raise click.UsageError(paragraph(words), error.ctx) from error
    except SherlocError as error:
        raise Failure(error.message, error.hint, error.exit_code, _trace(ctx)) from error
    except KeyboardInterrupt as error:
        click.echo("interrupted; what was done is kept, and the same command goes on from there", err=True)
        raise click.exceptions.Exit(_TERMINATED if isinstance(error, Terminated) else _INTERRUPTED) from error
    except (MemoryError, ImportError, SystemError) as error:
        words, hint = _lack_in_words(error)
        raise Failure(words, hint, trace=_trace(ctx)) from error
    except OSError as error:
        trace = _trace(ctx)
        drop_stdout()
        if is_broken_pipe(error):
            raise click.exceptions.Exit(_BROKEN_PIPE) from error
        words = f"{STDOUT} cannot be written: {error.strerror}" if error.filename is STDOUT else str(error)
        raise Failure(words, trace=trace) from error


def _lack_in_words(error: MemoryError | ImportError | SystemError) -> tuple[str, str]:
    """What there is not enough of; libraries tell only by their words that memory was lacking when they were loaded.

    CPython raises SystemError where code in C failed to allocate and set no exception.
    """
    words = (str(error).strip().splitlines() or [""])[-1]
    if (
        isinstance(error, (MemoryError, SystemError))
        or "failed to map segment" in words
        or "annot allocate memory" in words
    ):
        return "There is not enough memory.", _LESS_MEMORY
    return f"A library cannot be loaded: {words}", "See: sherloc doctor"


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM): it does as for Ctrl-C, so that programs and folders of its own go."""


def _terminate(*_: object) -> None:
    raise Terminated


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
        lines = [f"error: {paragraph(self.message)}", *([f"hint: {paragraph(self.hint)}"] if self.hint else [])]
        click.echo(visible(self.trace) + "\n".join(lines), file=file, err=file is None)


def _trace(ctx: click.Context | None) -> str:
    """The traceback of the current error, only with --verbose."""
    if not getattr(ctx and ctx.obj, "verbose", False):
        return ""
    from traceback import format_exc

    return format_exc()


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
    gc.set_threshold(1_000_000, 50, 100)
    # OpenBLAS, which numpy brings, starts a thread a core when it is loaded; where it may not, it raises SIGINT.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    prepare_streams()
    signal.signal(signal.SIGTERM, _terminate)
    try:
        root.main(prog_name="sherloc")
    finally:
        # Python looks for cycles among all that is left, twice, before it gives its memory back as a whole.
        gc.freeze()

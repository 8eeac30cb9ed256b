"""What several commands share: options, talk on stderr, data on stdout."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Talk:
    """How much a command says on stderr, and whether it may use colour."""

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    def say(self, text: str, *, mark: str = "") -> None:
        """A line on stderr, unless --quiet; ``mark`` (``warning``, ``error``) stands before it."""
        if not self.quiet:
            from sherloc.visible import paragraph

            click.echo((f"{mark}: " if mark else "") + paragraph(text), err=True)

    def detail(self, text: str) -> None:
        """A line on stderr, only with --verbose."""
        if self.verbose:
            self.say(text)


def talk_of(ctx: click.Context) -> Talk:
    """The one ``Talk`` of a run; made when first asked for."""
    root = ctx.find_root()
    if not isinstance(root.obj, Talk):
        root.obj = Talk()
    talk: Talk = root.obj
    ctx.obj = talk
    return talk


def _set_talk(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and parameter.name:
        setattr(talk_of(ctx), parameter.name, True)


def talk_options(command: Command) -> Command:
    """--quiet, --verbose and --no-color; the command finds them with ``talk_of``."""
    for names, words in (
        (("--no-color",), "No colour (NO_COLOR does the same)."),
        (("-v", "--verbose"), "More: notes, timings, all context; tracebacks of errors."),
        (("-q", "--quiet"), "No progress and no warnings."),
    ):
        option = click.option(*names, is_flag=True, is_eager=True, expose_value=False, callback=_set_talk, help=words)
        command = option(command)
    return command


def repository_options(command: Command) -> Command:
    """--repo, --rev and --set."""
    for option in (
        click.option("--set", "assignments", multiple=True, metavar="SECTION.KEY=VALUE",
                     help="Change a setting; see: sherloc schema settings"),
        click.option("--rev", "revision", metavar="REV", help="A commit, branch or tag, read without a checkout."),
        click.option("--repo", default=".", metavar="PATH", help="The repository.  [default: .]"),
    ):  # fmt: skip
        command = option(command)
    return command


def failure_options(command: Command) -> Command:
    """--failing-test, --junit, --coverage and --log: what running tests showed."""
    for option in (
        click.option("--coverage", "coverage", multiple=True, metavar="FILE",
                     help="Which test ran which line: .coverage (best with --cov-context=test) or lcov."),
        click.option("--junit", "junit", multiple=True, metavar="FILE", help="JUnit XML of a run that failed."),
        click.option("--failing-test", "failing", multiple=True, metavar="ID", help="A test that fails; repeatable."),
        click.option("--log", "log", metavar="FILE", help="The log of a failing run; stands in for ISSUE; - is stdin."),
    ):  # fmt: skip
        command = option(command)
    return command


def issue_options(command: Command) -> Command:
    """--scope and --include-tests, on top of ``repository_options``."""
    for option in (
        click.option("--include-tests", is_flag=True, help="Test files are candidates too."),
        click.option("--scope", multiple=True, metavar="GLOB", help="Only files under it or matching it."),
    ):
        command = option(command)
    return repository_options(command)


@contextlib.contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """While this runs, whatever a dependency prints goes to stderr, so that stdout holds data alone."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def write_data(text: str) -> None:
    """Write a document to stdout as UTF-8, whatever the terminal's encoding, with one line feed at its end."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.flush()


def write_file(path: str, text: str) -> None:
    """Write a document to a file, whole or not at all, with one line feed at its end.

    Args:
        path: The file; one that is there is replaced.
        text: What goes into it.

    Raises:
        UsageError: It cannot be written.
    """
    import os

    from sherloc.errors import UsageError

    data = text.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n"
    new = f"{path}.{os.getpid()}.tmp"
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:  # a pipe or a device is written to, not replaced
                device.write(data)
            return
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise UsageError(f"{path} cannot be written: {error.strerror}.", hint="Give another file.") from error


def write_json(value: Any) -> None:
    """Write a JSON document to stdout."""
    from sherloc.printable import printable_values

    write_data(json.dumps(printable_values(value), indent=2, ensure_ascii=False))

"""``sherloc context``: the diff and what stands around it, within a budget."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import repository_options, stdout_kept_clean, talk_of, talk_options, write_data, write_json
from sherloc.errors import UsageError

if TYPE_CHECKING:
    from sherloc.repository import Tree

_HELP = """Print the least context that a change or some files need.

Without PATH: the diff since the merge base with --base (uncommitted changes too), the changed files, callers of what
changed, and skeletons of the files around. With PATHs: these files, what the task needs of them in full, and what is
around. All fits into --budget; what has no room is named at the end.

\b
  sherloc context --base origin/main
  sherloc context shop/basket.py --task issue.md --budget 4000
"""


@click.command(help=_HELP, short_help="A diff and what stands around it, within a budget.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--base", metavar="REV", help="What to compare with.  [default: the remote's default branch]")
@click.option("--task", metavar="TEXT", help="What is to be done: a file, - for stdin, or text in quotes.")
@click.option("--contract", metavar="TEXT", help="The form of the answer: a file, or text in quotes.")
@click.option("--budget", type=click.IntRange(min=200), metavar="TOKENS", help="Longest context.  [default: 16000]")
@click.option("--unified", type=click.IntRange(min=0), metavar="N", help="Lines around each change.  [default: 5]")
@click.option("--tokenizer", metavar="NAME", help="An encoding, a model or a tokenizer.json.  [default: estimate]")
@click.option("--lines", "numbered", is_flag=True, help="The file's line number before each line of code.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@repository_options
@talk_options
@click.pass_context
def context(ctx: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Print a context; see ``_HELP``."""
    from sherloc.cli.progress import Progress
    from sherloc.locator import settings_for
    from sherloc.repository import open_tree
    from sherloc.skeleton.document import markdown, record
    from sherloc.skeleton.repository import ContextMaker
    from sherloc.tokens import get_tokenizer

    talk = talk_of(ctx)
    name = options["tokenizer"]
    tokenizer = get_tokenizer(name, required=name is not None)
    task, contract = _words(options["task"], "task"), _words(options["contract"], "contract")
    repo, revision = options["repo"], options["revision"]
    with stdout_kept_clean(), Progress(talk) as progress:
        tree = open_tree(repo, revision)
        files = _files(paths, tree)
        settings = settings_for(tree, _overrides(options))
        maker = ContextMaker(repo, revision=revision, settings=settings, tokenizer=tokenizer, on_progress=progress)
        if files:
            made = maker.of_files(files, task=task, contract=contract)
        else:
            made = maker.of_change(options["base"], task=task, contract=contract)
    for note in made.notes:
        talk.say(note, mark="warning")
    if not paths and not any(part.kind == "diff" for part in made.parts):
        talk.say("Nothing differs from the base.", mark="warning")
    if options["as_json"]:
        write_json(record(made))
    else:
        write_data(markdown(made, numbered=options["numbered"]))


def _files(paths: Sequence[str], tree: Tree) -> list[str]:
    """Paths as the index has them; each must be a file."""
    from sherloc.arguments import nothing_there, path_in_tree, places_of
    from sherloc.schema.path_text import shown_path

    if not paths:
        return []
    places, files = places_of(tree), {shown_path(entry.path) for entry in tree.entries}
    found = [path_in_tree(path, tree, places) for path in paths]
    for given, path in zip(paths, found, strict=True):
        if path in places - files or not path:
            raise UsageError(f"{given!r} is no file to read in {tree.name}.", hint="Give files, not folders or links.")
        if path not in files:
            raise nothing_there(f"There is no {given!r} in {tree.name}.", path, files)
    return list(dict.fromkeys(found))


def _overrides(options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    from sherloc.cli.assignments import read_assignments

    settings = read_assignments(options["assignments"])
    for key in ("budget", "unified"):
        if options[key] is not None:
            settings.setdefault("skeleton", {})[key] = options[key]
    return settings


def _words(given: str | None, what: str) -> str:
    """The text of an option: of a file, of stdin, or what stands there."""
    if not given:
        return ""
    if given.isalpha() and not os.path.lexists(given):
        return given
    from sherloc.issue_files import read_issue

    issue = read_issue(given, what)
    return "\n\n".join(part for part in (issue.title, issue.body, *issue.comments) if part)

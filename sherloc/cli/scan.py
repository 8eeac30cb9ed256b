"""``sherloc scan``: lines of diffs, files or stdin that direct who reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import Talk, talk_of, talk_options, write_data, write_json
from sherloc.errors import UsageError
from sherloc.input_files import read_whole

if TYPE_CHECKING:
    from sherloc.boundary import CriteriaInMaterial, Hit

_MOST_BYTES = 256_000_000
FOUND = 10
"""Exit code when something was found; no error has it."""

_HELP = """Find lines that read like instructions to a reviewer or an agent, or hide characters.

FILE is a diff, any text file, a folder, or - for stdin. A diff is recognised by its heads. It reports; it never blocks:
what a line may not do is for limits and checks elsewhere.

\b
  git diff main | sherloc scan -
  sherloc scan README.md src/
"""

_EXIT_CODES = """\b
Exit codes:
  0    nothing found
  2    usage: a file that cannot be read, also one of several or in a folder where nothing was found; options that
       exclude each other
  10   lines were found, or a diff that edits the criteria
"""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one input gave.

    Attributes:
        name: Path, or ``-`` for stdin.
        kind: ``diff`` or ``text``.
        hits: Lines.
        criteria: Criteria documents that a diff edits.
        sha256: Of the bytes scanned.
    """

    name: str
    kind: str
    hits: list[Hit]
    criteria: list[CriteriaInMaterial]
    sha256: str

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "input": self.name,
            "kind": self.kind,
            "sha256": self.sha256,
            "hits": [hit.record() for hit in self.hits],
            "criteria": [finding.record() for finding in self.criteria],
        }


@click.command(help=_HELP, short_help="Lines of a diff or text that direct its reader.", epilog=_EXIT_CODES)
@click.argument("inputs", nargs=-1, required=True, metavar="FILE...")
@click.option("--diff", "as_diff", is_flag=True, help="Read every input as a unified diff.")
@click.option("--text", "as_text", is_flag=True, help="Read every input as text, diffs too.")
@click.option("--name", metavar="PATH", help="What to call stdin.")
@click.option("--added", is_flag=True, help="Of diffs only added lines; a model reads the others too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document; keep it as the grounds of what you did.")
@talk_options
@click.pass_context
def scan(
    ctx: click.Context,
    /,
    inputs: tuple[str, ...],
    as_diff: bool,
    as_text: bool,
    name: str | None,
    added: bool,
    as_json: bool,
) -> None:
    """Scan inputs; see ``_HELP``."""
    if as_diff and as_text:
        raise UsageError("--diff and --text exclude each other.")
    talk = talk_of(ctx)
    unread: list[str] = []
    scanned = [_scan(where, raw, name, as_diff, as_text, added) for where, raw in _read(inputs, talk, unread)]
    if as_json:
        from sherloc.boundary import RULE_NAMES
        from sherloc.boundary.rules import rules_version

        write_json({
            "found": sum(len(each.hits) + len(each.criteria) for each in scanned),
            "rules": {"version": rules_version(), "names": list(RULE_NAMES)},
            "inputs": [each.record() for each in scanned],
        })  # fmt: skip
    else:
        _print(scanned)
    if any(each.hits or each.criteria for each in scanned):
        ctx.exit(FOUND)
    if unread:
        places = _counted(len(unread), "file or folder", "files or folders")
        raise UsageError(f"Nothing was found, but {places} could not be read.")


def _scan(where: str, raw: bytes, name: str | None, as_diff: bool, as_text: bool, added: bool) -> Scanned:
    import hashlib

    from sherloc.boundary import criteria_in, looks_like_diff, scan, scan_diff
    from sherloc.indexer.decoding import decode

    text = decode(raw)[0]
    is_diff = as_diff or (not as_text and looks_like_diff(text))
    label = name or where if where == "-" else where
    hits = scan_diff(text) if is_diff else scan(text, label)
    if added:
        hits = [hit for hit in hits if hit.origin == "added"]
    criteria = criteria_in(text) if is_diff else []
    return Scanned(label, "diff" if is_diff else "text", hits, criteria, hashlib.sha256(raw).hexdigest())


def _read(inputs: tuple[str, ...], talk: Talk, unread: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file; what cannot be read beside or within others is told, and noted in ``unread``."""

    def told(where: str, words: str) -> None:
        unread.append(where)
        talk.say(words, mark="warning")

    for given in inputs:
        is_folder = os.path.isdir(given)
        for place in _files(given, told) if is_folder else (given,):
            try:
                data = read_whole(place, "The file", _MOST_BYTES)
            except UsageError as error:
                if len(inputs) == 1 and not is_folder:
                    raise
                # The others' hits must not be lost over one of them.
                told(place, error.message)
                continue
            if is_folder and b"\0" in data[:8192]:
                talk.detail(f"note: {place} is binary")
            elif data or not is_folder:
                yield (Path(place).as_posix() if is_folder else place), data


def _files(folder: str, told: Callable[[str, str], None]) -> Iterator[str]:
    """Files below a folder, by path; hidden folders of version control are left out."""

    def closed(error: OSError) -> None:
        told(str(error.filename), f"The folder {str(error.filename)!r} cannot be read: {error.strerror}.")

    for root, folders, files in os.walk(folder, onerror=closed):
        folders[:] = sorted(each for each in folders if each not in (".git", ".hg", ".svn"))
        # With the folder before it no file is called "-", which is stdin.
        yield from filter(os.path.isfile, (os.path.join(root, file) for file in sorted(files)))


def _print(scanned: list[Scanned]) -> None:
    from sherloc.visible import one_line

    lines = []
    for each in scanned:
        for hit in each.hits:
            where = f"{hit.path or each.name}:{hit.line}" + (f" ({hit.origin})" if hit.origin != "added" else "")
            lines += [f"{one_line(where)}: {', '.join(hit.rules)}", f"    {one_line(hit.text)}"]
        for finding in each.criteria:
            rows = f"{finding.rows_before} -> {finding.rows_after} rows"
            lines.append(f"{one_line(finding.path)}: criteria in the material, {rows}")
            lines += [f"    removed: {one_line(row.text)}" for row in finding.removed]
    hits = sum(len(each.hits) for each in scanned)
    criteria = sum(len(each.criteria) for each in scanned)
    words = f"{_counted(hits, 'line', 'lines')} in {_counted(len(scanned), 'input', 'inputs')}"
    words += f", {_counted(criteria, 'criteria document', 'criteria documents')} edited" if criteria else ""
    write_data("\n".join([*lines, words]))


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"

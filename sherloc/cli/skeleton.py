"""``sherloc skeleton``: files without the bodies of their functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from sherloc.cli.common import Talk, talk_of, talk_options, write_data, write_json
from sherloc.errors import UsageError
from sherloc.input_files import read_whole

if TYPE_CHECKING:
    from sherloc.skeleton import Docs, FileSkeleton, Savings, Unread

_HELP = """Print files without the bodies of their functions. No repository is needed.

PATH is a file, a folder, or - for stdin (--name says what it is). Of one file only the skeleton is printed, so that it
can be parsed; of several, each has a head. Bodies give way to a placeholder; imports, types, signatures, decorators,
fields, constants and docstrings stay.

\b
  sherloc skeleton shop/basket.py --docs first --lines
  sherloc skeleton shop/basket.py --expand Basket.total_price
  sherloc skeleton src --stats
  git show HEAD:shop/basket.py | sherloc skeleton - --name basket.py
"""


@click.command(help=_HELP, short_help="Files without the bodies of their functions.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--docs", type=click.Choice(("all", "first", "none")), default="all", show_default=True,
              help="How much of docstrings and comments stays.")  # fmt: skip
@click.option("--no-attributes", is_flag=True, help="Leave out what constructors set (self.x = ...).")
@click.option("--lines", "numbered", is_flag=True, help="The file's line number before each line.")
@click.option("--expand", "symbol", metavar="NAME", help="The exact source of a definition instead.")
@click.option("--name", metavar="NAME", help="What to call stdin; its ending tells the language.")
@click.option("--stats", is_flag=True, help="Tokens of whole files against skeletons instead.")
@click.option("--tokenizer", metavar="NAME", help="For --stats: an encoding, a model or a tokenizer.json.")
@click.option("--price", type=click.FloatRange(min=0), metavar="USD", help="For --stats: per million tokens.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@talk_options
@click.pass_context
def skeleton(
    ctx: click.Context, /, paths: tuple[str, ...], docs: Docs, no_attributes: bool, numbered: bool, symbol: str | None,
    name: str | None, stats: bool, tokenizer: str | None, price: float | None, as_json: bool,
) -> None:  # fmt: skip
    """Print skeletons; see ``_HELP``."""
    from sherloc.skeleton import FileSkeleton, Unread

    talk = talk_of(ctx)
    if symbol and (stats or len(paths) != 1):
        raise UsageError("--expand takes one file, and no --stats.")
    found = [each for path in paths for each in _read(path, name or "-", docs, not no_attributes)]
    made = [each for each in found if isinstance(each, FileSkeleton)]
    unread = [each for each in found if isinstance(each, Unread)]
    _tell(made, talk)
    if symbol:
        _print_expanded(made, symbol, as_json)
    elif stats:
        _print_stats(made, tokenizer, price, as_json)
    elif as_json:
        write_json([_record(each, numbered) for each in made])
    elif made:
        _print(made, numbered, alone=len(found) == 1)
    if unread:
        # A folder of none of ours is no fault; a file that was asked for and cannot be had is.
        words = "; ".join(f"{each.path!r} cannot be read: {each.reason}" for each in unread[:5])
        raise UsageError(f"{words}{' ...' if len(unread) > 5 else ''}.")


def _read(path: str, name: str, docs: Docs, attributes: bool) -> Iterator[FileSkeleton | Unread]:
    from sherloc.skeleton import language_of, read_skeletons, skeleton_of
    from sherloc.skeleton.files import MOST_BYTES

    if path == "-":
        data = read_whole(path, "The file", MOST_BYTES)
        yield skeleton_of(name, data, language_of(name, data), docs=docs, attributes=attributes)
    else:
        yield from read_skeletons([path], docs=docs, attributes=attributes)


def _tell(made: Sequence[FileSkeleton], talk: Talk) -> None:
    for each in made:
        if each.skeleton.broken:
            errors = each.skeleton.errors[:5]
            lines = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in errors)
            noun = "line" if "," not in lines and "-" not in lines else "lines"
            talk.say(
                f"{each.path} has syntax errors ({noun} {lines}); what is near them is shown whole.", mark="warning"
            )
        elif each.skeleton.reason:
            talk.say(f"{each.path} is shown whole: there is no grammar for it.", mark="warning")


def _print(made: Sequence[FileSkeleton], numbered: bool, *, alone: bool) -> None:
    from sherloc.visible import one_line

    texts = [each.skeleton.numbered() if numbered else each.skeleton.text for each in made]
    if alone:
        write_data("".join(texts))
    else:
        blocks = [f"==> {one_line(each.path)} <==\n{text}" for each, text in zip(made, texts, strict=True)]
        write_data("\n".join(blocks))


def _record(each: FileSkeleton, numbered: bool) -> dict[str, object]:
    made = each.skeleton
    return {
        "path": each.path, "language": made.language, "text": made.numbered() if numbered else made.text,
        "lines": list(made.lines), "hidden": [list(lines) for lines in made.hidden], "broken": made.broken,
        "errors": [list(lines) for lines in made.errors], "reason": made.reason,
    }  # fmt: skip


def _print_expanded(made: Sequence[FileSkeleton], symbol: str, as_json: bool) -> None:
    from dataclasses import asdict

    from sherloc.skeleton import expand

    for each in made:
        if not each.skeleton.language:
            raise UsageError(f"There is no grammar for {each.path!r}, so nothing in it can be found by name.")
        found = expand(each.source, each.skeleton.language, symbol)
        if as_json:
            write_json([asdict(one) for one in found])
        else:
            write_data("\n\n".join(one.text for one in found))


def _print_stats(made: Sequence[FileSkeleton], tokenizer: str | None, price: float | None, as_json: bool) -> None:
    from sherloc.skeleton import measure
    from sherloc.tokens import get_tokenizer

    found = measure(made, get_tokenizer(tokenizer, required=tokenizer is not None))
    if as_json:
        write_json({
            "tokenizer": found.tokenizer,
            "files": [row.record(price) for row in found.files],
            "languages": [row.record(price) for row in found.languages],
            "total": found.total.record(price),
        })  # fmt: skip
    else:
        write_data(_table(found, price))


def _table(found: Savings, price: float | None) -> str:
    from sherloc.visible import one_line

    rows = [*found.files, *(found.languages if len(found.languages) > 1 else ()), found.total]
    lines = [f"{'whole':>9} {'skeleton':>9} {'saved':>6}  tokens by {found.tokenizer}"]
    lines += [f"{row.whole:>9} {row.skeleton:>9} {row.saved:>6.1%}  {one_line(row.name)}" for row in rows]
    if price is not None:
        total = found.total
        lines.append(f"{total.whole * price / 1e6:>9.4f} {total.skeleton * price / 1e6:>9.4f}         US dollars")
    return "\n".join(lines)

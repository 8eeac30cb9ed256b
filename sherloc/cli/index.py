"""``sherloc index``: build, look at and remove what is kept of a repository."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import (
    Talk,
    stdout_kept_clean,
    talk_of,
    talk_options,
    write_data,
    write_json,
)
from sherloc.errors import IndexStoreError, UsageError

if TYPE_CHECKING:
    from sherloc.indexer.index import IndexInfo
    from sherloc.indexer.plan import IndexPlan


@click.command(short_help="Build, look at or remove the index.")
@click.argument("repo", default=".")
@click.option("--rev", "revision", metavar="REV", help="A commit, branch or tag, read without a checkout.")
@click.option("--status", is_flag=True, help="What is stored, and whether it is up to date.")
@click.option("--dry-run", is_flag=True, help="What would be indexed and what left out; nothing is parsed.")
@click.option("--clear", is_flag=True, help="Remove what is stored of this repository.")
@click.option("--all", "every", is_flag=True, help="With --clear: of all repositories.")
@click.option("--vectors", is_flag=True, help="Embed all snippets too, which locate else does when it needs them.")
@click.option("--set", "assignments", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@talk_options
@click.pass_context
def index(
    ctx: click.Context,
    /,
    status: bool,
    dry_run: bool,
    clear: bool,
    every: bool,
    vectors: bool,
    as_json: bool,
    **where: Any,
) -> None:
    """Parse a repository and keep the result, or look at what is kept.

    locate does this by itself; here it is for a build, a cache or a look. What is kept lies in the user's cache folder
    and never in the repository.
    """
    from sherloc.cli.assignments import read_assignments

    talk = talk_of(ctx)
    where["settings"] = read_assignments(where.pop("assignments"))
    if status + dry_run + clear + vectors > 1:
        raise UsageError("--status, --dry-run, --clear and --vectors exclude each other.")
    if every and not clear:
        raise UsageError("--all goes with --clear.")
    if clear:
        _clear(talk, every=every, as_json=as_json, **where)
    elif dry_run:
        _dry_run(talk, as_json=as_json, **where)
    elif status:
        _status(as_json=as_json, **where)
    else:
        _build(talk, vectors=vectors, as_json=as_json, **where)


def _build(
    talk: Talk, *, vectors: bool, as_json: bool, repo: str, revision: str | None, settings: Mapping[str, Any]
) -> None:
    from sherloc.cli.progress import Progress
    from sherloc.locator import Locator

    with (
        stdout_kept_clean(),
        Progress(talk) as progress,
        Locator(repo, revision=revision, settings=settings) as locator,
    ):
        info = locator.index(on_progress=progress).info
        embedded = locator.embed(on_progress=progress) if vectors else None
    if as_json:
        write_json(_info_record(info) | ({} if embedded is None else {"embedded": embedded}))
    else:
        from sherloc.visible import one_line

        counts = ", ".join(f"{count} {name}" for name, count in _by_count(info.files)) or "nothing"
        click.echo(f"{sum(info.files.values())} files indexed: {counts}")
        click.echo(f"{info.parsed} parsed now, {info.reused} known before; kept in {one_line(info.storage)}")
        if embedded is not None:
            click.echo(f"{embedded} snippets embedded now")
    for diagnostic in info.diagnostics:
        if diagnostic.severity == "info":
            talk.detail(f"note: {diagnostic.message}")
        else:
            talk.say(diagnostic.message, mark=diagnostic.severity)


def _info_record(info: IndexInfo) -> dict[str, Any]:
    return {
        "files": info.files,
        "skipped": info.skipped,
        "parsed": info.parsed,
        "reused": info.reused,
        "storage": info.storage,
        "diagnostics": [diagnostic.model_dump() for diagnostic in info.diagnostics],
    }


def _status(*, as_json: bool, **where: Any) -> None:
    from sherloc.inspection.status import read_status, status_in_words

    state = read_status(**where)
    if as_json:
        write_json(state.record())
    else:
        write_data("\n".join(status_in_words(state)))


def _dry_run(talk: Talk, *, as_json: bool, **where: Any) -> None:
    from sherloc.inspection.status import read_plan

    plan = read_plan(**where)[2]
    files: dict[str, int] = {}
    for planned in plan.files:
        name = planned.job.language or planned.job.partition
        files[name] = files.get(name, 0) + 1
    skipped = {reason: len(paths) for reason, paths in plan.skipped.items()}
    if as_json:
        counts = {"files": files, "skipped": skipped, "unknown": plan.unknown}
        write_json({name: dict(sorted(each.items())) for name, each in counts.items()})
        return
    write_data("\n".join(_plan_in_words(plan, files, skipped, talk)))


def _plan_in_words(plan: IndexPlan, files: dict[str, int], skipped: dict[str, int], talk: Talk) -> list[str]:
    from sherloc.schema.path_text import shown_path
    from sherloc.visible import one_line, visible

    def section(title: str, counts: dict[str, int]) -> list[str]:
        return ["", title, *(f"{count:>8}  {one_line(name)}" for name, count in _by_count(counts))] if counts else []

    lines = [f"{len(plan.files)} files would be indexed.", *section("By language or kind", files)]
    lines += section("Left out, by reason", skipped)
    if talk.verbose:
        for reason, paths in sorted(plan.skipped.items()):
            lines += ["", reason, *(f"  {visible(path)}" for path in sorted(map(shown_path, paths)))]
    return lines + section("Of no known kind, by extension", plan.unknown)


def _by_count(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _clear(talk: Talk, *, every: bool, as_json: bool, **where: Any) -> None:
    from sherloc.inspection.status import remove_stores, stores_to_clear
    from sherloc.render.words import size_in_words

    stores = stores_to_clear(every=every, **where)
    interactive = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
    if every and stores and interactive:
        size = sum(each for _, each in stores)
        click.confirm(f"Remove {len(stores)} indexes, {size_in_words(size)}?", abort=True, err=True)
    failed = remove_stores([path for path, _ in stores])
    removed = {str(path): bytes_ for path, bytes_ in stores if path not in failed}
    size = sum(removed.values())
    if as_json:
        write_json({"removed": list(removed), "bytes": size, "failed": [str(path) for path in failed]})
    else:
        click.echo(f"Removed {len(removed)} {'index' if len(removed) == 1 else 'indexes'}, {size_in_words(size)}.")
    if failed:
        names = ", ".join(map(str, failed[:3]))
        raise IndexStoreError(
            f"{len(failed)} of {len(stores)} could not be removed: {names}.", hint="May you write to that folder?"
        )

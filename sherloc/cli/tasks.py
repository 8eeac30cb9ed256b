"""``sherloc tasks``: what tasks there are, what they did, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sherloc.cli.common import Command, Talk, talk_of, talk_options, write_data, write_json

if TYPE_CHECKING:
    from sherloc.context_storage import TaskCatalog, TaskState
    from sherloc.schema.report import Diagnostic

_HELP = """Look at tasks that sherloc keeps: list, show, resume, archive, vacuum.

Tasks lie in the user's state folder (SHERLOC_STATE or context.base_dir names another). Every command first completes
what a process that was killed left half done.

\b
  sherloc tasks list
  sherloc tasks show UUID --why
"""


@click.group(help=_HELP, short_help="Tasks that are kept: list, show, resume, archive, vacuum.")
def tasks() -> None:
    """The group; it has nothing to do itself."""


def _options(command: Command) -> Command:
    for option in (
        click.option("--set", "assignments", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting."),
        click.option("--base-dir", metavar="DIR", help="Where the tasks lie."),
        click.option("--json", "as_json", is_flag=True, help="One JSON document."),
    ):
        command = option(command)
    return talk_options(command)


def _catalog(talk: Talk, base_dir: str | None, assignments: tuple[str, ...]) -> TaskCatalog:
    from sherloc.cli.assignments import read_assignments
    from sherloc.context_storage import TaskCatalog
    from sherloc.settings import load_settings

    if base_dir:
        _must_exist(base_dir)
    catalog = TaskCatalog(base_dir, load_settings(read_assignments(assignments)))
    _tell(talk, catalog.problems)
    return catalog


def _must_exist(base_dir: str) -> None:
    """A name that was mistyped makes no folders; what is there and no folder gets its words where it is opened."""
    import os

    from sherloc.errors import UsageError

    try:
        os.lstat(base_dir)
    except FileNotFoundError as error:
        raise UsageError(f"There is no folder {base_dir}.", hint="Check --base-dir.") from error
    except (OSError, ValueError):
        pass


def _tell(talk: Talk, problems: list[Diagnostic]) -> None:
    for problem in problems:
        if problem.severity == "info":
            talk.detail(f"note: {problem.message}")
        else:
            talk.say(problem.message, mark=problem.severity)


@tasks.command("list", short_help="All tasks, newest first.")
@click.option("--state", type=click.Choice(("running", "interrupted", "paused", "completed", "failed")))
@_options
@click.pass_context
def list_tasks(
    ctx: click.Context, /, state: str | None, as_json: bool, base_dir: str | None, assignments: tuple[str, ...]
) -> None:
    """List tasks. ``interrupted`` is a running task that no process is at work on."""
    with _catalog(talk_of(ctx), base_dir, assignments) as catalog:
        found = [task for task in catalog.tasks() if state in (None, task.state)]
        if as_json:
            write_json({"base_dir": str(catalog.base_dir), "tasks": [_record(task) for task in found]})
            return
        write_data("\n".join([*map(_line, found), f"{len(found)} {'task' if len(found) == 1 else 'tasks'}"]))


def _record(task: TaskState) -> dict[str, Any]:
    row = task.row
    names = ("uuid", "status", "task_type", "task_identifier", "repository", "user", "created_at", "updated_at",
             "completed_at", "metadata", "total_messages", "total_summaries", "total_tool_calls", "final_token_count",
             "final_message_count", "error_message")  # fmt: skip
    holder = task.holder
    return {
        **{name: getattr(row, name) for name in names},
        "state": task.state,
        "folder": str(task.folder) if task.has_folder else None,
        "holder": holder and {"host": holder.owner.host, "pid": holder.owner.pid, "dead": holder.is_dead},
    }


def _line(task: TaskState) -> str:
    from sherloc.visible import one_line

    row = task.row
    about = one_line(f"{row.task_type} {row.task_identifier} {row.repository} {row.user}")
    return f"{row.uuid}  {task.state:<11}  {row.created_at[:19]}  {about[:80]}".rstrip()


@tasks.command("show", short_help="What a task did.")
@click.argument("uuid")
@click.option("--why", is_flag=True, help="Why nothing was compressed or inherited.")
@_options
@click.pass_context
def show(
    ctx: click.Context, /, uuid: str, why: bool, as_json: bool, base_dir: str | None, assignments: tuple[str, ...]
) -> None:
    """Show a task: its row, what it stored, its final summary."""
    with _catalog(talk_of(ctx), base_dir, assignments) as catalog:
        task = catalog.get(uuid)
        counts, reasons = _counts(task), catalog.why(uuid) if why else []
        if as_json:
            extra: dict[str, Any] = {"stored": counts, "final_summary": task.final_summary}
            write_json({**_record(task), **extra, **({"why": reasons} if why else {})})
            return
        write_data("\n".join(_words(task, counts, reasons)))


_FILES = {
    "messages": "messages.jsonl", "in context": "current.jsonl", "summaries": "summaries.jsonl",
    "tool calls": "tools.jsonl", "plans": "planning.jsonl", "values": "values.jsonl",
}  # fmt: skip


def _counts(task: TaskState) -> dict[str, int]:
    return {name: sum(1 for _ in task.records(file)) for name, file in _FILES.items()}


def _words(task: TaskState, counts: dict[str, int], reasons: list[str]) -> list[str]:
    from sherloc.visible import one_line, visible

    row = task.row
    facts: dict[str, Any] = {
        "task": row.uuid, "state": task.state, "type": row.task_type, "about": row.task_identifier,
        "repository": row.repository, "user": row.user, "created": row.created_at, "ended": row.completed_at,
        "error": row.error_message, "folder": task.folder if task.has_folder else "removed",
    }  # fmt: skip
    if task.holder is not None and not task.holder.is_dead:
        facts["held by"] = f"process {task.holder.owner.pid} on {task.holder.owner.host}"
    lines = [f"{name + ':':<12}{one_line(str(value))}" for name, value in facts.items() if value]
    lines.append(f"{'stored:':<12}{', '.join(f'{count} {name}' for name, count in counts.items())}")
    lines += [f"{'why:':<12}{one_line(reason)}" for reason in reasons]
    if task.final_summary:
        lines += ["", visible(task.final_summary.strip())]
    return lines


@tasks.command("resume", short_help="Make a task ready to go on.")
@click.argument("uuid")
@click.option("--salvage", is_flag=True, help="Set lines of its history that cannot be read aside.")
@_options
@click.pass_context
def resume(
    ctx: click.Context, /, uuid: str, salvage: bool, as_json: bool, base_dir: str | None, assignments: tuple[str, ...]
) -> None:
    """Repair and check a paused or interrupted task and put it where it goes on; the next run of it takes it up."""
    talk = talk_of(ctx)
    with _catalog(talk, base_dir, assignments) as catalog:
        with catalog.resume(uuid, salvage=salvage) as task:
            _tell(talk, task.problems)
            counts = {
                "messages": task.message_store.count_messages(),
                "in context": task.message_store.count_current(),
                "tokens": task.message_store.get_current_token_count(),
            }
            folder = task.context_dir
        if as_json:
            write_json({"uuid": uuid, "folder": str(folder), **counts})
        else:
            said = ", ".join(f"{count} {name}" for name, count in counts.items())
            write_data(f"{uuid} can go on: {said}\n{folder}")


@tasks.command("archive", short_help="Remove tasks that ended long ago.")
@click.option("--older-than", type=click.FloatRange(min=0), default=30.0, show_default=True, metavar="DAYS")
@click.option("--keep-row", is_flag=True, help="Remove folders only; the tasks stay in the list.")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@_options
@click.pass_context
def archive(ctx: click.Context, /, as_json: bool, base_dir: str | None, **options: Any) -> None:
    """Remove completed and failed tasks, folder and row."""
    assignments = options.pop("assignments")
    with _catalog(talk_of(ctx), base_dir, assignments) as catalog:
        gone = catalog.archive(
            older_than_days=options["older_than"], keep_row=options["keep_row"], dry_run=options["dry_run"]
        )
        kept = [problem for problem in catalog.problems if problem.code == "not_archived"]
        _tell(talk_of(ctx), kept)
    verb = "would be removed" if options["dry_run"] else "removed"
    if as_json:
        write_json({"removed": [] if options["dry_run"] else gone, "candidates": gone})
    else:
        write_data("\n".join([*gone, f"{len(gone)} {'task' if len(gone) == 1 else 'tasks'} {verb}"]))
    if kept:
        from sherloc.errors import TaskError

        ctx.exit(TaskError.exit_code)


@tasks.command("vacuum", short_help="Give free room of the database back.")
@_options
@click.pass_context
def vacuum(ctx: click.Context, /, as_json: bool, base_dir: str | None, assignments: tuple[str, ...]) -> None:
    """Make the database as small as what it holds."""
    with _catalog(talk_of(ctx), base_dir, assignments) as catalog:
        before, after = catalog.vacuum()
    if as_json:
        write_json({"bytes_before": before, "bytes_after": after})
    else:
        write_data(f"{before:,} bytes before, {after:,} after")

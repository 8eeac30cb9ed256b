"""What the commands of ``sherloc eval`` share: where instances, runs and verdicts come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sherloc.cli.common import Talk
from sherloc.errors import UsageError

if TYPE_CHECKING:
    from sherloc.evaluation.harness import Source
    from sherloc.evaluation.run_folder import RunInfo
    from sherloc.evaluation.scores import Scored

Command = TypeVar("Command", bound=Callable[..., Any])


def place_options(command: Command) -> Command:
    """--mirrors, --clones and --split."""
    for option in (
        click.option("--split", default="test", show_default=True, help="Of a data set given by name."),
        click.option("--clones", default="", metavar="FOLDER", help="Clone there what no mirror has (network)."),
        click.option("--mirrors", default="", metavar="FOLDER", help="Repositories: OWNER+NAME/repo, OWNER__NAME.git."),
    ):
        command = option(command)
    return command


def choice_options(command: Command) -> Command:
    """--where, --id and --limit."""
    for option in (
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N."),
        click.option("--id", "ids", multiple=True, metavar="ID", help="Only this instance; may be repeated."),
        click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only instances that say so (quick=true)."),
    ):
        command = option(command)
    return command


def score_options(command: Command) -> Command:
    """--data and all that says how runs are scored."""
    for option in (
        click.option("--resolved", multiple=True, metavar="[NAME=]PATH",
                     help="The official harness's report, or its folder of logs."),
        click.option("--format", "form", default="", metavar="NAME", help="Of files; told by their fields otherwise."),
        click.option("--data", default="", metavar="DATA", help="File or name; by default what the first run was on."),
    ):  # fmt: skip
        command = option(command)
    return choice_options(place_options(command))


@dataclass(frozen=True)
class Asked:
    """Where runs are scored; see ``score_options``."""

    data: str
    split: str
    mirrors: str
    clones: str
    where: tuple[str, ...]
    ids: tuple[str, ...]
    limit: int | None
    form: str
    resolved: tuple[str, ...]


def scored_runs(runs: Sequence[str], asked: Asked, talk: Talk) -> tuple[list[Scored], Source]:
    """Read and score runs.

    Args:
        runs: Folders or files, each possibly as ``NAME=PATH``.
        asked: The options.
        talk: Where progress goes.

    Raises:
        SherlocError: Something cannot be read; see ``score_runs``.
    """
    from sherloc.cli.progress import Progress
    from sherloc.evaluation.formats import read_predictions
    from sherloc.evaluation.harness import ids_in_words, score_runs, strays

    places = named(runs)
    source = _source(places, asked)
    instances, repositories = source.instances(), source.repositories()
    predictions = {
        name: read_predictions(path, form=asked.form, instances=instances, repositories=repositories)
        for name, path in places.items()
    }
    with Progress(talk, stage="gold", unit="instances") as progress:
        found = score_runs(predictions, source, resolved=_verdicts(asked.resolved, places), on_progress=progress)
    for run in found:
        stray = strays(run.predictions, instances)
        if stray:
            words = (
                f"{run.name}: {len(stray)} predictions are of no chosen instance and left out: {ids_in_words(stray)}"
            )
            chosen = bool(asked.where or asked.ids or asked.limit)  # then most of a run is left out on purpose
            talk.detail(words) if chosen else talk.say(words, mark="warning")
        _tell(run, talk)
    return found, source


def infos_of(runs: Sequence[str]) -> dict[str, RunInfo]:
    """The configuration of each run that is a folder, by name."""
    from sherloc.evaluation.run_folder import RunFolder

    return {name: RunFolder(path).info() for name, path in named(runs).items() if path.is_dir()}


def named(arguments: Sequence[str]) -> dict[str, Path]:
    """Paths by name; a name that is not given is the folder's, or the file's without its ending.

    Raises:
        UsageError: A path does not exist, or two have the same name.
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        name, equals, rest = argument.partition("=")
        is_named = bool(equals) and not Path(argument).exists()
        path = Path(rest) if is_named else Path(argument)
        if not path.exists():
            raise UsageError(f"{path} does not exist.", hint="Give the folder of a run, or a file of predictions.")
        name = name if is_named else path.resolve().name.split(".")[0]
        if name in found:
            raise UsageError(f"Two runs are called {name!r}.", hint="Name them: base=PATH other=PATH")
        found[name] = path
    return found


def _source(places: Mapping[str, Path], asked: Asked) -> Source:
    from sherloc.evaluation.harness import Source
    from sherloc.evaluation.run_folder import RunFolder

    folders = [path for path in places.values() if path.is_dir()]
    info = RunFolder(folders[0]).info() if folders else None
    given = {"split": asked.split, "mirrors": asked.mirrors, "clones": asked.clones}
    if asked.data:
        if info is not None and not (asked.mirrors or asked.clones):
            given |= {"mirrors": info.mirrors, "clones": info.clones}
        return Source(asked.data, where=asked.where, ids=asked.ids, limit=asked.limit, **given)
    if info is None:
        raise UsageError("The files do not say which data set they are on.", hint="Give it: --data DATA")
    source = Source.of_run(info)
    changes = {name: value for name, value in given.items() if value and name != "split"}
    if asked.where or asked.ids or asked.limit:
        changes |= {"where": source.where + asked.where, "ids": asked.ids or source.ids}  # type: ignore[dict-item]
        changes |= {"limit": asked.limit if asked.limit is not None else source.limit}  # type: ignore[dict-item]
    return replace(source, **changes)  # type: ignore[arg-type]


def _verdicts(resolved: Sequence[str], places: Mapping[str, Path]) -> dict[str, dict[str, bool]]:
    from sherloc.evaluation.resolving import read_resolved

    if not resolved:
        return {}
    if len(resolved) == 1 and len(places) == 1 and Path(resolved[0]).exists():
        return {next(iter(places)): read_resolved(Path(resolved[0]))}
    found = {}
    for argument in resolved:
        name, equals, path = argument.partition("=")
        if not equals or name not in places:
            raise UsageError(f"--resolved {argument} does not say whose report it is.", hint="Give NAME=PATH.")
        found[name] = read_resolved(Path(path))
    return found


def _tell(run: Scored, talk: Talk) -> None:
    said = f"{run.name}: {len(run.instances)} instances with gold"
    for what, ids in (("without", run.without_gold), ("not answered", run.missing), ("failed", run.failed)):
        if ids:
            said += f", {len(ids)} {what}"
    talk.say(said)
    for key in [*run.failed[:5]]:
        talk.detail(f"{key}: {run.predictions[key].error}")

"""From a generator's name to a generator."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from sherloc.errors import GeneratorError, SettingsError, SherlocError
from sherloc.llm import ModelRoles
from sherloc.llm.questions import Asker
from sherloc.protocols import PatchGenerator, PatchRequest
from sherloc.repair.generators.command import CommandGenerator, Scratch
from sherloc.repair.generators.model import ModelGenerator
from sherloc.repair.generators.scripted import ScriptedGenerator, read_replies
from sherloc.settings import Settings

GROUP = "sherloc.generators"
"""Entry points: a name, and a function that makes a ``PatchGenerator`` of ``Settings``."""

_OWN = ("model", "command:PROGRAM ARGUMENTS", "scripted:FILE")


def open_generator(
    spec: str,
    settings: Settings,
    *,
    asker: Asker | None = None,
    scratch: Callable[[PatchRequest], AbstractContextManager[Scratch]] | None = None,
) -> PatchGenerator:
    """The patch generator of a name.

    Names: ``model``, ``command:PROGRAM ARGUMENTS``, ``scripted:FILE`` (JSONL), or one that an installed package
    registers as an entry point of the group ``sherloc.generators``.

    Args:
        spec: The name; from the user, never from a repository.
        settings: For the generator.
        asker: Asks the model; None asks that of the settings.
        scratch: Makes the checkouts that commands run in; None is an empty folder.

    Raises:
        SettingsError: There is no such generator.
        GeneratorError: It cannot be opened.
        ModelError: The model cannot be used.
    """
    kind, colon, rest = spec.partition(":")
    if spec == "model":
        asker = asker or Asker(ModelRoles(settings))
        if not asker.model_name("repair"):
            raise SettingsError("No model writes the patch.", hint="Name one: --model provider:model")
        return ModelGenerator(asker, settings)
    if colon and kind == "command":
        return CommandGenerator(_split(rest), settings, name=spec, scratch=scratch)
    if colon and kind == "scripted":
        return ScriptedGenerator(read_replies(rest), name=spec)
    return _registered(spec, settings)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"The command {command!r} cannot be read: {error}.") from error


def _registered(name: str, settings: Settings) -> PatchGenerator:
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        near = get_close_matches(name, [*found, "model", "command:", "scripted:"], n=1, cutoff=0.6)
        known = ", ".join([*_OWN, *sorted(found)])
        hint = f"Did you mean {near[0]}? " if near else ""
        raise SettingsError(f"There is no patch generator {name!r}.", hint=f"{hint}There are: {known}.")
    return _made(found[name], settings)


def _made(point: EntryPoint, settings: Settings) -> PatchGenerator:
    try:
        made = point.load()(settings)
    except SherlocError:
        raise
    except Exception as error:  # noqa: BLE001 - other people's code may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise GeneratorError(f"The patch generator {point.name} ({point.value}) cannot be opened: {reason}") from error
    if not isinstance(made, PatchGenerator):
        raise GeneratorError(f"What {point.value} makes is no patch generator: it has no name or no propose().")
    return made

"""What turns a brief into a patch proposal: a model, an outside command, a script, or what others register."""

from __future__ import annotations

from sherloc.repair.generators.command import CommandGenerator, Scratch
from sherloc.repair.generators.model import ModelGenerator
from sherloc.repair.generators.opening import open_generator
from sherloc.repair.generators.scripted import ScriptedGenerator
from sherloc.repair.generators.task import agent_task

__all__ = ["CommandGenerator", "ModelGenerator", "Scratch", "ScriptedGenerator", "agent_task", "open_generator"]

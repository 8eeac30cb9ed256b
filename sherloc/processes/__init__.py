"""Outside programs under control: what they see, how long they run, how much they write, and that nothing stays."""

from __future__ import annotations

from sherloc.processes.environment import USUAL, allowed_environment, find_program, why_not_found
from sherloc.processes.folders import held_folder, remove_dead, remove_folder
from sherloc.processes.locks import held_lock
from sherloc.processes.network import can_deny_network
from sherloc.processes.program import Ended, Program

__all__ = [
    "USUAL",
    "Ended",
    "Program",
    "allowed_environment",
    "can_deny_network",
    "find_program",
    "held_folder",
    "held_lock",
    "remove_dead",
    "remove_folder",
    "why_not_found",
]

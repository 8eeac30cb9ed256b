"""Names that a patch uses and the repository does not have."""

from __future__ import annotations

from sherloc.skeleton.names.check import NameCheck, UnknownName, check_names

__all__ = ["NameCheck", "UnknownName", "check_names"]

"""Paths, modules and frames of an issue resolved to files of the repository."""

from __future__ import annotations

from functools import cached_property

from sherloc.indexer.segment import Segment


class PathIndex:
    """Finds files by what an issue calls them."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def by_suffix(self, path: str) -> list[int]:
        """Files that share the longest ending with a path: at least two parts, or a base name found once.

        Args:
            path: As printed in a traceback or written in an issue; it can be of another machine.
        """
        parts = [part for part in path.replace("\\", "/").lower().split("/") if part not in ("", ".", "..")]
        if not parts:
            return []
        best: list[int] = []
        longest = 0
        for number in self._segment.files_by_name.get(parts[-1], ()):
            own = self._segment.paths[number].lower().split("/")
            same = 0
            while same < min(len(own), len(parts)) and own[-1 - same] == parts[-1 - same]:
                same += 1
            if same > longest:
                best, longest = [number], same
            elif same == longest:
                best.append(number)
        return best if longest >= 2 or len(best) == 1 else []

    @cached_property
    def _modules(self) -> dict[str, list[int]]:
        """Dotted module names, with every leading part optional (a source root may stand before the package)."""
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self._segment.paths):
            parts = path.rsplit(".", 1)[0].split("/")
            if parts[-1] in ("__init__", "index", "mod") and len(parts) > 1:
                parts = parts[:-1]
            for start in range(max(0, len(parts) - 6), len(parts)):
                found.setdefault(".".join(parts[start:]), []).append(number)
        return found

    def by_module(self, dotted: str) -> tuple[list[int], int]:
        """Files of the longest module prefix (two parts or more) of a dotted name, and how many parts it has."""
        parts = dotted.replace("::", ".").replace("/", ".").replace("\\", ".").split(".")
        for end in range(len(parts), 1, -1):
            files = self._modules.get(".".join(parts[:end]))
            if files:
                return files, end
        return [], 0

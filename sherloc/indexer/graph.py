"""Calls, imports and inheritance, resolved from names as far as names allow, when asked.

Nothing is computed ahead: a search needs the neighbours of some dozens of snippets, not of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sherloc.indexer.record import REFERENCE_KINDS
from sherloc.indexer.segment import Segment, short_name

_CALL, _IMPORT = REFERENCE_KINDS.index("call"), REFERENCE_KINDS.index("import")
_RAISE, _BASE = REFERENCE_KINDS.index("raise"), REFERENCE_KINDS.index("base")
_SELF = frozenset({"self", "this", "cls", "super", "super()", "Self", "$this", "parent", "static", "base"})
MAX_AMBIGUITY = 4
"""A name defined in more places than this says nothing by itself about which one is meant."""
_MAX_CALLERS = 400


class CodeGraph:
    """Neighbours of units within one segment."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    @cached_property
    def _file_imports(self) -> dict[int, dict[str, tuple[str, str]]]:
        return {}

    def imports_of(self, file: int) -> dict[str, tuple[str, str]]:
        """Local name to (module, name) for all that a file imports."""
        found = self._file_imports.get(file)
        if found is None:
            s, found = self._segment, {}
            first, last = int(s.file_units[file]), int(s.file_units[file + 1])
            for row in range(int(s.arrays["ref_starts"][first]), int(s.arrays["ref_starts"][last])):
                if s.arrays["ref_kind"][row] == _IMPORT:
                    name, prefix, alias = (s.symbols[s.arrays[c][row]] for c in ("ref_name", "ref_prefix", "ref_alias"))
                    found[alias or name] = (prefix, name)
            self._file_imports[file] = found
        return found

    def callees(self, unit: int) -> list[int]:
        """Units that a unit calls, in order of first call; ambiguous names are left out."""
        s = self._segment
        found: dict[int, None] = {}
        for row in s.references_of(unit):
            if s.arrays["ref_kind"][row] in (_CALL, _RAISE):
                name, prefix = s.symbols[s.arrays["ref_name"][row]], s.symbols[s.arrays["ref_prefix"][row]]
                found.update(dict.fromkeys(self.resolve(unit, prefix, name)))
        found.pop(unit, None)
        return list(found)

    def resolve(self, unit: int, prefix: str, name: str) -> list[int]:
        """Definitions that ``prefix.name`` in a unit can mean, most likely ones only."""
        s = self._segment
        named = s.units_named(name)
        if not named:
            return []
        file = int(s.unit_file[unit])
        head = prefix.split(".", 1)[0].split("::", 1)[0]
        if head in _SELF and prefix in _SELF:
            return self._own_member(unit, name) or (named if len(named) <= MAX_AMBIGUITY else [])
        local = [n for n in named if int(s.unit_file[n]) == file and (prefix or s.kind(n) != "method")]
        if not prefix and local:
            return local
        imported = self.imports_of(file).get(head or name)
        if imported:
            module = "/".join(part for part in (imported[0], imported[1]) if part).replace(".", "/").replace("::", "/")
            near = [n for n in named if _path_agrees(s.paths[int(s.unit_file[n])], module)]
            if near:
                return near[:MAX_AMBIGUITY]
        return named if len(named) <= MAX_AMBIGUITY else local

    def _own_member(self, unit: int, name: str) -> list[int]:
        """The member of the unit's class or of its bases."""
        s = self._segment
        owner = self.class_of(unit)
        seen: set[int] = set()
        ring = [owner] if owner >= 0 else []
        while ring and len(seen) < 64:
            found = [n for n in s.units_named(name) if s.parent(n) in ring]
            if found:
                return found
            seen.update(ring)
            ring = [base for one in ring for base in self.bases(one) if base not in seen]
        return []

    def class_of(self, unit: int) -> int:
        """The class around a unit, or -1."""
        s = self._segment
        unit = s.parent(unit)
        while unit >= 0 and s.kind(unit) != "class":
            unit = s.parent(unit)
        return unit

    def bases(self, unit: int) -> list[int]:
        """Classes that a class names as its bases."""
        s = self._segment
        found: dict[int, None] = {}
        for row in s.references_of(unit):
            if s.arrays["ref_kind"][row] == _BASE:
                name, prefix = s.symbols[s.arrays["ref_name"][row]], s.symbols[s.arrays["ref_prefix"][row]]
                found.update(dict.fromkeys(n for n in self.resolve(unit, prefix, name) if s.kind(n) == "class"))
        found.pop(unit, None)
        return list(found)

    def subclasses(self, unit: int) -> list[int]:
        """Classes that name a class as their base."""
        s = self._segment
        users = self._users(unit, _BASE)
        return [user for user in users if s.kind(user) == "class" and unit in self.bases(user)]

    def callers(self, unit: int) -> list[int]:
        """Units that call a unit, nearest file first; for a name defined too often only certain ones."""
        return [user for user in self._users(unit, _CALL) if unit in self.callees(user)]

    def _users(self, unit: int, kind: int) -> list[int]:
        s = self._segment
        name = short_name(s.qualified_names[unit])
        rows = s.references_to(name)[:_MAX_CALLERS]
        users = dict.fromkeys(int(s.arrays["ref_unit"][row]) for row in rows if s.arrays["ref_kind"][row] == kind)
        users.pop(unit, None)
        file = int(s.unit_file[unit])
        return sorted(users, key=lambda user: (int(s.unit_file[user]) != file, user))

    def overrides(self, unit: int) -> list[int]:
        """Methods of the same name in base classes and subclasses."""
        s = self._segment
        owner = self.class_of(unit)
        if owner < 0:
            return []
        related = {*self.bases(owner), *self.subclasses(owner)}
        return [n for n in s.units_named(short_name(s.qualified_names[unit])) if s.parent(n) in related]


def _path_agrees(path: str, module: str) -> bool:
    """Whether a file can be what a module path names: their ends agree, part by part."""
    stem = path.rsplit(".", 1)[0].split("/")
    if stem[-1] in ("__init__", "index", "mod"):
        stem = stem[:-1]
    wanted = [part for part in module.split("/") if part not in ("", ".", "..", "crate", "self", "super")]
    return any(
        bool(wanted[:end]) and stem[-end:] == wanted[:end][-len(stem) :] for end in range(len(wanted), 0, -1)
    ) or (bool(wanted) and stem[-1:] == wanted[-1:])


def relations(graph: CodeGraph, units: Sequence[int]) -> list[tuple[int, int, str]]:
    """Relations among units, as positions in ``units``: (caller, callee, "call") and (subclass, base, "inherit")."""
    positions = {unit: at for at, unit in enumerate(units)}
    found: dict[tuple[int, int, str], None] = {}
    for unit, at in positions.items():
        for kind, others in (("call", graph.callees(unit)), ("inherit", graph.bases(unit))):
            found.update({(at, positions[o], kind): None for o in others if o in positions})
    return sorted(found)

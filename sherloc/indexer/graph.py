"""Calls, imports and inheritance, resolved from names as far as names allow, when asked.

Nothing is computed ahead: a search needs the neighbours of some dozens of snippets, not of all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from sherloc.indexer.record import KINDS, REFERENCE_KINDS
from sherloc.indexer.segment import Segment

_CALL, _IMPORT = REFERENCE_KINDS.index("call"), REFERENCE_KINDS.index("import")
_RAISE, _BASE = REFERENCE_KINDS.index("raise"), REFERENCE_KINDS.index("base")
_CLASS, _METHOD = KINDS.index("class"), KINDS.index("method")
_SELF = frozenset({"self", "this", "cls", "super", "super()", "Self", "$this", "parent", "static", "base"})
_HERE = frozenset({"", ".", "..", "crate", "self", "super"})
MAX_AMBIGUITY = 4
"""A name defined in more places than this says nothing by itself about which one is meant."""
_MAX_USERS = 200
_MAX_ANCESTORS = 64


class CodeGraph:
    """Neighbours of units within one segment; answers are kept."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._imports: dict[int, dict[str, tuple[str, str]]] = {}
        self._callees: dict[int, list[int]] = {}

    @cached_property
    def _file(self) -> list[int]:
        files: list[int] = self._segment.unit_file.tolist()
        return files

    @cached_property
    def _kind(self) -> list[int]:
        kinds: list[int] = self._segment.arrays["kind"].tolist()
        return kinds

    @cached_property
    def _parent(self) -> list[int]:
        parents: list[int] = self._segment.arrays["parent"].tolist()
        return parents

    def _references(self, first_unit: int, end_unit: int) -> Iterator[tuple[int, int, int, int]]:
        """(kind, name, prefix, alias) of the references of a run of units, the last three as symbol numbers."""
        arrays = self._segment.arrays
        rows = slice(int(arrays["ref_starts"][first_unit]), int(arrays["ref_starts"][end_unit]))
        columns = (arrays[name][rows].tolist() for name in ("ref_kind", "ref_name", "ref_prefix", "ref_alias"))
        return zip(*columns, strict=True)

    def imports_of(self, file: int) -> dict[str, tuple[str, str]]:
        """Local name to (module, name) for all that a file imports; Python's ``__future__`` names no file."""
        found = self._imports.get(file)
        if found is None:
            symbols = self._segment.symbols
            first, end = (int(unit) for unit in self._segment.file_units[file : file + 2])
            found = {
                symbols[alias] or symbols[name]: (symbols[prefix], symbols[name])
                for kind, name, prefix, alias in self._references(first, end)
                if kind == _IMPORT and symbols[prefix] != "__future__"
            }
            self._imports[file] = found
        return found

    def callees(self, unit: int) -> list[int]:
        """Units that a unit calls, in order of first call; ambiguous names are left out."""
        found = self._callees.get(unit)
        if found is None:
            symbols = self._segment.symbols
            seen: dict[int, None] = {}
            for name, prefix in dict.fromkeys(
                (name, prefix) for kind, name, prefix, _ in self._references(unit, unit + 1) if kind in (_CALL, _RAISE)
            ):
                seen.update(dict.fromkeys(self.resolve(unit, symbols[prefix], symbols[name])))
            seen.pop(unit, None)
            found = self._callees[unit] = list(seen)
        return found

    def resolve(self, unit: int, prefix: str, name: str) -> list[int]:
        """Definitions that ``prefix.name`` in a unit can mean, most likely ones only."""
        named = self._segment.units_named(name)
        if not named:
            return []
        certain = named if len(named) <= MAX_AMBIGUITY else []
        if prefix in _SELF:
            return self._own_member(unit, name) or certain
        file = self._file[unit]
        local = [n for n in self._in_file(named, file) if prefix or self._kind[n] != _METHOD]
        if not prefix and local:
            return local
        imported = self.imports_of(file).get(prefix.split(".", 1)[0].split("::", 1)[0] or name)
        if imported:
            module = "/".join(part for part in imported if part).replace(".", "/").replace("::", "/")
            near = [n for n in named if path_agrees(self._segment.paths[self._file[n]], module)]
            if near:
                return near[:MAX_AMBIGUITY]
        return certain or local

    def _in_file(self, units: Sequence[int], file: int) -> Sequence[int]:
        """Those of some ascending units that stand in a file."""
        first, end = (int(unit) for unit in self._segment.file_units[file : file + 2])
        return units[bisect_left(units, first) : bisect_left(units, end)]

    def _own_member(self, unit: int, name: str) -> list[int]:
        """The member of the unit's class or of its nearest bases that have one."""
        owner = self.class_of(unit)
        seen: set[int] = set()
        ring = [owner] if owner >= 0 else []
        while ring and len(seen) < _MAX_ANCESTORS:
            found = [n for n in self._segment.units_named(name) if self._parent[n] in ring]
            if found:
                return found
            seen.update(ring)
            ring = [base for one in ring for base in self.bases(one) if base not in seen]
        return []

    def class_of(self, unit: int) -> int:
        """The class around a unit, or -1."""
        unit = self._parent[unit]
        while unit >= 0 and self._kind[unit] != _CLASS:
            unit = self._parent[unit]
        return unit

    def bases(self, unit: int) -> list[int]:
        """Classes that a class names as its bases."""
        symbols = self._segment.symbols
        found: dict[int, None] = {}
        for kind, name, prefix, _ in self._references(unit, unit + 1):
            if kind == _BASE:
                meant = self.resolve(unit, symbols[prefix], symbols[name])
                found.update(dict.fromkeys(n for n in meant if self._kind[n] == _CLASS))
        found.pop(unit, None)
        return list(found)

    def subclasses(self, unit: int) -> list[int]:
        """Classes that name a class as their base."""
        return [user for user in self._users(unit, _BASE) if self._kind[user] == _CLASS and unit in self.bases(user)]

    def callers(self, unit: int) -> list[int]:
        """Units that call a unit: those of its own file first, then of files that import it; unlikely ones left out."""
        found = [user for user in self._users(unit, _CALL) if self._calls(user, unit)]
        file = self._file[unit]
        return sorted(found, key=lambda user: (self._file[user] != file, not self.imports_file(self._file[user], file)))

    def _calls(self, user: int, unit: int) -> bool:
        """Whether a unit is among another's callees; of what that one calls only the unit's name is resolved."""
        known = self._callees.get(user)
        if known is not None:
            return unit in known
        symbols, short = self._segment.symbols, self._segment.short_names[unit]
        prefixes = {
            prefix
            for kind, name, prefix, _ in self._references(user, user + 1)
            if kind in (_CALL, _RAISE) and symbols[name] == short
        }
        return user != unit and any(unit in self.resolve(user, symbols[prefix], short) for prefix in prefixes)

    def imports_file(self, importer: int, file: int) -> bool:
        """Whether one of a file's imports can mean another file."""
        path = self._segment.paths[file]
        modules = ("/".join(part for part in names if part) for names in self.imports_of(importer).values())
        return any(path_agrees(path, module.replace(".", "/").replace("::", "/")) for module in modules)

    def imported_files(self, file: int) -> list[int]:
        """Files that the imports of a file can mean, in order of path; where many can be meant, none."""
        found: set[int] = set()
        for names in self.imports_of(file).values():
            module = "/".join(part for part in names if part).replace(".", "/").replace("::", "/").replace("\\", "/")
            meant: set[int] = set()
            # The deepest part that is a file: of a.b.c the module b, not the package a.
            for part in reversed(module.split("/")):
                candidates = self._by_stem.get(part, ())
                meant = {other for other in candidates if path_agrees(self._segment.paths[other], module)}
                if meant:
                    break
            if len(meant) > MAX_AMBIGUITY:
                near = self._segment.paths[file].split("/")[0] + "/"
                meant = {other for other in meant if self._segment.paths[other].startswith(near)}
            if len(meant) <= MAX_AMBIGUITY:
                found |= meant
        return sorted(found - {file})

    def importing_files(self, file: int) -> list[int]:
        """Files whose imports name a definition of a file, or the file itself, in order of path."""
        segment = self._segment
        names = {segment.short_names[unit] for unit in segment.units_of_file(file)} | {_stem(segment.paths[file])}
        users: set[int] = set()
        for name in sorted(names - {""}):
            rows = segment.references_to(name)
            rows = rows[segment.arrays["ref_kind"][rows] == _IMPORT]
            users.update(self._file[unit] for unit in segment.arrays["ref_unit"][rows].tolist())
        return [user for user in sorted(users - {file}) if self.imports_file(user, file)]

    @cached_property
    def _by_stem(self) -> dict[str, list[int]]:
        """Files by the last part of what an import calls them."""
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self._segment.paths):
            found.setdefault(_stem(path), []).append(number)
        return found

    def _users(self, unit: int, kind: int) -> list[int]:
        arrays = self._segment.arrays
        rows = self._segment.references_to(self._segment.short_names[unit])
        rows = rows[arrays["ref_kind"][rows] == kind][:_MAX_USERS]
        users = dict.fromkeys(arrays["ref_unit"][rows].tolist())
        users.pop(unit, None)
        file = self._file[unit]
        return sorted(users, key=lambda user: (self._file[user] != file, user))

    def overrides(self, unit: int) -> list[int]:
        """Methods of the same name in base classes and subclasses."""
        owner = self.class_of(unit)
        if owner < 0:
            return []
        related = {*self.bases(owner), *self.subclasses(owner)}
        return [n for n in self._segment.units_named(self._segment.short_names[unit]) if self._parent[n] in related]


def _stem(path: str) -> str:
    """The last part of what an import calls a file; of a package's own file the package."""
    parts = path.rsplit(".", 1)[0].split("/")
    return parts[-2] if parts[-1] in ("__init__", "index", "mod") and len(parts) > 1 else parts[-1]


def path_agrees(path: str, module: str) -> bool:
    """Whether a file can be what an import names.

    Args:
        path: ``pkg/sub/mod.py``; the file of a package stands for the package.
        module: Parts with slashes: ``pkg/sub/mod/name``, ``../mod``; what comes after the module may be there.

    >>> path_agrees("src/pkg/sub/mod.py", "pkg/sub/mod/name"), path_agrees("pkg/other.py", "pkg/sub")
    (True, False)
    """
    stem = path.rsplit(".", 1)[0].split("/")
    if stem[-1] in ("__init__", "index", "mod"):
        stem = stem[:-1]
    wanted = [part for part in module.split("/") if part not in _HERE]
    if not stem or not wanted:
        return False
    last = stem[-1]
    for end, part in enumerate(wanted, 1):
        if part == last and stem[-end:] == wanted[max(0, end - len(stem)) : end]:
            return True
    return wanted[-1] == last


def relations(graph: CodeGraph, units: Sequence[int]) -> list[tuple[int, int, str]]:
    """Relations among units, as positions in ``units``: (caller, callee, "call") and (subclass, base, "inherit")."""
    positions = {unit: at for at, unit in enumerate(units)}
    found: dict[tuple[int, int, str], None] = {}
    for unit, at in positions.items():
        for kind, others in (("call", graph.callees(unit)), ("inherit", graph.bases(unit))):
            found.update({(at, positions[o], kind): None for o in others if o in positions})
    return sorted(found)

"""The Python modules of a repository: what each has, what its classes have, and what its functions take."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sherloc.skeleton.names.check import UNPARSABLE
from sherloc.skeleton.names.signatures import PLAIN_DECORATORS, names_of
from sherloc.skeleton.names.standard_library import class_members

_DEPTH = 8
_OPEN = frozenset({"__getattr__", "__getattribute__", "__slots__"})
_MAKERS = frozenset({"globals", "setattr", "vars", "exec"})
_DYNAMIC = re.compile(r"\b(?:setattr|globals|vars|exec|__dict__)\b")


@dataclass(frozen=True)
class Class:
    """A class statement; ``module`` is where its bases are looked up."""

    name: str
    node: ast.ClassDef
    module: Module


class Module:
    """One file.

    Args:
        path: Its path.
        tree: Its syntax tree.

    Attributes:
        imports: Local name to (module, name); the name is empty for a whole module.
        stars: Modules all of whose names are imported.
        rebound: Names that are bound more than once, so that none of the meanings is certain.
    """

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.tree = tree
        self.package = _package(path)
        self.imports: dict[str, tuple[str, str]] = {}
        self.stars: list[str] = []
        self.top: dict[str, ast.stmt | None] = {}
        self.rebound: set[str] = set()
        for node in ast.walk(tree):
            self._note_import(node)
        for statement in _level(tree.body):
            for name in _bound_by(statement):
                if name in self.top:
                    self.rebound.add(name)
                self.top[name] = statement
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                self.rebound.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.rebound.add(node.id)

    def _note_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.imports[alias.asname] = (alias.name, "")
                else:
                    top = alias.name.partition(".")[0]
                    self.imports[top] = (top, "")
        elif isinstance(node, ast.ImportFrom):
            module = self.absolute(node)
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(module)
                else:
                    self.imports[alias.asname or alias.name] = (module, alias.name)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that an import names, from the root."""
        if not node.level:
            return node.module or ""
        parts = self.package.split(".") if self.package else []
        kept = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
        return ".".join([*kept, *([node.module] if node.module else [])])


def _package(path: str) -> str:
    return ".".join(path.rsplit("/", 1)[0].split("/")) if "/" in path else ""


class Modules:
    """All modules of a repository, parsed when they are asked for.

    Args:
        paths: All Python files.
        sources: Path to text.
        patched: Path to text of the files with the patch; these count.
    """

    def __init__(self, paths: Sequence[str], sources: Mapping[str, str], patched: Mapping[str, str]) -> None:
        self._sources, self._patched = sources, patched
        self._paths: dict[str, str] = {}
        everything = sorted({*paths, *patched})
        self._everything = everything
        roots = {""}
        packages = {path.rpartition("/")[0] for path in everything if path.endswith("/__init__.py")}
        roots |= {folder.rpartition("/")[0] for folder in packages if folder.rpartition("/")[0] not in packages}
        roots |= {root for root in ("src", "lib") if any(path.startswith(f"{root}/") for path in everything)}
        for path in everything:
            name = path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__")
            for root in roots:
                if not root:
                    self._paths.setdefault(name.replace("/", "."), path)
                elif name.startswith(root + "/"):
                    self._paths.setdefault(name[len(root) + 1 :].replace("/", "."), path)
        self._folders = {name.rpartition(".")[0] for name in self._paths}
        self._parsed: dict[str, Module | None] = {}
        self._names: dict[str, frozenset[str] | None] = {}
        self._subclasses: dict[str, set[str]] = {}

    def has(self, name: str) -> bool:
        """Whether a dotted name is a module or package of the repository."""
        return name in self._paths or name in self._folders

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; None when it is none, or cannot be parsed."""
        path = self._paths.get(name)
        if path is None:
            return None
        if path not in self._parsed:
            text = self._patched.get(path, self._sources.get(path))
            self._parsed[path] = _parse(path, text) if text is not None else None
        return self._parsed[path]

    def names_of(self, name: str, depth: int = 0) -> frozenset[str] | None:
        """What a module has; None when that cannot be known."""
        if name in self._names:
            return self._names[name]
        module = self.module(name)
        found: frozenset[str] | None = None
        if module is not None and depth < _DEPTH and not _is_dynamic(module):
            names: set[str] | None = set(module.top) | set(module.imports) | {"__all__"}
            for star in module.stars:
                more = self.names_of(star, depth + 1)
                if more is None or names is None:
                    names = None
                else:
                    names |= more
            found = frozenset(names) if names is not None else None
        self._names[name] = found
        return found

    def module_meant(self, module: Module, dotted: str) -> str:
        """The repository's module that a dotted name means in a file, or empty."""
        if not dotted:
            return ""
        root, _, rest = dotted.partition(".")
        if root not in module.imports or root in module.rebound:
            return ""
        source, name = module.imports[root]
        full = ".".join(part for part in (source, name, rest) if part)
        return full if self.has(full) else ""

    def find(self, module: Module, name: str, depth: int = 0) -> tuple[Module, ast.stmt] | None:
        """The one statement that defines a name in a module, through imports; None when it is not certain."""
        statement = module.top.get(name)
        if statement is not None and not isinstance(statement, (ast.Import, ast.ImportFrom)):
            definite = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            return (module, statement) if definite and name not in module.rebound else None
        if name in module.imports and depth < _DEPTH and name not in module.rebound:
            source, original = module.imports[name]
            target = self.module(source)
            if target is not None and original:
                return self.find(target, original, depth + 1)
        return None

    def _bases(self, owner: Class, depth: int = 0) -> list[Class | frozenset[str]] | None:
        """A class and all that it inherits from, nearest first; None when some base is unknown."""
        if depth > _DEPTH:
            return None
        found: list[Class | frozenset[str]] = [owner]
        if any(keyword.arg == "metaclass" for keyword in owner.node.keywords):
            return None
        for base in owner.node.bases:
            if not isinstance(base, ast.Name):
                return None
            known = self.find(owner.module, base.id)
            if known is not None and isinstance(known[1], ast.ClassDef):
                above = self._bases(Class(base.id, known[1], known[0]), depth + 1)
                if above is None:
                    return None
                found += above
            elif base.id not in owner.module.top and base.id not in owner.module.imports:
                members = class_members(base.id)
                if members is None:
                    return None
                found.append(members)
            else:
                return None
        return found

    def members_of(self, owner: Class) -> frozenset[str] | None:
        """All attributes of a class's instances; None when that cannot be known."""
        bases = self._bases(owner)
        if bases is None:
            return None
        found: set[str] = set(dir(object)) | {"__dict__", "__class__"}
        for base in bases:
            if isinstance(base, frozenset):
                found |= base
                continue
            own = set(_members(base.node))
            if own & _OPEN or base.node.decorator_list or _DYNAMIC.search(ast.unparse(base.node)):
                return None
            found |= own
        return frozenset(found)

    def is_set_elsewhere(self, owner: Class, name: str) -> bool:
        """Whether a subclass, or code that handles the class, may have or set a member of that name."""
        word = re.escape(name)
        set_there = rf"^[ \t]+(?:async\s+)?def\s+{word}\b|\.{word}\s*(?::[^=\n]+)?=(?!=)|^[ \t]+{word}\s*[:=]"
        pattern = re.compile(set_there, re.MULTILINE)
        texts = (self._patched.get(path) or self._sources.get(path) or "" for path in self._users_of(owner.name))
        return any(pattern.search(text) for text in texts)

    def _users_of(self, name: str) -> set[str]:
        """Files that mention a class, and those that mention its subclasses."""
        if name not in self._subclasses:
            wanted, seen, files = [name], set[str](), set[str]()
            while wanted and len(seen) < 64:
                current = wanted.pop()
                seen.add(current)
                heading = re.compile(rf"class\s+(\w+)\s*\([^)]*\b{re.escape(current)}\b")
                for path in self._everything:
                    text = self._patched.get(path) or self._sources.get(path) or ""
                    if current in text:
                        subclasses = [each for each in heading.findall(text) if each not in seen]
                        if subclasses or current == name:
                            files.add(path)
                        wanted += subclasses
            self._subclasses[name] = files
        return self._subclasses[name]

    def method_parameters(self, owner: Class, name: str) -> frozenset[str] | None:
        """What a method takes by name; None when it cannot be known or takes anything."""
        bases = self._bases(owner)
        if bases is None:
            return None
        for base in bases:
            if isinstance(base, frozenset):
                if name in base:
                    return None
                continue
            found = [node for node in _level(base.node.body) if name in _bound_by(node)]
            if found:
                return _parameters(found[0], skip_first=True) if len(found) == 1 else None
        return None

    def parameters(self, module: Module, name: str) -> frozenset[str] | None:
        """What a function or class of a module takes by name; None when it cannot be known or takes anything."""
        found = self.find(module, name)
        if found is None:
            return None
        home, statement = found
        if isinstance(statement, ast.ClassDef):
            if statement.decorator_list:
                return None
            own = Class(name, statement, home)
            bases = self._bases(own)
            classes = [base.node for base in bases or () if not isinstance(base, frozenset)]
            if bases is None or any("__new__" in _members(node) for node in classes):
                return None
            return self.method_parameters(own, "__init__")
        return _parameters(statement, skip_first=False)


def _parse(path: str, text: str) -> Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Module(path, ast.parse(text))
    except UNPARSABLE:
        return None


def _is_dynamic(module: Module) -> bool:
    """Whether a module makes names that its text does not bind."""
    if "__getattr__" in module.top:
        return True
    for statement in module.tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and node.attr == "modules":
                return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
                return True
    return False


def _level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of one scope, also those under ``if``, ``try``, ``with`` and loops."""
    stack = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for field in ("body", "orelse", "finalbody"):
            stack += reversed(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            stack += reversed(handler.body)


def _bound_by(statement: ast.stmt) -> set[str]:
    """Names that a statement binds in its own scope."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names if alias.name != "*"}
    found: set[str] = set()
    for field in ("target", "targets", "items", "value", "test", "iter"):
        part = getattr(statement, field, None)
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, ast.AST):
                found |= {
                    node.id for node in ast.walk(each) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
    return found


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Every name that is bound in some scope of a file."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
            found.add(getattr(node, "name", ""))
    return frozenset(found)


def _members(node: ast.ClassDef) -> set[str]:
    """What a class binds, and what its methods set on their first parameter."""
    found: set[str] = set()
    for statement in _level(node.body):
        found |= _bound_by(statement)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            found.add(inner.attr)
    return found


def _parameters(statement: ast.stmt, *, skip_first: bool) -> frozenset[str] | None:
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    decorators = {ast.unparse(each) for each in statement.decorator_list}
    if decorators - PLAIN_DECORATORS:
        return None
    names = names_of(statement.args)
    first = [argument.arg for argument in statement.args.args[:1]]
    if skip_first and "staticmethod" not in decorators and not statement.args.posonlyargs:
        names -= set(first)
    return names

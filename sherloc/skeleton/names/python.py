"""Python: names resolved through scopes, imports, classes and signatures, as far as they can be known."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence

from sherloc.skeleton.names.check import UNPARSABLE, NameCheck, NameKind, UnknownName, texts_of
from sherloc.skeleton.names.patches import Patched
from sherloc.skeleton.names.python_modules import Class, Module, Modules, bound_names
from sherloc.skeleton.names.signatures import ANYTHING, Signatures
from sherloc.skeleton.names.standard_library import BUILTINS, builtin_members, module_members
from sherloc.skeleton.names.vocabulary import Vocabulary

_TOO_DEEP = "it is nested too deeply"
_NO_MEMBER = "nothing in the repository has a member of that name"


class PythonNames:
    """Checks the Python files of a patch.

    Args:
        paths: All Python files of the repository.
        sources: Path to text, without the patch.
        patched: The files with the patch.

    Attributes:
        signatures: What functions take, by their names alone.
    """

    def __init__(self, paths: Sequence[str], sources: Mapping[str, str], patched: Sequence[Patched]) -> None:
        self._patched = patched
        texts = {file.path: file.text for file in patched if file.fits}
        self._modules = Modules(paths, sources, texts)
        every = texts_of(paths, sources)
        self._known = Vocabulary(every, python=True)
        self.signatures = Signatures([*every, *texts.values()], every)
        self._unknown: list[UnknownName] = []
        self._skipped: list[tuple[str, str]] = []
        self._checked = 0

    def check(self) -> NameCheck:
        """Look at every use on an added line."""
        trees: list[tuple[Patched, ast.Module]] = []
        for file in self._patched:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    trees.append((file, ast.parse(file.text)))
            except UNPARSABLE as error:
                words = getattr(error, "msg", error) if isinstance(error, (SyntaxError, ValueError)) else _TOO_DEEP
                whose = "it is" if file.fits else "its added lines alone are"
                self._skipped.append((file.path, f"{whose} no Python that can be parsed: {words}"))
        own = set[str]()
        for file, tree in trees:
            own |= _introduced(tree, file.added)
        for file, tree in trees:
            try:
                _File(self, file, tree, own).check()
            except (RecursionError, MemoryError):
                self._skipped.append((file.path, f"it is no Python that can be parsed: {_TOO_DEEP}"))
        return NameCheck(tuple(self._unknown), self._checked, tuple(self._skipped))

    def modules(self) -> Modules:
        """The repository's modules, with the patch."""
        return self._modules

    def looked_at(self) -> None:
        """Count a use."""
        self._checked += 1

    def is_member(self, name: str) -> bool:
        """Whether anything in the repository or the language has a member of that name."""
        return name in builtin_members() or self._known.has_member(name)

    def is_keyword(self, name: str) -> bool:
        """Whether anything in the repository takes an argument of that name."""
        return self._known.has_keyword(name)

    def report(self, file: Patched, line: int, kind: NameKind, name: str, reason: str) -> None:
        """Add an unknown name."""
        self._unknown.append(UnknownName(file.path, line, kind, name, reason))


def _introduced(tree: ast.Module, added: frozenset[int]) -> set[str]:
    """Names that added lines define, assign, or take as parameters."""
    found: set[str] = set()
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if line not in added:
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Store):
            found.add(node.attr if isinstance(node, ast.Attribute) else node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            found.add(node.value)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).rpartition(".")[2])
    return found


class _File:
    """One file of the patch."""

    def __init__(self, names: PythonNames, file: Patched, tree: ast.Module, own: set[str]) -> None:
        self._names = names
        self._file = file
        self._tree = tree
        self._own = own
        self._module = Module(file.path, tree)
        self._modules = names.modules()
        self._bound = bound_names(tree)
        self._imported: set[str] = set()
        for name in {module for module, _ in self._module.imports.values()}:
            self._imported |= module_members(name)
        self._calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}

    def check(self) -> None:
        """Look at every use on an added line."""
        for node, owner in _with_class(self._tree, self._module):
            line = getattr(node, "end_lineno", 0) if isinstance(node, ast.Attribute) else getattr(node, "lineno", 0)
            if line not in self._file.added:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._name(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._attribute(node, owner, line)
            elif isinstance(node, ast.ImportFrom):
                self._import(node)
            if isinstance(node, ast.Call):
                self._keywords(node, owner)

    def _report(self, line: int, kind: NameKind, name: str, reason: str) -> None:
        self._names.report(self._file, line, kind, name, reason)

    def _kind(self, node: ast.expr, otherwise: NameKind) -> NameKind:
        return "call" if id(node) in self._calls else otherwise

    def _name(self, node: ast.Name) -> None:
        self._names.looked_at()
        if not self._file.fits or node.id in self._bound or node.id in BUILTINS:
            return
        for star in self._module.stars:
            names = self._modules.names_of(star)
            if names is None or node.id in names:
                return
        self._report(node.lineno, self._kind(node, "name"), node.id, "the file neither binds nor imports it")

    def _import(self, node: ast.ImportFrom) -> None:
        if not self._file.fits:
            return
        module = self._module.absolute(node)
        names = self._modules.names_of(module)
        if names is None:
            return
        for alias in node.names:
            self._names.looked_at()
            if alias.name != "*" and alias.name not in names and not self._modules.has(f"{module}.{alias.name}"):
                self._report(node.lineno, "import", alias.name, f"the module {module} has no such name")

    def _attribute(self, node: ast.Attribute, owner: Class | None, line: int) -> None:
        self._names.looked_at()
        name = node.attr
        if name.startswith("__") and name.endswith("__"):
            return
        kind = self._kind(node, "attribute")
        dotted = _dotted(node.value)
        if dotted in ("self", "cls") and owner is not None:
            known = self._modules.members_of(owner)
            if known is not None:
                if name not in known and not self._modules.is_set_elsewhere(owner, name):
                    self._report(line, kind, name, f"neither the class {owner.name} nor its bases have it")
                return
        module = self._modules.module_meant(self._module, dotted)
        if module:
            names = self._modules.names_of(module)
            if names is not None:
                if name not in names and not self._modules.has(f"{module}.{name}"):
                    self._report(line, kind, name, f"the module {module} has no such name")
                return
        standard = module_members(self._module.imports.get(dotted, ("", ""))[0])
        if not standard and self._is_foreign(node.value):
            return
        if name in self._own or name in self._imported or self._names.is_member(name):
            return
        reason = f"the standard module {dotted} has no such name" if standard else _NO_MEMBER
        self._report(line, kind, name, reason)

    def _is_foreign(self, node: ast.expr) -> bool:
        """Whether an expression begins with what comes from a package that is not of the repository."""
        while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
            node = node.func if isinstance(node, ast.Call) else node.value
        root = node.id if isinstance(node, ast.Name) else ""
        if root not in self._module.imports:
            return False
        module, name = self._module.imports[root]
        return not self._modules.has(module) and not self._modules.has(f"{module}.{name}")

    def _keywords(self, call: ast.Call, owner: Class | None) -> None:
        for keyword in call.keywords:
            name = keyword.arg
            line = keyword.value.lineno if keyword.lineno not in self._file.added else keyword.lineno
            if name is None or line not in self._file.added:
                continue
            self._names.looked_at()
            accepted = self._accepted(call.func, owner) if self._file.fits else None
            if accepted is None and self._is_known_only_by_name(call.func, name):
                accepted = self._names.signatures.of(call.func.attr) if isinstance(call.func, ast.Attribute) else None
            if accepted is not None:
                if name not in accepted and ANYTHING not in accepted:
                    words = f"{ast.unparse(call.func)[:80]} takes no argument of that name"
                    self._report(line, "keyword", name, words)
            elif not (
                name in self._own or "__" in name or self._names.is_keyword(name)
                or self._is_foreign(call.func) or self._is_standard(call.func)
            ):  # fmt: skip
                self._report(line, "keyword", name, "nothing in the repository takes an argument of that name")

    def _is_known_only_by_name(self, callee: ast.expr, keyword: str) -> bool:
        """Whether what is called must be one of the repository's functions of that name."""
        return (
            isinstance(callee, ast.Attribute)
            and not self._is_foreign(callee)
            and not self._is_standard(callee)
            and not self._names.signatures.is_called_with(callee.attr, keyword)
        )

    def _is_standard(self, callee: ast.expr) -> bool:
        """Whether what is called can be of the standard library, whose arguments are not looked up."""
        name = callee.attr if isinstance(callee, ast.Attribute) else _dotted(callee)
        return name in BUILTINS or name in builtin_members() or name in self._imported

    def _accepted(self, callee: ast.expr, owner: Class | None) -> frozenset[str] | None:
        """The names that a callee takes, or None when that cannot be known."""
        dotted = _dotted(callee)
        root, _, rest = dotted.partition(".")
        if root in ("self", "cls") and owner is not None and rest and "." not in rest:
            return self._modules.method_parameters(owner, rest)
        if "." not in dotted and dotted:
            if dotted in self._module.rebound:
                return None
            return self._modules.parameters(self._module, dotted)
        module = self._modules.module_meant(self._module, dotted.rpartition(".")[0])
        meant = self._modules.module(module) if module else None
        return self._modules.parameters(meant, dotted.rpartition(".")[2]) if meant is not None else None


def _dotted(node: ast.expr) -> str:
    """``a.b.c`` of an expression that is nothing but names; empty for others."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _with_class(tree: ast.Module, module: Module) -> Iterator[tuple[ast.AST, Class | None]]:
    """Every node with the class whose method it stands in, if its first parameter is the usual one."""
    stack: list[tuple[ast.AST, Class | None, Class | None]] = [(tree, None, None)]
    while stack:
        node, around, owner = stack.pop()
        yield node, owner
        if isinstance(node, ast.ClassDef):
            around, owner = Class(node.name, node, module), None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = (node.args.posonlyargs + node.args.args)[:1]
            if around is not None and first and first[0].arg in ("self", "cls"):
                owner, around = around, None
            elif around is not None:
                owner, around = None, None
            elif first and first[0].arg in ("self", "cls"):
                owner = None  # a function that becomes the method of who knows what
        stack += [(child, around, owner) for child in ast.iter_child_nodes(node)]

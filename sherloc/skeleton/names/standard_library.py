"""The names of Python's built-in types and of standard modules that a file imports."""

from __future__ import annotations

import builtins
import importlib
import sys
from functools import cache
from types import ModuleType

# Importing these prints, opens a browser or a window, or changes the process.
_NEVER = frozenset("antigravity this idlelib turtle turtledemo tkinter test __main__ pty lib2to3".split())
_ALWAYS = (
    "collections", "datetime", "decimal", "enum", "fractions", "functools", "inspect", "io", "itertools", "os",
    "pathlib", "re", "types", "typing",
)  # fmt: skip

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__package__", "__spec__",
                                       "__class__", "__qualname__", "__module__", "unicode", "basestring",
                                       "long", "xrange", "reduce", "reveal_type", "__builtins__"}  # fmt: skip


@cache
def builtin_members() -> frozenset[str]:
    """Attributes of built-in types and of what most files use."""
    found: set[str] = set()
    for name in dir(builtins):
        found.update(dir(getattr(builtins, name)))
    for value in (lambda: 0, (0 for _ in ()), sys, compile("0", "", "eval")):
        found.update(dir(value))
    for name in _ALWAYS:
        found |= module_members(name)
    return frozenset(found)


@cache
def module_members(name: str) -> frozenset[str]:
    """Names of a standard module and of its classes; none for other modules and for those that must not be run."""
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names or top in _NEVER or "__main__" in name:
        return frozenset()
    try:
        module = importlib.import_module(name)
    except Exception:  # noqa: BLE001 - a module that cannot be had here has no names
        return frozenset()
    found = set(dir(module))
    for value in list(vars(module).values()):
        if isinstance(value, (type, ModuleType)):
            found.update(dir(value))
    return frozenset(found)


def class_members(name: str) -> frozenset[str] | None:
    """Attributes of a built-in class, or None if it is none."""
    value = getattr(builtins, name, None)
    return frozenset(dir(value)) if isinstance(value, type) else None

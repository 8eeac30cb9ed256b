"""Decorators, properties, nested functions, redefinitions in branches."""

from outlines.sample import Sample

_SOURCE = '''\
#!/usr/bin/env python
"""Orders and what is owed.

More about it.
"""
import os.path, json as j
from ..core import Base as Root, tools
from typing import (
    Generic,  # a comment, with a comma
    overload,
)

try:
    import fast
except ImportError:
    def fast(x): return x


# Not of the class: a blank line is between.

# How orders are kept.
# In memory only.
@register("orders", eager=True)
class Orders(Root, tools.Mixin[int], metaclass=Meta):
    # Says what it is.
    """Keeps ``orders``
    of one day.

    Not thread-safe.
    """

    limit = 10

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = os.path.join(path, "a # no comment")

    @property
    def total(self) -> int:
        return sum(map(lambda order: order.price, self))

    @total.setter
    def total(self, value): raise ValueError(value)

    @overload
    def find(self, key: int) -> None: ...
    @overload
    def find(self, key: str) -> None: ...
    def find(self, key, *, default={"a": (1, 2)}):
        """Find one."""
        def matches(order):
            class Key(int):
                pass
            return Key(key) == order.key
        return next(filter(matches, self), default)
        # the last word on it

    class Meta:
        async def run(self): await self.client.session.pool.get(f"/{path(self)}/")


@a.b
@c(
    1,
)
async def main(
    argv=None,  # what was typed
):
    if argv:
        def inner(): raise SystemExit
    else:
        def inner(): raise errors.Stop from None
    return inner
'''

SAMPLE = Sample(
    "python",
    _SOURCE,
    [
        ("function", "fast", 16, 16),
        ("class", "Orders", 21, 59),
        ("method", "Orders.__init__", 34, 36),
        ("method", "Orders.total", 38, 40),
        ("method", "Orders.total", 42, 43),
        ("method", "Orders.find", 45, 46),
        ("method", "Orders.find", 47, 48),
        ("method", "Orders.find", 49, 55),
        ("function", "Orders.find.matches", 51, 54),
        ("class", "Orders.find.matches.Key", 52, 53),
        ("class", "Orders.Meta", 58, 59),
        ("method", "Orders.Meta.run", 59, 59),
        ("function", "main", 62, 73),
        ("function", "main.inner", 70, 70),
        ("function", "main.inner", 72, 72),
    ],
    details={"Orders": "class", "Orders.__init__": "constructor", "Orders.find": "method", "main": "function"},
    bases={"Orders": ("Root", "tools.Mixin"), "Orders.find.matches.Key": ("int",), "Orders.Meta": ()},
    signatures={
        "Orders": "class Orders(Root, tools.Mixin[int], metaclass=Meta)",
        "Orders.__init__": "def __init__(self, path: str) -> None",
        "main": "async def main( argv=None, )",
    },
    docstrings={"Orders": "Keeps ``orders`` of one day.", "Orders.find": "Find one.", "Orders.total": ""},
    references=[
        ("import", "os.path", "os.path", 6, ""),
        ("import", "json", "j", 6, ""),
        ("import", "..core.Base", "Root", 7, ""),
        ("import", "..core.tools", "tools", 7, ""),
        ("import", "typing.Generic", "Generic", 8, ""),
        ("import", "typing.overload", "overload", 8, ""),
        ("import", "fast", "fast", 14, ""),
        ("call", "register", "", 23, "Orders"),
        ("call", "super", "", 35, "Orders.__init__"),
        ("call", "__init__", "", 35, "Orders.__init__"),
        ("call", "os.path.join", "", 36, "Orders.__init__"),
        ("call", "sum", "", 40, "Orders.total"),
        ("call", "map", "", 40, "Orders.total"),
        ("call", "ValueError", "", 43, "Orders.total"),
        ("raise", "ValueError", "", 43, "Orders.total"),
        ("call", "Key", "", 54, "Orders.find.matches"),
        ("call", "next", "", 55, "Orders.find"),
        ("call", "filter", "", 55, "Orders.find"),
        ("call", "client.session.pool.get", "", 59, "Orders.Meta.run"),
        ("call", "path", "", 59, "Orders.Meta.run"),
        ("call", "c", "", 63, "main"),
        ("raise", "SystemExit", "", 70, "main.inner"),
        ("raise", "errors.Stop", "", 72, "main.inner"),
    ],
    zones=[
        ("comment", "# How orders are kept."),
        ("comment", "# a comment, with a comma"),
        ("docstring", '"""Find one."""'),
        ("string", "a # no comment"),
        ("string", "orders"),
    ],
    no_zones=("path(self)", "Generic", "class Orders"),
)

#!/usr/bin/env python
# License
# line two
"""Module doc.

More."""
import os
try:
    import x
except ImportError:
    def x(a,
          b=")"):  # type: ignore
        # comment
        """Doc "a\""""
        return 1
    # tail

class A(B):
    """Only doc."""

class C:
    """Doc.

    more
    """
    y: int = 3

    def __init__(self, a):
        # first
        self.a = a
        self.b: dict = {
            1: 2,
        }
        if a:
            self.c = 1
    # after init
    @property
    def p(self): return self.a
    q = lambda self: (self.a +
       1)
    def e(self): ...
    def z(self): pass
    def one(self): "doc"; return 3

def deco(f):
    if f:
        @wraps(f)
        @other(
            1)
        async def inner(*a):
            """In.

            deep"""
            def more(): 
                class L:
                    def m(self):
                        return 3
                return L
            return more
        class Q: pass
    return inner

"""Operators in an issue and the methods that define them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sherloc.late import late

_METHODS = {
    "**": "__pow__", "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__", "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
    "|": "__or__", "&": "__and__", "^": "__xor__", "~": "__invert__", "<<": "__lshift__", ">>": "__rshift__",
    "[]": "__getitem__", "()": "__call__", "in": "__contains__", "not in": "__contains__", "+=": "__iadd__",
    "-=": "__isub__",
    "*=": "__imul__", "/=": "__itruediv__", "|=": "__ior__", "&=": "__iand__", "^=": "__ixor__", "**=": "__ipow__",
    "//=": "__ifloordiv__", "%=": "__imod__", "@=": "__imatmul__", "<<=": "__ilshift__", ">>=": "__irshift__",
}  # fmt: skip
_SYMBOL = r"(?:\*\*=?|//=?|<<=?|>>=?|[+\-*/%@|&^]=?|==|!=|<=|>=|<|>|~|\[\]|\(\))"
_EXACT = late(rf"(?:{_SYMBOL}|not in|in)")
_BINARY = late(
    r"[\w\])\"'.]{1,80}(?: (\*\*|//|<<|>>|[+\-*/%@|&^]|==|!=|<=|>=|not in|in) |(\*\*|//|==|!=))[\w(\[\"'.-]{1,80}"
)
_NEAR_WORD = late(
    rf"(?:^|[\s(])({_SYMBOL}|in|not in)[\s-]+operators?\b|\boperators?[:\s]+[\"'`(]?({_SYMBOL})(?=[\s\"'`),.;]|$)",
    re.IGNORECASE,
)
_CPP = late(rf"\boperator ?({_SYMBOL})(?=\s?\(|\s|$|[`\"',.;)])")


def operator_methods(spans: Sequence[str], quotes: Sequence[str], prose: str) -> list[str]:
    """Names of the methods behind operators, in order of appearance, each once.

    An operator counts where it stands alone in a code span or in quotes, between the operands of a code span, or
    next to the word "operator".

    Args:
        spans: Code spans.
        quotes: Quoted stretches.
        prose: Prose with the code spans blanked out.
    """
    found: dict[str, None] = {}
    for text in spans:
        if exact := _EXACT().fullmatch(text):
            found[_METHODS[exact.group()]] = None
        elif "://" not in text:
            for match in _BINARY().finditer(text):
                found[_METHODS[match[1] or match[2]]] = None
    for text in quotes:
        if (exact := _EXACT().fullmatch(text)) and text not in ("in", "-", "/", "()", "not in"):
            found[_METHODS[exact.group()]] = None
    for match in _NEAR_WORD().finditer(prose) if "perator" in prose.lower() else ():
        found[_METHODS[(match[1] or match[2]).lower()]] = None
    return list(found)


def cpp_operators(text: str) -> list[str]:
    """``operator==`` and its like, as C++ names them."""
    if "operator" not in text:
        return []
    return list(dict.fromkeys(f"operator{match[1]}" for match in _CPP().finditer(text)))

"""Which names a file of JavaScript or TypeScript uses, binds and defines.

The queries in ``queries/usages/`` use these captures:

    @call @member @option @shorthand
                       a function that is called by its bare name, a property that is read, a key of an object that is
                       an argument
    @object            what a property is read from
    @imported @source @import
                       a name that is imported, from where, and the statement
    @bound             a pattern or a statement that binds every word in it
    @defined @field    the key of an object; the name of a method or field
    @class             the body of a class
    @ambient @quoted
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from sherloc.syntax.grammars import captures
from sherloc.syntax.source import newlines_of
from sherloc.syntax.spans import Captures, Span

_WORD = re.compile(r"[^\W\d][\w$]*")
_BETWEEN = b" \t\r\n.?!"


@dataclass(frozen=True, slots=True)
class Use:
    """A name where it is used.

    Attributes:
        kind: ``call``, ``member``, ``option`` or ``import``.
        name: The name.
        line: Its line, 1-based.
        of: What a member is read from, or the module that a name is imported from; else empty.
    """

    kind: str
    name: str
    line: int
    of: str = ""


@dataclass(frozen=True, slots=True)
class Usages:
    """What a file uses and has.

    Attributes:
        uses: By position.
        bound: Every word that is bound in some scope.
        defined: Names of methods, fields and keys, and quoted words, with their lines.
        fields: Names of methods and fields, and what is set on ``this``, with their lines.
        classes: Lines of the bodies of classes, and whether the class extends another.
    """

    uses: list[Use]
    bound: frozenset[str]
    defined: list[tuple[str, int]]
    fields: list[tuple[str, int]]
    classes: list[tuple[int, int, bool]]


def usages(language: str, source: bytes) -> Usages:
    """The usages of a file.

    Args:
        language: ``javascript``, ``typescript`` or ``tsx``.
        source: UTF-8.

    Raises:
        GrammarUnavailable: The grammar's package is missing.
    """
    found = captures(language, source, "usages")
    newlines = newlines_of(source)

    def text(span: Span) -> str:
        return source[span[0] : span[1]].decode("utf-8", "replace")

    def line(span: Span) -> int:
        return bisect_left(newlines, span[0]) + 1

    uses = [(span, Use("call", text(span), line(span))) for span in found.get("call", ())]
    for name in ("option", "shorthand"):
        uses += [(span, Use("option", text(span), line(span))) for span in found.get(name, ())]
    objects: dict[int, Span] = {}
    for span in found.get("object", ()):
        if span[1] not in objects or objects[span[1]][0] > span[0]:
            objects[span[1]] = span
    for span in found.get("member", ()):
        end = span[0]
        while end and source[end - 1] in _BETWEEN:
            end -= 1
        of = text(objects[end])[:200] if end in objects else ""
        uses.append((span, Use("member", text(span), line(span), of)))
    uses += [(span, Use("import", text(span), line(span), text(module))) for span, module in _imports(found)]
    bound = {word for span in found.get("bound", ()) for word in _WORD.findall(text(span))}
    fields = [(text(span), line(span)) for span in found.get("field", ())]
    defined = [(text(span), line(span)) for name in ("defined", "quoted") for span in found.get(name, ())]
    classes = [
        (line((start, start)), line((end - 1, end)), b"extends" in source[source.rfind(b"class", 0, start) : start])
        for start, end in found.get("class", ())
    ]
    return Usages(
        [use for _, use in sorted(uses, key=lambda item: item[0])],
        frozenset(bound),
        [*defined, *fields],
        fields,
        classes,
    )


def _imports(found: Captures) -> list[tuple[Span, Span]]:
    """Imported names, each with the module of its statement."""
    pairs = []
    sources = found.get("source", [])
    statements = found.get("import", [])
    for span in found.get("imported", ()):
        statement = next((each for each in statements if each[0] <= span[0] and span[1] <= each[1]), None)
        module = next((each for each in sources if statement and statement[0] <= each[0] < statement[1]), None)
        if module is not None:
            pairs.append((span, module))
    return pairs

"""Lines of tracebacks, by the language that prints them.

A reader takes the stripped line and the previous one, and gives ``(path, line, function)`` or None. Every pattern is
anchored or starts at a literal, so a line is read in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sherloc.late import late

Place = tuple[str, "int | None", str]

_PYTHON = late(r'File "([^"\n]{1,500})", line (\d+)(?:, in (\S.{0,120}))?')
_PYTHON_BARE = late(r'"([^"\n]{1,500}\.py)", line (\d+)(?:, in (\S.{0,120}))?')
_KOTLIN_NATIVE = late(
    r"at \d+\s{1,20}\S{1,200}\s{1,40}0x[0-9a-f]+\s{1,20}(?:kfun:"
    r")?([^\s(]{1,300}).{0,600} \+ \d+ \((\S{1,500}):(\d+):\d+\)$"
)
_IPYTHON_OLD = late(r"(\S{1,400}\.(?:pyx?|so|pxd)) in ([\w<>.]{1,120})(?:\(.*|(?<=<module>))$")
_NOTEBOOK_LINK = late(r"^\[([^\]\n]{1,400})\]\([^()\n]{0,400}\)")
_PDB = late(r"> (\S{1,400}\.py)\((\d+)\)([\w<>]{1,120})\(\)")
_IPYTHON_NEW = late(r"File (\S{1,400}):(\d+), in ([\w<>.]{1,120})")
_PYTEST = late(
    r"(\S{1,400}\.py):(\d+): (?:in (\S{1,120})|(?:[\w.]{0,80}(?:Error|Exception|Warning|Failed|Exit"
    r"|Interrupt))(?:$|: .*))$"
)
# A brace behind the last frame begins the error's own properties, its cause among them.
_JS_CALL = late(r"at (?:async )?(?:new )?([^()\n]{1,200}) \(([^()\n]{1,500}):(\d+):(\d+)\)(?: \{)?$")
_JS_BARE = late(r"at (?:async )?((?:file:|webpack|https?:|[/.\w@~-])[^()\s]{0,500}):(\d+):(\d+)(?: \{)?$")
_JS_GECKO = late(r"([\w$./<>*\[\]-]{0,200})@((?:https?|file|resource|webpack)[^\s@]{1,500}):(\d+):(\d+)$")
_JAVA = late(r"at (?:[\w.@-]{1,80}/)?([\w$.<>-]{1,300})\(([^():\n]{1,200})(?::(\d+))?\)")
_GO_FILE = late(r"(\S{1,500}\.go):(\d+)(?: \+0x[0-9a-f]+)?$")
_GO_NAME = late(r"[\w./~@()*\[\]\u00b7-]{1,300}")
_RUST_PANIC = late(
    r"thread '[^'\n]{0,200}'(?: \(\d+\))? panicked at (?:'.{0,1000}', )?(\S{1,400}\.rs):(\d+)(?::\d+)?:?$"
)
_RUST_AT = late(r"at (\S{1,500}\.rs):(\d+)(?::\d+)?$")
_RUST_FUNCTION = late(r"\d+: (?:0x[0-9a-f]+ - )?(\S.{0,300})$")
_GDB = late(r"#\d+\s{1,8}(?:0x[0-9a-f]+ in )?(\S[^()\n]{0,300}?) ?\(.{0,2000}\)(?: const)? at (\S{1,500}):(\d+)$")
_ASAN = late(r"#\d+\s{1,8}0x[0-9a-f]+ in (\S.*)$")
_PLACE = late(r"(\S[^:\s]{0,500}):(\d+)(?::\d+)?$")
_PHP = late(r"#\d+ (\S{1,500}\.\w{1,8})\((\d+)\): ([\w\\>:-]{1,300})")
_PHP_RAISED = late(r"in (\S{1,500}\.php)(?::| on line )(\d+)")
_CSHARP = late(r"at (\S[^()\n]{0,300})\(.{0,1000}\)(?: \[0x\w+\])? in (\S.{0,500}):(?:line )?(\d+)")
_RUBY = late(r"(?:\d+: )?(?:from )?(\S{1,500}?):(\d+):in [`']([^'\n]{1,200})'")


class TraceFormat(NamedTuple):
    """How a language prints a traceback.

    Attributes:
        language: Its name.
        needle: Text that a line must have before ``read`` is tried.
        read: The reader of a frame's line.
        innermost_last: Whether the raising frame is printed last.
    """

    language: str
    needle: str
    read: Callable[[str, str], Place | None]
    innermost_last: bool = False


def _python(line: str, _: str) -> Place | None:
    start = line.find('File "')
    found = _PYTHON().match(line, start)
    if found and (start == 0 or not line[:start].strip() or line[:start].rstrip()[-1] in "|:]>+\u2502"):
        return found[1], int(found[2]), (found[3] or "").strip()
    return None


def _python_bare(line: str, _: str) -> Place | None:
    found = _PYTHON_BARE().match(line)
    return (found[1], int(found[2]), (found[3] or "").strip()) if found else None


def _kotlin_native(line: str, _: str) -> Place | None:
    found = _KOTLIN_NATIVE().match(line)
    return (found[2], int(found[3]), found[1].replace("#", ".").removesuffix(".internal")) if found else None


def _ipython(line: str, _: str) -> Place | None:
    if new := _IPYTHON_NEW().match(line):
        return new[1], int(new[2]), new[3]
    if debugger := _PDB().match(line):
        return debugger[1], int(debugger[2]), debugger[3]
    old = _IPYTHON_OLD().match(_NOTEBOOK_LINK().sub(r"\1", line) if line.startswith("[") else line)
    return (old[1], None, old[2]) if old else None


def _pytest(line: str, _: str) -> Place | None:
    found = _PYTEST().match(line)
    return (found[1], int(found[2]), found[3] or "") if found else None


def _javascript(line: str, _: str) -> Place | None:
    if call := _JS_CALL().match(line):
        return bundled_path(call[2]), int(call[3]), call[1].split(" [as ")[0]
    bare = _JS_BARE().match(line)
    if bare and not bare[1].endswith(".rs"):
        return bundled_path(bare[1]), int(bare[2]), ""
    return None


def _gecko(line: str, _: str) -> Place | None:
    found = _JS_GECKO().match(line)
    return (bundled_path(found[2]), int(found[3]), found[1]) if found else None


def _java(line: str, _: str) -> Place | None:
    found = _JAVA().match(line)
    if not found or "." not in found[1]:
        return None
    function, file, number = found.groups()
    owner = function.rpartition(".")[0]
    package = owner.rpartition(".")[0].replace(".", "/")
    if not re.fullmatch(r"[\w$-]+\.(?:java|kt|kts|scala|groovy|clj|rb)", file):
        if file not in ("Unknown Source", "Native Method"):
            return None
        file = owner.rpartition(".")[2].split("$")[0] + ".java"
    return (f"{package}/{file}" if package else file), int(number) if number else None, function


def _go(line: str, previous: str) -> Place | None:
    found = _GO_FILE().match(line)
    if not found or "/src/runtime/" in found[1]:
        return None
    name = _without_arguments(previous)
    return (found[1], int(found[2]), name) if "." in name and _GO_NAME().fullmatch(name) else None


def _rust_panic(line: str, _: str) -> Place | None:
    found = _RUST_PANIC().match(line)
    return (found[1], int(found[2]), "") if found else None


def _rust_at(line: str, previous: str) -> Place | None:
    found = _RUST_AT().match(line)
    if not found or "/rustc/" in found[1]:
        return None
    name = _RUST_FUNCTION().match(previous)
    return found[1], int(found[2]), re.sub(r"::h[0-9a-f]{16}$", "", name[1]) if name else ""


def _php(line: str, _: str) -> Place | None:
    found = _PHP().match(line)
    return (found[1], int(found[2]), found[3]) if found else None


def _native(line: str, _: str) -> Place | None:
    if gdb := _GDB().match(line):
        return gdb[2], int(gdb[3]), gdb[1]
    found = _ASAN().match(line)
    function, _, place = found[1].rpartition(" ") if found else ("", "", "")
    where = _PLACE().match(place)
    return (where[1], int(where[2]), function.split("(")[0]) if where and function else None


def _php_raised(line: str, _: str) -> Place | None:
    start = line.find(" in ") if ("Error" in line or "Exception" in line) else -1
    found = _PHP_RAISED().search(line[:1000], start + 1) if start >= 0 else None
    return (found[1], int(found[2]), "") if found else None


def _csharp(line: str, _: str) -> Place | None:
    found = _CSHARP().match(line)
    return (found[2], int(found[3]), found[1]) if found else None


def _ruby(line: str, _: str) -> Place | None:
    found = _RUBY().match(line)
    return (found[1], int(found[2]), found[3]) if found else None


def _without_arguments(call: str) -> str:
    """``pkg.(*T).Method(0x1, {...})`` without its last parentheses."""
    call = call.removeprefix("created by ").split(" in goroutine")[0].strip()
    if not call.endswith(")"):
        return call
    depth = 0
    for i in range(len(call) - 1, -1, -1):
        depth += (call[i] == ")") - (call[i] == "(")
        if depth == 0:
            return call[:i]
    return call


def bundled_path(path: str) -> str:
    """The path in a bundle's or browser's location, without scheme, host and query."""
    path = re.sub(r"^webpack(?:-internal)?:/+(?:\([^)]*\)/)?(?:[\w@-]+/)?(?=\./)|^webpack(?:-internal)?:/+", "", path)
    path = re.sub(r"^file:/{2,3}(?=[A-Za-z]:)|^file://", "", path)
    path = re.sub(r"^https?://[^/]+/", "", path)
    return path.split("?")[0].removeprefix("./")


FORMATS = (
    TraceFormat("python", 'File "', _python, True),
    TraceFormat("python", '", line ', _python_bare, True),
    TraceFormat("kotlin", " 0x", _kotlin_native),
    TraceFormat("python", " in ", _ipython, True),
    TraceFormat("python", ".py(", _ipython, True),
    TraceFormat("python", ".py:", _pytest, True),
    TraceFormat("rust", "panicked at", _rust_panic),
    TraceFormat("rust", ".rs:", _rust_at),
    TraceFormat("csharp", " in ", _csharp),
    TraceFormat("java", "(", _java),
    TraceFormat("javascript", "at ", _javascript),
    TraceFormat("javascript", "@", _gecko),
    TraceFormat("go", ".go:", _go),
    TraceFormat("php", "#", _php),
    TraceFormat("cpp", "#", _native),
    TraceFormat("php", ".php", _php_raised),
    TraceFormat("ruby", ":in ", _ruby),
)

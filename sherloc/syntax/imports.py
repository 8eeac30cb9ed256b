"""Import statements, read from their text: pairs of what is imported and the words by which the code then says it."""

from __future__ import annotations

import re
from collections.abc import Callable

from sherloc.late import late

Import = tuple[str, str]

_HASH_COMMENT = re.compile(r"#[^\n]*")
_PYTHON_FROM = re.compile(r"^\s*from\s*([.\s]*[\w.]*)\s*import\b(.*)$", re.DOTALL)
_SLASH_COMMENT = late(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = late(r"""["'`]([^"'`\n]+)["'`]""")
_BRACES = late(r"\{([^{}]*)\}")
_SCRIPT_START = late(r"^\s*(?:import|export)\b")
_REQUIRE = late(r"\brequire\s*\(\s*$")
_WORD = late(r"[\w$]+")
_MAJOR = late(r"v[0-9]+")
_VERSION = late(r"\.v[0-9]+$")
_RUST_START = late(r"^\s*(?:pub\s*(?:\([^)]*\))?\s*)?(?:use\b|extern\s+crate\b)")
_RUST_TOKEN = late(r"::|[{},*]|(?:r#)?\w+")
_INCLUDE = late(r"^\s*#\s*\w+\s*[<\"]([^>\"\n]+)[>\"]")
_AS = re.compile(r"^(\S+)\s+as\s+(\S+)$")


def python(text: str) -> list[Import]:
    """``import a.b as c, d`` and ``from .a import b as c``."""
    text = _HASH_COMMENT.sub("", text).replace("\\\n", " ").replace("\\\r\n", " ")
    match = _PYTHON_FROM.match(text)
    if match:
        module = "".join(match.group(1).split())
        listed = match.group(2)
    else:
        module = ""
        listed = text.strip().removeprefix("import")
    found: list[Import] = []
    for item in listed.strip().strip("()").split(","):
        name, alias = _renamed(item)
        if name:
            joint = "" if not module or module.endswith(".") else "."
            found.append((f"{module}{joint}{name}", alias))
    return found


def _renamed(item: str) -> tuple[str, str]:
    """``a as b`` gives a and b, ``a`` gives it twice."""
    item = " ".join(item.split())
    match = _AS.match(item)
    return (match.group(1), match.group(2)) if match else (item, item)


def script(text: str) -> list[Import]:
    """``import d, {a as b} from "m"``, ``export * from "m"``, ``x = require("m")``."""
    text = _SLASH_COMMENT().sub(" ", text)
    quoted = _QUOTED().findall(text)
    if not quoted:
        return []
    module = quoted[-1]
    head = text[: text.rfind(module) - 1]
    if not _SCRIPT_START().match(head):
        if not _REQUIRE().search(head):
            return []
        head = _REQUIRE().sub("", head)
    found: list[Import] = []
    for group in _BRACES().findall(head):
        for item in group.split(","):
            name, alias = _renamed(item.strip().removeprefix("type ").replace(":", " as "))
            if name:
                found.append((f"{module}.{name}", alias))
    rest = _SCRIPT_START().sub("", _BRACES().sub("", head).replace("require(", "").replace("=", " "))
    for item in rest.replace(" from ", " ").split(","):
        words = [word for word in item.split() if word not in ("type", "typeof", "from")]
        if words[:1] == ["*"]:
            found.append((f"{module}.*", words[2] if len(words) > 2 else "*"))
        elif len(words) == 1 and _WORD().fullmatch(words[0]):
            whole = "=" in head or not head.lstrip().startswith("import")
            found.append((f"{module}.*" if whole else f"{module}.default", words[0]))
    return found or [(module, "")]


def dotted(text: str) -> list[Import]:
    """Java and Kotlin: ``import static a.b.C.*;``, ``import a.b as c``."""
    text = _SLASH_COMMENT().sub(" ", text).strip().rstrip(";").removeprefix("import")
    words = [word for word in text.split() if word != "static"]
    if words[1:2] == ["as"] and len(words) > 2:
        return [(words[0], words[2].strip("`"))]
    name = "".join(words)
    return [(name, name.rsplit(".", 1)[-1])] if name else []


def csharp(text: str) -> list[Import]:
    """``using System;``, ``global using static A.B;``, ``using X = A.B;``."""
    text = _SLASH_COMMENT().sub(" ", text).strip().rstrip(";")
    words = [word for word in text.replace("=", " = ").split() if word not in ("global", "using", "static", "unsafe")]
    if words[1:2] == ["="]:
        return [("".join(words[2:]).split("<", 1)[0], words[0])]
    return [("".join(words) + ".*", "*")] if words else []


def go(text: str) -> list[Import]:
    """One import spec: ``x "a/b"``."""
    quoted = _QUOTED().search(text)
    if not quoted:
        return []
    path = quoted.group(1)
    alias = text[: quoted.start()].strip()
    if alias:
        return [(path, {".": "*", "_": ""}.get(alias, alias))]
    parts = [part for part in path.split("/") if not _MAJOR().fullmatch(part)]
    return [(path, _VERSION().sub("", parts[-1]) if parts else path)]


def rust(text: str) -> list[Import]:
    """``use a::{self, b as c, d::*};`` and ``extern crate a;``."""
    found: list[Import] = []
    prefixes = [""]
    path: list[str] = []
    for token in [*_RUST_TOKEN().findall(_rust_body(text)), ","]:
        if token == "{":
            prefixes.append(prefixes[-1] + "".join(path))
            path = []
        elif token in ",}":
            found += _rust_leaf(prefixes[-1], path)
            path = []
            if token == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            path.append(token)
    return found


def _rust_body(text: str) -> str:
    return _RUST_START().sub("", _SLASH_COMMENT().sub(" ", text)).rstrip("; \r\n")


def _rust_leaf(prefix: str, path: list[str]) -> list[Import]:
    if not path:
        return []
    alias = ""
    if len(path) > 2 and path[-2] == "as":
        alias = path[-1]
        path = path[:-2]
    name = (prefix + "".join(path)).removeprefix("::")
    if name.endswith("::self"):
        name = name.removesuffix("::self")
    return [(name, alias or name.rsplit("::", 1)[-1])]


def include(text: str) -> list[Import]:
    """C and C++: ``#include <a.h>``, ``using a::b;``, ``using namespace a;``."""
    match = _INCLUDE().search(text)
    if match:
        return [(match.group(1), "")]
    words = text.strip().rstrip(";").split()
    if words[:2] == ["using", "namespace"]:
        return [("".join(words[2:]) + "::*", "*")]
    name = "".join(word for word in words if word not in ("using", "typename"))
    return [(name, name.rsplit("::", 1)[-1])] if words[:1] == ["using"] and "::" in name else []


def ruby(text: str) -> list[Import]:
    """``require "a"`` and ``require_relative "a"``, which gives ``./a``."""
    quoted = _QUOTED().search(text)
    if not quoted:
        return []
    return [(f"./{quoted.group(1)}" if text.startswith("require_relative") else quoted.group(1), "")]


def php(text: str) -> list[Import]:
    r"""``use A\B as C, D;``, ``use A\{B, C as D};``, ``require_once "x.php"``."""
    if not text.startswith("use"):
        quoted = _QUOTED().findall(text)
        return [(quoted[-1].lstrip("/"), "")] if quoted else []
    text = _HASH_COMMENT.sub("", _SLASH_COMMENT().sub(" ", text)).strip().rstrip(";").removeprefix("use").strip()
    prefix = ""
    if "{" in text:
        prefix, text = text.rstrip("}").split("{", 1)
    prefix = prefix.strip().removeprefix("function ").removeprefix("const ").strip()
    found: list[Import] = []
    for item in text.split(","):
        name, alias = _renamed(item.strip().removeprefix("function ").removeprefix("const "))
        if name:
            found.append(((prefix + name).lstrip("\\"), alias.rsplit("\\", 1)[-1]))
    return found


IMPORTS: dict[str, Callable[[str], list[Import]]] = {
    "python": python,
    "javascript": script,
    "typescript": script,
    "tsx": script,
    "java": dotted,
    "kotlin": dotted,
    "csharp": csharp,
    "go": go,
    "rust": rust,
    "c": include,
    "cpp": include,
    "ruby": ruby,
    "php": php,
}
"""How each language's import statements are read."""

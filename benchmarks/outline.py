"""Compare outlines with the ``ast`` module or universal-ctags, or time them.

python benchmarks/outline.py --ast                                   the interpreter's standard library
python benchmarks/outline.py --ctags FOLDER --language kotlin        functions and classes of a folder
python benchmarks/outline.py --speed [FOLDER --language kotlin]      MB/s of parsing and of the whole outline
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sysconfig
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from sherloc.repository import classify
from sherloc.syntax import LANGUAGES, Definition, outline
from sherloc.syntax.grammars import captures

SUFFIXES = {
    "python": "py",
    "javascript": "js mjs cjs",
    "typescript": "ts",
    "tsx": "tsx",
    "java": "java",
    "go": "go",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx h hpp",
    "ruby": "rb",
    "php": "php",
    "kotlin": "kt kts",
    "csharp": "cs",
}
# Name of the language in ctags, and the kinds that are functions, methods and classes there.
CTAGS = {
    "python": ("Python", "class function member"),
    "javascript": ("JavaScript", "class function generator method getter setter"),
    "typescript": ("TypeScript", "class function generator method interface enum namespace alias"),
    "tsx": ("TypeScript", "class function generator method interface enum namespace alias"),
    "java": ("Java", "class interface enum annotation method"),
    "go": ("Go", "func struct interface type talias methodSpec"),
    "rust": ("Rust", "function method struct enum interface module macro"),
    "c": ("C", "function struct union enum"),
    "cpp": ("C++", "function struct union enum class namespace"),
    "ruby": ("Ruby", "class module method singletonMethod"),
    "php": ("PHP", "class interface trait function"),
    "kotlin": ("Kotlin", "class interface object method typealias"),
    "csharp": ("C#", "class interface struct enum method"),
}
# What ctags has no kind for, so that it cannot confirm it.
UNKNOWN_TO_CTAGS = {
    "php": {"enum"},
    "kotlin": {"property"},
    "csharp": {"property", "event", "operator", "destructor", "record", "type", "macro"},
    "c": {"macro"},
    "cpp": {"macro", "concept"},
    "rust": {"union", "type"},
    "java": {"record"},
}

# What must stand on the line for ctags to be believed; its parsers of these languages are rough.
KEYWORDS = {
    ("javascript", "class"): r"\bclass\b",
    # Not ``A.prototype.b = other;`` and ``Array.prototype.concat(...)``, which have no body.
    ("javascript", "method"): r"^(?!.*\.prototype\.{name}\s*(?:=[\w\s.=]*;?\s*\$?/?$|\.|\())",
    ("kotlin", "method"): r"\bfun\b.*\b{name}`?\s*\(",
    ("kotlin", "object"): r"\bobject\s+{name}",
    ("typescript", "namespace"): r"\b(?:namespace|module)\b",
    ("typescript", "alias"): r"^\W*(?:export\s+|declare\s+)*type\s+{name}\b",
    ("tsx", "namespace"): r"\b(?:namespace|module)\b",
    ("tsx", "alias"): r"^\W*(?:export\s+|declare\s+)*type\s+{name}\b",
}

Key = tuple[str, int]


def main() -> None:
    """Read the arguments and run one comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ast", action="store_true", help="compare with ast over the standard library")
    parser.add_argument("--ctags", type=Path, metavar="FOLDER", help="compare with universal-ctags over a folder")
    parser.add_argument("--speed", nargs="?", const=Path(sysconfig.get_paths()["stdlib"]), type=Path, metavar="FOLDER")
    parser.add_argument("--language", choices=LANGUAGES, default="python")
    parser.add_argument("--show", type=int, default=40, help="list at most so many differences")
    given = parser.parse_args()
    if given.ast:
        compare_with_ast(given.show)
    if given.ctags:
        compare_with_ctags(given.ctags, given.language, given.show)
    if given.speed:
        measure(given.speed, given.language)


def files(folder: Path, language: str) -> Iterator[Path]:
    """The files of a language below a folder, without those that sherloc leaves out: bundles, minified, vendored."""
    suffixes = {f".{suffix}" for suffix in SUFFIXES[language].split()}
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes and path.is_file() and not classify(path.relative_to(folder).as_posix()).excluded:
            yield path


def compare_with_ast(show: int) -> None:
    """Definitions of the standard library against ``ast``."""
    total = different = unreadable = 0
    for path in files(Path(sysconfig.get_paths()["stdlib"]), "python"):
        data = path.read_bytes()
        try:
            expected = Counter(ast_definitions(data))
        except (SyntaxError, ValueError, RecursionError):
            unreadable += 1
            continue
        found = Counter((d.qualified_name, d.end_line, d.kind) for d in outline("python", data).definitions)
        total += sum(expected.values())
        for sign, left in (("ast only", expected - found), ("sherloc only", found - expected)):
            for key in sorted(left):
                different += 1
                if different <= show:
                    print(f"{path}: {sign}: {key}")
    print(f"{total} definitions, {different} differences, {unreadable} files that ast cannot parse")


def ast_definitions(data: bytes) -> Iterator[tuple[str, int, str]]:
    """Qualified name, last line and kind of every definition, as ``ast`` sees them."""
    pending: list[tuple[ast.AST, str, bool]] = [(ast.parse(data), "", False)]
    while pending:
        node, prefix, in_class = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = prefix + child.name
                is_class = isinstance(child, ast.ClassDef)
                yield name, child.end_lineno or 0, "class" if is_class else "method" if in_class else "function"
                pending.append((child, f"{name}.", is_class))
            else:
                pending.append((child, prefix, in_class))


def compare_with_ctags(folder: Path, language: str, show: int) -> None:
    """Functions and classes of a folder against universal-ctags."""
    tagged = tags(folder, language)
    both = theirs = ours = confirmed = 0
    missed: list[str] = []
    extra: list[str] = []
    for path in files(folder, language):
        definitions = outline(language, path.read_bytes()).definitions
        tag_keys = tagged.get(str(path), {})
        own_keys = defaultdict(list)
        for definition in definitions:
            own_keys[short(definition.name)].append(definition)
        for (name, line), kind in sorted(tag_keys.items()):
            if is_second_name(name, line, path, own_keys):
                continue
            theirs += 1
            if any(covers(definition, line) for definition in own_keys[name]) or in_typedef(definitions, name, line):
                both += 1
            else:
                missed.append(f"{path}:{line}: ctags only: {kind} {name}")
        for definition in definitions:
            if definition.detail in UNKNOWN_TO_CTAGS.get(language, ()):
                continue
            ours += 1
            name = short(definition.name)
            if any(n == name and covers(definition, line) for n, line in tag_keys):
                confirmed += 1
            else:
                extra.append(f"{path}:{definition.name_line}: sherloc only: {definition.detail} {definition.name}")
    for line in [*missed[:show], *extra[:show]]:
        print(line)
    print(
        f"{language}: {both} of {theirs} ctags' found ({100 * both / max(theirs, 1):.2f}%), "
        f"{confirmed} of {ours} sherloc's confirmed ({100 * confirmed / max(ours, 1):.2f}%)"
    )


def tags(folder: Path, language: str) -> dict[str, dict[Key, str]]:
    """Name and line of every function and class that ctags finds, by file."""
    name, kinds = CTAGS[language]
    mapping = "".join(f".{suffix}" for suffix in SUFFIXES[language].split())
    command = ["ctags", "-R", f"--languages={name}", f"--langmap={name}:{mapping}", "--output-format=json"]
    command += ["--fields=+nKz", "--sort=no", "-f", "-", str(folder)]
    wanted = set(kinds.split())
    found: dict[str, dict[Key, str]] = defaultdict(dict)
    output = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    for line in output.split("\n"):
        tag = json.loads(line) if line.startswith("{") else {}
        if tag.get("kind") in wanted and is_name(tag, language):
            found[str(Path(tag["path"]))][short(tag["name"]), tag["line"]] = tag["kind"]
    return found


def is_name(tag: dict[str, str], language: str) -> bool:
    """Whether a tag is something with a name, a body (Rust's modules) and its keyword.

    To ctags any object literal of JavaScript is a class, the parameter of a Kotlin lambda a method, and so on.
    """
    if tag["name"].startswith(("__anon", "anonymous", "AnonymousFunction", "<")):
        return False
    keyword = KEYWORDS.get((language, tag["kind"]))
    if keyword and not re.search(keyword.replace("{name}", re.escape(tag["name"])), tag.get("pattern", "")):
        return False
    return not (tag["kind"] == "module" and tag.get("pattern", "").rstrip("$/").rstrip().endswith(";"))


def short(name: str) -> str:
    """A name as both sides write it."""
    name = name.replace(" ", "").strip("\"'`#")
    return name if name.startswith("operator") else name.split("::")[-1].split(".")[-1]


def covers(definition: Definition, line: int) -> bool:
    """Whether a line lies in a definition's head, where ctags says the name is."""
    return definition.start_line <= line <= max(definition.name_line, definition.start_line)


def is_second_name(name: str, line: int, path: Path, found: dict[str, list[Definition]]) -> bool:
    """Whether a function of two names, ``a.b = function c() {``, which ctags lists twice, was found by the other."""
    if path.suffix not in {f".{suffix}" for suffix in f"{SUFFIXES['javascript']} ts tsx".split()}:
        return False
    text = path.read_text("utf-8", "replace").split("\n")[line - 1]
    names = [
        {short(match["slot"]), match["own"]}
        for match in re.finditer(
            r"(?P<slot>[\w.$]+)\s*[=:]\s*(?:async\s+)?(?:function\b\s*\*?|class)\s*(?P<own>[\w$]+)", text
        )
    ]
    others = {other for pair in names if name in pair for other in pair - {name}}
    return not any(covers(d, line) for d in found.get(name, ())) and any(
        covers(d, line) for other in others for d in found.get(other, ())
    )


def in_typedef(definitions: list[Definition], name: str, line: int) -> bool:
    """``typedef struct tag {...} name`` is known by its name here, and by both to ctags."""
    return any(
        d.kind == "class"
        and d.start_line <= line <= d.end_line
        and d.signature.endswith(f" {name}")
        and d.signature.startswith("typedef")
        for d in definitions
    )


def measure(folder: Path, language: str) -> None:
    """MB/s of the parse with its query, and of the whole outline."""
    sources = [path.read_bytes() for path in files(folder, language)]
    size = sum(map(len, sources)) / 1e6
    outline(language, b"")
    for name, run in (("parse and query", captures), ("outline", outline)):
        started = time.process_time()
        for source in sources:
            run(language, source)
        print(f"{language}: {name}: {size / (time.process_time() - started):.2f} MB/s of {size:.1f} MB")


if __name__ == "__main__":
    main()

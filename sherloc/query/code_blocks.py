"""Blocks of code: their language, what they import, call and define."""

from __future__ import annotations

import re

from sherloc.late import late
from sherloc.query.names import is_keyword, parts_of
from sherloc.query.shapes import PROMPT
from sherloc.schema.query import CodeBlock

_ALIASES = {
    alias: language
    for language, aliases in {
        "python": "py python3 python2 pycon ipython ipython3 pytb",
        "javascript": "js jsx mjs node",
        "typescript": "ts",
        "go": "golang",
        "rust": "rs",
        "ruby": "rb",
        "kotlin": "kt",
        "cpp": "c++ cc cxx hpp",
        "c": "h",
        "csharp": "cs c#",
        "shell": "sh bash zsh console shell-session",
        "yaml": "yml",
    }.items()
    for alias in aliases.split()
}
_GUESSES = tuple(
    (language, late(pattern, re.MULTILINE))
    for language, pattern in (
        (
            "python",
            r"^\s{0,12}(?:>>> |In ?\[\d|from [\w.]+ import |import [\w.]+(?: as \w+)?$|(?:async )?def \w+\(.*:"
            r"|class \w+(?:\(.*\))?:|elif |except\b)",
        ),
        ("rust", r"^\s{0,12}(?:(?:pub )?fn \w+|use [\w:]+::|let mut |impl\b|#\[\w)"),
        ("go", r"^\s{0,12}(?:package \w+$|func [\w(]|import \"|type \w+ (?:struct|interface))|:= "),
        ("php", r"<\?php|^\s{0,12}\$\w+ ?=|->\w+\(.*;$"),
        ("kotlin", r"^\s{0,12}(?:fun \w|data class |val \w+ ?[:=])"),
        (
            "java",
            r"^\s{0,12}(?:import [\w.]+;|package [\w.]+;|@Override"
            r"|(?:public|private|protected) (?:static |final )*(?:class|void|\w+ \w+\())",
        ),
        ("cpp", r"#include ?[<\"]|\bstd::|^\s{0,12}template ?<"),
        (
            "javascript",
            r"\brequire\(['\"]|^\s{0,12}(?:const|let|var) [\w{\[]|=> ?[{(]|\bconsole\.log|^import .* from ['\"]"
            r"|\bfunction ?\w*\(",
        ),
        ("ruby", r"^\s{0,12}(?:require ['\"]|def \w+[^:]*$|module [A-Z]|class [A-Z]\w*(?: < .*)?$)"),
        ("shell", r"^\s{0,4}\$ |^(?:sudo|pip|npm|git|python|cargo|go|mvn|yarn|make|curl|docker|cat|echo|cd) "),
        ("html", r"^\s{0,12}</?(?:html|div|body|form|input|a|p|script|template)\b"),
        ("sql", r"^\s{0,12}(?:SELECT|INSERT INTO|CREATE TABLE|ALTER TABLE|UPDATE|DELETE FROM) "),
    )
)
_FROM = late(
    r"^[ \t]{0,24}(?:>>> |In ?\[\d+\]: |\.\.\. )?from (\.*[\w.]*) import ([\w., \t*()]{1,400}|\($)", re.MULTILINE
)
_IMPORT = late(
    r"^[ \t]{0,24}(?:>>> |In ?\[\d+\]: )?import (?:static )?"
    r"(\w[\w.]{0,200}(?:[ \t]as \w+)?(?:, ?[\w.]{1,200}(?:[ \t]as \w+)?){0,20}(?:\.\*)?);?[ \t]{0,8}$",
    re.MULTILINE,
)
_JS_FROM = late(
    r"\bfrom ['\"]([^'\"\n]{1,200})['\"]|\brequire\(['\"]([^'\"\n]{1,200})['\"]\)"
    r"|\bimport\(?['\"]([^'\"\n]{1,200})['\"]"
)
_USE = late(r"^[ \t]{0,24}(?:pub )?use (\w+(?:(?:::|\\)\w+)*)(?:::\{([\w, :*]{1,300})\})?", re.MULTILINE)
_INCLUDE = late(r"^[ \t]{0,8}#[ \t]{0,4}include ?[<\"]([^>\"\n]{1,200})[>\"]", re.MULTILINE)
_USING = late(r"^[ \t]{0,12}using ([\w.]{1,200});", re.MULTILINE)
_GO_IMPORTS = late(r"^import \(([^)]{1,4000})\)", re.MULTILINE)
_GO_IMPORT = late(r"^import (?:\w+ )?\"([\w./-]{1,200})\"", re.MULTILINE)
_RUBY_REQUIRE = late(r"^[ \t]{0,12}require(?:_relative)? ['\"]([\w./-]{1,200})['\"]", re.MULTILINE)
_CALL = late(r"[^\W\d][\w$]*(?:(?:\.|::|->)[^\W\d][\w$]*)*[!?]?(?=\()")
_DEFINITION = late(
    r"\b(?:def|class|fn|func|function|fun|struct|interface|trait|enum|module|object) ([A-Za-z_]\w{0,80})"
)
_DIFF_HEADER = late(r"^(?:diff --git|index [0-9a-f]{6}).*$", re.MULTILINE)
_DIFF_FILE = late(r"^(---|\+\+\+) [ab]/", re.MULTILINE)
_IMPORTED = late(r"\w+(?:[ \t]as \w+)?")
_QUOTED_PACKAGE = late(r"\"([\w./-]+)\"")
_NAME = late(r"\w+")
_LONGEST = 200


def read_code(text: str, language: str) -> CodeBlock:
    """Read one block of code.

    Args:
        text: The code as the issue has it, prompts included.
        language: What the fence says, or empty.
    """
    language = _ALIASES.get(language, language) or guess_language(text)
    return CodeBlock(language, text, _imports(text, language), _calls(text), _defined(text))


def guess_language(text: str) -> str:
    """The language that a block of code seems to be in, or empty."""
    head = text[:4000]
    return next((name for name, pattern in _GUESSES if pattern().search(head)), "")


def is_terminal(language: str, text: str) -> bool:
    """Whether a block is what somebody typed in a shell, rather than a program."""
    return (_ALIASES.get(language, language) or guess_language(text)) == "shell"


def _imports(text: str, language: str) -> tuple[str, ...]:
    found: list[str] = []
    if "import" in text:
        for match in _FROM().finditer(text):
            found.extend(_imported_from(*match.groups()))
        for match in _IMPORT().finditer(text):
            found.extend(name.split()[0].removesuffix(".*") for name in match[1].split(","))
    for pattern in (_JS_FROM, _INCLUDE, _USING, _GO_IMPORT, _RUBY_REQUIRE):
        found.extend(next(filter(None, match.groups())) for match in pattern().finditer(text))
    for match in _GO_IMPORTS().finditer(text):
        found.extend(_QUOTED_PACKAGE().findall(match[1]))
    if language != "python":
        for match in _USE().finditer(text):
            base = match[1]
            found.extend([f"{base}::{name}" for name in _NAME().findall(match[2] or "")] or [base])
    return tuple(dict.fromkeys(found))


def _imported_from(module: str, names: str) -> list[str]:
    """``from a.b import c, d as e`` as ``a.b.c`` and ``a.b.d``; of a star the module."""
    plain = [match.split()[0] for match in _IMPORTED().findall(names.strip("() \t"))]
    prefix = module if not module or module.endswith(".") else f"{module}."
    return [f"{prefix}{name}" for name in plain] or [module]


def _calls(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _CALL().finditer(text):
        name = match.group()
        if len(name) <= _LONGEST and not is_keyword(parts_of(name)[-1]):
            found[name] = None
    return tuple(found)


def _defined(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[1] for match in _DEFINITION().finditer(text)))


def without_prompts(text: str) -> str:
    """Code without ``>>>`` and ``In [1]:``, a diff without its marks."""
    if "+++ " in text or "diff --git" in text:
        text = _DIFF_FILE().sub(r"\1 ", _DIFF_HEADER().sub("", text))
    return "\n".join(PROMPT.sub("", line, count=1) if PROMPT.match(line) else line for line in text.split("\n"))

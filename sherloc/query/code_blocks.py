"""Blocks of code: their language, what they import, call and define."""

from __future__ import annotations

import re

from sherloc.query.names import is_keyword, parts_of
from sherloc.query.shapes import PROMPT
from sherloc.schema.query import CodeBlock

_ALIASES = {
    "py": "python", "python3": "python", "python2": "python", "pycon": "python", "ipython": "python", "ipython3": "python", "pytb": "python",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "node": "javascript", "ts": "typescript", "golang": "go",
    "rs": "rust", "rb": "ruby", "kt": "kotlin", "c++": "cpp", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "h": "c", "cs": "csharp", "c#": "csharp",
    "sh": "shell", "bash": "shell", "zsh": "shell", "console": "shell", "shell-session": "shell", "yml": "yaml",
}  # fmt: skip
_GUESSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("python", re.compile(r"^\s{0,12}(?:>>> |In ?\[\d|from [\w.]+ import |import [\w.]+(?: as \w+)?$|(?:async )?def \w+\(.*:|class \w+(?:\(.*\))?:|@\w[\w.]*$|elif |except\b)", re.M)),
    ("rust", re.compile(r"^\s{0,12}(?:(?:pub )?fn \w+|use [\w:]+::|let mut |impl\b|#\[\w)", re.M)),
    ("go", re.compile(r"^\s{0,12}(?:package \w+$|func [\w(]|import \"|type \w+ (?:struct|interface))|:= ", re.M)),
    ("php", re.compile(r"<\?php|^\s{0,12}\$\w+ ?=|->\w+\(.*;$", re.M)),
    ("kotlin", re.compile(r"^\s{0,12}(?:fun \w|data class |val \w+ ?[:=])", re.M)),
    ("java", re.compile(r"^\s{0,12}(?:import [\w.]+;|package [\w.]+;|public (?:static |final )?(?:class|void|\w+ \w+\())|@Override", re.M)),
    ("cpp", re.compile(r"#include ?[<\"]|\bstd::|^\s{0,12}template ?<", re.M)),
    ("javascript", re.compile(r"\brequire\(['\"]|^\s{0,12}(?:const|let|var) [\w{\[]|=> ?[{(]|\bconsole\.log|^import .* from ['\"]|\bfunction ?\w*\(", re.M)),
    ("ruby", re.compile(r"^\s{0,12}(?:require ['\"]|def \w+[^:]*$|module [A-Z]|class [A-Z]\w*(?: < .*)?$)", re.M)),
    ("shell", re.compile(r"^\s{0,4}\$ |^(?:pip|npm|git|python|cargo|go|mvn|yarn|make|curl|docker) ", re.M)),
    ("html", re.compile(r"^\s{0,12}</?(?:html|div|body|form|input|a|p|script|template)\b", re.M)),
    ("sql", re.compile(r"^\s{0,12}(?:SELECT|INSERT INTO|CREATE TABLE|ALTER TABLE|UPDATE|DELETE FROM) ", re.M)),
)  # fmt: skip
_FROM = re.compile(
    r"^[ \t]{0,24}(?:>>> |In ?\[\d+\]: |\.\.\. )?from (\.*[\w.]*) import ([\w., \t*()]{1,400}|\($)", re.M
)
_IMPORT = re.compile(
    r"^[ \t]{0,24}(?:>>> |In ?\[\d+\]: )?import (?:static )?([\w][\w.]{0,200}(?:[ \t]as \w+)?(?:, ?[\w.]{1,200}(?:[ \t]as \w+)?){0,20}(?:\.\*)?);?[ \t]{0,8}$",
    re.M,
)
_JS_FROM = re.compile(
    r"\bfrom ['\"]([^'\"\n]{1,200})['\"]|\brequire\(['\"]([^'\"\n]{1,200})['\"]\)|\bimport\(?['\"]([^'\"\n]{1,200})['\"]"
)
_USE = re.compile(r"^[ \t]{0,24}(?:pub )?use ([\w:\\]{1,200})(?:::\{([\w, :*]{1,300})\})?", re.M)
_INCLUDE = re.compile(r"^[ \t]{0,8}#[ \t]{0,4}include ?[<\"]([^>\"\n]{1,200})[>\"]", re.M)
_USING = re.compile(r"^[ \t]{0,12}using ([\w.]{1,200});", re.M)
_GO_IMPORTS = re.compile(r"^import \(([^)]{1,4000})\)", re.M)
_GO_IMPORT = re.compile(r"^import (?:\w+ )?\"([\w./-]{1,200})\"", re.M)
_RUBY_REQUIRE = re.compile(r"^[ \t]{0,12}require(?:_relative)? ['\"]([\w./-]{1,200})['\"]", re.M)
_CALL = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|->)[^\W\d][\w$]*)*[!?]?(?=\()")
_DEFINITION = re.compile(
    r"\b(?:def|class|fn|func|function|fun|struct|interface|trait|enum|module|object) ([A-Za-z_]\w{0,80})"
)
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
    return next((name for name, pattern in _GUESSES if pattern.search(head)), "")


def _imports(text: str, language: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _FROM.finditer(text) if "import" in text else ():
        module, names = match.groups()
        for name in re.findall(r"[\w*]+(?:[ \t]as \w+)?", names.strip("() \t")) or ["*"]:
            plain = name.split()[0]
            found[
                module
                if plain == "*"
                else f"{module}.{plain}".replace("..", ".")
                if not module.startswith(".")
                else f"{module}{'' if module.endswith('.') else '.'}{plain}"
            ] = None
    for match in _IMPORT.finditer(text) if "import" in text else ():
        for name in match[1].split(","):
            found[name.split()[0].removesuffix(".*")] = None
    for pattern in (_JS_FROM, _INCLUDE, _USING, _GO_IMPORT, _RUBY_REQUIRE):
        for match in pattern.finditer(text):
            found[next(group for group in match.groups() if group)] = None
    for match in _GO_IMPORTS.finditer(text):
        found.update(dict.fromkeys(re.findall(r"\"([\w./-]+)\"", match[1])))
    if language != "python":
        for match in _USE.finditer(text):
            inner = re.findall(r"[\w*]+", match[2] or "")
            base = match[1].removesuffix("::")
            found.update(dict.fromkeys([f"{base}::{name}" for name in inner if name != "*"] or [base]))
    return tuple(found)


def _calls(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _CALL.finditer(text):
        name = match.group()
        if len(name) <= _LONGEST and not is_keyword(parts_of(name)[-1]):
            found[name] = None
    return tuple(found)


def _defined(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[1] for match in _DEFINITION.finditer(text)))


def without_prompts(text: str) -> str:
    """Code without ``>>>`` and ``In [1]:``."""
    return "\n".join(PROMPT.sub("", line, count=1) if PROMPT.match(line) else line for line in text.split("\n"))

"""File paths in prose and code, with the line that is given with them."""

from __future__ import annotations

import re

from sherloc.late import late
from sherloc.schema.query import PathMention

_TOKEN = re.compile(r"[^\s\"'`<>(){},;|*?!\u3000-\u303f\uff08\uff09\uff0c\uff1a]+")
CODE_EXTENSIONS = frozenset(
    """py pyi pyx pxd ipynb js jsx mjs cjs ts tsx mts cts vue svelte java kt kts scala groovy go rs c h cc cpp cxx
    hpp hh hxx m mm cu rb erb rake php cs fs swift lua pl pm r jl dart ex exs erl hs clj sql sh bash ps1 bat
    proto graphql html htm jinja j2 css scss sass less xml xsl cfg ini toml yml yaml json rst md txt gradle
    cmake tf conf properties lock po in am mk""".split()
)
# In code ``self.c`` and ``np.r`` are attributes; these extensions are no attribute's usual name.
_PLAIN_IN_CODE = frozenset(
    "py pyi pyx ipynb jsx tsx mjs vue java kts cpp hpp cxx php yml"
    " yaml toml cfg ini html htm scss css rst md txt xml gradle rb".split()
)
_FILE = re.compile(
    r"(?:[A-Za-z]:)?[\\/]*[\w.@+~$%-]+(?:[\\/]+[\w.@+~$%\[\]-]+)*\.(?P<ext>[A-Za-z][A-Za-z0-9]{0,9})"
    r"(?:(?::|#L?|@L)(?P<line>\d{1,7})(?:[:\-]L?\d+)*|::[\w:\[\]\-.]*)?:?\.?"
)
_LINE_AFTER = late(r"[\"'`)]{0,2},? {0,2}(?:\(?(?:at |on |around )?lines?|L) ?#?(\d{1,7})\b", re.IGNORECASE)
_FOLDER = re.compile(r"(?:\.{0,2}[\\/])?[\w.@-]+(?:[\\/][\w.@-]+)*[\\/]")
_NAMED_FILES = re.compile(
    r"(?:[\w.-]+/)*(?:Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile|Vagrantfile|Procfile|CMakeLists\.txt"
    r"|BUILD|WORKSPACE)"
)
_LIBRARIES = late(
    r"(?:node|vue|react|next|nuxt|three|d3|express|angular|backbone|ember|moment|day|socket|chart|discord|p5|asp"
    r"|alpine|solid)\.(?:js|net|io|ts)",
    re.IGNORECASE,
)
_LONGEST = 300


def take_paths(text: str, *, code: bool = False) -> tuple[list[PathMention], str]:
    """The file paths of a text, in order, and the text with them blanked out.

    Args:
        text: Text without links.
        code: Whether it is code, where ``self.c`` is not a file.
    """
    found: list[PathMention] = []
    rest: list[str] = []
    position = 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if len(word) > _LONGEST or ("." not in word and "/" not in word and "\\" not in word and "file" not in word):
            continue
        mention = _read(word, text, token.end(), code)
        if mention:
            found.append(mention)
            rest.append(text[position : token.start()])
            position = token.end()
    rest.append(text[position:])
    return found, " \u00b7 ".join(rest)


def _read(word: str, text: str, end: int, code: bool) -> PathMention | None:
    word = word.lstrip("[=:").rstrip("]:.") if not word.startswith("./") else word.rstrip("]:.")
    file = _FILE.fullmatch(word)
    if file and file["ext"].lower() in CODE_EXTENSIONS and not _LIBRARIES().fullmatch(word):
        if text[end : end + 1] == "(" or not _is_file_here(word, file["ext"], text, end, code):
            return None
        line = file["line"]
        if not line and (after := _LINE_AFTER().match(text, end)):
            line = after[1]
        path = word[: file.end("ext")]
        return PathMention(_unified(path), int(line) if line else None)
    if not code and _FOLDER.fullmatch(word) and re.search(r"\w{2}", word):
        return PathMention(_unified(word))
    return PathMention(word) if _NAMED_FILES.fullmatch(word) else None


def _is_file_here(word: str, extension: str, text: str, end: int, code: bool) -> bool:
    if "/" in word or "\\" in word or not code:
        return not word.startswith("//")
    start = end - len(word)
    in_quotes = text[end : end + 1] in ("'", '"') and text[max(0, start - 1) : start] in ("'", '"')
    return in_quotes or (extension in _PLAIN_IN_CODE and word.count(".") == 1)


def _unified(path: str) -> str:
    path = re.sub(r"\\+", "/", path)
    path = re.sub(r"(?<!^)/{2,}", "/", path)
    return path.removeprefix("./")

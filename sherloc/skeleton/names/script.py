"""TypeScript and JavaScript: names looked up in the file, in what it imports, and in the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from sherloc.skeleton.names.check import NameCheck, NameKind, UnknownName, texts_of
from sherloc.skeleton.names.patches import Patched
from sherloc.skeleton.names.vocabulary import Vocabulary
from sherloc.syntax.usages import Usages, Use, usages

_ENDINGS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", "/index.ts", "/index.tsx", "/index.js", "/index.d.ts")
_OPEN_EXPORTS = re.compile(r"\bexport\s*\*|\bexport\s*=|\bmodule\.exports\b|\bexports\b")
_MODULE = re.compile(r"^\s*(?:import|export)\b", re.MULTILINE)
_FROM = re.compile(r"""import\s+(?:type\s+)?([^;"']*?)\s+from\s+["']([^"']+)["']""")
_REQUIRE = re.compile(r"""(?:const|let|var)\s+([^=;]+?)=\s*require\(\s*["']([^"']+)["']""")
_WORD = re.compile(r"[^\W\d][\w$]*")


@cache
def builtin_names() -> frozenset[str]:
    """Names of ECMAScript, the DOM and Node: globals and properties alike."""
    file = resources.files("sherloc.skeleton.names") / "ecmascript_names.txt"
    return frozenset(file.read_text(encoding="utf-8").split())


class ScriptNames:
    """Checks the TypeScript and JavaScript files of a patch.

    Args:
        paths: All such files of the repository.
        sources: Path to text, without the patch.
        patched: The files with the patch.
    """

    def __init__(self, paths: Sequence[str], sources: Mapping[str, str], patched: Sequence[Patched]) -> None:
        self._paths = {*paths, *(file.path for file in patched)}
        self._sources = sources
        self._patched = {file.path: file for file in patched}
        self._known = Vocabulary(texts_of(sorted(paths), sources), python=False)
        self._own: set[str] = set()
        self._unknown: list[UnknownName] = []
        self._checked = 0

    def check(self) -> NameCheck:
        """Look at every use on an added line."""
        read = {
            path: usages(_language(path), file.text.encode("utf-8", "replace")) for path, file in self._patched.items()
        }
        for path, found in read.items():
            added = self._patched[path].added
            options = {(use.name, use.line) for use in found.uses if use.kind == "option"}
            self._own |= {name for name, line in found.defined if line in added and (name, line) not in options}
            rows = self._patched[path].text.split("\n")
            words = {word for line in added if line <= len(rows) for word in _WORD.findall(rows[line - 1])}
            self._own |= words & found.bound
        for path, found in read.items():
            self._file(self._patched[path], found)
        return NameCheck(tuple(self._unknown), self._checked, ())

    def _file(self, file: Patched, found: Usages) -> None:
        foreign = _foreign_names(file.text)
        is_module = bool(_MODULE.search(file.text))
        for use in found.uses:
            if use.line not in file.added:
                continue
            self._checked += 1
            if use.kind == "import":
                self._import(file, use)
            elif use.kind == "call" and use.name not in found.bound:
                self._call(file, use, is_module)
            elif use.kind == "member":
                self._member(file, use, found, foreign)
            elif use.kind == "option" and not self._is_known_keyword(use.name):
                self._report(file, use, "keyword", "nothing in the repository has a property of that name")

    def _report(self, file: Patched, use: Use, kind: NameKind, reason: str) -> None:
        self._unknown.append(UnknownName(file.path, use.line, kind, use.name, reason))

    def _is_known_keyword(self, name: str) -> bool:
        return name in self._own or name in builtin_names() or self._known.has_keyword(name)

    def _call(self, file: Patched, use: Use, is_module: bool) -> None:
        if use.name in builtin_names() or not file.fits:
            return
        word = re.escape(use.name)
        declared = (
            rf"\bdeclare\s+(?:function|const|let|var|class)\s+{word}\b|\b(?:window|globalThis|global|self)\.{word}\b"
        )
        pattern = re.compile(declared)
        texts = texts_of(sorted(self._paths), self._sources)
        if is_module and not any(use.name in text and pattern.search(text) for text in texts):
            self._report(file, use, "call", "the file neither binds nor imports it")
        elif not is_module and not self._known.has_word(use.name):
            self._report(file, use, "call", "nothing in the repository is called so")

    def _member(self, file: Patched, use: Use, found: Usages, foreign: frozenset[str]) -> None:
        if use.name in builtin_names() and use.of != "this":
            return
        if use.of == "this":
            first, last, inherits = next(
                (each for each in reversed(found.classes) if each[0] <= use.line <= each[1]), (0, 0, False)
            )
            # Without a class, who calls the function says what this is.
            if first and not inherits and file.fits and not self._class_has(file, use.name, first, last, found):
                self._report(file, use, "attribute", "the class has no member of that name")
            if not inherits:
                return
        root = _WORD.match(use.of)
        if (root and root.group() in foreign) or use.name in self._own or use.name in builtin_names():
            return
        if not self._known.has_member(use.name):
            self._report(file, use, "attribute", "nothing in the repository has a member of that name")

    def _class_has(self, file: Patched, name: str, first: int, last: int, found: Usages) -> bool:
        bare = name.removeprefix("#")
        if any(each in (name, bare) and first <= line <= last for each, line in found.fields):
            return True
        # Parameters of a constructor that are properties, index signatures, and what is merged in from elsewhere.
        body = "\n".join(file.text.split("\n")[first - 1 : last])
        if re.search(rf"\b(?:public|private|protected|readonly)\s+{re.escape(bare)}\b", body):
            return True
        return (
            re.search(r"\[\s*\w+\s*:\s*(?:string|number|symbol)\s*\]\s*:|Object\.assign\(\s*this\b", body) is not None
        )

    def _import(self, file: Patched, use: Use) -> None:
        if not use.of.startswith(".") or not file.fits:
            return
        base = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), use.of))
        bases = [base, re.sub(r"\.[cm]?jsx?$", "", base)]
        path = next((b + ending for b in bases for ending in _ENDINGS if b + ending in self._paths), "")
        if not path:
            return
        patched = self._patched.get(path)
        text = patched.text if patched is not None else self._sources.get(path)
        if text is None or _OPEN_EXPORTS.search(text):
            return
        if not re.search(
            rf"\bexport\b[^;{{]*\b{re.escape(use.name)}\b|\bexport\b[^;]*\{{[^}}]*\b{re.escape(use.name)}\b", text
        ):
            self._report(file, use, "import", f"{path} exports no such name")


def _foreign_names(text: str) -> frozenset[str]:
    """Names that are imported from packages."""
    found: set[str] = set()
    for pattern in (_FROM, _REQUIRE):
        for names, module in pattern.findall(text):
            if not module.startswith("."):
                found.update(_WORD.findall(names))
    return frozenset(found - {"as", "type"})


def _language(path: str) -> str:
    if path.endswith((".tsx", ".jsx")):
        return "tsx" if path.endswith(".tsx") else "javascript"
    return "typescript" if path.endswith((".ts", ".mts", ".cts")) else "javascript"

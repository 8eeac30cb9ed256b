"""What a file is for, told by its path.

The rules prefer to keep: a culprit that is left out can never be found, an extra candidate only costs a place. So a
folder called ``test`` inside a Python package stays code (``django/test`` is a library for testing), and generated code
in a language that is parsed is only marked, since it is committed together with what it was generated from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from sherloc.late import late
from sherloc.repository import _names as names
from sherloc.repository.content import inspect_content, is_generated

__all__ = ["FileClass", "classify", "header_language", "inspect_content", "is_generated"]

_CPP_SOURCES = ("cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx")
_JAVASCRIPT = ("javascript", "typescript", "tsx")
_SPEC_LANGUAGES = (*_JAVASCRIPT, "ruby", "php")
_SUFFIX_LANGUAGES = ("java", "kotlin", "csharp")
_STRICT_TEST_FOLDER = ("python", "rust", "go")
_PRODUCTION = frozenset(("src", "lib", "app", "pkg", "include", "source", "sources"))

_TEST_SET = re.compile(r"[a-z][A-Za-z0-9]*Test|test[A-Z][A-Za-z0-9]*|test|it")
_MAIN_SET = re.compile(r"[a-z][A-Za-z0-9]*Main|main")
_SOURCE_ROOTS = names.words("java kotlin scala groovy resources swift cpp c js ts res assets")
_TEST_PROJECT = re.compile(r".+\.(?:Unit|Integration|Functional)?Tests?")

_PYTHON_TEST = late(r"test_.*\.pyi?|.+_test\.pyi?|conftest\.py")
_SCRIPT_TEST = late(r".+\.(?:test|tests|spec|e2e|cy|e2e-spec)(?:-d)?\.\w+|.+_(?:test|spec)\.\w+")
_SUFFIX_TEST = late(r".+Tests?\.\w+|.*[a-z0-9]IT\.\w+")
_RUBY_TEST = late(r".+_(?:spec|test)\.rb|test_.+\.rb|(?:spec|test)_helper\.rb")
_NATIVE_TEST = late(r"test_.+|.+_(?:test|tests|unittest)\.\w+|.+\.tests?\.\w+")
_RUST_TEST = late(r"(?:.+_)?tests\.rs")
_OTHER_TEST = late(r".+_(?:test|spec)\.\w+|.+\.(?:test|spec)\.\w+|.+Tests?\.(?:swift|scala|groovy|fs|vb)|.+Spec\.scala")

_MINIFIABLE = ("js", "mjs", "cjs", "css")
_MINIFIED = late(r".+[.-](?:min|prod\.min|slim\.min)\.(?:js|mjs|cjs|css)|.+\.bundle\.js|.+\.chunk\.js|.+\.packed\.js")
_GENERATED = re.compile(
    r""".+\.pb(?:\.gw|\.validate)?\.\w+|.+_(?:grpc\.)?pb2?(?:_grpc)?\.(?:py|pyi|js|ts|rb|php|d\.ts)|.+[._]generated\.\w+
    |zz_generated.*|.+\.designer\.(?:cs|vb)|.+\.g(?:\.i)?\.(?:cs|dart)|.+\.freezed\.dart
    |(?:.+_)?(?:parse|lex|yacc)tab\.py|wire_gen\.go|bindata\.go""",
    re.VERBOSE | re.IGNORECASE,
)
_ASSET_LIBRARY = late(
    r"(?:jquery|underscore|bootstrap|backbone|modernizr|d3|react|vue|angular|lodash|mathjax|require|html5shiv)"
    r"(?:[.-]v?\d[\w.]*)?(?:\.(?:min|slim|bundle))*\.(?:js|css)"
)


class FileClass(NamedTuple):
    """What a path says of a file.

    Attributes:
        partition: ``code``, ``test``, ``config``, ``template``, ``docs`` or ``other``.
        language: The language whose grammar parses it; empty where there is none.
        excluded: Why it is no candidate: ``vendored``, ``generated``, ``minified``, ``binary``, ``lock`` or ``data``;
            empty if it may be one.
        generated: Whether its name is one that generators give. Code in a parsed language is marked, not excluded.
    """

    partition: str
    language: str
    excluded: str
    generated: bool = False


class _Folder(NamedTuple):
    """What the folders on the way to a file say.

    Attributes:
        test: Tests, whatever the language.
        weak_test: Below a folder called test, which in some languages is code.
        source_test: Below ``src/test``.
        spec: Below a folder of specifications.
        fixtures: Below a folder of fixtures.
        main: Below a main source set, where nothing is a test.
        production: Below a folder like src or lib.
        vendored: Somebody else's code.
        assets: Below static files of a site.
        built: Below a package's build output.
    """

    test: bool
    weak_test: bool
    source_test: bool
    spec: bool
    fixtures: bool
    main: bool
    production: bool
    vendored: bool
    assets: bool
    built: bool


def classify(path: str) -> FileClass:
    """What a file is for, by its path alone.

    Args:
        path: POSIX, relative to the repository's root.

    >>> classify("src/app/models.py")
    FileClass(partition='code', language='python', excluded='', generated=False)
    >>> classify("tests/test_models.py").partition
    'test'
    """
    directory, _, name = path.rpartition("/")
    folder = _folder(directory)
    partition, language, generated = _named(name)
    excluded = _excluded(name, partition, language, folder, generated)
    if _is_test(name, partition, language, folder):
        partition = "test"
    return _file_class(partition, language, excluded, generated)


@lru_cache(maxsize=1 << 14)
def _named(name: str) -> tuple[str, str, bool]:
    """What a name alone says: partition, language, and whether generators give it. Many files have the same."""
    return *names.kind_of(name), bool(_GENERATED.fullmatch(name))


# Few differ, and to make one takes a fifth of the time of classifying.
_file_class = lru_cache(maxsize=None)(FileClass)


def header_language(paths: Iterable[str]) -> str:
    """Whether the ``.h`` files of a tree are ``c`` or ``cpp``: what most of its sources are.

    Args:
        paths: All paths of the tree.
    """
    c = cpp = 0
    for path in paths:
        extension = path.rpartition(".")[2].lower()
        if extension == "c":
            c += not _folder(path.rpartition("/")[0]).vendored
        elif extension in _CPP_SOURCES:
            cpp += not _folder(path.rpartition("/")[0]).vendored
    return "cpp" if cpp > c else "c"


@lru_cache(maxsize=1 << 14)
def _folder(directory: str) -> _Folder:
    parts = directory.split("/") if directory else []
    source = "src" in parts
    main = _main_depth(parts) if source else -1
    judged = parts if main < 0 else parts[:main]
    weak_test = "test" in judged
    # The pattern has no match without a full stop, and few names of folders have one.
    strong = not names.TEST_FOLDERS.isdisjoint(judged) or (
        "." in directory and any("." in part and _TEST_PROJECT.fullmatch(part) for part in judged)
    )
    nested = weak_test and any(
        a == "test" and b in names.TEST_SUBFOLDERS for a, b in zip(judged, judged[1:], strict=False)
    )
    production = _production_depth(parts)
    ambiguous = [part for part in judged[:production] if part in ("spec", "specs", "fixtures", "fixture")]
    return _Folder(
        test=main < 0
        and (strong or nested or parts[:1] in (["test"], ["testing"]) or (source and _in_test_set(parts))),
        weak_test=weak_test,
        source_test=source and weak_test and ("src", "test") in zip(judged, judged[1:], strict=False),
        spec="spec" in ambiguous or "specs" in ambiguous,
        fixtures="fixture" in ambiguous or "fixtures" in ambiguous,
        main=main >= 0,
        production=production < len(parts),
        vendored=_is_vendored(parts, judged),
        assets=not names.ASSET_FOLDERS.isdisjoint(parts),
        built=parts[:1] == ["dist"] or (parts[:1] == ["packages"] and parts[2:3] == ["dist"]),
    )


def _production_depth(parts: list[str]) -> int:
    """Where the first folder of a product's own code stands, or behind all."""
    for at, part in enumerate(parts):
        if part.lower() in _PRODUCTION:
            return at
    return len(parts)


def _main_depth(parts: list[str]) -> int:
    """Where a main source set (``src/main``, ``src/jvmMain``, ``commonMain/src``) starts, or -1."""
    for at, (first, second) in enumerate(zip(parts, parts[1:], strict=False)):
        if first == "src" and _MAIN_SET.fullmatch(second) and (second != "main" or at + 2 <= len(parts)):
            return at
        if second == "src" and first != "main" and _MAIN_SET.fullmatch(first):
            return at
    return -1


def _in_test_set(parts: list[str]) -> bool:
    """Whether the folders run through a test source set (``src/test``, ``src/commonTest/kotlin``, ``jvmTest/src``)."""
    for at, part in enumerate(parts):
        if not _TEST_SET.fullmatch(part):
            continue
        before, after = parts[at - 1] if at else "", parts[at + 1] if at + 1 < len(parts) else ""
        if before == "src" and after in _SOURCE_ROOTS:
            return True
        if after == "src" and part not in ("test", "it"):
            return True
    return False


def _is_vendored(parts: list[str], judged: list[str]) -> bool:
    if not names.VENDORED_FOLDERS.isdisjoint(judged) or "node_modules" in parts:
        return True
    if "vendor" not in judged:
        return False
    before = judged[: judged.index("vendor")]
    return names.DOMAIN_FOLDERS.isdisjoint(before) or not names.ASSET_FOLDERS.isdisjoint(before)


def _excluded(name: str, partition: str, language: str, folder: _Folder, generated: bool) -> str:
    lower = name.lower()
    extension = lower.rpartition(".")[2] if "." in lower else ""
    script = language in _JAVASCRIPT or extension == "css"
    if folder.vendored or (folder.assets and script and _ASSET_LIBRARY().fullmatch(lower)):
        return "vendored"
    if extension in names.BINARY:
        return "binary"
    if lower in names.LOCKS or extension == "lock":
        return "lock"
    if partition == "other" and extension in names.DATA:
        return "data"
    if extension in _MINIFIABLE and _MINIFIED().fullmatch(lower):
        return "minified"
    if (folder.built and script) or (generated and not language):
        return "generated"
    return ""


def _is_test(name: str, partition: str, language: str, folder: _Folder) -> bool:
    if folder.main:
        return False
    if folder.test:
        return True
    if folder.weak_test and language not in _STRICT_TEST_FOLDER:
        below_source = folder.source_test and language not in _JAVASCRIPT
        if below_source or not folder.production:
            return True
    if (folder.fixtures and language != "python") or (folder.spec and language in _SPEC_LANGUAGES):
        return True
    return partition == "code" and _is_test_name(name, language, folder)


def _is_test_name(name: str, language: str, folder: _Folder) -> bool:
    if language == "python":
        return bool(_PYTHON_TEST().fullmatch(name))
    if language in _JAVASCRIPT:
        return bool(_SCRIPT_TEST().fullmatch(name))
    if language == "go":
        return name.endswith("_test.go")
    if language in _SUFFIX_LANGUAGES:
        return bool(_SUFFIX_TEST().fullmatch(name))
    if language == "php":
        return not folder.production and bool(_SUFFIX_TEST().fullmatch(name))
    if language == "ruby":
        return not folder.production and bool(_RUBY_TEST().fullmatch(name))
    if language == "rust":
        return bool(_RUST_TEST().fullmatch(name))
    return bool((_NATIVE_TEST() if language in ("c", "cpp") else _OTHER_TEST()).fullmatch(name))

"""Settings from a caller and from a repository, which is a stranger."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.errors import SettingsError
from sherloc.indexer.plan import index_key, plan_index
from sherloc.repository import Tree
from sherloc.repository.tree import Entry
from sherloc.settings import Settings, load_settings


def test_the_callers_settings_win_over_the_repositorys() -> None:
    toml = b'[index]\nexclude = ["a/*"]\nmax_snippet_lines = 50\n[retrieval]\nk1 = 2.0\n'
    settings = load_settings({"index": {"max_snippet_lines": 60}}, repository_toml=toml)
    assert settings.index.exclude == ("a/*",)
    assert (settings.index.max_snippet_lines, settings.retrieval.k1) == (60, 2.0)


@pytest.mark.parametrize("content", [b"", b" \n", b"# only words\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf[index]\r\n"])
def test_files_that_set_nothing(content: bytes) -> None:
    assert load_settings(repository_toml=content) == Settings()


def test_a_byte_order_mark_is_no_fault() -> None:
    content = b"\xef\xbb\xbf[index]\ninclude_tests = true\n"
    assert load_settings(repository_toml=content).index.include_tests


MANY = b"[index]\nexclude = [%s]\n"
HOSTILE = {
    "arrays": (b"x = " + b"[" * 30_000, "nested too deeply"),
    "closed arrays": (b"[index]\nexclude = " + b"[" * 20_000 + b"]" * 20_000, "nested too deeply"),
    "tables": (b"x = " + b"{a=" * 20_000, "nested too deeply"),
    "a long key": (b"index" + b".a" * 30_000 + b" = 1", "a key of too many parts"),
    "a long quoted key": (b"index" + b" . 'a'" * 10_000 + b" = 1", "a key of too many parts"),
    "a long header": (b"[index" + b'."a"' * 10_000 + b"]", "a key of too many parts"),
    "a long header with keys": (b"[a" + b".a" * 15_000 + b"]\n" + b"b.c = 1\n" * 2_000, "a key of too many parts"),
    "a long integer": (b"[index]\nmax_file_bytes = " + b"1" * 20_000, "not valid TOML"),
    "a large integer": (b"[index]\nmax_file_bytes = " + b"1" * 4_000, "max_file_bytes"),
    "a negative integer": (b"[index]\nmax_file_bytes = -5", "max_file_bytes"),
    "infinite": (b"[retrieval]\nk1 = inf", "k1"),
    "no number": (b"[retrieval]\nk1 = nan", "k1"),
    "large": (b"[retrieval]\nk1 = 1e300", "k1"),
    "UTF-16": ("[index]\ninclude_tests = true\n".encode("utf-16"), "not UTF-8"),
    "Latin-1": ("# é\n".encode("latin-1"), "not UTF-8"),
    "NUL": (b"[index]\n\0", "not valid TOML"),
    "a surrogate": (b'[index]\nexclude = ["\\ud800"]', "not valid TOML"),
    "ten megabytes": (b"#" * 10_000_000, "10,000,000 bytes"),
    "many globs": (MANY % (b'"a",' * 15_000), "500 items"),
    "a long glob": (MANY % (b'"' + b"a" * 501 + b'"'), "500 characters"),
    "not a list": (b"[index]\nexclude = 5", "exclude"),
    "mixed": (MANY % b'"a", 5', "exclude"),
    "another section": (b"[cache]\nfolder = '/'", "may set only"),
    "no section": (b"index = 1", "may set only"),
    "an unknown key": (b"[index]\nnonsense = 1", "nonsense"),
    "not TOML": (b"\xf0\x9f\x98\x80", "not valid TOML"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_in_words_and_soon(kind: str) -> None:
    content, words = HOSTILE[kind]
    start = time.process_time()
    with pytest.raises(SettingsError) as caught:
        load_settings(repository_toml=content)
    assert time.process_time() - start < 1
    assert words in caught.value.message
    assert len(caught.value.message) < 500
    caught.value.message.encode()


@given(st.binary(max_size=60) | st.text(alphabet="[]{}.\"'=\n,a1_-+:T# \\", max_size=60).map(str.encode))
def test_any_file_gives_settings_or_a_settings_error(content: bytes) -> None:
    try:
        load_settings(repository_toml=content)
    except SettingsError as error:
        error.message.encode()


@pytest.mark.parametrize("overrides", [[], "index", 5, {"index": 5}, {"index": None}, {"nonsense": {}}, {5: {}}])
def test_overrides_of_a_wrong_kind(overrides: Any) -> None:
    with pytest.raises(SettingsError):
        load_settings(overrides)


class _NoFiles:
    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
        raise AssertionError("a plan reads no file")

    def recipe(self) -> dict[str, str]:
        return {}


def tree(paths: list[str]) -> Tree:
    entries = tuple(Entry(path, f"{at:040x}", 1) for at, path in enumerate(paths))
    return Tree("/somewhere", "name", "", "store", "sha1", entries, (), _NoFiles())


def left_out(paths: list[str], *globs: str) -> list[str]:
    settings = load_settings({"index": {"exclude": globs}}).index
    assert len(index_key(tree(paths), settings)) == 64
    return plan_index(tree(paths), settings).skipped.get("setting", [])


def test_globs_of_names_that_are_not_utf8() -> None:
    paths = ["caf\udce9/a.py", "caf\udce9/b.py", "cafe/a.py"]
    assert left_out(paths, "caf\udce9/*") == paths[:2]
    assert left_out(paths, "caf\\xe9/*") == paths[:2]
    assert left_out(paths, "*/a.py") == [paths[0], paths[2]]
    assert left_out(paths, "\ud83d/*") == []


@pytest.mark.parametrize(
    "glob", ["*a" * 250, "*a" * 249 + "*b", "*" * 500, "[" * 500, "[!]" * 160, "?*" * 250, "**/" * 166]
)
def test_a_pathological_glob_takes_linear_time(glob: str) -> None:
    paths = [f"{'a' * 200}/{'a' * at}.py" for at in range(50)]
    start = time.process_time()
    left_out(paths, glob)
    assert time.process_time() - start < 1


def test_as_many_globs_as_there_may_be() -> None:
    paths = [f"package/module_{at}/file_{at}.py" for at in range(2_000)]
    start = time.process_time()
    found = left_out(paths, *(f"*/module_{at}/*" for at in range(500)))
    assert len(found) == 500
    assert time.process_time() - start < 5

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from sherloc import Locator, locate
from sherloc.errors import MissingExtraError, ModelError, UsageError
from sherloc.indexer.builder import build_index
from sherloc.indexer.decoding import decode
from sherloc.indexer.index import Index
from sherloc.query import build_query
from sherloc.repository import open_tree
from sherloc.repository.sources import Sources
from sherloc.retriever import Retriever
from sherloc.retriever.comparison import Comparison, SnippetTexts, embed_ahead
from sherloc.retriever.semantic import FLOOR, chosen_units, text_of, windows_of
from sherloc.retriever.weights import Weights
from sherloc.schema.issue import Issue
from sherloc.settings import RetrievalSettings, load_settings
from sherloc.vectors.sqlite_store import SqliteVectorStore

Make = Callable[..., Path]
FILES = {
    "shop/basket.py": 'def add(item):\n    """Put into the basket."""\n    return total(item)\n',
    "shop/price.py": "def total(item):\n    return item.price\n",
    "shop/tax.py": "def basket_tax(item):\n    return 1\n",
}
ISSUE = Issue(title="Wrong total of the basket", body="The tax is missing.")


class Words:
    """An embedder of three dimensions: how often a text says basket, total and tax."""

    identity = "words"
    dimension = 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        rows = np.array([[text.count(word) for word in ("basket", "total", "tax")] for text in texts], np.float32) + 0.5
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def opened(repo: Path) -> tuple[Index, Sources]:
    tree = open_tree(repo)
    index = build_index(tree, load_settings({"cache": {"workers": 1}}))
    return index, Sources(tree, lambda data: decode(data)[0])


def retriever(repo: Path, comparison: Callable[[Comparison], None] = lambda c: None, **options: object) -> Retriever:
    index, sources = opened(repo)
    store = SqliteVectorStore("words", 3, repo.parent / "vectors")
    compare = Comparison(ISSUE, SnippetTexts(index.code, sources), Words(), store, **options)  # type: ignore[arg-type]
    found = Retriever(build_query(ISSUE), index, RetrievalSettings(), Weights(), similarity=compare)
    comparison(compare)
    return found


def test_similarity_lies_above_the_floor_of_the_best(make_repository: Make) -> None:
    found = retriever(make_repository(FILES))
    above = found.cues.similarity
    assert above is not None
    assert float(above.max()) == pytest.approx(FLOOR)
    chosen = chosen_units(found.index.code, found.fused)
    assert set(np.flatnonzero(above)) <= set(chosen)
    files = found.cues.relative_files["semantic"]
    for number in range(found.index.code.file_count):
        units = found.index.code.units_of_file(number)
        assert files[number] == max(above[units.start : units.stop])


def test_a_text_is_embedded_once(make_repository: Make) -> None:
    repo = make_repository(FILES)
    counts: list[int] = []
    for _ in range(2):
        retriever(repo, lambda compare: counts.append(compare.embedded))
    assert counts[0] > 4 and counts[1] == 0


def test_what_may_not_be_embedded_leaves_the_channel_out(make_repository: Make) -> None:
    skipped: list[bool] = []
    found = retriever(
        make_repository(FILES), lambda compare: skipped.append(compare.skipped), may_embed=lambda count: False
    )
    assert skipped == [True]
    assert found.cues.similarity is None and "semantic" not in found.cues.relative_files


def test_meaning_moves_a_file_by_a_tenth_of_the_best_at_most(make_repository: Make) -> None:
    repo = make_repository(FILES)
    settings = {"retrieval": {"channels": ("lexical", "structural", "graph", "history")}}
    without = {file.path: file.score for file in locate(ISSUE, repo, settings=settings).ranked_files}
    with_it = {file.path: file.score for file in locate(ISSUE, repo).ranked_files}
    best = max(without.values())
    assert without.keys() == with_it.keys()
    assert all(0 <= with_it[path] - without[path] <= 0.1 * best + 1e-6 for path in without)


def test_a_missing_extra_is_told_and_the_rest_goes_on(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    import sherloc.vectors

    def missing(settings: object) -> None:
        raise MissingExtraError("onnxruntime", "semantic", "The embedder 'onnx'")

    monkeypatch.setattr(sherloc.vectors, "open_embedder", missing)
    report = locate(ISSUE, make_repository(FILES))
    (told,) = [d for d in report.diagnostics if d.code == "channel_unavailable"]
    assert told.severity == "info" and "pip install 'sherloc[semantic]'" in told.message
    assert report.ranked_files and report.degraded == ()


def test_no_embedder_is_no_fault(make_repository: Make) -> None:
    report = locate(ISSUE, make_repository(FILES), settings={"vectors": {"embedder": "none"}})
    assert report.ranked_files and [d.code for d in report.diagnostics] == ["vague_issue"]


def test_an_embedder_that_fails_leaves_the_channel_out_and_says_so(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sherloc.vectors.onnx_embedder import OnnxEmbedder

    def broken(self: OnnxEmbedder) -> None:
        raise RuntimeError("no such operator")

    monkeypatch.setattr(OnnxEmbedder, "_load", broken)
    report = locate(ISSUE, make_repository(FILES))
    assert report.degraded == ("semantic",) and report.ranked_files
    assert "no such operator" in next(d.message for d in report.diagnostics if d.code == "degraded")


@pytest.mark.parametrize(
    ("vectors", "package"),
    [({"store": "chroma"}, "chromadb"), ({"embedder": "sentence-transformers:a/b"}, "sentence_transformers")],
)
def test_a_missing_package_of_what_was_named_is_a_warning_and_no_vectors_can_be_made(
    make_repository: Make, monkeypatch: pytest.MonkeyPatch, vectors: dict[str, str], package: str
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else real(name))
    with Locator(make_repository(FILES), settings={"vectors": vectors}) as locator:
        report = locator.locate(ISSUE)
        (told,) = [d for d in report.diagnostics if d.code == "channel_unavailable"]
        assert told.severity == "warning" and package.replace("_", "-") in told.message
        assert report.degraded == ("semantic",) and report.ranked_files
        with pytest.raises(MissingExtraError) as raised:
            locator.embed()
        assert raised.value.exit_code == 5


def test_an_embedder_that_cannot_be_opened_is_named(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    import sherloc.vectors

    def broken(settings: object) -> None:
        raise ModelError("The model is not on this machine.")

    monkeypatch.setattr(sherloc.vectors, "open_embedder", broken)
    report = locate(ISSUE, make_repository(FILES))
    assert report.ranked_files and report.degraded == ("semantic",)
    assert "not on this machine" in next(d.message for d in report.diagnostics if d.code == "degraded")


def test_what_is_embedded_of_a_snippet() -> None:
    assert text_of("a/b.py", "C.f", "Doc." * 100, "x" * 5000)[:17] == "a/b.py C.f\nDoc.Do"
    assert len(text_of("a/b.py", "C.f", "Doc." * 100, "x" * 5000)) == 1200


@pytest.mark.parametrize(
    ("text", "similarity", "tied"),
    [
        ("Something goes wrong\n\nThe sum is off after paying.", 0.2, False),
        ("Something goes wrong\n\nThe sum is off after paying.", 0.6, True),
        ("Something goes wrong\n\nThe sum of `total` is off after paying.", 0.2, True),
        ("Something goes wrong\n\nThe sum is off in shop/price.py after paying.", 0.2, True),
        ("Wrong price\n\nThe sum is off after paying.", 0.2, True),
    ],
)
def test_an_issue_that_names_nothing_and_resembles_nothing_is_not_tied(
    make_repository: Make, text: str, similarity: float, tied: bool
) -> None:
    files = {"shop/price.py": 'def total(item):\n    """The sum of what was paying."""\n    return item.price\n'}
    tree = open_tree(make_repository(files))
    index = build_index(tree, load_settings({"cache": {"workers": 1}}))
    query = build_query(Issue.from_text(text))

    def alike(units: Sequence[int]) -> np.ndarray:
        return np.full((len(units), 3), similarity)

    found = Retriever(query, index, RetrievalSettings(), Weights(), similarity=alike)
    assert found.candidates(5).files[0].path == "shop/price.py"
    assert found.candidates(5).tied is tied
    # Without the comparison nothing is known of it.
    assert Retriever(query, index, RetrievalSettings(), Weights()).candidates(5).tied


def test_snippets_are_read_alone_or_with_the_names_of_their_neighbours(make_repository: Make) -> None:
    index, sources = opened(make_repository(FILES))
    unit = next(u for u in index.units_named("total"))
    alone, among = (SnippetTexts(index.code, sources, graph).of([unit]) for graph in (None, index.graph))
    code = "def total(item):\n    return item.price"
    assert alone == [[f"shop/price.py total\n\n{code}"]]
    assert among == [[f"shop/price.py total\n\ncalled by add\n{code}"]]
    caller = next(u for u in index.units_named("add"))
    assert SnippetTexts(index.code, sources, index.graph).of([caller])[0][0].split("\n")[2] == "calls total"


def test_a_function_is_read_in_three_windows_of_whole_lines_at_most() -> None:
    lines = [f"    line_{number} = {'x' * 80}" for number in range(30)]  # 95 or 96 characters: four a window
    code = "\n".join(["def f():", *lines])
    second, third = windows_of("a.py", "f", code)
    assert second == "a.py f\n" + "\n".join(lines[4:8]) + "\n"
    assert third == "a.py f\n" + "\n".join(lines[8:12]) + "\n"
    assert windows_of("a.py", "f", "\n".join(["def f():", *lines[:4]])) == []
    assert windows_of("a.py", "f", "") == []
    # A line that is longer than a window is cut, blank ones alone are none.
    assert windows_of("a.py", "f", "def f():\n" + "y" * 2_000 + "\n" * 3) == ["a.py f\n" + "y" * 450 + "\n"]
    assert windows_of("a.py", "f", "z" * 450 + "\n" * 500) == []


def test_likeness_by_hand(make_repository: Make) -> None:
    """The beginning, the most alike window, and the one most alike to the title, of a function of two windows."""
    code = "def total(item):\n" + "    basket = 1\n" * 29 + "    tax = item\n" * 29
    repo = make_repository({"shop/price.py": code})
    index, sources = opened(repo)
    store = SqliteVectorStore("words", 3, repo.parent / "vectors")
    issue = Issue(title="tax", body="basket basket")
    compare = Comparison(issue, SnippetTexts(index.code, sources), Words(), store)
    (unit,) = index.units_named("total")
    # Counts of basket, total and tax, and a half: the beginning has all of the first 1,200 characters, and the names.
    title, both = np.array([0.5, 0.5, 1.5]), np.array([2.5, 0.5, 1.5])
    begin, second = np.array([29.5, 2.5, 29.5]), np.array([1.5, 1.5, 29.5])
    assert SnippetTexts(index.code, sources).of([unit])[0][1].count("tax") == 29

    def cosine(one: np.ndarray, other: np.ndarray) -> float:
        return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))

    wanted = [
        (cosine(begin, title) + cosine(begin, both)) / 2, (cosine(second, title) + cosine(second, both)) / 2,
        cosine(second, title),
    ]  # fmt: skip
    assert compare([unit]).tolist() == [pytest.approx([wanted[0], max(wanted[:2]), wanted[2]], abs=1e-4)]
    assert compare([]).shape == (0, 3)


def test_the_unit_of_the_semantic_channel_is_a_setting_that_keeps_the_index(make_repository: Make) -> None:
    repo = make_repository(FILES)
    keys = []
    for unit in ("function", "with_neighbours"):
        with Locator(repo, settings={"index": {"unit": unit}}) as locator:
            assert locator.locate(ISSUE).ranked_files
            keys.append(locator.index().info.key)
    assert keys[0] == keys[1]


def test_all_snippets_embedded_ahead_leave_none_to_embed(make_repository: Make) -> None:
    repo = make_repository(FILES)
    index, sources = opened(repo)
    store, words, done = SqliteVectorStore("words", 3, repo.parent / "vectors"), Words(), list[int]()
    texts = SnippetTexts(index.code, sources)
    units = int((index.code.arrays["kind"] != 4).sum())
    assert embed_ahead(texts, words, store, done.append) == len(set(words.asked)) == units
    assert sum(done) == units
    assert embed_ahead(texts, words, store) == 0
    counts: list[int] = []
    retriever(repo, lambda compare: counts.append(compare.embedded))
    assert counts == [2]  # the issue and its title alone


def test_what_was_embedded_before_a_failure_is_kept(make_repository: Make) -> None:
    class Failing(Words):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            if len(self.asked) > 1:
                raise ModelError("It broke.")
            return super().embed(texts)

    repo = make_repository(FILES)
    index, sources = opened(repo)
    store, failing = SqliteVectorStore("words", 3, repo.parent / "vectors"), Failing()
    with pytest.raises(ModelError):
        embed_ahead(SnippetTexts(index.code, sources), failing, store)
    words = Words()
    embed_ahead(SnippetTexts(index.code, sources), words, store)
    assert failing.asked and not set(failing.asked) & set(words.asked)


def test_a_locator_embeds_ahead_and_says_how_far(make_repository: Make) -> None:
    told: list[tuple[str, int, int]] = []
    with Locator(make_repository(FILES)) as locator:
        count = locator.embed(on_progress=lambda *step: told.append(step))
        assert count > 0 and told[-1] == ("embed", told[-1][2], told[-1][2])
        assert locator.embed() == 0


def test_without_an_embedder_nothing_can_be_embedded(make_repository: Make) -> None:
    with (
        Locator(make_repository(FILES), settings={"vectors": {"embedder": "none"}}) as locator,
        pytest.raises(UsageError, match=r"vectors\.embedder is none"),
    ):
        locator.embed()

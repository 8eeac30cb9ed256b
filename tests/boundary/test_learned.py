"""Learned scores: what a span is, sums by hand, files that cannot be read, training that gives the same bytes."""

from __future__ import annotations

import json
import sys
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sherloc.boundary import scan, scan_diff
from sherloc.boundary.folding import prose, simplified
from sherloc.boundary.learned import Model, Scores, load_model, score_lines
from sherloc.boundary.matching import by_rules, find
from sherloc.boundary.rules import READS_LIKE, WEIGHED, WEIGHTS, rules_version
from sherloc.boundary.spans import BUCKETS, LANGUAGES, ORDERS, codes_of, edges_of, grams_of, languages_of, spans_of
from sherloc.errors import SherlocError

HERE = Path(__file__).parent
BENCHMARKS = HERE.parent.parent / "benchmarks"


def bucket(text: str, language: str) -> int:
    """The bucket of a text that is one n-gram."""
    grams = grams_of(codes_of(text), language)
    (found,) = grams.buckets[len(grams.at)]
    return int(found)


def edges(text: str, language: str) -> list[tuple[int, int]]:
    """For each order that fits in a text the buckets of the n-grams that it begins and ends with."""
    grams = grams_of(codes_of(text), language)
    found = [
        buckets.tolist() for _, buckets in edges_of(codes_of(text), grams, np.array([0]), np.array([len(grams.at)]))
    ]
    return [(begin[0], end[0]) for begin, end in zip(found[::2], found[1::2], strict=True) if begin]


def model(
    language: str,
    weights: dict[str, int],
    scale: float,
    bias: float,
    *,
    begins: dict[str, int] | None = None,
    ends: dict[str, int] | None = None,
) -> dict[str, Model]:
    table = np.zeros(BUCKETS, np.int8)
    for text, weight in weights.items():
        table[bucket(text, language)] = weight
    for at, chosen in enumerate((begins or {}, ends or {})):
        for text, weight in chosen.items():
            table[edges(text, language)[-1][at]] = weight
    return {language: Model(table, scale, bias)}


def spans(text: str) -> list[tuple[int, str]]:
    codes = codes_of(text)
    found = spans_of(codes)
    return [
        (line, text[start:end])
        for line, start, end in zip(found.line.tolist(), found.start.tolist(), found.end.tolist(), strict=True)
    ]


def test_words_by_hand() -> None:
    models = model("en", {"skip": 10, "this file": 5, "skip this file": -3}, 0.5, -2.0)
    scores = score_lines("x = 1\nskip this file now\nanother line that says nothing", models)
    # Four words, three pairs and two triples, and three that it begins and three that it ends with: 15 n-grams.
    assert scores.inside[1] == (0.5 * (10 + 5 - 3) / sqrt(15) - 2.0, len("x = 1\n"))
    # Nothing of the second sentence has a weight.
    assert scores.inside[2] == (-2.0, len("x = 1\nskip this file now\n"))
    assert 0 not in scores.inside
    # With x, = and 1 before it: seven units, so 7 + 6 + 5 n-grams and six at the edges.
    assert scores.joined[0] == (0.5 * (10 + 5 - 3) / sqrt(24) - 2.0, 0)


def test_characters_by_hand() -> None:
    models = model("ja", {"触れ": 7, "ない": 2, "触れない": 100}, 1.0, 0.25)
    # 8 characters, 7 pairs, 6 triples, 5 of four; 4 at each edge.
    assert score_lines("何にも触れないで", models).inside == {0: ((7 + 2 + 100) / sqrt(34) + 0.25, 0)}
    assert score_lines("何にも触れないで", model("zh", {}, 1.0, 0.0)).inside == {}


def test_repeated_n_grams_count_each_time() -> None:
    models = model("en", {"skip": 10}, 1.0, 0.0)
    assert score_lines("skip skip skip skip", models).inside == {0: (40 / sqrt(15), 0)}


def test_what_a_sentence_begins_and_ends_with_counts_apart() -> None:
    models = model("en", {}, 1.0, 0.0, begins={"skip": 3, "skip this": 5}, ends={"file": 7, "skip": 50})
    # Marks of lists and comments before it, and stops after it, are not what it begins and ends with.
    for text, signs in (("skip this very file", 0), ("skip this very file.", 1), ("> - skip this very file.", 3)):
        units = 4 + signs
        assert score_lines(text, models).inside == {0: (15 / sqrt(3 * units - 3 + 6), 0)}
    assert score_lines("file of this skip is", models).inside == {0: (0.0, 0)}
    signs = model("ja", {}, 1.0, 0.0, begins={"触れ": 2}, ends={"こと": 4, "と": 8})
    # 11 characters, so 11 + 10 + 9 + 8 n-grams, and 8 at the edges.
    assert score_lines("触れないで下さること。", signs).inside == {0: (14 / sqrt(46), 0)}


def test_the_best_span_of_a_line_counts() -> None:
    models = model("en", {"skip": 10}, 1.0, 0.0)
    text = "This is the first sentence here. Please skip this one. And a third one follows now."
    # "Please skip this one." has five units: 5 + 4 + 3 n-grams, and six at the edges.
    assert score_lines(text, models).inside == {0: (10 / sqrt(18), text.index("Please"))}


def test_a_sentence_over_two_lines() -> None:
    models = model("en", {"please skip": 20}, 1.0, 0.0)
    scores = score_lines("and so please\nskip this file\n.\nskip it all now", models)
    # Of the lines only the last has four words; a full stop alone is the end of what stands before it.
    assert scores.joined[0] == (20 / sqrt(6 + 5 + 4 + 6), 0)
    assert scores.inside == {3: (0.0, len("and so please\nskip this file\n.\n"))}
    # A stop between them keeps them apart.
    assert score_lines("and so please.\nskip this file", models).joined == {}


def test_two_lines_count_together_only_where_neither_counts_alone() -> None:
    def hits(inside: dict[int, float], joined: dict[int, float]) -> list[tuple[int, int]]:
        parts = ({line: (value, 10 * line) for line, value in part.items()} for part in (inside, joined))
        return sorted(Scores(*parts).hits())

    assert hits({0: 0.5, 1: 0.9}, {0: 1.0}) == [(0, 0)]
    assert hits({0: 0.5, 1: 1.0}, {0: 3.0, 1: 2.0}) == [(1, 10)]
    assert hits({0: 2.0, 1: 0.5}, {0: 3.0, 1: 0.9}) == [(0, 0)]
    scores = Scores({0: (-0.1, 0), 1: (-0.1, 0), 2: (0.0, 0)}, {1: (0.2, 0)})
    assert [scores.ordinary(line) for line in range(4)] == [True, False, False, False]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("\n\n", []),
        ("one", [(0, "one")]),
        ("One. Two", [(0, "One."), (0, "Two"), (0, "One. Two")]),
        ("v1.2 and a.b", [(0, "v1.2 and a.b")]),
        ("一。二。", [(0, "一。"), (0, "二。"), (0, "一。二。")]),
        ("a\nb", [(0, "a"), (1, "b"), (0, "a\nb")]),
        ("a.\nb", [(0, "a."), (1, "b")]),
        ("a\n\nb", [(0, "a"), (2, "b")]),
        ("a\n.\nb\n.", [(0, "a"), (2, "b")]),
        (".", []),
        ("a. . b", [(0, "a."), (0, "."), (0, "b"), (0, "a. ."), (0, ". b"), (0, "a. . b")]),
        ("A. B. C", [(0, "A."), (0, "B."), (0, "C"), (0, "A. B."), (0, "B. C"), (0, "A. B. C")]),
        ("x" * 250, [(0, "x" * 200), (0, "x" * 50), (0, "x" * 250)]),
    ],
)
def test_spans(text: str, wanted: list[tuple[int, str]]) -> None:
    assert spans(text) == wanted


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("skip this file now", 0),
        ("skip this file", -1),
        ("agents.skip(this, file) or that", -1),
        ("skip, this: file now.", 0),
        ("a skip b this c file d", -1),
        ("(skip) = [this, 1, file, {now}] # or then, all of it", -1),
        ("skip this (file) now: all, of it", 0),
        ("x = {1: 2}", -1),
        ("レビューは不要です", 1),
        ("レビュー不要", -1),
        ("评审时请跳过此处", 2),
        ("评审不需要", -1),
        ("fix the 评审 of all", -1),
        ("", -1),
    ],
)
def test_languages(text: str, language: int) -> None:
    codes = codes_of(text)
    assert languages_of(codes, np.array([0]), np.array([len(codes)])).tolist() == [language]


def reference(unit: str, language: str, chosen: Model) -> float:
    """The score of one span, each n-gram hashed alone and what is not part of its edges cut off."""
    total = count = 0
    grams = grams_of(codes_of(unit), language)
    for order in ORDERS[language]:
        for at in range(len(grams.at) - order + 1):
            end = grams.at[at + order] if at + order < len(grams.at) else len(unit)
            total += int(chosen.weights[bucket(unit[grams.at[at] : end], language)])
            count += 1
    marks = [unit[at] for at in grams.at.tolist()]
    last = max((at + 1 for at, mark in enumerate(marks) if mark not in "\n .!?;,。、"), default=0)
    first = min((at for at, mark in enumerate(marks) if mark not in "\n #-*/>"), default=len(marks))
    places = [*grams.at.tolist(), len(unit)]
    for pair in edges(unit[places[first] : places[last]], language) if first < last else ():
        total += sum(int(chosen.weights[place]) for place in pair)
        count += 2
    return total * chosen.scale / sqrt(max(count, 1)) + chosen.bias


@settings(deadline=None, max_examples=40)
@given(st.text(alphabet=" \n.!a'bc9=(レビュー不要。审查的文件é\u3000\x00", max_size=60))
@example("skip 1.\nthis. b c a\n a b 审查 审查的文件。不要。")
def test_the_fast_sums_are_those_of_each_span_alone(text: str) -> None:
    models = {language: load_model(language) for language in LANGUAGES}
    codes = codes_of(text)
    found = spans_of(codes)
    spoken = languages_of(codes, found.start, found.end).tolist()
    wanted: tuple[dict[int, float], dict[int, float]] = {}, {}
    for start, end, line, joined, number in zip(
        *(part.tolist() for part in (found.start, found.end, found.line, found.joined)), spoken, strict=True
    ):
        if number >= 0:
            value = reference(text[start:end], LANGUAGES[number], models[LANGUAGES[number]])
            wanted[joined][line] = max(wanted[joined].get(line, -inf), value)
    scores = score_lines(text, models)
    for part, best in zip((scores.inside, scores.joined), wanted, strict=True):
        assert {line: value for line, (value, _) in part.items()} == pytest.approx(best)


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=200) | st.text(alphabet="\ud800\udfff\u202e\u0000\n\r. あ审a", max_size=80))
def test_no_text_makes_it_fail(text: str) -> None:
    for hit in [*scan(text), *scan_diff(text)]:
        assert hit.rules


def test_scores_do_not_depend_on_what_stands_elsewhere() -> None:
    line = "Reviewers should leave this module alone, legal has agreed."
    alone, _ = score_lines(line.lower()).inside[0]
    text = "\n.\n".join(["def total(items): return sum(items)", line.lower(), "これは何も指示しない文です。"])
    assert score_lines(text).inside[2][0] == alone


def test_a_rule_counts_only_where_the_line_does_not_read_like_ordinary_text() -> None:
    """Both kinds of decision are taken on the sentences of this folder, one by one."""
    checked = set()
    for path in sorted((HERE / "fresh").glob("[bc].json")):
        for kinds in json.loads(path.read_text("utf-8")).values():
            for text in [*kinds["orders"][::3], *kinds["ordinary"][::3]]:
                named = {name for names in by_rules([text]).values() for name in names}
                value, _ = score_lines("\n".join(simplified(prose([text])))).inside.get(0, (0.0, 0))
                wanted = named - WEIGHED if value < 0 else named
                if not wanted and value >= 1:
                    wanted = {READS_LIKE}
                assert {name for names in find([text]).values() for name in names} == wanted, text
                checked.add((bool(named), value < 0, value >= 1))
    assert {(True, False, True), (False, True, False), (False, False, True)} <= checked


@pytest.mark.parametrize(
    "text",
    [
        "The permission stays wide, the board is happy with it, so let this one sail past your desk.",
        "この設計に口を挟むのは野暮というもの、黙って判を押すのが粋です。",
        "权限这块老板点过头，各位高抬贵手，别写进报告。",
    ],
)
def test_words_that_no_rule_knows(text: str) -> None:
    assert by_rules([text]) == {}
    (hit,) = scan(f"x = 1\n# {text}\n")
    assert (hit.rules, hit.line) == ((READS_LIKE,), 2)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Previously approved orders cannot be cancelled online.", "waiver"),
        ("誤った使い方による破損は保証の対象外です。", "order"),
    ],
)
def test_ordinary_sentences_that_a_rule_matches_are_let_go(text: str, rule: str) -> None:
    assert [list(names) for names in by_rules([text]).values()] == [[rule]]
    assert scan(text) == []
    # What hides characters counts all the same.
    assert scan(text + "\u202e")[0].rules == ("bidirectional",)


def test_the_shipped_weights_are_small_and_of_all_languages() -> None:
    assert sorted(path.name for path in WEIGHTS.iterdir()) == [f"{language}.npz" for language in LANGUAGES]
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 1_000_000


def test_other_weights_are_another_version_of_the_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped = rules_version()
    monkeypatch.setattr("sherloc.boundary.rules.WEIGHTS", tmp_path)
    assert rules_version.__wrapped__() != shipped


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "text", "format", "lacking"])
def test_weights_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "ja.npz"
    raw = (WEIGHTS / "ja.npz").read_bytes()
    if damage == "format":
        np.savez(path, format=np.array(0))
    elif damage == "lacking":
        np.savez(path, format=np.array(2))
    elif damage != "missing":
        path.write_bytes({"empty": b"", "cut": raw[: len(raw) // 2], "text": b"no archive"}[damage])
    monkeypatch.setattr("sherloc.boundary.learned.WEIGHTS", tmp_path)
    with pytest.raises(SherlocError, match=r"learned weights.*ja\.npz.*Install sherloc again"):
        load_model.__wrapped__("ja")


def test_a_byte_of_the_weights_that_is_wrong_is_named_or_says_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The archive's own words at each place, its content at some; ``zipfile`` has an error of its own for many."""
    raw = (WEIGHTS / "en.npz").read_bytes()
    shipped = load_model("en")
    monkeypatch.setattr("sherloc.boundary.learned.WEIGHTS", tmp_path)
    outcomes = set()
    for place in (*range(60), *range(1000, len(raw) - 300, 9973), *range(len(raw) - 300, len(raw))):
        damaged = bytearray(raw)
        damaged[place] ^= 1 << place % 8
        (tmp_path / "en.npz").write_bytes(damaged)
        try:
            read = load_model.__wrapped__("en")
        except SherlocError:
            outcomes.add("named")
        else:
            outcomes.add("same")
            assert (read.scale, read.bias) == (shipped.scale, shipped.bias)
            assert np.array_equal(read.weights, shipped.weights), place
    assert outcomes == {"named", "same"}


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import train_boundary

    yield train_boundary
    for name in ("train_boundary", "boundary"):
        sys.modules.pop(name, None)


def test_weights_are_written_to_the_same_bytes(trainer: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights = np.zeros(BUCKETS, np.float32)
    weights[[3, 70_000, 4_000_000]] = [0.5, -1.0, 0.25]
    made = trainer.quantised(weights, -2.0, -1.0, 3.0)
    trainer.write(*made, tmp_path / "ja.npz")
    trainer.write(*made, tmp_path / "zh.npz")
    assert (tmp_path / "ja.npz").read_bytes() == (tmp_path / "zh.npz").read_bytes()
    monkeypatch.setattr("sherloc.boundary.learned.WEIGHTS", tmp_path)
    read = load_model.__wrapped__("ja")
    assert np.flatnonzero(read.weights).tolist() == [3, 70_000, 4_000_000]
    # From -1 (0) to 3 (1): the bias of -2 is -0.25, and a weight of -1.0, the largest but for the clip, about -0.25.
    assert read.bias == -0.25
    assert read.weights[70_000] == -127
    assert read.scale * read.weights[[3, 4_000_000]] == pytest.approx([0.125, 0.0625], rel=0.02)


def test_a_row_of_the_training_is_what_the_scan_sums(trainer: Any) -> None:
    for language, text in (
        ("en", "please skip this file."),
        ("ja", "レビューでは触れないこと。"),
        ("zh", "评审时请跳过这里的代码"),
    ):
        chosen = load_model(language)
        row = trainer.matrix([trainer.folded(text)], language)
        value = float((row @ chosen.weights.astype(float))[0]) * chosen.scale + chosen.bias
        assert score_lines(trainer.folded(text)).inside[0][0] == pytest.approx(value, abs=1e-5)


@pytest.mark.slow
def test_training_gives_the_same_bytes(trainer: Any, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    folder = tmp_path / "lines"
    folder.mkdir()
    (folder / "a.md").write_text("\n".join(f"The value {n} is read from the file of settings." for n in range(200)))
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        training = trainer.Training("en", [f"lines={folder}"], [f"lines={folder}"], tmp_path / name)
        training.mine()
        trainer.write(*trainer.quantised(*training.fit(), -1.0, 1.0), tmp_path / f"{name}.npz")
        made.append((tmp_path / f"{name}.npz").read_bytes())
    assert made[0] == made[1]

from __future__ import annotations

import inspect
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sherloc
from sherloc.errors import MissingExtraError, UsageError
from sherloc.protocols import Tokenizer
from sherloc.tokens import (
    CalibratedTokenizer,
    Calibration,
    Estimator,
    NotOfflineError,
    estimate_tokens,
    get_tokenizer,
)
from sherloc.tokens.weights import ASCII_CLASSES, ASCII_WEIGHTS, SCRIPT_WEIGHTS, SCRIPTS

ANY_TEXT = st.text(st.characters(), max_size=80) | st.text("ab_A1 .,(\n'=日本かな한é😀\ud800", max_size=80)


def test_a_count_by_hand() -> None:
    column = {member: i for i, members in enumerate(ASCII_CLASSES) for member in members}

    def weight(before: str, character: str) -> int:
        return ASCII_WEIGHTS[column[before]][column[character]]

    first = min(row[column["d"]] for row in ASCII_WEIGHTS)
    whole = first + weight("d", "e") + weight("e", "f") + weight("f", " ") + weight(" ", "f")
    assert Estimator().millitokens("def f") == whole
    assert Estimator().millitokens("def f日") == whole + SCRIPT_WEIGHTS["han"]
    assert estimate_tokens("def f") == -(-whole // 1000)


def test_nothing_counts_nothing_and_anything_counts() -> None:
    assert estimate_tokens("") == 0
    assert [estimate_tokens(chr(code)) for code in range(0, 0x110000, 997) if estimate_tokens(chr(code)) < 1] == []


@given(ANY_TEXT, ANY_TEXT)
def test_appending_never_lowers_the_count(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= max(estimate_tokens(text), estimate_tokens(more))


@given(ANY_TEXT, st.integers(0, 80), st.integers(0, 80))
def test_a_part_never_counts_more_than_the_whole(text: str, start: int, end: int) -> None:
    assert Estimator().millitokens(text[start:end]) <= Estimator().millitokens(text)


@given(st.lists(ANY_TEXT, max_size=6))
def test_counts_add_up_within_one_a_cut(parts: list[str]) -> None:
    whole = estimate_tokens("".join(parts))
    assert abs(whole - sum(map(estimate_tokens, parts))) <= max(0, len(parts) - 1)


def test_two_thousand_appends_in_turn() -> None:
    text, last = "", 0
    for i in range(2000):
        text += ("x", " ", "日", ".", "7", "한", "\n", "é")[i * i % 8]
        assert estimate_tokens(text) >= last
        last = estimate_tokens(text)


def test_long_texts_are_counted_as_one_piece() -> None:
    text = "def f(x):\n    return x\n" * 100_000
    half = text[: (1 << 20) + 3]
    one = Estimator()
    assert one.millitokens(text) >= one.millitokens(half) + one.millitokens(text[len(half) :])
    period = one.millitokens(text[:4600]) - one.millitokens(text[:2300])
    assert one.millitokens(text) == one.millitokens(text[:2300]) + 999 * period


def test_python_code_has_about_four_characters_a_token() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(sherloc.__file__).parent.rglob("*.py"))]
    characters = sum(map(len, sources))
    assert 3.6 < characters / sum(map(estimate_tokens, sources)) < 4.7


@pytest.mark.parametrize(
    "text",
    [
        "これは日本語の文章です。関数を修正してください。",
        "这是一个中文句子，请修复这个函数。",
        "한국어 문장입니다. 함수를 고쳐 주세요.",
        "漢字カタカナひらがな",
        "ｶﾀｶﾅ",
    ],
)
def test_chinese_japanese_and_korean_have_under_two_characters_a_token(text: str) -> None:
    assert estimate_tokens(text) / len(text) >= 0.6
    letters = [character for character in text if character.isalpha()]
    assert all(Estimator().millitokens(letter) >= 600 for letter in letters)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    # what o200k_base and cl100k_base count: the estimate lies between, or close to them
    [
        ("Привет, мир! Это проверка.", 8, 13),
        ("مرحبا بالعالم، هذا اختبار", 7, 18),
        ("สวัสดีชาวโลก นี่คือการทดสอบ", 9, 26),
        ("नमस्ते दुनिया, यह एक परीक्षण है", 9, 30),
        ("Γειά σου Κόσμε", 5, 13),
        ("😀🎉🚀", 3, 8),
    ],
)
def test_other_scripts_are_sensible(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


def test_the_tables_are_whole() -> None:
    assert [first for first, _ in SCRIPTS] == sorted({first for first, _ in SCRIPTS})
    assert {script for _, script in SCRIPTS} == set(SCRIPT_WEIGHTS)
    assert {len(row) for row in ASCII_WEIGHTS} == {len(ASCII_CLASSES) + 1}
    assert min(min(row) for row in ASCII_WEIGHTS) >= 20
    assert min(SCRIPT_WEIGHTS.values()) >= 20


def test_a_calibration_follows_the_reports() -> None:
    calibration = Calibration()
    assert calibration.permille == 1000
    for _ in range(2):
        calibration.observe(100, 130)
    assert calibration.permille == 1000  # two reports against three made up
    for _ in range(10):
        calibration.observe(100, 130)
    assert calibration.permille == 1300
    tokenizer = calibration.apply(Estimator())
    assert tokenizer.name == "estimate x1.3"
    text = "def f(x): return x"
    assert tokenizer.count(text) == -(-Estimator().millitokens(text) * 1300 // 1_000_000)


def test_outliers_and_short_calls_do_not_move_it() -> None:
    calibration = Calibration()
    for _ in range(20):
        calibration.observe(1000, 1100)
    for _ in range(9):
        calibration.observe(1000, 10**9)
        calibration.observe(49, 4)
        calibration.observe(1000, 0)
    assert calibration.permille == 1100


def test_a_calibration_stays_in_bounds() -> None:
    high, low = Calibration(), Calibration()
    for _ in range(200):
        high.observe(100, 10**9)
        low.observe(10**9, 1)
    assert (high.permille, low.permille) == (2000, 500)


def test_a_tokenizer_does_not_change_with_later_reports() -> None:
    calibration = Calibration()
    tokenizer = calibration.apply(Estimator())
    for _ in range(50):
        calibration.observe(100, 200)
    assert tokenizer.permille == 1000


def test_reports_from_many_threads() -> None:
    calibration = Calibration()
    threads = [threading.Thread(target=lambda: [calibration.observe(100, 120) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calibration.permille == 1200


class Words:
    def count(self, text: str) -> int:
        return len(text.split())


def test_any_tokenizer_can_be_calibrated() -> None:
    tokenizer = CalibratedTokenizer(Words(), 1500)
    assert tokenizer.count("a b c") == 5
    assert tokenizer.name == "Words x1.5"


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT, st.integers(500, 2000))
def test_calibrated_counts_are_monotone_too(text: str, more: str, permille: int) -> None:
    tokenizer = CalibratedTokenizer(Estimator(), permille)
    assert tokenizer.count(text + more) >= max(tokenizer.count(text), tokenizer.count(more))


def test_every_tokenizer_keeps_the_protocol() -> None:
    for tokenizer in (Estimator(), CalibratedTokenizer(Words()), get_tokenizer(), get_tokenizer("no such model")):
        assert isinstance(tokenizer, Tokenizer)
        assert list(inspect.signature(tokenizer.count).parameters) == ["text"]


def test_without_a_name_it_is_the_estimator() -> None:
    assert get_tokenizer().name == "estimate"
    assert get_tokenizer("estimate").name == "estimate"


def test_what_is_not_there_is_named_or_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert get_tokenizer("o200k_base").name == "estimate"
    with pytest.raises(MissingExtraError, match="tiktoken"):
        get_tokenizer("o200k_base", required=True)
    with pytest.raises(MissingExtraError, match="tokenizers"):
        get_tokenizer(str(tmp_path), required=True)


def test_tiktoken_is_never_left_to_download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(NotOfflineError):
        get_tokenizer("gpt-4o", required=True)
    damaged = tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790"
    damaged.write_bytes(b"damaged")
    with pytest.raises(NotOfflineError):
        get_tokenizer("o200k_base", required=True)
    assert damaged.read_bytes() == b"damaged"
    with pytest.raises(UsageError, match="no such model"):
        get_tokenizer("no such model", required=True)


def test_the_names_in_the_cache_are_those_of_tiktoken() -> None:
    hashlib = pytest.importorskip("hashlib")
    source = inspect.getsource(pytest.importorskip("tiktoken_ext.openai_public"))
    from sherloc.tokens.exact import _TIKTOKEN_FILES

    for name, (file_name, digest) in _TIKTOKEN_FILES.items():
        address = next(part for part in source.split('"') if part.endswith(f"/{name}.tiktoken"))
        assert hashlib.sha1(address.encode()).hexdigest() == file_name
        assert digest in source


def test_a_tokenizer_file(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        tokenizer = get_tokenizer(str(path), required=True)
        assert tokenizer.name == f"tokenizers:{tmp_path / 'tokenizer.json'}"
        assert tokenizer.count("a b a \ud800") == 4
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UsageError, match="is not a tokenizer"):
        get_tokenizer(str(tmp_path), required=True)

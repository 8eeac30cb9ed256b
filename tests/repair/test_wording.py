from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.forge import harmless
from sherloc.protocols import Ticket
from sherloc.repair import wording
from sherloc.repair.languages import NAMES
from sherloc.repair.wording import (
    PullRequestFacts,
    commit_message,
    missing_information_comment,
    pull_request_body,
    pull_request_title,
    texts_of,
)
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.fix import MadeCommit, ProducedPatch, TestRun
from sherloc.schema.issue import Issue
from sherloc.schema.proposal import PatchProposal

ISSUE = Issue(title="Basket.total is wrong", body="It gives twice the price.")
PLACE = ChangeSet(
    file_path="shop/basket.py", target_location=TargetLocation(start_line=2, end_line=3, function_name="Basket.total"),
    change_type=ChangeType.FIX_LOGIC, confidence=0.82,
    diagnostic_evidence=(
        EvidenceItem(source="lexical", description="shares total with the issue"),
        EvidenceItem(source="diagnosis", description="It doubles the price @someone"),
    ),
)  # fmt: skip
PROPOSAL = PatchProposal(
    is_fixable=True, reasoning="`total` multiplies by two (shop/basket.py:3).", title="Basket: the total counts once",
    pr_description="The total was doubled. It is the price now.",
)  # fmt: skip
COMMITS = (
    MadeCommit(sha="a" * 40, tree="b" * 40, message="Basket: count the price once\n\nMore.", paths=("shop/basket.py",)),
    MadeCommit(sha="c" * 40, tree="d" * 40, message="Test of the total", paths=("tests/a.py", "tests/b.py")),
)


def same(text: str) -> str:
    return text


def no_mentions(text: str) -> str:
    return text.replace("@", "(at)")


def facts(**values: object) -> PullRequestFacts:
    patch = ProducedPatch(
        candidate=1, generator="g", proposal=PROPOSAL, diff="d",
        flags=("It edits tests/b.py, which is not in the brief.",),
        tests=TestRun(command="pytest -q", exit_code=0, passed=True, seconds=3.21),
    )  # fmt: skip
    return PullRequestFacts(
        **{
            "ticket": Ticket(ISSUE, "shop/shop#12", "r1", "https://forge/shop/shop/issues/12"),
            "brief": SurgeryBrief(issue_summary="s", change_sets=(PLACE,)),
            "patch": patch, "commits": COMMITS, "candidates": 3, "mode": "diagnose", "confidence": "medium", **values,
        }  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_pull_request_in_english() -> None:
    assert (
        pull_request_body(facts(), "en", no_mentions)
        == """\
The total was doubled. It is the price now.

## What was wrong

`total` multiplies by two (shop/basket.py:3).

Ticket: shop/shop#12

## Evidence

- `shop/basket.py:2-3` `Basket.total` (confidence 82%): shares total with the issue / It doubles the price (at)someone

## What was changed

1. Basket: count the price once (`shop/basket.py`)
2. Test of the total (`tests/a.py`, `tests/b.py`)

## Tests

`pytest -q` passed (3.2 s).
This is the best of 3 candidates.

## For the reviewer

- It edits tests/b.py, which is not in the brief.

---
Place found with the verdicts of a model; confidence: medium.
Made by sherloc, not by a person. This is a draft: review it before you merge it.
"""
    )


def test_a_pull_request_in_japanese() -> None:
    proposal = PatchProposal(
        is_fixable=True,
        reasoning="`total` が2倍しているためです（shop/basket.py:3）。",
        pr_description="合計が2倍でした。",
    )
    patch = ProducedPatch(candidate=0, generator="g", proposal=proposal, diff="d")
    text = pull_request_body(
        facts(patch=patch, candidates=1, mode="offline", confidence="low", ticket=Ticket(ISSUE, "issue.md", "r"),
              commits=(COMMITS[0].model_copy(update={"message": "合計を一度だけ数える"}),)), "ja", same,
    )  # fmt: skip
    assert (
        text
        == """\
合計が2倍でした。

## 問題の原因

`total` が2倍しているためです（shop/basket.py:3）。

チケット: `issue.md`

## 根拠

- `shop/basket.py:2-3` `Basket.total`（確信度 82%）: shares total with the issue / It doubles the price @someone

## 変更内容

1. 合計を一度だけ数える (`shop/basket.py`)

## テスト

テストは実行していません。

---
場所の特定: 本文とコードから（モデルなし）。確信度: 低。
この変更は人ではなく sherloc が作成したドラフトです。マージする前に必ず確認してください。
"""
    )


def test_tests_that_failed_or_took_too_long() -> None:
    def told(run: TestRun) -> str:
        patch = ProducedPatch(candidate=0, generator="g", tests=run)
        body = pull_request_body(facts(patch=patch, candidates=1), "en", same)
        return body.split("## Tests\n\n")[1].split("\n")[0]

    assert told(TestRun(command="a `b`", exit_code=2, passed=False)) == "`` a `b` `` failed with exit code 2."
    assert told(TestRun(command="t", exit_code=None, passed=False)) == "`t` was stopped when its time was up."


def test_what_is_missing_in_english_and_japanese() -> None:
    proposal = PatchProposal(
        is_fixable=False, reasoning="The issue names no input.", missing_information=("Which file?", "", "What\nerror?")
    )
    assert (
        missing_information_comment(proposal, "en", same)
        == """\
Nothing was changed: this ticket does not say enough to repair it.

The issue names no input.

What is missing:

- Which file?
- What error?

Add it to this ticket, then sherloc can try again.
"""
    )
    japanese = PatchProposal(is_fixable=False, missing_information=("再現手順 @all",))
    assert (
        missing_information_comment(japanese, "ja-JP", no_mentions)
        == """\
情報不足のため、変更は行いませんでした。このチケットの記述だけでは修正方針を判断できません。

不足している情報:

- 再現手順 (at)all

チケットに追記していただければ、sherloc が再度試せます。
"""
    )
    nothing = missing_information_comment(PatchProposal(is_fixable=False), "en", same)
    assert "Which information that would be could not be said more exactly." in nothing


def test_titles() -> None:
    assert pull_request_title(PROPOSAL, ISSUE, "en", same) == "Basket: the total counts once"
    untitled = PatchProposal(is_fixable=True, title=" \n ")
    assert pull_request_title(untitled, ISSUE, "en", same) == "Fix: Basket.total is wrong"
    assert pull_request_title(None, ISSUE, "ja", same) == "修正: Basket.total is wrong"
    assert pull_request_title(None, Issue(), "zh-TW", same) == "修復所回報的問題"
    long = pull_request_title(PatchProposal(is_fixable=True, title="word " * 100), ISSUE, "en", same)
    assert long == "word " * 50 + "word…"
    assert len(long) == 255
    grown = pull_request_title(PatchProposal(is_fixable=True, title="@" * 250), ISSUE, "en", no_mentions)
    assert len(grown) == 256


def test_commit_messages() -> None:
    def made(message: str, language: str = "en") -> str:
        return commit_message(message, ISSUE, language, no_mentions)

    assert made("Count once") == "Count once\n"
    assert made("  Count   once \r\n\r\n\r\n\r\nBody \t\r\n  indented\r\n\r\n\r\nend\r\n") == (
        "Count once\n\nBody\n  indented\n\nend\n"
    )
    assert made("One\nTwo") == "One\n\nTwo\n"
    assert made("") == made(" \n\x00\u200b\n") == "Fix: Basket.total is wrong\n"
    assert made("", "ja") == "修正: Basket.total is wrong\n"
    assert made("Ask @bob") == "Ask (at)bob\n"
    assert made("Do it\n\nSigned-off-by: Linus <l@x>\nCo-Authored-By: A <a@b>\nReviewed-by: B <b@c>") == "Do it\n"
    long = "Count the price of each article in the basket only once when the total is asked for"
    assert made(f"{long}\n\nWhy.") == (
        "Count the price of each article in the basket only once when the total…\n\n…is asked for\n\nWhy.\n"
    )
    assert made("値" * 80) == f"{'値' * 71}…\n\n…{'値' * 9}\n"


@settings(max_examples=50)
@given(st.text(max_size=160), st.sampled_from(sorted(NAMES)))
def test_any_message_becomes_one_that_git_takes(message: str, language: str) -> None:
    made = commit_message(message, ISSUE, language, same)
    subject, *rest = made.split("\n")
    assert 0 < len(subject) <= 72
    assert not rest[:-1] or rest[0] == ""
    assert made.endswith("\n") and not made.endswith("\n\n")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", made)
    if len(" ".join(message.split())) > 10 and message.isalpha():
        assert "".join(made.split()).replace("…", "") == "".join(message.split())


def test_the_body_stays_within_limits() -> None:
    place = PLACE.model_copy(
        update={"file_path": "d/" * 400 + "x.py", "diagnostic_evidence": tuple(
            EvidenceItem(source="s", description=f"{n} " * 900) for n in range(9))}
    )  # fmt: skip
    commit = MadeCommit(sha="a", tree="b", message="m" * 900, paths=tuple(f"{'p' * 300}{n}" for n in range(40)))
    proposal = PatchProposal(is_fixable=True, reasoning="r " * 50_000, pr_description="d " * 50_000)
    patch = ProducedPatch(candidate=0, generator="g", proposal=proposal, flags=("f" * 2000,) * 90)
    brief = SurgeryBrief(issue_summary="s", change_sets=(place,) * 60)
    body = pull_request_body(facts(brief=brief, commits=(commit,) * 70, patch=patch), "en", same)
    assert len(body) < 56_000
    assert "- … (+50)" in body and "… (+34)" in body and "- … (+70)" in body


def test_model_text_goes_through_harmless_everywhere() -> None:
    bad = "@evil"
    proposal = PatchProposal(
        is_fixable=False, reasoning=bad, missing_information=(bad,), title=bad, pr_description=f"{bad}\n\n{bad}"
    )
    patch = ProducedPatch(candidate=0, generator="g", proposal=proposal, flags=(bad,))
    commits = (COMMITS[0].model_copy(update={"message": bad}),)
    body = pull_request_body(facts(patch=patch, commits=commits), "en", no_mentions)
    texts = [
        body, missing_information_comment(proposal, "en", no_mentions),
        pull_request_title(proposal, ISSUE, "en", no_mentions), commit_message(bad, ISSUE, "en", no_mentions),
    ]  # fmt: skip
    assert not any("@" in text for text in texts)


@pytest.mark.parametrize("language", sorted(NAMES))
def test_every_language_has_every_text_with_its_gaps(language: str) -> None:
    english, texts = texts_of("en"), texts_of(language)
    assert texts.keys() == english.keys()
    for key, text in texts.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key
        assert text.strip() == text and text
    assert texts_of("nl") == english


def test_no_text_file_is_forgotten() -> None:
    folder = Path(wording.__file__).parent / "words"
    assert {file.stem for file in folder.glob("*.json")} == set(NAMES)
    for file in folder.glob("*.json"):
        assert json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("filler", ["\u00ad", "\U000e0041", "@a ", "`", "x"])
def test_what_harmless_writes_out_takes_no_room_from_what_stands_below(filler: str) -> None:
    """A description of characters that are written out as many must not push tests and flags out of the body."""
    proposal = PatchProposal(is_fixable=True, pr_description=filler * 200_000, reasoning=filler * 200_000)
    patch = facts().patch.model_copy(update={"proposal": proposal, "flags": ("a flag",)})
    body = pull_request_body(replace(facts(), patch=patch), "en", harmless)
    assert len(body) < 30_000 and "a flag" in body and "Made by sherloc" in body

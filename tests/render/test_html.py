"""The HTML page: self-contained, without a way in for script, and usable in a real browser."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import MissingExtraError
from sherloc.render.html import report_html
from sherloc.schema.evidence import EvidenceGraphRecord
from sherloc.schema.issue import Issue
from sherloc.schema.path_text import shown_path
from sherloc.schema.reading import IssueReading, TellingWord
from sherloc.schema.report import Report

Make = Callable[..., Report]


class Page(HTMLParser):
    """Elements and their attributes, and the text outside of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside != "style":
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def test_everything_is_there(make_report: Make) -> None:
    reading = IssueReading(names=("Basket.total",), words=(TellingWord(word="discount", weight=7.25),))
    page = Page(report_html(make_report(reading=reading), Issue(title="Negative price", body="Of a basket.")))
    for text in ("Negative price", "Of a basket.", "shop/basket.py:12-13", "82% likely", "discount", "7.2",
                 "A fault here shows as a negative price.", "No test was run.", "community 2, mean relevance 1.0",
                 "call relation, similar evidence", "1 file is too large", "calls total"):  # fmt: skip
        assert text in page.text, text
    assert len([1 for tag, _ in page.elements if tag == "circle"]) == 3
    assert len([1 for tag, _ in page.elements if tag == "line"]) == 2


def test_it_needs_nothing_else(make_report: Make) -> None:
    text = report_html(make_report())
    page = Page(text)
    for tag, attributes in page.elements:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#")[:1] == "#" or attributes[name] == "data:,", (tag, attributes)
    assert not re.search(r"url\(|@import", text)


def test_only_its_own_script_may_run(make_report: Make) -> None:
    page = Page(report_html(make_report()))
    policy = next(a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a)
    digest = base64.b64encode(hashlib.sha256("".join(page.scripts).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in (policy or "")
    assert "default-src 'none'" in (policy or "")
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)


def hostile_page(make_report: Make, make_change_set: Callable[..., Any], hostile: str) -> str:
    path = shown_path(hostile)
    reading = IssueReading(names=(hostile,), messages=(hostile,), words=(TellingWord(word=hostile, weight=1),))
    report = make_report(
        path=path, name=hostile, repository=hostile, revision=hostile, reading=reading, confidence="low",
        confidence_reasons=(hostile,),
        change_sets=(
            make_change_set(
                path, hostile, context_code_snippet=f"{hostile}\n</pre><script>alert(2)</script>\n",
                diagnostic_evidence=({"source": hostile, "description": hostile},), expected_change_nature=hostile,
            ),
        ),
        diagnostics=({"code": "x", "severity": "error", "message": hostile},),
    )  # fmt: skip
    return report_html(report, Issue(title=hostile, body=f"{hostile}</script><script>alert(3)</script>"))


def test_hostile_names_and_code_stay_text(make_report: Make, make_change_set: Callable[..., Any], hostile: str) -> None:
    page = Page(hostile_page(make_report, make_change_set, hostile))
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert not [tag for tag, _ in page.elements if tag in ("img", "iframe", "object", "form")]
    assert "<script>alert(2)</script>" in page.text


@pytest.mark.parametrize("empty", [{"diagnoses": (), "evidence": EvidenceGraphRecord(), "change_sets": ()}])
def test_a_report_of_nothing(make_report: Make, empty: dict[str, Any]) -> None:
    assert "No place to change was found." in report_html(make_report(ranked_files=(), diagnostics=(), **empty))


def test_the_same_report_gives_the_same_bytes(make_report: Make) -> None:
    assert report_html(make_report()) == report_html(make_report())


def test_without_the_extra_it_says_what_to_install(make_report: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.render import html

    monkeypatch.setitem(sys.modules, "jinja2", None)
    html._template.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'sherloc\[html\]'"):
        report_html(make_report())


CHROMIUM = os.environ.get("SHERLOC_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("no Chromium")
    os.environ.setdefault("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


def opened(browser: Any, tmp_path: Path, text: str, **options: Any) -> tuple[Any, list[str]]:
    """The page in the browser, and what its console complains of, requests to elsewhere included."""
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(**options)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda r: said.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
    page.goto(path.as_uri())
    return page, said


@pytest.mark.slow
def test_in_a_browser_filter_click_and_keyboard_work(browser: Any, tmp_path: Path, make_report: Make) -> None:
    page, said = opened(browser, tmp_path, report_html(make_report()))
    node = page.locator(".node")
    node.nth(0).click()
    assert page.locator("#node-0").is_visible()
    assert "A fault" not in page.locator("#nothing").inner_text() or page.locator("#nothing").is_hidden()
    assert page.locator("line.near").count() == 2
    node.nth(0).click()
    assert page.locator("#node-0").is_hidden()
    node.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("#node-1").is_visible()
    assert node.nth(1).get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert page.locator("#nothing").is_visible()
    page.locator("#filter").fill("nothing-like-it")
    assert page.locator("article.place").first.is_hidden()
    assert page.locator("#count").inner_text().startswith("0 of ")
    page.locator("#filter").fill("BASKET total")
    assert page.locator("article.place").first.is_visible()
    page.locator("#filter").fill("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "theme"
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert said == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser_text_can_be_read_in_both_schemes(
    browser: Any, tmp_path: Path, make_report: Make, scheme: str
) -> None:
    page, said = opened(browser, tmp_path, report_html(make_report()), color_scheme=scheme)
    colours = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('.suspect')).color,"
        " getComputedStyle(document.querySelector('.suspect')).backgroundColor]"
    )
    lights = [luminance(colour) for colour in colours]
    for text, back in (lights[:2], lights[2:]):
        assert (max(text, back) + 0.05) / (min(text, back) + 0.05) >= 7, colours
    assert (lights[1] > 0.5) == (scheme == "light")
    assert said == []


def luminance(colour: str) -> float:
    """Relative luminance, as the WCAG 2 define it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.slow
def test_in_a_browser_hostile_names_run_nothing(
    browser: Any, tmp_path: Path, make_report: Make, make_change_set: Callable[..., Any], hostile: str
) -> None:
    page, said = opened(browser, tmp_path, hostile_page(make_report, make_change_set, hostile))
    page.locator(".node").nth(0).click()
    assert page.locator("#node-0").is_visible()
    assert page.locator("img").count() == 0
    assert said == []


def test_what_is_cut_of_a_long_issue_is_said(make_report: Make) -> None:
    page = report_html(make_report(), Issue(title="t", body="x" * 70_000))
    assert "more characters are left out of this page" in page
    assert "left out of this page" not in report_html(make_report(), Issue(title="t", body="x" * 50_000))

"""The page: it loads nothing, runs nothing, and shows what strangers wrote as text."""

from __future__ import annotations

import base64
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sherloc.errors import DataError, MissingExtraError
from sherloc.evaluation.gold import Gold
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.predictions import Evidence, Prediction
from sherloc.evaluation.report import write_report
from sherloc.evaluation.report.page import report_html
from sherloc.evaluation.run_folder import RunInfo, make_config
from sherloc.evaluation.scores import Scored, score

HOSTILE = '<script>alert(1)</script> </pre><img src="https://example.org/x"> ${x} {{ 7 * 7 }} \u202egpj.exe \udce9'
GOLD = Gold(
    files=["a.py"], functions=["a.py::A.f"], lines=[("a.py", 5)], chunks=[("a.py", 5, 5)], owners={("a.py", "A.f")}
)


def run(name: str, *, right: int, cost: float | None = None) -> Scored:
    instances = [
        Instance(f"i{n}", "o/r" if n % 2 else "o/q", "c", f"{HOSTILE}\n\nsee a.py" if n % 3 else "`A.f` is <b>slow</b>")
        for n in range(12)
    ]
    predictions = {
        i.instance_id: Prediction(
            instance_id=i.instance_id, files=("a.py",) if n < right else ("b.py<i>", "a.py"),
            functions=("a.py::A.f",), file_confidence=(0.5 + n / 30,), seconds=1.0 + n, cost=cost,
            diagnoses=(("a.py", "A.f", 4.0), ("b.py", "g", 1.0)),
            evidence=(Evidence(path="b.py<i>", why=(f"It says: {HOSTILE}",)),),
        )
        for n, i in enumerate(instances[:-1])
    }  # fmt: skip
    predictions["i10"] = Prediction(instance_id="i10", error=f"boom {HOSTILE}")
    return score(name, predictions, instances, {i.instance_id: GOLD for i in instances})


class Tags(HTMLParser):
    """All tags with their attributes, and whether each that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def make_page() -> str:
    return report_html([run("base $x$", right=6), run("<new> 名", right=9)], title="T <1>", infos={})


@pytest.fixture(scope="module")
def page() -> str:
    return make_page()


def test_the_page_loads_and_runs_nothing(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    kinds = {tag for tag, _ in tags.found}
    assert not kinds & {"script", "link", "iframe", "object", "embed", "base", "form", "svg"}
    sources = [attributes["src"] or "" for tag, attributes in tags.found if tag == "img"]
    assert len(sources) >= 7
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert all(attributes.get("alt") for tag, attributes in tags.found if tag == "img")
    assert [a["href"] for tag, a in tags.found if tag == "a"] == [
        "#scores", "#plots", "#compared", "#groups", "#failures", "#runs",
    ]  # fmt: skip
    policies = [a["content"] for tag, a in tags.found if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]


def test_what_strangers_wrote_is_text(page: str) -> None:
    text = page
    assert "<script" not in text
    assert "https://example.org" in text  # as text, in a failure's issue
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "\\xe9" in text
    assert "<bdi>b.py&lt;i&gt;</bdi>" in text
    text.encode()


def test_failures_come_with_their_evidence(page: str) -> None:
    text = page
    assert re.search(r"<bdi>base \$x\$</bdi>: 6 of 12", text)
    assert "(rank 2)" in text
    assert "(not found)" in text
    assert "<strong>Failed:</strong>" in text
    assert "no prediction" in text
    assert "3 gained, 0 lost" in text


def test_plots_hold_names_as_text_and_no_way_out(page: str) -> None:
    sources = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page)
    plots = [base64.b64decode(source).decode() for source in sources]
    assert any("base $x$" in plot and "&lt;new&gt; 名" in plot for plot in plots)
    assert not any("<script" in plot or "foreignObject" in plot for plot in plots)


def test_the_same_scores_give_the_same_page(page: str) -> None:
    assert make_page() == page


def test_the_configuration_of_a_run_is_told() -> None:
    info = RunInfo("only", make_config(), {"sha256": "f" * 64})
    assert info.config_hash in report_html([nothing()], title="T", infos={"only": info})


def nothing() -> Scored:
    return score("only", {}, [Instance("i", "o/r", "c", "text")], {"i": GOLD})


def test_one_run_with_next_to_nothing() -> None:
    assert "no prediction" in report_html([nothing()], title="T", infos={})


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    runs = [nothing()]
    write_report(runs, tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    with pytest.raises(DataError, match="cannot be written"):
        write_report(runs, tmp_path / "none" / "r.html")


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"sherloc\[eval\]"):
        report_html([run("base", right=6)], title="T", infos={})


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_in_a_real_browser_without_a_network(tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    browser = os.environ.get("SHERLOC_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium; SHERLOC_CHROMIUM names one")
    path = tmp_path / "r.html"
    write_report([run("base", right=6, cost=0.5), run("<new>", right=9, cost=0.1)], path, title="T <1>")
    requests, complaints = [], []
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_context(offline=True).new_page()
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        tab.goto(path.as_uri())
        assert tab.title() == "T <1>"
        widths = tab.evaluate("[...document.images].map(i => i.complete && i.naturalWidth)")
        assert len(widths) >= 8
        assert min(widths) > 200
        case = tab.locator("#failures ~ details").first
        assert not case.locator("pre").is_visible()
        case.locator("summary").click()
        assert case.locator("pre").is_visible()
        assert tab.locator("table").count() >= 8
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        chromium.close()
    assert [url for url in requests if not url.startswith("data:")] == [path.as_uri()]
    assert complaints == []

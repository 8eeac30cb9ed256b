"""Commands and examples of README and docs: each command is one that there is, the marked ones run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from sherloc.cli import root

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
SPAN = re.compile(r"(?<!`)`(sherloc [^`\n]+)`(?!`)")
MARKED = re.compile(r"^<!-- run -->\n```(\w+)\n(.*?)^```", re.S | re.M)
PLACEHOLDERS = re.compile(r"[A-Z_]{3,}|\.\.\.|…")
BASKET = "class Basket:\n    def total(self):\n        return 2 * self.price\n"
TEST = "from shop.basket import Basket\n\n\ndef test_total():\n    assert Basket().total() == 1\n"
WORLD = {
    "shop/basket.py": BASKET,
    "tests/test_basket.py": TEST,
    "issue.md": "Basket.total is wrong\n\n`Basket.total` gives twice the price.\n",
    "docs/examples/issue.md": "Basket.total is wrong\n\n`Basket.total` gives twice the price.\n",
    "run.log": "E   AttributeError: price\nFAILED tests/test_basket.py::test_total - AttributeError: price\n",
    "junit.xml": (
        '<testsuite><testcase classname="tests.test_basket" name="test_total">'
        '<failure message="AttributeError: price"/></testcase></testsuite>'
    ),
    "coverage.info": "TN:tests.test_basket.test_total\nSF:shop/basket.py\nDA:3,1\nend_of_record\n",
    ".sherloc.toml": '[retrieval]\nchannels = ["lexical", "structural", "graph"]\n',
}


def commands() -> Iterator[Any]:
    """Every command line of ``sherloc`` in a shell block or a code span."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [
            line for kind, body in FENCE.findall(text) if kind in ("bash", "sh", "text") for line in body.split("\n")
        ]
        lines += [span.replace("\\|", "|") for span in SPAN.findall(text)]
        for line in lines:
            found = re.search(r"(?:^|[|&;] *|\$ )(sherloc .*)$", line)
            if found:
                yield pytest.param(found[1], id=f"{page.name}: {found[1][:60]}")


@pytest.mark.parametrize("line", sorted(set(commands()), key=lambda each: str(each.id)))
def test_a_command_is_one_that_there_is(line: str) -> None:
    plain = re.split(r" [|&>] | && |  #| 2>", line)[0]
    plain = re.sub(r"\[|\]", "", plain) if "[--" in plain or "[PATH]" in plain else plain
    words = [word for part in shlex.split(plain, comments=True) for word in re.split(r"\\?\|", part) if word]
    name = words[1] if len(words) > 1 else "--help"
    if name.startswith("-") or PLACEHOLDERS.fullmatch(name):
        return
    command = root.get_command(click.Context(root), name)
    assert command is not None, f"there is no command {name}"
    commands = [command]
    if isinstance(command, click.Group):
        known = command.commands
        named = [word for word in words[2:] if word in known]
        if len(words) > 2 and not words[2].startswith("-") and not PLACEHOLDERS.search(words[2]):
            assert words[2] in known, f"there is no command {name} {words[2]}"
        commands += [known[word] for word in named]
    parameters = [parameter for each in commands for parameter in each.params]
    options = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
    used = {word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)}
    assert used <= options | {"--help", "-h"}, used - options


@pytest.fixture
def world(make_repository: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(WORLD)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if "<!-- run -->" in page.read_text(encoding="utf-8")],
                         ids=lambda page: page.name)  # fmt: skip
def test_marked_examples_run(page: Path, world: Path, tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "sherloc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sherloc "$@"\n')
    (bin_ / "sherloc").chmod(0o755)
    for kind, body in MARKED.findall(page.read_text(encoding="utf-8")):
        program = ["bash", "-euo", "pipefail", "-c", body] if kind == "bash" else [sys.executable, "-c", body]
        done = subprocess.run(
            program, cwd=world, capture_output=True, text=True, check=False, timeout=600,
            env={**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, f"{body}\n{done.stdout}\n{done.stderr}"


def test_exit_codes_are_the_same_in_help_and_reference() -> None:
    table = re.findall(r"^\| (\d+) \| (.*?) \|$", (ROOT / "docs/reference.md").read_text(encoding="utf-8"), re.M)
    told = re.findall(r"^  (\d+) +(.*)$", root.epilog or "", re.M)
    assert [code for code, _ in told] == [code for code, _ in table] and len(told) > 10


def test_every_example_of_context_storage_is_run() -> None:
    text = (ROOT / "docs/context-storage.md").read_text(encoding="utf-8")
    assert text.count("```python") == text.count("<!-- run -->\n```python") == 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_are_python(page: Path) -> None:
    for kind, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "python" and "..." not in body.split("\n")[0] and "-> " not in body:
            compile(body, str(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_reached_from_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {page.name for page in PAGES if page.parent.name == "docs"}
    assert {name for name in pages if f": {name}" not in navigation} == set()


@pytest.mark.slow
def test_the_site_builds_strictly(tmp_path: Path) -> None:
    pytest.importorskip("material")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert "retrieval" in (tmp_path / "site/settings/index.html").read_text(encoding="utf-8")

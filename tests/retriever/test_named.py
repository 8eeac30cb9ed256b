"""What commits touched that the issue names."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import locate
from sherloc.indexer.builder import build_index
from sherloc.repository import open_tree
from sherloc.repository.named_commits import Named
from sherloc.retriever.cues import Cues
from sherloc.retriever.named import NAMED, add_named
from sherloc.schema.candidate import Signal
from sherloc.settings import Settings

Make = Callable[..., Path]
FILES = {"a.py": "def one():\n    1\n\n\nclass A:\n    def two(self):\n        2\n", "b.py": "def one():\n    1\n"}


def test_by_hand(make_repository: Make) -> None:
    segment = build_index(open_tree(make_repository(FILES)), Settings()).code
    cues = Cues()
    named = [
        Named("x", "a21a63c", "Two files"), Named("y", "12", "One function", by_ticket=True),
        Named("unread", "13", "Nothing"), Named("wide", "14", "Everything"), Named("gone", "15", "What is gone"),
    ]  # fmt: skip
    places = {
        "x": [("a.py", "one"), ("a.py", ""), ("b.py", "one"), ("gone.py", "one")], "y": [("a.py", "two")],
        "wide": [("b.py", "one"), *((f"f{number}.py", "one") for number in range(40))], "gone": [("gone.py", "one")],
    }  # fmt: skip
    add_named(cues, segment, named, places)
    files = dict(zip(segment.paths, cues.files[NAMED].tolist(), strict=True))
    # Of a.py the ticket says more than the id, whose commit touched two files; of the forty files more that one commit
    # touched none is code here.
    assert files == pytest.approx({"a.py": 0.8, "b.py": 1.0})
    units = {
        (segment.paths[segment.unit_file[unit]], segment.qualified_names[unit]): float(cues.units[NAMED][unit])
        for unit in range(segment.unit_count)
    }
    wanted = {("a.py", "one"): 1 / (1 + math.log(3)), ("a.py", "A.two"): 0.8, ("b.py", "one"): 1.0}
    assert {place: value for place, value in units.items() if value} == pytest.approx(wanted)
    (two,) = (unit for unit in range(segment.unit_count) if segment.qualified_names[unit] == "A.two")
    assert cues.unit_signals[two] == [Signal("history", NAMED, "#12: One function", 0.8)]


def test_a_commit_that_touched_many_files_says_nothing(make_repository: Make) -> None:
    files = {f"f{number}.py": "def one():\n    1\n" for number in range(31)}
    segment = build_index(open_tree(make_repository(files)), Settings()).code
    cues = Cues()
    add_named(cues, segment, [Named("x", "a21a63c", "All")], {"x": [(path, "one") for path in files]})
    assert not cues.files[NAMED].any() and not cues.units[NAMED].any() and not cues.unit_signals


@pytest.mark.parametrize("by", ["id", "short id", "link", "ticket"])
def test_an_issue_that_names_the_commit_that_broke_it(make_repository: Make, git_tools: Any, by: str) -> None:
    """Three decoys share the issue's words; the culprit shares none of them."""
    decoy = 'def step_{0}(table):\n    """Export the report: totals of each month as a table."""\n    return table\n'
    culprit = "def rounded(value, places):\n    return round(value, places)\n"
    repo = make_repository({"src/arith.py": culprit, **{f"src/step_{n}.py": decoy.format(n) for n in range(3)}})
    git_tools.put(repo, {"src/arith.py": culprit.replace("round(value, places)", "int(value)")})
    git_tools.commit(repo, "Faster sums (#4312)")
    commit = git_tools.run_git(repo, "rev-parse", "HEAD").strip()
    git_tools.put(repo, {"src/step_0.py": decoy.format(0) + "\n\n# end\n"})
    git_tools.commit(repo, "Later")
    name = {"id": commit, "short id": commit[:8], "link": f"https://host/o/r/commit/{commit}", "ticket": "#4312"}[by]
    issue = f"Exported report has wrong totals\n\nThe table of each month is wrong since {name}."
    settings = {"cache": {"workers": 1}, "vectors": {"embedder": "none"}}
    report = locate(issue, repo, settings=settings)
    assert "src/arith.py" in [file.path for file in report.ranked_files]
    # A ticket says less than an id, and the decoys have every word of the issue.
    names = [function.qualified_name for function in report.ranked_functions]
    assert "rounded" in (names if by == "ticket" else names[:1])
    without = locate(issue.replace(name, "yesterday"), repo, settings=settings)
    assert "src/arith.py" not in [file.path for file in without.ranked_files]
    assert {function.qualified_name for function in without.ranked_functions} == {"step_0", "step_1", "step_2"}
    said = report.model_dump_json()
    assert "Faster sums (#4312)" in said and "A commit that the issue names touched it" in said

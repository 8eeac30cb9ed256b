from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sherloc import Locator, alocate, locate

Make = Callable[..., Path]
ROOT = Path(__file__).parents[2]
ISSUE = "Box.open fails when the lid is stuck\n\n`Box.open` raises `LidError: lid is stuck`, see Shelf and Drawer.pull."
SOURCE = """from store.base import Base


class NAME(Base):
    def open(self, lid):
        if lid.stuck:
            raise LidError('lid is stuck')
        return self.pull(lid)

    def pull(self, lid):
        return lid
"""
FILES = {
    f"store/{name.lower()}.py": SOURCE.replace("NAME", name)
    for name in ("Box", "Shelf", "Drawer", "Crate", "Chest", "Bin")
}
_RUN = """
import sys
from sherloc import locate
print(locate(sys.argv[1], sys.argv[2]).model_copy(update={"run": {}}).model_dump_json(exclude={"run"}))
"""


def run(repo: Path, seed: int, cache: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(seed), "SHERLOC_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", _RUN, ISSUE, str(repo)], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_same_bytes_under_every_hash_seed_cold_and_warm(make_repository: Make, tmp_path: Path) -> None:
    repo = make_repository(FILES)
    outputs = {run(repo, seed, tmp_path / f"cache{seed % 3}") for seed in range(6)}
    assert len(outputs) == 1


def test_a_full_clone_and_one_cut_at_the_commit_give_the_same_bytes(
    make_repository: Make, git_tools: Any, tmp_path: Path
) -> None:
    repo = make_repository(FILES)
    base = git_tools.run_git(repo, "rev-parse", "HEAD")
    git_tools.put(repo, {"store/box.py": "class Box:\n    pass\n", "store/later.py": "class Later:\n    pass\n"})
    git_tools.commit(repo, "later")
    git_tools.run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "cut/repo")
    git_tools.run_git(tmp_path / "cut/repo", "reset", "-q", "--hard", base)
    full, cut, bare = (
        locate(ISSUE, path, revision=base).model_dump_json(exclude={"run"})
        for path in (repo, tmp_path / "cut/repo", repo / ".git")
    )
    assert full == cut == bare
    assert locate(ISSUE, tmp_path / "cut/repo").model_dump_json(exclude={"run"}) == full


def test_one_locator_serves_threads_and_event_loops_alike(make_repository: Make) -> None:
    repo = make_repository(FILES)
    wanted = locate(ISSUE, repo).model_dump_json(exclude={"run"})
    found: list[str] = []
    with Locator(repo) as locator:
        threads = [
            threading.Thread(target=lambda: found.append(locator.locate(ISSUE).model_dump_json(exclude={"run"})))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [wanted] * 4

    async def inside_a_loop() -> list[str]:
        direct = locate(ISSUE, repo)
        return [r.model_dump_json(exclude={"run"}) for r in (direct, await alocate(ISSUE, repo))]

    assert asyncio.run(inside_a_loop()) == [wanted] * 2


def test_progress_is_told_in_order_and_a_deadline_leaves_out_the_graph(make_repository: Make) -> None:
    told: list[tuple[str, int, int]] = []
    report = locate(ISSUE, make_repository(FILES), on_progress=lambda *step: told.append(step), deadline=0.0)
    assert [step for step in told if step[0] == "index"] == [("index", n, 6) for n in range(1, 7)]
    assert [step[0] for step in told if step[0] != "index"] == [
        "query",
        "retrieve",
        "diagnose",
        "evidence",
        "change_set",
        "brief",
        "done",
    ]
    assert report.degraded == ("graph", "semantic")

"""Two runs on one ticket, whose patches differ: one pull request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forge.fakehub import FakeHub

from repair.shop import proposal
from repair.test_fix_on_a_forge import NOT_FIXABLE, clone, hub, make_hub, run
from sherloc.errors import ForgeError, SherlocError
from sherloc.processes import held_lock
from sherloc.repair import ScriptedGenerator

__all__ = ["hub", "make_hub"]

FIXES = ("amount * discount / 100", "amount * (discount / 100)")


def patch(fix: str) -> str:
    edits = [{"search": "amount * discount", "replace": fix}]
    return proposal(commit_groups=[{"message": "fix: it", "files": [{"path": "shop.py", "edits": edits}]}])


def both(*acts: Callable[[], Any]) -> list[Any]:
    """What each comes to, an error too, when all run at once."""
    results: list[Any] = [None] * len(acts)

    def go(at: int) -> None:
        try:
            results[at] = acts[at]()
        except SherlocError as error:
            results[at] = error

    threads = [threading.Thread(target=go, args=(at,)) for at in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.mark.parametrize("answers", [tuple(map(patch, FIXES)), (NOT_FIXABLE, NOT_FIXABLE)], ids=["patch", "comment"])
def test_at_once(hub: FakeHub, tmp_path: Path, answers: tuple[str, str]) -> None:
    repo = clone(hub, tmp_path)
    together = threading.Barrier(2)

    def answer(text: str) -> Callable[[Any], str]:
        def give(_: Any) -> str:
            together.wait(30)
            return text

        return give

    reports = both(*(lambda text=text: run(hub, repo, ScriptedGenerator(answer(text))) for text in answers))
    if answers[0] == NOT_FIXABLE:
        assert [each.outcome for each in reports] == ["not_fixable"] * 2
        assert len(hub.texts(1)) == 1
        return
    assert [each.outcome for each in reports] == ["opened"] * 2
    assert len(hub.pulls) == 1
    assert len(hub.branches()) == 2
    assert sorted(each.pull_request.existed for each in reports) == [False, True]
    (second,) = [each for each in reports if each.pull_request.existed]
    (note,) = [each for each in second.diagnostics if each.code == "opened_by_another"]
    assert f"pull request #2 for this ticket, from {hub.pulls[0]['head']['ref']};" in note.message


def test_one_that_goes_on_after_another_machine_was_done(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = clone(hub, tmp_path)
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "here"))
    first = ScriptedGenerator([patch(FIXES[0])])
    with pytest.raises(ForgeError):
        hub.fail("^GIT", status=500, times=99)
        run(hub, repo, first, retries=0)
    hub.faults.clear()
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "elsewhere"))
    run(hub, clone(hub, tmp_path), ScriptedGenerator([patch(FIXES[1])]))
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "here"))
    report = run(hub, repo, first)
    assert (report.outcome, len(hub.pulls), len(first.requests)) == ("opened", 1, 1)
    assert report.pull_request is not None and report.pull_request.existed
    assert report.pull_request.branch == hub.pulls[0]["head"]["ref"] != report.branch
    assert "opened_by_another" in {each.code for each in report.diagnostics}
    again = run(hub, repo, ScriptedGenerator([patch(FIXES[0])]), again=True)
    assert again.pull_request is not None and not again.pull_request.existed
    assert len(hub.pulls) == 2


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with held_lock(path, 0) as first, held_lock(path, 0.1) as second:
        assert (first, second) == (True, False)
    with held_lock(path, 0) as third, held_lock(tmp_path / "no" / "folder", 0) as nowhere:
        assert (third, nowhere) == (True, False)

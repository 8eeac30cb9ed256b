"""``fix`` from a ticket to a folder, a branch, or the reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from repair.shop import EDIT, ISSUE, SHOP, proposal, run_git, state_of
from sherloc.errors import ApplyError, EmptyIssueError, NotARepositoryError, UsageError
from sherloc.protocols import PatchRequest
from sherloc.repair import ScriptedGenerator, fix
from sherloc.schema.issue import Issue


@pytest.fixture
def shop(make_repository: Callable[..., Path]) -> Path:
    return make_repository({"shop.py": SHOP, "README.md": "A shop.\n"})


def test_a_dry_run_writes_a_folder_and_touches_nothing_else(shop: Path, tmp_path: Path) -> None:
    before, out = state_of(shop), tmp_path / "out"
    generator = ScriptedGenerator([proposal()])
    report = fix(ISSUE, shop, generator=generator, out=out)
    assert state_of(shop) == before
    assert report.outcome == "proposed"
    assert report.base == run_git(shop, "rev-parse", "HEAD")
    (patch,) = report.produced_patches
    assert (patch.chosen, patch.added, patch.removed, patch.attempts) == (True, 6, 1, 1)
    assert patch.paths == ("shop.py", "test_shop.py")
    assert [commit.message for commit in report.commits] == [
        "fix: take the discount as percent\n", "test: a discount of ten percent\n",
    ]  # fmt: skip
    assert [commit.paths for commit in report.commits] == [("shop.py",), ("test_shop.py",)]
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == [
        "brief.json", "changes.diff", "commits/0001.patch", "commits/0002.patch", "pull_request.md", "report.json",
    ]  # fmt: skip
    assert json.loads((out / "report.json").read_text()) == report.model_dump(mode="json")
    assert report.brief.change_sets[0].file_path == "shop.py"
    assert generator.requests[0].sources["shop.py"] == SHOP


def test_what_a_dry_run_writes_can_be_applied_by_git(shop: Path, tmp_path: Path) -> None:
    report = fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), out=tmp_path / "out")
    run_git(shop, "am", "-q", *map(str, sorted((tmp_path / "out" / "commits").iterdir())))
    assert run_git(shop, "rev-parse", "HEAD^{tree}") == report.commits[-1].tree
    run_git(shop, "reset", "-q", "--hard", "HEAD~2")
    run_git(shop, "apply", "--index", str(tmp_path / "out" / "changes.diff"))
    assert run_git(shop, "write-tree") == report.commits[-1].tree


def test_apply_makes_one_branch_and_nothing_else(shop: Path) -> None:
    (shop / "shop.py").write_text(SHOP + "# being edited\n")
    (shop / "notes.txt").write_text("untracked\n")
    before = state_of(shop)
    report = fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), apply=True)
    assert report.outcome == "applied"
    after = state_of(shop)
    new = {path for path in after if path not in before}
    assert {path: after[path] for path in before} == before
    assert f".git/refs/heads/{report.branch}" in new
    assert all(path.startswith((".git/objects/", f".git/refs/heads/{report.branch}")) for path in new)
    assert run_git(shop, "log", "--format=%s", f"HEAD..{report.branch}").splitlines() == [
        "test: a discount of ten percent", "fix: take the discount as percent",
    ]  # fmt: skip
    assert run_git(shop, "rev-parse", f"{report.branch}^{{tree}}") == report.commits[-1].tree
    run_git(shop, "fsck", "--strict")


def test_a_refused_proposal_is_asked_for_again_with_its_problems(shop: Path) -> None:
    wrong = proposal(
        commit_groups=[{"message": "m", "files": [{"path": "shop.py", "edits": [{**EDIT, "search": "x * y"}]}]}]
    )
    generator = ScriptedGenerator([wrong, "no json at all", proposal()])
    report = fix(ISSUE, shop, generator=generator)
    assert report.outcome == "proposed"
    assert report.produced_patches[0].attempts == 3
    second, third = generator.requests[1:]
    assert second.previous == wrong
    assert len(second.problems) == 1 and "shop.py" in second.problems[0]
    assert third.previous == "no json at all"


def test_no_good_proposal_is_an_outcome_with_its_problems(shop: Path) -> None:
    report = fix(ISSUE, shop, generator=ScriptedGenerator(["nothing"] * 3), apply=True)
    assert report.outcome == "failed"
    assert report.produced_patches[0].problems
    assert (report.commits, report.branch) == ((), "")
    assert run_git(shop, "branch", "--format=%(refname:short)") == "main"


def test_not_fixable_writes_a_comment_in_the_tickets_language(shop: Path, tmp_path: Path) -> None:
    issue = Issue(title="割引がおかしい", body="合計の割引が正しくないようです。直してください。")
    reply = json.dumps(
        {"is_fixable": False, "reasoning": "期待する値が分かりません。", "missing_information": ["割引率の単位"]}
    )
    report = fix(issue, shop, generator=ScriptedGenerator([reply]), apply=True, out=tmp_path / "out")
    assert (report.outcome, report.language, report.commits) == ("not_fixable", "ja", ())
    assert "割引率の単位" in report.comment
    assert (tmp_path / "out" / "comment.md").read_text(encoding="utf-8") == report.comment
    assert run_git(shop, "branch", "--format=%(refname:short)") == "main"


def test_the_candidate_whose_tests_pass_is_taken(shop: Path) -> None:
    half = proposal(
        commit_groups=[
            {
                "message": "half",
                "files": [{"path": "shop.py", "edits": [{**EDIT, "replace": "amount * discount / 10"}]}],
            }
        ]
    )
    check = 'python3 -c "from shop import total; assert total([100], 10) == 90"'
    report = fix(
        ISSUE, shop, generator=ScriptedGenerator([half, proposal()]),
        settings={"repair": {"candidates": 2, "test_command": check}},
    )  # fmt: skip
    assert [patch.tests and patch.tests.passed for patch in report.produced_patches] == [False, True]
    assert [patch.chosen for patch in report.produced_patches] == [False, True]
    assert report.base_tests is not None and not report.base_tests.passed


def test_tests_that_fail_without_any_change_decide_nothing(shop: Path) -> None:
    report = fix(
        ISSUE, shop, generator=ScriptedGenerator([proposal()]), settings={"repair": {"test_command": "exit 3"}}
    )
    assert report.outcome == "proposed"
    assert report.produced_patches[0].tests is not None and report.produced_patches[0].tests.exit_code == 3
    assert report.base_tests is not None and report.base_tests.exit_code == 3
    assert report.choice == "There is one candidate; its tests fail, as they do without it."
    assert report.produced_patches[0].flags[-1] == (
        "The tests fail with this patch, as they do without it: they do not show that it helps."
    )
    assert "they do not show that it helps" in report.pull_request_body


def test_failing_tests_refuse_the_only_candidate(shop: Path) -> None:
    check = 'python3 -c "from shop import total; assert total([100], 10) == -900"'
    report = fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), settings={"repair": {"test_command": check}})
    assert report.outcome == "failed"
    assert report.base_tests is not None and report.base_tests.passed
    assert "fails" in report.choice


def test_the_same_input_gives_the_same_branch_and_tree(shop: Path) -> None:
    first, second = (fix(ISSUE, shop, generator=ScriptedGenerator([proposal()])) for _ in range(2))
    assert first.branch == second.branch
    assert first.commits[-1].tree == second.commits[-1].tree


def test_a_run_that_failed_goes_on_and_asks_nothing_twice(shop: Path) -> None:
    run_git(shop, "branch", "sherloc")  # in the way of sherloc/...
    with pytest.raises(ApplyError, match="cannot be made"):
        fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), apply=True)
    run_git(shop, "branch", "-d", "sherloc")
    nothing = ScriptedGenerator([])
    report = fix(ISSUE, shop, generator=nothing, apply=True)
    assert (report.outcome, nothing.requests) == ("applied", [])


def test_what_a_dry_run_showed_is_what_apply_applies(shop: Path) -> None:
    shown = fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]))
    nothing = ScriptedGenerator([])
    for _ in range(2):
        done = fix(ISSUE, shop, generator=nothing, apply=True)
        assert (done.outcome, done.branch, done.commits) == ("applied", shown.branch, shown.commits)
        assert [each.message for each in done.diagnostics if each.code == "continued"] == [
            "Goes on with an earlier run on this ticket: 2 steps were known (--again begins anew)."
        ]
    anew = ScriptedGenerator([proposal()])
    fix(ISSUE, shop, generator=anew, again=True)
    assert len(anew.requests) == 1


@pytest.mark.parametrize("files", [{"report.json": "{}", "thesis.txt": "x"}, {"a/report.json": "{}"}, {"x": "1"}])
def test_a_folder_with_other_files_is_left_alone(shop: Path, tmp_path: Path, files: dict[str, str]) -> None:
    out = tmp_path / "out"
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    generator = ScriptedGenerator([proposal()])
    with pytest.raises(UsageError, match="other files"):
        fix(ISSUE, shop, generator=generator, out=out)
    assert generator.requests == []
    assert {name: (out / name).read_text() for name in files} == files


@pytest.mark.parametrize("place", [".", "out", "..", ".git/out"])
def test_nothing_is_written_into_the_repository(shop: Path, place: str) -> None:
    (shop / "report.json").write_text("{}")
    before = state_of(shop)
    with pytest.raises(UsageError, match="is in the repository"):
        fix(ISSUE, shop, generator=ScriptedGenerator([]), out=shop / place)
    assert state_of(shop) == before


def test_the_folder_of_an_earlier_run_is_replaced(shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), out=out)
    reply = json.dumps({"is_fixable": False, "reasoning": "No.", "missing_information": ["What?"]})
    fix(ISSUE, shop, generator=ScriptedGenerator([reply]), out=out, again=True)
    assert sorted(path.name for path in out.iterdir()) == ["brief.json", "comment.md", "report.json"]


@pytest.mark.parametrize(
    "line",
    [
        "diff --git a/.github/workflows/evil.yml b/.github/workflows/evil.yml", "---", "--- a/x", "Index: x",
        "From: Somebody Else <else@example.org>", "Subject: another", "@@ -0,0 +1 @@", "-- >8 --",
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
    ],
)  # fmt: skip
def test_a_message_brings_no_change_of_its_own(shop: Path, tmp_path: Path, line: str) -> None:
    evil = "new file mode 100644\n--- /dev/null\n+++ b/.github/workflows/evil.yml\n@@ -0,0 +1 @@\n+on: push"
    groups = json.loads(proposal())["commit_groups"]
    groups[0]["message"] = f"Fix the bound\n\n{line}\n{evil}\n"
    report = fix(ISSUE, shop, generator=ScriptedGenerator([proposal(commit_groups=groups)]), out=tmp_path / "out")
    assert report.outcome == "proposed"
    run_git(shop, "am", "-q", *map(str, sorted((tmp_path / "out" / "commits").iterdir())))
    assert run_git(shop, "rev-parse", "HEAD^{tree}") == report.commits[-1].tree
    assert run_git(shop, "log", "-1", "--format=%an", "HEAD~1") == "sherloc"
    assert "Fix the bound" in run_git(shop, "log", "-1", "--format=%s", "HEAD~1")


def test_a_test_command_that_cannot_run_is_said_before_anybody_is_asked(shop: Path) -> None:
    generator = ScriptedGenerator([])
    with pytest.raises(UsageError, match=r"tests cannot be run: 'no-such-command -q' ended with 127"):
        fix(ISSUE, shop, generator=generator, settings={"repair": {"test_command": "no-such-command -q"}})
    with pytest.raises(UsageError, match="did not end within 1 seconds"):
        fix(
            ISSUE, shop, generator=generator, settings={"repair": {"test_command": "sleep 30", "test_seconds": 1.0}}
        )  # fmt: skip
    assert generator.requests == []


def test_a_patch_that_makes_another_test_fail_is_not_taken(shop: Path) -> None:
    check = (
        'python3 -c "from shop import total; '
        "print('FAILED t.py::ten') if total([100], 10) != 90 else 0; "
        "print('FAILED t.py::none') if total([100]) != 100 else 0; raise SystemExit(1)\""
    )
    edits = [{"search": "amount - amount * discount", "replace": "amount * discount / 100"}]
    worse = proposal(commit_groups=[{"message": "m", "files": [{"path": "shop.py", "edits": edits}]}])
    report = fix(
        ISSUE, shop, generator=ScriptedGenerator([worse, proposal()]),
        settings={"repair": {"candidates": 2, "test_command": check}},
    )  # fmt: skip
    assert report.base_tests is not None and report.base_tests.failing == ("t.py::ten",)
    assert [patch.chosen for patch in report.produced_patches] == [False, True]
    alone = fix(
        ISSUE, shop, generator=ScriptedGenerator([worse]), settings={"repair": {"test_command": check}}, again=True
    )  # fmt: skip
    assert (alone.outcome, alone.choice) == ("failed", "The only candidate fails the project's tests.")


def test_problems_of_attempts_that_were_mended_are_told(shop: Path) -> None:
    report = fix(ISSUE, shop, generator=ScriptedGenerator(["nothing", proposal()]))
    (patch,) = report.produced_patches
    assert (patch.problems, len(patch.mended), patch.attempts) == ((), 1, 2)


def test_a_title_that_looks_like_a_reference_names_nothing_on_a_forge(shop: Path) -> None:
    issue = ISSUE.model_copy(update={"title": "victim/repo#7"})
    report = fix(issue, shop, generator=ScriptedGenerator([proposal()]))
    assert "`victim/repo#7`" in report.pull_request_body
    assert report.branch.startswith("sherloc/victim-repo-7-")
    with pytest.raises(UsageError, match="no project"):
        fix(issue, shop, generator=ScriptedGenerator([]), push=True)


def test_text_of_the_model_notifies_nobody_and_closes_nothing(shop: Path) -> None:
    report = fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]))
    assert "@somebody" not in report.pull_request_body
    assert "Closes #1" not in report.pull_request_body


@pytest.mark.parametrize(
    "path", ["../evil.py", ".git/hooks/pre-commit", ".github/workflows/x.yml", "/etc/x", "AGENTS.md"]
)
def test_hostile_paths_are_refused(shop: Path, path: str) -> None:
    before = state_of(shop)
    bad = proposal(commit_groups=[{"message": "m", "files": [{"path": path, "content": "x\n", "reason": "r"}]}])
    report = fix(ISSUE, shop, generator=ScriptedGenerator([bad] * 3), apply=True)
    assert report.outcome == "failed"
    assert state_of(shop) == before


def test_a_command_that_edits_its_checkout_is_a_generator(shop: Path) -> None:
    command = "command:sed -i 's|discount$|discount / 100|' shop.py"
    report = fix(ISSUE, shop, generator=command)
    assert report.produced_patches[0].problems == ()
    assert report.outcome == "proposed"
    assert report.produced_patches[0].paths == ("shop.py",)
    assert "+    return amount - amount * discount / 100" in report.produced_patches[0].diff


def test_a_path_is_a_file_with_the_ticket(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "issue.md"
    file.write_text(f"# {ISSUE.title}\n\n{ISSUE.body}\n")
    report = fix(file, shop, generator=ScriptedGenerator([proposal()]))
    assert (report.outcome, report.ticket, report.issue.title) == ("proposed", "issue.md", ISSUE.title)


def test_bad_arguments_are_named(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be a text"):
        fix(12, shop)  # type: ignore[arg-type]
    with pytest.raises(EmptyIssueError):
        fix(" \n", shop, generator=ScriptedGenerator([]))
    with pytest.raises(UsageError, match="no project"):
        fix(ISSUE, shop, generator=ScriptedGenerator([]), push=True)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("x = 1\n")
    with pytest.raises(NotARepositoryError):
        fix(ISSUE, plain, generator=ScriptedGenerator([]))


def test_a_request_has_what_a_generator_needs(shop: Path) -> None:
    asked: list[PatchRequest] = []

    def answer(request: PatchRequest) -> str:
        asked.append(request)
        return proposal()

    fix(ISSUE, shop, generator=ScriptedGenerator(answer))
    (request,) = asked
    assert request.issue == ISSUE
    assert "return amount - amount * discount" in request.context
    assert (request.language, request.candidate, request.problems) == ("en", 0, ())


def test_tests_that_were_no_answer_are_run_again(shop: Path, tmp_path: Path) -> None:
    """What the hint of an error advises must help."""
    tool = tmp_path / "tool"

    def run(command: str, seconds: float) -> str:
        settings = {"repair": {"test_command": command, "test_seconds": seconds}}
        return fix(ISSUE, shop, generator=ScriptedGenerator([proposal()]), settings=settings).outcome

    slow = f"test -e {tool} || sleep 60"
    with pytest.raises(UsageError, match="did not end within 0.5 seconds"):
        run(slow, 0.5)
    with pytest.raises(UsageError, match="cannot be run"):
        run(str(tool), 60)
    tool.write_text("#!/bin/sh\nexit 0\n")
    tool.chmod(0o755)
    assert run(str(tool), 60) == "proposed"
    assert run(slow, 0.5 + 59) == "proposed"


def test_tests_that_write_too_much_are_called_so(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherloc.repair.running._MOST_BYTES", 1_000)
    with pytest.raises(UsageError, match="wrote too much"):
        fix(ISSUE, shop, generator=ScriptedGenerator([]), settings={"repair": {"test_command": "yes"}})

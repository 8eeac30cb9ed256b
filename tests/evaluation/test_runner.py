"""Runs: parallel, resumed, never mixed; with real processes and real repositories."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import DataError, EvaluationError, RepositoryNotFoundError, RunMismatchError
from sherloc.evaluation import runner
from sherloc.evaluation.harness import Source, run_source, score_runs
from sherloc.evaluation.predicting import Task, code_fingerprint, holder, predict
from sherloc.evaluation.predictions import Prediction, read_run_lines
from sherloc.evaluation.run_folder import RunFolder, RunInfo, differences, make_config
from sherloc.evaluation.runner import Progress, _Lanes, run

ROOT = Path(__file__).parents[2]


QUICK = {"vectors": {"embedder": "none"}}


def source(bench: Any, **changes: Any) -> Source:
    return Source(str(bench.data), mirrors=str(bench.mirrors), **changes)


def run_quickly(*args: Any, **options: Any) -> dict[str, Prediction]:
    """Without embeddings, which these tests are not about."""
    return run_source(*args, settings=QUICK | options.pop("settings", {}), **options)


def without_seconds(predictions: dict[str, Prediction]) -> dict[str, Prediction]:
    return {key: p.model_copy(update={"seconds": None, "files_parsed": None}) for key, p in predictions.items()}


def test_a_run_from_issues_to_scores(bench: Any, tmp_path: Path) -> None:
    seen: list[Progress] = []
    found = run_quickly(source(bench), tmp_path / "run", on_progress=seen.append)
    assert list(found) == [row["instance_id"] for row in bench.rows]
    first = found["acme__shop-1"]
    assert (first.files[0], first.error) == ("shop/basket.py", "")
    assert first.functions is not None
    assert first.functions[0] == "shop/basket.py::Basket.total_price"
    assert first.classes is not None
    assert first.classes[0] == "shop/basket.py::Basket"
    assert first.evidence[0].why
    assert [(p.done, p.total, p.failed) for p in seen] == [(0, 3, 0), (1, 3, 0), (2, 3, 0), (3, 3, 0)]
    assert (seen[0].seconds_left, seen[-1].seconds_left) == (None, 0)
    (scored,) = score_runs({"run": found}, source(bench))
    assert scored.rows["acme__shop-1"]["file Acc@1"] == 1
    assert scored.rows["acme__shop-1"]["function Acc@1"] == 1
    assert scored.rows["acme__shop-2"]["file Acc@1"] == 0
    assert scored.rows["acme__clock-1"]["file Acc@1"] == 1


def test_processes_and_other_executors_give_the_same_predictions(bench: Any, tmp_path: Path) -> None:
    alone = without_seconds(run_quickly(source(bench), tmp_path / "alone"))
    assert without_seconds(run_quickly(source(bench), tmp_path / "two", workers=2)) == alone
    with ThreadPoolExecutor(2) as threads:
        found = run_quickly(source(bench), tmp_path / "threads", executor=threads, workers=2)
        assert threads.submit(int).result() == 0  # it is not shut down
    assert without_seconds(found) == alone
    one, two = ((tmp_path / name / "predictions.jsonl").read_text().splitlines() for name in ("alone", "two"))
    assert [json.loads(line)["instance_id"] for line in one] == [json.loads(line)["instance_id"] for line in two]


def test_a_run_goes_on_where_it_stopped(bench: Any, tmp_path: Path) -> None:
    run_quickly(source(bench, limit=2), tmp_path / "run")
    path = tmp_path / "run" / "predictions.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(whole[0] + whole[1][:-20])  # a kill in the middle of a write
    seen: list[Progress] = []
    run_quickly(source(bench), tmp_path / "run", on_progress=seen.append)
    assert [p.latest.instance_id for p in seen if p.latest] == ["acme__shop-2", "acme__clock-1"]
    assert [json.loads(line)["instance_id"] for line in path.read_text().splitlines()] == [
        "acme__shop-1", "acme__shop-2", "acme__clock-1",
    ]  # fmt: skip
    sessions = [json.loads(line) for line in (tmp_path / "run" / "sessions.jsonl").read_text().splitlines()]
    assert [session["located"] for session in sessions] == [2, 2]
    untouched = path.read_bytes()
    seen.clear()
    run_quickly(source(bench), tmp_path / "run", on_progress=seen.append)
    assert (len(seen), path.read_bytes()) == (1, untouched)


def test_failures_are_kept_and_made_again_only_when_asked(bench: Any, tmp_path: Path) -> None:
    broken = dict(bench.rows[0], instance_id="gone", base_commit="0" * 40)
    bench.data.write_text("".join(json.dumps(row) + "\n" for row in [broken, bench.rows[2]]))
    found = run_quickly(source(bench), tmp_path / "run")
    assert "not" in found["gone"].error
    assert found["acme__clock-1"].error == ""
    seen: list[Progress] = []
    run_quickly(source(bench), tmp_path / "run", on_progress=seen.append)
    assert [(p.done, p.failed) for p in seen] == [(2, 1)]
    seen.clear()
    run_quickly(source(bench), tmp_path / "run", retry_failed=True, on_progress=seen.append)
    assert [p.latest.instance_id for p in seen if p.latest] == ["gone"]


def test_a_run_of_which_no_repository_is_found_does_not_begin(bench: Any, tmp_path: Path) -> None:
    nowhere = Source(str(bench.data), mirrors=str(tmp_path / "none"))
    with pytest.raises(
        RepositoryNotFoundError, match=r"not in --mirrors .*none, which does not exist, and no --clones"
    ):
        run_quickly(nowhere, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    broken = dict(bench.rows[0], instance_id="gone", base_commit="0" * 40)
    bench.data.write_text("".join(json.dumps(row) + "\n" for row in [broken, bench.rows[2]]))
    found = run_quickly(source(bench), tmp_path / "run")
    assert f"not in --mirrors {bench.mirrors}" in found["gone"].error and not found["acme__clock-1"].error


def test_two_configurations_are_never_mixed(bench: Any, tmp_path: Path) -> None:
    run_quickly(source(bench, limit=1), tmp_path / "run")
    before = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    with pytest.raises(RunMismatchError, match=r"settings\.retrieval\.k1 is 1\.2 there and 2\.0 here"):
        run_quickly(source(bench), tmp_path / "run", settings={"retrieval": {"k1": 2.0}})
    # How fast an answer comes is no part of what it is.
    run_quickly(source(bench, limit=1), tmp_path / "run", settings={"cache": {"workers": 3}})
    assert (tmp_path / "run" / "predictions.jsonl").read_bytes() == before
    changed = dict(bench.rows[0], problem_statement="Something else")
    bench.data.write_text(json.dumps(changed) + "\n")
    with pytest.raises(RunMismatchError, match="acme__shop-1, but of another text"):
        run_quickly(source(bench), tmp_path / "run")


def test_a_folder_of_predictions_without_a_configuration_is_refused(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "predictions.jsonl").write_text("")
    with pytest.raises(RunMismatchError, match=r"no run\.json"):
        run_quickly(source(bench), tmp_path / "run")


def test_a_broken_line_in_the_middle_is_told(bench: Any, tmp_path: Path) -> None:
    run_quickly(source(bench, limit=1), tmp_path / "run")
    path = tmp_path / "run" / "predictions.jsonl"
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(DataError, match=r"predictions\.jsonl:1 is not JSON"):
        run_quickly(source(bench), tmp_path / "run")


def test_two_processes_do_not_write_to_one_run(tmp_path: Path) -> None:
    folder, info = RunFolder(tmp_path / "run"), RunInfo("run", make_config(), {})
    with folder.opened(info, {}, retry_failed=False):
        code = (
            "from sherloc.evaluation.run_folder import *\n"
            f"folder = RunFolder({str(tmp_path / 'run')!r})\n"
            "try:\n    folder.opened(RunInfo('run', make_config(), {}), {}, retry_failed=False).__enter__()\n"
            "except RunMismatchError as error:\n    import sys; sys.exit(str(error))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, "Another process is writing" in done.stderr) == (1, True)
    with folder.opened(info, {}, retry_failed=False):
        pass  # it is free again


def test_the_configuration_says_what_an_answer_depends_on(tmp_path: Path) -> None:
    config = make_config({"retrieval": {"k1": 2.0}})
    assert config["settings"]["retrieval"]["k1"] == 2.0
    assert "cache" not in config["settings"]
    assert config["code"] == code_fingerprint()
    assert config["versions"]["sherloc"]
    one, two = RunInfo("a", config, {}), RunInfo("b", make_config({"retrieval": {"k1": 2}}), {"source": "x"})
    assert one.config_hash == two.config_hash
    assert differences({"a": [1]}, {"a": [2]}) == ["a is [1] there and [2] here"]
    with pytest.raises(DataError, match=r"no run\.json"):
        RunFolder(tmp_path).info()


def task(key: str, repository: str = "r") -> Task:
    return Task(key, "text", repository, "", key)


def test_a_worker_with_other_code_answers_nothing() -> None:
    found = predict(Task("i", "text", ".", "", "f", code="something else"))
    assert (found.error, found.input) == ("the worker has another version of sherloc than the run", "f")


def test_lanes_keep_a_repository_together_and_share_what_is_left() -> None:
    lanes = _Lanes([task(f"{r}{n}", r) for r in "ab" for n in range(3)] + [task("c0", "c")], 2)
    taken = [lanes.take(lane) for lane in (0, 1, 0, 1, 0, 1, 0)]
    assert [t.instance_id for t in taken if t] == ["a0", "b0", "a1", "b1", "a2", "b2", "c0"]
    assert lanes.take(0) is None
    assert not lanes
    lonely = _Lanes([task(f"a{n}", "a") for n in range(3)], 2)
    assert [t.instance_id for t in (lonely.take(1), lonely.take(0)) if t] == ["a2", "a0"]


def die_or_answer(given: Task) -> Prediction:
    """Stands in for ``predict``: one task kills its process."""
    if given.instance_id == "killer":
        os.kill(os.getpid(), signal.SIGKILL)
    return Prediction(instance_id=given.instance_id, files=("a.py",), input=given.fingerprint)


@pytest.mark.slow
def test_a_task_that_kills_its_process_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "predict", die_or_answer)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(Path(__file__).parent)]))
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setattr(die_or_answer, "__module__", "test_runner")
    sys.modules.setdefault("test_runner", sys.modules[__name__])
    tasks = [task(key) for key in ("a", "killer", "b", "c", "d")]
    found = run(tasks, RunFolder(tmp_path / "run"), RunInfo("run", make_config(), {}), workers=2)
    assert "the worker process died" in found["killer"].error
    assert [key for key, p in found.items() if not p.error] == ["a", "b", "c", "d"]
    assert read_run_lines(tmp_path / "run" / "predictions.jsonl") == found


class Breaking(Executor):
    """An executor whose second task fails by itself, and whose third breaks it."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        from concurrent.futures import BrokenExecutor

        self.count += 1
        future: Future[Any] = Future()
        if self.count == 1:
            future.set_result(Prediction(instance_id=args[0].instance_id, input=args[0].fingerprint))
        elif self.count == 2:
            future.set_exception(RuntimeError("lost on the way"))
        else:
            future.set_exception(BrokenExecutor("gone"))
        return future


def test_an_executor_that_breaks_loses_nothing_that_was_located(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(EvaluationError, match="executor broke"):
        run([task("a"), task("b"), task("c")], folder, RunInfo("run", make_config(), {}), executor=Breaking())
    found = folder.predictions()
    assert (list(found), found["b"].error) == (["a", "b"], "RuntimeError: lost on the way")


@pytest.mark.parametrize(
    ("name", "outer"), [("A.B.f", "A.B"), ("ns::T::f", "ns::T"), ("M::C#f", "M::C"), ("f", ""), ("a.b::c", "a.b")]
)
def test_what_holds_a_definition(name: str, outer: str) -> None:
    assert holder(name) == outer


@pytest.mark.slow
def test_killed_again_and_again_a_run_ends_like_one_that_was_not(bench: Any, tmp_path: Path) -> None:
    whole = without_seconds(run_quickly(source(bench), tmp_path / "whole"))
    command = [
        sys.executable, "-m", "sherloc", "eval", "run", str(bench.data), "--mirrors", str(bench.mirrors),
        "--out", str(tmp_path / "killed"), "--workers", "2", "-q", "--set", "vectors.embedder=none",
    ]  # fmt: skip
    for seconds in (0.6, 1.2, 1.8, 2.4, 3.0, 3.6):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert without_seconds(RunFolder(tmp_path / "killed").predictions()) == whole

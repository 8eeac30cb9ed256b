#!/usr/bin/env python3
"""Three development issues from ticket to dry-run pull request by a capable model; every reply is kept in a cassette.

    python benchmarks/fix_recorded.py DATA.json.gz --mirrors FOLDER --cassettes FOLDER --work FOLDER \
        --command "python benchmarks/ask_by_file.py FOLDER"
    python benchmarks/fix_recorded.py DATA.json.gz --mirrors FOLDER --cassettes FOLDER --work FOLDER --replay

Each issue is fixed twice: with skeletons around the targets in the prompt, and with whole files
(``repair.context_mode``). The place is found offline and without the embedder, so that prompts are the same everywhere.
The model sees prompts alone. Afterwards the test files of the project's own fix (its merge commit, named below) are
put over the patched checkout and run with the old project installed in an environment of its own under ``--work``
(which needs pip and a package index); ``--no-tests`` leaves that out. With three issues nothing is proved; it shows
that the whole way works.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.errors import SherlocError
from sherloc.llm import get_model
from sherloc.repair import Workshop, fix
from sherloc.schema.fix import FixReport
from sherloc.schema.issue import Issue

MODES = ("skeletons", "files")


@dataclass(frozen=True)
class Case:
    """An issue, the commit of the project's own fix, the tests that belong to it, and what they need."""

    instance: str
    fix: str
    tests: tuple[str, ...]
    packages: tuple[str, ...]
    version: str = ""


CASES = (
    Case("pallets__flask-5014", "7ed89d3f", ("tests/test_blueprints.py",), ("werkzeug<3", "pytest<8")),
    Case("psf__requests-6028", "8fa97243", ("tests/test_utils.py",), ("pytest<8", "pytest-mock", "pysocks")),
    Case("pytest-dev__pytest-10081", "06738e36d", ("testing/test_unittest.py",), ("pexpect",), "7.2.0"),
)


def fixed(
    row: dict[str, Any], repository: Path, mode: str, cassette: Path, command: str, work: Path
) -> tuple[FixReport | str, int]:
    """The report, or why there is none, and the input tokens that its model was asked with."""
    settings: dict[str, Any] = {
        "cache": {"workers": 1}, "vectors": {"embedder": "none"}, "models": {"timeout_seconds": 1800.0},
        "repair": {"context_mode": mode}, "limits": {"calls": 10},
        "context": {"base_dir": str(work / f"tasks-{os.getpid()}-{mode}")},
    }  # fmt: skip
    name = f"command:{command}" if command else f"replay:{cassette}"
    model = get_model(name, record=cassette if command else None)
    issue = Issue.from_text(row["problem_statement"])
    try:
        report = fix(
            issue, repository, revision=row["base_commit"], settings=settings, model=model, mode="offline",
            out=work / f"{row['instance_id']}.{mode}",
        )  # fmt: skip
        return report, model.budget.spent.usage.input_tokens
    except SherlocError as error:
        return str(error), 0
    finally:
        shutil.rmtree(settings["context"]["base_dir"], ignore_errors=True)


def tested(case: Case, repository: Path, base: str, diff: str, work: Path) -> str:
    """The last line of the gold tests on the patched checkout, or why they did not run."""
    folder, environment = work / case.instance, work / f"{case.instance}.venv"
    shutil.rmtree(folder, ignore_errors=True)
    with Workshop(repository, base) as workshop:
        shutil.copytree(workshop.checkout(workshop.base), folder, ignore=shutil.ignore_patterns(".git"))
    if diff:
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder, input=diff.encode("utf-8", "surrogateescape"), capture_output=True, check=False,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(work)},
        )  # fmt: skip
        if done.returncode:
            return f"git apply: {done.stderr.decode()}"
    for path in case.tests:
        shown = subprocess.run(
            ["git", "-C", repository, "show", f"{case.fix}:{path}"], capture_output=True, check=True
        )  # fmt: skip
        (folder / path).write_bytes(shown.stdout)
    python = environment / "bin" / "python"
    variables = {**os.environ, "SETUPTOOLS_SCM_PRETEND_VERSION": case.version} if case.version else dict(os.environ)
    if not python.exists():
        venv.create(environment, with_pip=True)
    # Each time: some projects write files into the checkout when they are installed.
    command = [python, "-m", "pip", "install", "-q", "-e", ".", *case.packages]
    installed = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    if installed.returncode:
        return f"pip: {installed.stderr.strip().splitlines()[-1]}"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *case.tests]
    ran = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    lines = [line for line in ran.stdout.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return "; ".join([lines[-1] if lines else ran.stderr[-200:], *failed[:3]])


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--cassettes", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--command", default="")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--no-tests", action="store_true")
    parser.add_argument("--mode", choices=MODES, action="append", help="only this one, so that each may have a model")
    args = parser.parse_args()
    if bool(args.command) == args.replay:
        parser.error("give --command or --replay")
    with gzip.open(args.data, "rt", encoding="utf-8") as file:
        rows = {row["instance_id"]: row for row in json.load(file)}
    args.work.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        row = rows[case.instance]
        repository = args.mirrors.resolve() / row["mirror"] / "repo"
        gold = sorted({line[6:] for line in row["patch"].splitlines() if line.startswith("+++ b/")})
        if not args.no_tests:
            print(f"{case.instance} | no patch | | | {tested(case, repository, row['base_commit'], '', args.work)}")
        for mode in args.mode or MODES:
            cassette = args.cassettes.resolve() / f"{case.instance}.fix-{mode}.jsonl"
            report, tokens = fixed(row, repository, mode, cassette, args.command, args.work)
            if isinstance(report, str):
                print(f"{case.instance} | {mode} | failed: {report}", flush=True)
                continue
            chosen = next((patch for patch in report.produced_patches if patch.chosen), None)
            facts = [case.instance, mode, report.outcome, f"{tokens:,} tokens in"]
            if chosen is not None:
                facts += [f"+{chosen.added} -{chosen.removed} in {', '.join(chosen.paths)} (gold: {', '.join(gold)})"]
                facts += [f"{chosen.attempts} attempts"]
                if not args.no_tests:
                    facts.append(tested(case, repository, row["base_commit"], chosen.diff, args.work))
            print(" | ".join(facts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

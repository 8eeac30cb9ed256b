#!/usr/bin/env python3
"""Issues diagnosed and explored by a capable model through an outside command; every reply is kept in a cassette.

    python benchmarks/model_recorded.py DATA.json.gz --mirrors FOLDER --cassettes FOLDER --command "PROGRAM ARGUMENTS"
    python benchmarks/model_recorded.py DATA.json.gz --mirrors FOLDER --cassettes FOLDER --replay

Chosen by a fixed seed: 12 of the issues marked quick, two from each of six repositories; the first of each pair is
explored, too. The command gets a prompt on its input and gives the reply on its output; it sees the prompt alone, never
the gold. Each issue has a cassette a mode (ISSUE.MODE.jsonl: prompt hash, model, date, reply), whether it went well or
not. ``--replay`` runs the same from the cassettes, and fails where a prompt has changed.
Afterwards the gold is read and the modes are compared with offline. It is a small sample: read it so.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model_oracle import hit, ranking

from sherloc import Locator
from sherloc.errors import SherlocError
from sherloc.evaluation import load_instances
from sherloc.evaluation.golds import gold_of
from sherloc.llm import get_model

SEED, REPOSITORIES, EACH = 20261130, 6, 2


def chosen(rows: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """The sample: instances, and the modes that each is run in."""
    by_repo: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["instance_id"]):
        by_repo[row["repo"]].append(row)
    draw = random.Random(SEED)
    repos = draw.sample(sorted(repo for repo, own in by_repo.items() if len(own) >= EACH), REPOSITORIES)
    sample = []
    for repo in sorted(repos):
        pair = draw.sample(by_repo[repo], EACH)
        sample += [(pair[0], ("diagnose", "explore")), (pair[1], ("diagnose",))]
    return sample


def run_one(row: dict[str, Any], repository: Path, mode: str, cassette: Path, command: str) -> dict[str, Any]:
    """The ranking of one instance in one mode; a failure is a result, too."""
    settings: dict[str, Any] = {
        "cache": {"workers": 1}, "diagnosis": {"cache": False}, "plan": {"tasks": False},
        "vectors": {"embedder": "none"}, "limits": {"calls": 60}, "models": {"timeout_seconds": 1800.0},
    }  # fmt: skip
    model: Any = None
    if mode != "offline":
        name = f"command:{command}" if command else f"replay:{cassette}"
        model = get_model(name, record=cassette if command else None)
    try:
        with Locator(repository, revision=row["base_commit"], settings=settings, model=model, mode=mode) as locator:
            return ranking(locator.locate(row["problem_statement"]))
    except SherlocError as error:
        return {"files": [], "functions": [], "change_sets": [], "notes": [str(error)], "calls": 0}


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--cassettes", type=Path, required=True)
    parser.add_argument("--command", default="")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--only", nargs="*", help="only these of the sample, so that several may answer side by side")
    parser.add_argument("--list", action="store_true", help="only name the sample")
    args = parser.parse_args()
    with gzip.open(args.data, "rt", encoding="utf-8") as file:
        sample = chosen([row for row in json.load(file) if row.get("quick")])
    if args.list:
        print("\n".join(f"{row['instance_id']} {' '.join(modes)}" for row, modes in sample))
        return 0
    if bool(args.command) == args.replay:
        parser.error("give --command or --replay")
    instances = {instance.instance_id: instance for instance in load_instances(args.data)}
    results: dict[str, list[tuple[dict[str, Any], Any]]] = defaultdict(list)
    for row, modes in sample:
        if args.only and row["instance_id"] not in args.only:
            continue
        repository = args.mirrors.resolve() / row["mirror"] / "repo"
        gold = gold_of(instances[row["instance_id"]], str(repository))
        for mode in ("offline", *modes):
            cassette = args.cassettes.resolve() / f"{row['instance_id']}.{mode}.jsonl"
            found = run_one(row, repository, mode, cassette, args.command)
            results[mode].append((found, gold))
            if mode == "explore":
                results["offline, where explored"].append((results["offline"][-1][0], gold))
            print(row["instance_id"], mode, found["calls"], found["notes"], file=sys.stderr, flush=True)
    for mode, rows in results.items():
        files = [hit(found["files"], gold.files, k) for k in (1, 5) for found, gold in rows]
        half = len(rows)
        named = [(found, gold) for found, gold in rows if gold.functions]
        functions = [hit(found["functions"], gold.functions, k) for k in (1, 5) for found, gold in named]
        print(
            f"{mode}: {half} issues, file @1 {sum(files[:half])}, @5 {sum(files[half:])}; of {len(named)} with gold "
            f"functions @1 {sum(functions[: len(named)])}, @5 {sum(functions[len(named) :])}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

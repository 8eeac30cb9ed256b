#!/usr/bin/env python3
"""Locate every issue of a data set in locbench's format and print the table.

    python benchmarks/localization.py DATA.json.gz --mirrors FOLDER --out predictions.jsonl [--quick] [--workers 2]

DATA holds instances (instance_id, repo, language, base_commit, problem_statement, patch, mirror); FOLDER holds bare git
directories named OWNER+NAME/repo. Resumable: instances that --out has are not located again. Only problem_statement is
given to sherloc; the patch is read afterwards, for the gold.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from sherloc.evaluation.gold import Gold, gold_of_patch
from sherloc.evaluation.runner import Instance, read_predictions, run
from sherloc.evaluation.table import FILE_MEASURES, FUNCTION_MEASURES, SET_MEASURES, lines, measure, relevance_auc
from sherloc.repository import classify


def load(path: Path) -> list[dict[str, Any]]:
    """Instances of a JSON file, gzipped or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def gold_of(row: dict[str, Any], repository: Path) -> Gold:
    """The gold of an instance: code files that exist at the base commit and are no tests."""
    python = row.get("language", "python") == "python"

    def counts(path: str) -> bool:
        return path.endswith(".py") if python else classify(path).partition == "code"

    def read(path: str) -> bytes | None:
        shown = subprocess.run(
            ["git", "--git-dir", str(repository), "show", f"{row['base_commit']}:{path}"],
            capture_output=True,
            check=False,
        )
        return shown.stdout if shown.returncode == 0 else None

    return gold_of_patch(row["patch"], read, lambda path: classify(path).language, counts)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="only the instances marked quick")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--retry-failed", action="store_true")
    parser.add_argument("--by", default="repo", choices=["repo", "language"])
    args = parser.parse_args()
    rows = [row for row in load(args.data) if row.get("quick") or not args.quick]
    rows.sort(key=lambda row: (row["mirror"], row["instance_id"]))
    where = {row["instance_id"]: args.mirrors.resolve() / row["mirror"] / "repo" for row in rows}
    settings = {"cache": {"workers": 1}} if args.workers > 1 else {}
    instances = [
        Instance(
            row["instance_id"], row["problem_statement"], str(where[row["instance_id"]]), row["base_commit"], settings
        )
        for row in rows
    ]
    for number, result in enumerate(run(instances, args.out, workers=args.workers, retry_failed=args.retry_failed), 1):
        if result.get("error") or number % 20 == 0:
            print(number, result["instance_id"], result.get("error", ""), file=sys.stderr, flush=True)
    report(rows, where, read_predictions(args.out), args.by)
    return 0


def report(rows: list[dict[str, Any]], where: dict[str, Path], predictions: dict[str, Any], by: str) -> None:
    """Print the tables; an instance whose fix only adds files has no gold and is left out."""
    golds = {row["instance_id"]: gold_of(row, where[row["instance_id"]]) for row in rows}
    golds = {key: gold for key, gold in golds.items() if gold.files}
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row in rows:
        if row["instance_id"] in golds:
            groups[row[by]].append(measure(predictions.get(row["instance_id"], {}), golds[row["instance_id"]]))
    for names in (FILE_MEASURES, FUNCTION_MEASURES, SET_MEASURES, ("seconds",)):
        print("\n".join(lines(groups, names)), end="\n\n")
    failed = [key for key in golds if predictions.get(key, {}).get("error")]
    print(f"missing {sum(key not in predictions for key in golds)}, errors {len(failed)}", *failed)
    print(f"AUC of relevance_score: {relevance_auc(predictions, golds):.3f}")


if __name__ == "__main__":
    sys.exit(main())

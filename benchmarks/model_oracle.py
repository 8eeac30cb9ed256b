#!/usr/bin/env python3
"""Scripted models over issues with known fixes: what a perfect model gains, and what a bad one can cost.

    python benchmarks/model_oracle.py DATA.json.gz --mirrors FOLDER --out results.jsonl [--quick] [--limit N]

DATA is in locbench's format, FOLDER holds bare git directories named OWNER+NAME/repo. The models know the gold and
answer every question of the mode ``diagnose``: ``oracle`` truly, ``contrary`` the opposite, ``random`` anything,
``liar`` blames about one wrong piece in twenty and nothing else, ``doubter`` sees no fault anywhere. Resumable.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sherloc import Locator
from sherloc.evaluation import load_instances
from sherloc.evaluation.gold import Gold
from sherloc.evaluation.golds import gold_of
from sherloc.llm import ScriptedModel
from sherloc.llm.prompts import load_prompt
from sherloc.protocols import Message

NAMES = ("oracle", "random", "contrary", "liar", "doubter")
_PIECE = re.compile(r"^Piece \[(p-[0-9a-f]+)\]:\n<<<MATERIAL-\w+\n(.*)$", re.M)
_ENTRY = re.compile(r"^\[(p-[0-9a-f]+)\] (.*)$", re.M)
_EVIDENCE = re.compile(r"^path: (.*)\nfunction: (.*)$", re.M)
_BLOCK = re.compile(r"^The paths:\n<<<MATERIAL-\w+\n(.*?)\n\w+-MATERIAL>>>", re.M | re.S)


class KnowsGold:
    """Answers by what it knows; ``name`` says how."""

    def __init__(self, name: str, gold: Gold, seed: str) -> None:
        self.name, self.gold, self.seed = name, gold, seed
        self.by_system = {
            load_prompt(each).system: getattr(self, each)
            for each in ("expand", "narrow", "filter", "rerank", "diagnose", "arbitrate")
        }

    def __call__(self, messages: Sequence[Message]) -> str:
        """The reply to a question."""
        return json.dumps(self.by_system[messages[0].content](messages[1].content))

    def chance(self, *parts: str) -> float:
        """A number from 0 to 1 that is always the same for the same parts."""
        digest = hashlib.sha256("\0".join((self.seed, *parts)).encode()).hexdigest()
        return int(digest[:8], 16) / 16**8

    def truth(self, place: str) -> int:
        """5 for what must change, 2 for its file, else 0."""
        path, _, name = place.rpartition(" [")[0].partition("::")
        path = path.removesuffix(" (module code)")
        if (path, name) in self.gold.owners:
            return 5
        return 2 if path in self.gold.files else 0

    def score(self, place: str) -> int:
        """The score that the model gives a place."""
        return {
            "oracle": lambda: self.truth(place),
            "random": lambda: int(self.chance(place, "score") * 6),
            "contrary": lambda: 5 - self.truth(place),
            "liar": lambda: 5 if self.truth(place) == 0 and self.chance(place) < 0.05 else 0,
            "doubter": lambda: 0,
        }[self.name]()

    def expand(self, _: str) -> dict[str, Any]:
        """Technical terms: none, or nonsense."""
        words = ["widget", "frobnicate", "teapot"] if self.name in ("random", "contrary") else []
        return {"description": "", "terms": words}

    def narrow(self, text: str) -> dict[str, Any]:
        """Files, or folders while only these are shown."""
        found = _BLOCK.search(text)
        lines = found.group(1).split("\n") if found else []
        folders = [line.partition("/ (")[0] + "/" for line in lines if line.endswith(("files)", "file)"))]
        files = [line for line in lines if not line.endswith(("files)", "file)"))]

        def order(path: str) -> float:
            true = path in self.gold.files or any(g.startswith(path) for g in self.gold.files if path.endswith("/"))
            if self.name == "oracle":
                return 0.0 if true else 2.0
            return 2.0 if true and self.name != "random" else self.chance(path, "path")

        named = [path for path in sorted(files, key=order) if order(path) < 2.0]
        inside = [path for path in sorted(folders, key=order) if order(path) < 2.0]
        if self.name == "doubter":
            return {"files": [], "folders": []}
        return {"files": named[:15], "folders": [] if named and self.name == "oracle" else inside[:8]}

    def filter(self, text: str) -> dict[str, Any]:
        """What deserves a closer look."""
        return {"pieces": [{"id": name, "relevant": self.score(place) >= 2} for name, place in _PIECE.findall(text)]}

    def rerank(self, text: str) -> dict[str, Any]:
        """Pieces, best first."""
        pieces = _ENTRY.findall(text)
        if self.name == "random":
            ordered = sorted(pieces, key=lambda piece: self.chance(piece[1], "rank"))
        else:
            ordered = sorted(pieces, key=lambda piece: -self.score(piece[1]))
        return {"ranking": [name for name, place in ordered if self.name == "random" or self.score(place) > 0][:15]}

    def diagnose(self, text: str) -> dict[str, Any]:
        """A verdict on each piece."""
        return {
            "diagnoses": [
                {"id": name, "relevance_score": self.score(place), "impact": "x", "reason": "y",
                 "potential_change_type": "fix_logic", "key_evidence_lines": []}
                for name, place in _PIECE.findall(text)
            ]
        }  # fmt: skip

    def arbitrate(self, text: str) -> dict[str, Any]:
        """The one place that must change."""
        places = [(path, "" if name == "(module code)" else name) for path, name in _EVIDENCE.findall(text)]
        ordered = sorted(places, key=lambda place: -self.score(f"{place[0]}::{place[1]} [x]"))
        return {
            "primary_change_sets": [
                {"file_path": path, "function_name": name, "target_lines": "", "confidence": 0.9}
                for path, name in ordered[:1]
            ],
            "reasoning": "scripted",
        }


def ranking(report: Any) -> dict[str, Any]:
    """What is compared of a report."""
    return {
        "files": [file.path for file in report.ranked_files],
        "functions": [f"{f.path}::{f.qualified_name}" for f in report.ranked_functions],
        "change_sets": [f"{c.file_path}::{c.target_location.function_name}" for c in report.change_sets],
        "notes": sorted({d.code for d in report.diagnostics if d.severity == "warning"}),
        "calls": report.run.model_calls, "input_tokens": report.run.input_tokens, "level": report.confidence,
        "seconds": report.run.seconds,
    }  # fmt: skip


def located(
    row: dict[str, Any], repository: Path, gold: Gold, settings: dict[str, Any], names: Sequence[str]
) -> dict[str, Any]:
    """The rankings of one issue, offline and with each model."""
    found: dict[str, Any] = {"instance_id": row["instance_id"], "repo": row["repo"]}
    options: dict[str, Any] = {"revision": row["base_commit"]}
    with Locator(repository, settings=settings, **options) as locator:
        found["offline"] = ranking(locator.locate(row["problem_statement"]))
    for name in names:
        model = ScriptedModel(KnowsGold(name.removeprefix("auto-"), gold, row["instance_id"]), name=name)
        mode = "auto" if name.startswith("auto-") else "diagnose"
        with Locator(repository, settings=settings, model=model, mode=mode, **options) as locator:
            found[name] = ranking(locator.locate(row["problem_statement"]))
    return found


def hit(ranked: Sequence[str], gold: Sequence[str], k: int) -> bool:
    """Acc@k as LocAgent counts it."""
    return len(set(ranked[:k]) & set(gold)) >= min(k, len(set(gold)))


def table(results: Sequence[dict[str, Any]], golds: dict[str, Gold], names: Sequence[str]) -> None:
    """Print accuracy by model, and the share of what was among the candidates."""
    files = [(r, golds[r["instance_id"]].files) for r in results if golds[r["instance_id"]].files]
    functions = [(r, golds[r["instance_id"]].functions) for r in results if golds[r["instance_id"]].functions]
    for kind, rows in (("files", files), ("functions", functions)):
        within = [(r, gold) for r, gold in rows if set(r["offline"][kind]) & set(gold)]
        print(f"\n{kind}: {len(rows)} issues, gold among the candidates in {len(within)}")
        print(f"{'':>14} {'@1':>6} {'@3':>6} {'@5':>6} {'@10':>6} {'@1 of candidates':>18}  set aside")
        for name in ("offline", *names):
            row = [
                100 * sum(hit(r[name][kind], gold, k) for r, gold in rows) / max(1, len(rows)) for k in (1, 3, 5, 10)
            ]
            of = 100 * sum(hit(r[name][kind], gold, 1) for r, gold in within) / max(1, len(within))
            aside = sum("model_not_heard" in r[name]["notes"] for r, _ in rows)
            print(f"{name:>14} " + " ".join(f"{value:6.1f}" for value in row) + f" {of:18.1f}  {aside}")
    for name in names:
        calls = [r[name]["calls"] for r in results]
        tokens = [r[name]["input_tokens"] for r in results]
        mean_calls, mean_tokens = sum(calls) / len(calls), sum(tokens) / len(tokens)
        print(f"{name}: {mean_calls:.1f} calls, {mean_tokens:,.0f} input tokens (estimated) an issue")


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="only the instances marked quick")
    parser.add_argument("--repos", default="", help="only these, owner/name with commas")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--models", default=",".join(NAMES), help="names; auto-NAME runs mode auto")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    args = parser.parse_args()
    with gzip.open(args.data, "rt", encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row.get("quick") or not args.quick]
    rows = [row for row in rows if not args.repos or row["repo"] in args.repos.split(",")]
    rows.sort(key=lambda row: (row["mirror"], row["instance_id"]))
    rows = rows[: args.limit or None]
    names = args.models.split(",")
    settings: dict[str, Any] = {"cache": {"workers": 1}, "diagnosis": {"cache": False}}
    for each in args.set:
        name, _, value = each.partition("=")
        section, _, key = name.partition(".")
        settings.setdefault(section, {})[key] = json.loads(value)
    where = {row["instance_id"]: args.mirrors.resolve() / row["mirror"] / "repo" for row in rows}
    instances = {instance.instance_id: instance for instance in load_instances(args.data)}
    golds = {key: gold_of(instances[key], str(where[key])) for key in (row["instance_id"] for row in rows)}
    done: dict[str, dict[str, Any]] = {}
    if args.out.exists():
        for line in args.out.read_text(encoding="utf-8").splitlines():
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if all(name in found for name in names):
                done[found["instance_id"]] = found
    tell: Callable[..., None] = lambda *words: print(*words, file=sys.stderr, flush=True)  # noqa: E731
    with args.out.open("a", encoding="utf-8") as out:
        for number, row in enumerate(rows, 1):
            if row["instance_id"] in done:
                continue
            start = time.perf_counter()
            found = located(row, where[row["instance_id"]], golds[row["instance_id"]], settings, names)
            done[row["instance_id"]] = found
            out.write(json.dumps(found) + "\n")
            out.flush()
            tell(number, len(rows), row["instance_id"], f"{time.perf_counter() - start:.1f} s")
    table([done[row["instance_id"]] for row in rows], golds, names)
    return 0


if __name__ == "__main__":
    sys.exit(main())

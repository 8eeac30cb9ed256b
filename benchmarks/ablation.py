r"""What each channel and each part of the evidence graph is worth: all variants on each issue, compared issue by issue.

    python benchmarks/ablation.py DATA.json.gz --mirrors MIRRORS --out FILE.jsonl [--where quick=true] [--workers 2]

DATA holds issues in locbench's format. A repository is read and indexed once for all variants of its issue; what FILE
holds is not made again, so an interrupted run goes on. The rows tell how far a variant lies from all channels together,
with 95% paired bootstrap intervals, in points. ``with tests`` parses all tests: only when it is named. Needs the
extra ``eval``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sherloc.evaluation import Instance, Prediction, Source, compare, score_runs
from sherloc.evaluation.predicting import prediction_fields
from sherloc.evaluation.predictions import prediction_of
from sherloc.indexer.builder import build_index
from sherloc.indexer.decoding import decode
from sherloc.locator import settings_for
from sherloc.meaning import Meaning
from sherloc.plans import OFFLINE, Work
from sherloc.reporting import make_report
from sherloc.repository import open_tree
from sherloc.repository.history import History
from sherloc.repository.sources import Sources
from sherloc.schema.issue import Issue
from sherloc.schema.report import RunInfo
from sherloc.settings import RetrievalSettings

CHANNELS = RetrievalSettings().channels
WHOLE = "all"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    **{
        f"without {channel}": {"retrieval": {"channels": [each for each in CHANNELS if each != channel]}}
        for channel in CHANNELS
    },
    "lexical alone": {"retrieval": {"channels": ["lexical"]}},
    "without learned ranking": {"retrieval": {"learned_ranking": False}},
    "with tests": {"retrieval": {"channels": [*CHANNELS, "tests"]}},
    "snippets with their neighbours": {"index": {"unit": "with_neighbours"}},
    "evidence: strict edges": {"evidence": {"strict": True}},
    "evidence: no relations": {"evidence": {"relation": 0.0}},
    "evidence: one community": {"evidence": {"communities": 1}},
    "evidence: all communities": {"evidence": {"communities": 100, "min_mean_relevance": 0.0}},
    "evidence: PageRank damped to a half": {"evidence": {"damping": 0.5}},
}
ON_DEMAND = ("with tests",)
MEASURES = (
    "file Acc@1", "file Acc@5", "file Acc@10", "function Acc@1", "function Acc@5", "function Acc@10", "set recall",
    "set precision", "first within 5",
)  # fmt: skip
_TUNED = {"cache": {"workers": 1}, "vectors": {"threads": 1}}
_MEANING = Meaning()


def predictions(location: str, names: list[str], instance: Instance) -> list[tuple[str, Prediction]]:
    """What each of the named variants says of one issue."""
    return list(_predictions(location, names, instance))


def _predictions(location: str, names: list[str], instance: Instance) -> Iterator[tuple[str, Prediction]]:
    tree = open_tree(location, instance.base_commit)
    plain = settings_for(tree, _TUNED)
    issue = Issue.from_text(instance.problem_statement).shortened(plain.issue.max_characters)
    with ExitStack() as held:
        history = held.enter_context(History(tree, plain.retrieval))
        index, sources = build_index(tree, plain), Sources(tree, lambda data: decode(data)[0])
        weighed: Work | None = None
        for name in sorted(names, key=lambda name: name != WHOLE):
            settings = settings_for(tree, _TUNED | VARIANTS[name])
            if name.startswith("evidence") and weighed is not None:
                work, stages = replace(weighed, settings=settings), OFFLINE.stages[3:]
            else:
                work = Work(issue, tree, index, settings, sources, history=history, meaning=_MEANING)
                stages = OFFLINE.stages
            for stage in stages:
                stage.run(work)
            weighed = work if name == WHOLE else weighed
            report = make_report(work, RunInfo(mode="offline", started_at="", seconds=0.0))
            yield name, Prediction(instance_id=instance.instance_id, **prediction_fields(report))


def run(source: Source, out: Path, names: list[str], workers: int) -> dict[str, dict[str, Prediction]]:
    """Predictions by variant and id: those that FILE holds, and those that it lacks, which it then gets."""
    found: dict[str, dict[str, Prediction]] = {name: {} for name in names}
    for line in out.read_text("utf-8").splitlines() if out.exists() else ():
        variant, record = json.loads(line)
        found.setdefault(variant, {})[record["instance_id"]] = prediction_of(record, str(out))
    places, instances = source.repositories(), source.instances()
    with out.open("a", encoding="utf-8") as file, ProcessPoolExecutor(workers) as pool:
        left = [(i, [name for name in names if i.instance_id not in found[name]]) for i in instances]
        jobs = [pool.submit(partial(predictions, places.find(i), missing), i) for i, missing in left if missing]
        for number, job in enumerate(jobs, 1):
            for name, prediction in job.result():
                found[name][prediction.instance_id] = prediction
                file.write(json.dumps([name, json.loads(prediction.line())]) + "\n")
            file.flush()
            print(f"\r{number} of {len(jobs)} issues", end="", file=sys.stderr, flush=True)
    return {name: found[name] for name in names}


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--mirrors", required=True)
    parser.add_argument("--out", type=Path, required=True, help="predictions of all variants, a line each")
    parser.add_argument("--where", action="append", default=[], metavar="FIELD=VALUE")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS), help="only these, and all together")
    args = parser.parse_args()
    source = Source(args.data, where=tuple(args.where), limit=args.limit, mirrors=args.mirrors)
    wanted = args.variant or [name for name in VARIANTS if name not in ON_DEMAND]
    runs = run(source, args.out, [name for name in VARIANTS if name == WHOLE or name in wanted], args.workers)
    print(file=sys.stderr)
    whole, *others = score_runs(runs, source)
    print("| points against all |", " | ".join(MEASURES), "|")
    print("|---|" + "---|" * len(MEASURES))
    own = {pair.name: pair.first for pair in compare(whole, whole, MEASURES)}
    print(f"| {WHOLE} ({len(whole.rows)} issues) |", " | ".join(f"{100 * own[name]:.1f}" for name in MEASURES), "|")
    for other in others:
        pairs = {pair.name: pair for pair in compare(whole, other, MEASURES)}
        cells = (
            f"{100 * p.difference:+.1f} ({100 * p.low:+.1f} to {100 * p.high:+.1f})"
            for p in (pairs[name] for name in MEASURES)
        )
        print(f"| {other.name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

r"""What each channel and each part of the evidence graph is worth: one run a variant, compared issue by issue.

    python benchmarks/ablation.py DATA.json.gz --mirrors MIRRORS --out FOLDER [--where quick=true] [--workers 2]

DATA holds issues in locbench's format. Each variant is a run of ``sherloc eval run`` in a folder of its own, which is
gone on with when it was interrupted; the index is shared. The rows tell how far a variant lies from all channels
together, with 95% paired bootstrap intervals, in points. Needs the extra ``eval``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sherloc.evaluation import Source, compare, run_source, score_runs
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
    "evidence: strict edges": {"evidence": {"strict": True}},
    "evidence: no relations": {"evidence": {"relation": 0.0}},
    "evidence: one community": {"evidence": {"communities": 1}},
    "evidence: all communities": {"evidence": {"communities": 100, "min_mean_relevance": 0.0}},
    "evidence: PageRank damped to a half": {"evidence": {"damping": 0.5}},
}
MEASURES = (
    "file Acc@1", "file Acc@5", "file Acc@10", "func Acc@1", "func Acc@5", "func Acc@10", "set recall", "set precision",
    "first within 5",
)  # fmt: skip


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--mirrors", required=True)
    parser.add_argument("--out", type=Path, required=True, help="one folder a variant is made in it")
    parser.add_argument("--where", action="append", default=[], metavar="FIELD=VALUE")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS), help="only these, and all together")
    args = parser.parse_args()
    source = Source(args.data, where=tuple(args.where), limit=args.limit, mirrors=args.mirrors)
    chosen = [name for name in VARIANTS if name == WHOLE or not args.variant or name in args.variant]
    runs = {}
    for name in chosen:
        print(name, file=sys.stderr, flush=True)
        folder = args.out / name.replace(":", "").replace(" ", "-")
        runs[name] = run_source(source, folder, settings=VARIANTS[name], workers=args.workers)
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

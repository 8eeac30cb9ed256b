r"""Learned ranking of files and functions: features, figures with repositories left out, and the trees.

    python benchmarks/train_ranker.py DATA.json.gz ... --reports REPORTS.jsonl --mirrors MIRRORS --features FOLDER

DATA holds issues in locbench's format, REPORTS what ``written_reports.py`` wrote; with ``--write`` the trees go to
where sherloc has them. Features come from sherloc's own retriever, with ``learned_ranking`` off, and are kept in the
folder, one file an issue. Each repository with fifteen issues or more, and each handful of the smaller ones together,
is left out in turn while trees are trained on all others, whatever their language; the shipped trees are trained on
all. The reports train the ranking of files in addition, and are a test of trees that saw none of them. Needs lightgbm,
which sherloc itself does not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sherloc.evaluation import Instance, load_instances
from sherloc.evaluation.golds import gold_of
from sherloc.retriever.features import FEATURES, features, may_move
from sherloc.retriever.file_features import FILE_FEATURES, file_features
from sherloc.retriever.ranker import FILE_TREES, TREES

PARAMETERS = {
    "objective": "lambdarank", "num_leaves": 8, "learning_rate": 0.05, "feature_fraction": 0.5,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5, "lambdarank_truncation_level": 12, "verbosity": -1,
    "num_threads": 1, "deterministic": True,
}  # fmt: skip
CUTS = (1, 3, 5, 10)
LARGE = 15
Row = dict[str, Any]
Example = dict[str, Any]


class Kind(NamedTuple):
    """What is ranked.

    Attributes:
        name: ``files`` or ``functions``.
        at: Begins the names of its arrays in an example.
        features: The columns.
        trees: Where sherloc has the trees.
        rounds: Trees a seed.
        leaf: Fewest rows in a leaf.
        seeds: One booster each.
        with_reports: Whether the reports train it, too.
    """

    name: str
    at: str
    features: tuple[str, ...]
    trees: Path
    rounds: int
    leaf: int
    seeds: tuple[int, ...]
    with_reports: bool


KINDS = (
    Kind("files", "file_", FILE_FEATURES, FILE_TREES, 100, 100, (3, 4, 5, 13, 14, 15), with_reports=True),
    Kind("functions", "", FEATURES, TREES, 120, 100, (3, 4, 5, 13, 14, 15), with_reports=False),
)


def example_of(instance: Instance, location: str, folder: Path) -> Path:
    """The features of one issue, kept in ``folder``: of files and functions names, rows, order by hand and gold."""
    target = folder / (instance.instance_id.replace("/", "_") + ".npz")
    if target.exists():
        return target
    from sherloc.indexer.builder import build_index
    from sherloc.indexer.decoding import decode
    from sherloc.locator import settings_for
    from sherloc.meaning import Meaning
    from sherloc.plans import Work, make_query, open_retriever
    from sherloc.repository import open_tree
    from sherloc.repository.history import History
    from sherloc.repository.sources import Sources
    from sherloc.schema.issue import Issue

    tree = open_tree(location, instance.base_commit)
    settings = settings_for(tree, {"cache": {"workers": 1}, "retrieval": {"learned_ranking": False}})
    meaning = Meaning()
    with History(tree, settings.retrieval) as history:
        index, sources = build_index(tree, settings), Sources(tree, lambda data: decode(data)[0])
        issue = Issue.from_text(instance.problem_statement).shortened(settings.issue.max_characters)
        work = Work(issue, tree, index, settings, sources, history=history, meaning=meaning)
        make_query(work)
        retriever = open_retriever(work)
    meaning.close()
    segment, fused = retriever.index.code, retriever.fused
    units, rows = features(segment, fused, retriever.cues, *(retriever.cues.compared or ((), np.zeros((0, 3)))))
    kinds = segment.arrays["kind"]
    functions = np.flatnonzero(((kinds == 2) | (kinds == 3)) & (fused.units > 0))
    order = functions[np.lexsort((functions, -fused.units[functions]))][:200]

    def named(numbers: Sequence[int]) -> list[str]:
        return [f"{segment.paths[int(segment.unit_file[u])]}::{segment.qualified_names[u]}" for u in numbers]

    files, file_rows = file_features(segment, fused, retriever.cues, retriever.penalty)
    paths, gold = [segment.paths[int(file)] for file in files], gold_of(instance, location)
    np.savez_compressed(
        target, rows=rows, names=named(units), by_hand=named(order), gold=gold.functions, repo=instance.repo,
        file_rows=file_rows, file_names=paths, file_by_hand=paths, file_gold=gold.files,
    )  # fmt: skip
    return target


def load(path: Path) -> Example:
    """What ``example_of`` kept."""
    with np.load(path, allow_pickle=False) as stored:
        found = {name: stored[name] for name in stored.files}
    for kind in KINDS:
        found[f"{kind.at}label"] = np.isin(found[f"{kind.at}names"], found[f"{kind.at}gold"]).astype(int)
    return found


def train(kind: Kind, examples: Sequence[Example]) -> list[Any]:
    """One booster a seed; an issue weighs less the more issues its repository has."""
    import lightgbm

    rows, label = f"{kind.at}rows", f"{kind.at}label"
    usable = [e for e in examples if e[label].any()]
    issues = Counter(str(e["repo"]) for e in usable)
    weights = [np.full(len(e[label]), issues[str(e["repo"])] ** -0.5) for e in usable]
    return [
        lightgbm.train(
            {**PARAMETERS, "min_data_in_leaf": kind.leaf, "seed": seed},
            lightgbm.Dataset(
                np.concatenate([e[rows] for e in usable]), np.concatenate([e[label] for e in usable]),
                group=[len(e[label]) for e in usable], weight=np.concatenate(weights),
                feature_name=list(kind.features),
            ),
            kind.rounds,
        )
        for seed in kind.seeds
    ]  # fmt: skip


def hits(ranked: Sequence[str], gold: Sequence[str]) -> list[float]:
    """Acc@k as LocAgent and SweRank count it."""
    wanted = set(gold)
    return [float(len(wanted & set(ranked[:k])) == min(k, len(wanted))) for k in CUTS]


def predicted(kind: Kind, example: Example, boosters: Sequence[Any]) -> Any:
    """The mean of the boosters' values, a row."""
    rows = example[f"{kind.at}rows"]
    return np.mean([booster.predict(rows, num_threads=1) for booster in boosters], axis=0) if len(rows) else np.zeros(0)


def learned_order(kind: Kind, example: Example, boosters: Sequence[Any]) -> list[str]:
    """The ranking as sherloc gives it: files after the first, or the compared functions, share out their places."""
    values = predicted(kind, example, boosters)
    if kind.name == "files":
        first, rest = example["file_names"][:1], example["file_names"][1:]
        return [*first.tolist(), *rest[np.argsort(-values[1:], kind="stable")].tolist()]
    # Two definitions may share a qualified name: the better place counts.
    free = may_move(example["rows"])
    names, by_hand = example["names"][free].tolist(), list(dict.fromkeys(example["by_hand"].tolist()))
    values = values[free]
    place = {name: at for at, name in enumerate(by_hand)}
    ordered = [names[at] for at in np.lexsort(([place.get(name, len(place)) for name in names], -values))]
    compared = set(names) - set(example["names"][~free].tolist())
    following = iter(dict.fromkeys(name for name in ordered if name in place and name in compared))
    return [next(following) if name in compared else name for name in by_hand]


def folds(examples: Sequence[Example]) -> list[set[str]]:
    """Repositories that are left out together: a large one alone, small ones until they have as many issues."""
    issues = Counter(str(e["repo"]) for e in examples)
    found: list[set[str]] = [{name} for name in sorted(issues) if issues[name] >= LARGE]
    group: set[str] = set()
    for name in (each for each in sorted(issues) if issues[each] < LARGE):
        group.add(name)
        if sum(issues[each] for each in group) >= LARGE:
            found.append(group)
            group = set()
    return [*found, group] if group else found


def cross_validate(kind: Kind, examples: Sequence[Example], reports: Sequence[Example]) -> None:
    """Print Acc@k of the hand-set and of the learned order, micro and mean of repositories, for each data set."""
    found: dict[str, dict[str, list[tuple[list[float], list[float]]]]] = defaultdict(lambda: defaultdict(list))

    def measure(tested: Sequence[Example], boosters: Sequence[Any]) -> None:
        for example in (e for e in tested if len(e[f"{kind.at}gold"])):
            by_hand = list(dict.fromkeys(example[f"{kind.at}by_hand"].tolist()))
            gold = example[f"{kind.at}gold"].tolist()
            pair = hits(by_hand, gold), hits(learned_order(kind, example, boosters), gold)
            found[example["data"]][str(example["repo"])].append(pair)

    measure(reports, train(kind, examples))
    more = reports if kind.with_reports else ()
    for left_out in folds(examples):
        boosters = train(kind, [*(e for e in examples if str(e["repo"]) not in left_out), *more])
        measure([e for e in examples if str(e["repo"]) in left_out], boosters)
    for data, groups in found.items():
        pairs = np.array([pair for group in groups.values() for pair in group])
        means = np.mean([np.mean(np.array(group), axis=0) for group in groups.values()], axis=0)
        for at, name in enumerate(("by hand", "learned")):
            micro = pairs[:, at].mean(axis=0)
            told = (f"@{k} {100 * a:.1f}/{100 * b:.1f}" for k, a, b in zip(CUTS, micro, means[at], strict=True))
            print(kind.name, data, len(pairs), name, *told, flush=True)
        gained, lost = ((pairs[:, one] > pairs[:, 1 - one]).sum(axis=0).tolist() for one in (1, 0))
        print(kind.name, data, "gained", gained, "lost", lost)


def write(kind: Kind, boosters: Sequence[Any]) -> None:
    """All trees as one table of nodes; a leaf points at itself."""
    nodes: list[tuple[int, float, int, int, float]] = []
    roots: list[int] = []
    deepest = 0

    def add(node: Row, depth: int) -> int:
        nonlocal deepest
        deepest = max(deepest, depth)
        at = len(nodes)
        nodes.append((0, 0.0, at, at, float(node.get("leaf_value", 0.0)) / len(boosters)))
        if "split_feature" in node:
            left, right = add(node["left_child"], depth + 1), add(node["right_child"], depth + 1)
            nodes[at] = (int(node["split_feature"]), float(node["threshold"]), left, right, 0.0)
        return at

    for booster in boosters:
        roots += [add(tree["tree_structure"], 0) for tree in booster.dump_model()["tree_info"]]
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    np.savez_compressed(
        kind.trees, roots=np.array(roots, np.int32), feature=np.array(feature, np.int16), threshold=np.array(threshold),
        left=np.array(left, np.int32), right=np.array(right, np.int32), value=np.array(value), depth=deepest,
        features=np.array(kind.features),
    )  # fmt: skip
    print(f"{len(roots)} trees, {len(nodes)} nodes, depth {deepest}, {kind.trees.stat().st_size} bytes in {kind.trees}")


def main() -> None:
    """Features, figures, trees."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--reports", type=Path, required=True, help="see written_reports.py")
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write the trees")
    args = parser.parse_args()
    args.features.mkdir(parents=True, exist_ok=True)
    chosen = [(instance, path.name) for path in (*args.data, args.reports) for instance in load_instances(path)]
    chosen.sort(key=lambda each: (each[0].mirror, each[0].instance_id))
    mirrors = args.mirrors.resolve()
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [pool.submit(example_of, i, str(mirrors / i.mirror / "repo"), args.features) for i, _ in chosen]
        examples = []
        for number, (job, (_, data)) in enumerate(zip(jobs, chosen, strict=True), 1):
            examples.append({**load(job.result()), "data": data})
            if number % 20 == 0:
                print(number, "of", len(jobs), file=sys.stderr, flush=True)
    reports = [e for e in examples if e["data"] == args.reports.name]
    issues = [e for e in examples if e["data"] != args.reports.name]
    for kind in KINDS:
        cross_validate(kind, issues, reports)
        if args.write:
            write(kind, train(kind, [*issues, *(reports if kind.with_reports else ())]))


if __name__ == "__main__":
    main()

"""Whole files against packed ones within the same number of tokens, on issues with known fixes; gold files are given.

python benchmarks/packing.py DATA.json.gz --mirrors FOLDER [--budget 4000] [--quick]

For each issue the files that the fix changes are shown within the budget (shared out evenly), once from the beginning
until it is spent, once packed: functions by their words' closeness to the issue in full, the rest as a skeleton.
Counted: whether every function that the fix changes is there in full, whether any is, and the share of its lines that
are there. McNemar's test is exact (two-sided binomial over the pairs that differ).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import time
from collections.abc import Callable
from pathlib import Path

from sherloc.evaluation.gold import Gold, gold_of_patch
from sherloc.indexer.decoding import decode
from sherloc.repository import classify, open_tree
from sherloc.repository.sources import Sources
from sherloc.skeleton import pack_file
from sherloc.skeleton.expand import definitions
from sherloc.tokens import NamedTokenizer, get_tokenizer

Row = tuple[bool, bool, bool, bool, float, float, bool]
"""All functions (whole, packed), some function (whole, packed), lines (whole, packed), whether the files fit whole."""


def language_of(path: str) -> str:
    """The language of a path."""
    return classify(path).language


def reader_of(sources: Sources) -> Callable[[str], bytes]:
    """Reads a file as UTF-8."""
    return lambda path: sources.get(path, "").encode("utf-8", "replace")


def is_code(path: str) -> bool:
    """Whether a path is code and no test."""
    kind = classify(path)
    return kind.partition == "code" and bool(kind.language)


def head_of(text: str, budget: int, tokenizer: NamedTokenizer) -> set[int]:
    """Lines of a file that fit from its beginning."""
    lines = text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count("\n".join(lines[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    return set(range(1, low + 1))


def packed_lines(text: str, language: str, budget: int, tokenizer: NamedTokenizer, task: str) -> set[int]:
    """Lines of a file that a packed text holds as they are."""
    packed = pack_file(text, language, budget, tokenizer, task=task)
    assert packed.tokens <= budget
    original = text.split("\n")
    rows = packed.text.split("\n")
    return {line for row, line in zip(rows, packed.lines, strict=False) if line and row == original[line - 1]}


def spans_of(gold: Gold, sources: Sources) -> list[tuple[str, int, int]]:
    """Path, first and last line of every function that the fix changes."""
    found = []
    for function in gold.functions:
        path, _, name = function.partition("::")
        for d in definitions(sources[path], classify(path).language):
            if d.qualified_name == name:
                found.append((path, d.start_line, d.end_line))
                break
    return found


def mcnemar(first: int, second: int) -> float:
    """Exact two-sided p of so many pairs in which only the first, or only the second, succeeds."""
    total = first + second
    if not total:
        return 1.0
    tail = sum(math.comb(total, k) for k in range(min(first, second) + 1)) / 2**total
    return min(1.0, 2 * tail)


def main() -> None:
    """Print the paired table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    with gzip.open(arguments.data, "rt", encoding="utf-8") as file:
        instances = [each for each in json.load(file) if not arguments.quick or each.get("quick")]
    tokenizer = get_tokenizer()
    rows: list[Row] = []
    seconds = []
    for instance in instances[: arguments.limit]:
        name = instance.get("mirror") or instance["repo"]
        folder = arguments.mirrors / name.replace("/", "+") / "repo"
        if not folder.is_dir():
            continue
        tree = open_tree(folder, instance["base_commit"])
        sources = Sources(tree, lambda data: decode(data)[0])
        gold = gold_of_patch(instance["patch"], reader_of(sources), language_of, is_code)
        spans = spans_of(gold, sources)
        if not spans:
            continue
        share = arguments.budget // len(gold.files)
        whole, packed = set[tuple[str, int]](), set[tuple[str, int]]()
        small = all(tokenizer.count(sources[path]) <= share for path in gold.files)
        start = time.process_time()
        for path in gold.files:
            language = classify(path).language
            text = sources[path]
            packed |= {(path, n) for n in packed_lines(text, language, share, tokenizer, instance["problem_statement"])}
        seconds.append((time.process_time() - start) / len(gold.files))
        for path in gold.files:
            whole |= {(path, n) for n in head_of(sources[path], share, tokenizer)}
        full = [_held(spans, lines) for lines in (whole, packed)]
        some = [_held(spans, lines, some=True) for lines in (whole, packed)]
        rows.append((*full, *some, _share(gold, whole), _share(gold, packed), small))
        if len(rows) % 25 == 0:
            print(f"... {len(rows)}", flush=True)
    report(rows, arguments.budget, tokenizer.name, seconds)


def _held(spans: list[tuple[str, int, int]], lines: set[tuple[str, int]], *, some: bool = False) -> bool:
    held = [all((path, n) in lines for n in range(first, last + 1)) for path, first, last in spans]
    return any(held) if some else all(held)


def _share(gold: Gold, lines: set[tuple[str, int]]) -> float:
    wanted = set(gold.lines)
    return len(wanted & lines) / len(wanted) if wanted else 1.0


def report(rows: list[Row], budget: int, tokenizer: str, seconds: list[float]) -> None:
    """Write the table."""
    print(f"{len(rows)} issues whose fix changes a function, {budget} tokens by {tokenizer}; "
          f"{sum(row[6] for row in rows)} whose files fit whole")  # fmt: skip
    for title, a, b in (("all functions in full", 0, 1), ("some function in full", 2, 3)):
        first = sum(bool(row[a]) and not row[b] for row in rows)
        second = sum(bool(row[b]) and not row[a] for row in rows)
        counts = [sum(bool(row[at]) for row in rows) for at in (a, b)]
        whole, packed = (f"{count} ({count / len(rows):.1%})" for count in counts)
        print(f"{title}: whole {whole}, packed {packed}; only whole {first}, only packed {second}, "
              f"McNemar p = {mcnemar(first, second):.3g}")  # fmt: skip
    means = [sum(row[at] for row in rows) / len(rows) for at in (4, 5)]
    first, second = sum(row[4] > row[5] for row in rows), sum(row[5] > row[4] for row in rows)
    print(f"gold lines: whole {means[0]:.1%}, packed {means[1]:.1%}; more lines whole {first}, packed {second}, "
          f"sign test p = {mcnemar(first, second):.3g}")  # fmt: skip
    seconds.sort()
    print(f"median seconds of CPU a file: {seconds[len(seconds) // 2]:.3f}")


if __name__ == "__main__":
    main()

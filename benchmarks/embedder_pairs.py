r"""Pairs to train the embedder on: a commit's message, the functions that it changed, and others of the same files.

    python benchmarks/embedder_pairs.py pairs.jsonl REPOSITORY.git ...

REPOSITORY is a bare git directory with history. Never give it one of the repositories that SWE-bench or another
benchmark of localization is made of: the model's PROVENANCE.md lists those that it was trained on. Only modifications
of one to three Python source files (no tests) with at most four changed functions count.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sherloc.evaluation.gold import gold_of_patch
from sherloc.indexer.decoding import decode
from sherloc.repository import classify
from sherloc.retriever.semantic import text_of
from sherloc.syntax import outline

SEED = 5
COMMITS = 8000
PAIRS_A_REPOSITORY = 550
OTHERS = 8
MOST_BYTES = 400_000
MOST_FUNCTIONS = 4
SHORTEST_MESSAGE = 25
_TELLS = re.compile(
    r"\b(fix(e[sd]|ing)?|bugs?|issues?|closes?|error|crash|wrong|incorrect|fail(s|ed|ure|ing)?|broken|regression|"
    r"correct(ly)?|handle|raise[sd]?|exception|should|instead|missing|prevent|avoid|allow|support|add(ed|s)?)\b",
    re.IGNORECASE,
)
_TRAILERS = re.compile(
    r"^(signed-off-by|co-authored-by|change-id|reviewed|tested-by|closes-bug|git-svn-id|acked-by|cc|reported-by|"
    r"related-bug|partial-bug|implements|blueprint|fixes:).*$",
    re.IGNORECASE | re.MULTILINE,
)


def git(repository: Path, *arguments: str) -> bytes:
    """What git says; empty when it fails."""
    command = ["git", "--git-dir", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout


def message_of(body: str) -> str:
    """A commit's message without trailers, links and numbers of issues."""
    text = re.sub(r"\(?#\d+\)?|https?://\S+", "", _TRAILERS.sub("", body))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def sources_of(names: list[str]) -> list[str]:
    """The source files among some names, tests left out."""
    kinds = [(name, classify(name)) for name in names if name]
    return [name for name, kind in kinds if kind.partition == "code" and not kind.excluded]


def commits(repository: Path, newest: int = COMMITS) -> Iterator[tuple[str, str, list[str]]]:
    """Commit id, message and source files of the commits that may give a pair."""
    form = "--format=%x01%H%x02%B%x03"
    asked = ("log", "--no-merges", f"-n{newest}", "--no-renames", "--diff-filter=M", form, "--name-only", "--", "*.py")
    for part in git(repository, *asked).decode("utf-8", "replace").split("\x01")[1:]:
        commit, rest = part.split("\x02", 1)
        body, names = rest.split("\x03", 1)
        message, sources = message_of(body), sources_of(names.split("\n"))
        if len(message) >= SHORTEST_MESSAGE and _TELLS.search(message) and 1 <= len(sources) <= 3:
            yield commit, message, sources


def pair(repository: Path, commit: str, message: str, sources: list[str], rng: random.Random) -> dict[str, Any] | None:
    """One pair, or None when the commit changes no function or too many."""
    before = {name: git(repository, "show", f"{commit}^:{name}") for name in sources}
    if not all(0 < len(data) <= MOST_BYTES for data in before.values()):
        return None
    patch = git(repository, "diff", "--no-renames", f"{commit}^", commit, "--", *sources).decode("utf-8", "replace")
    gold = set(gold_of_patch(patch, before.get, lambda _: "python", lambda _: True).functions)
    changed: list[str] = []
    others: list[str] = []
    for name, data in sorted(before.items()):
        text = decode(data)[0]
        lines = text.split("\n")
        for d in outline("python", text.encode("utf-8", "replace")).definitions:
            if d.kind != "class":
                code = "\n".join(lines[d.start_line - 1 : d.end_line])
                kept = changed if f"{name}::{d.qualified_name}" in gold else others
                kept.append(text_of(name, d.qualified_name, d.docstring, code))
    if not 1 <= len(changed) <= MOST_FUNCTIONS or not others:
        return None
    rng.shuffle(others)
    name = repository.parent.name
    return {"repository": name, "query": message[:1500], "changed": changed, "others": others[:OTHERS]}


def main() -> None:
    """Write the pairs of each repository."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as out:
        for repository in args.repositories:
            rng, found = random.Random(SEED), 0
            chosen = list(commits(repository))
            rng.shuffle(chosen)
            for commit, message, sources in chosen:
                if found < PAIRS_A_REPOSITORY and (row := pair(repository, commit, message, sources, rng)):
                    out.write(json.dumps(row) + "\n")
                    found += 1
            print(repository, found, flush=True)


if __name__ == "__main__":
    main()

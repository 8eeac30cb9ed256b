r"""Reports that a language model wrote for commits, in locbench's format: they train the ranking of files.

    python benchmarks/written_reports.py reports.jsonl MIRRORS

``written_reports.jsonl.gz`` beside this script holds 389 reports for commits of 24 Python repositories outside of every
benchmark, each written by one of six sessions of a language model that saw the commit's message and patch and was asked
for what a user would have reported before the fix: symptoms, not the change; lengths, code blocks, tracebacks and how
often a changed function is named as in the development set. MIRRORS holds the repositories (``OWNER+NAME/repo``, bare),
from which the patches are read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

from commit_issues import instance
from embedder_pairs import git, sources_of

REPORTS = Path(__file__).parent / "written_reports.jsonl.gz"


def main() -> None:
    """Write the instances whose repositories are there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("mirrors", type=Path)
    args = parser.parse_args()
    written = missing = 0
    with gzip.open(REPORTS, "rt", encoding="utf-8") as reports, args.out.open("w", encoding="utf-8") as out:
        for report in map(json.loads, reports):
            name, _, commit = report["instance_id"].rpartition("-")
            changed = ("diff-tree", "-r", "--no-commit-id", "--name-only", "--no-renames", "--diff-filter=M")
            names = git(args.mirrors / name / "repo", *changed, commit, "--", "*.py").decode("utf-8", "replace")
            found = instance(args.mirrors / name, commit, report["text"], sources_of(names.split("\n")))
            if found is None:
                missing += 1
                continue
            out.write(json.dumps(found, ensure_ascii=False) + "\n")
            written += 1
    print(f"{written} reports; {missing} without their commit in {args.mirrors}", file=sys.stderr)


if __name__ == "__main__":
    main()

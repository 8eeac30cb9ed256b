r"""Does sherloc know when it does not know? Issues with their identifiers removed, against the same issues as filed.

    python benchmarks/anonymised.py DATA.json.gz --mirrors MIRRORS [--count 20] [--words 40]

DATA holds issues in locbench's format; those taken are chosen by a hash of their ids. What is removed: code blocks,
tracebacks, quoted text, paths, links, every word that looks like a name in code (a call, dots, underscores, inner
capitals, digits, all capitals), and every word that a function, class, file or folder of the repository is called by;
of what is left the first words, for a report that names nothing is short, too.
``low`` is the report's ``confidence``; *right* says whether the first file must change, for an answer that is often
right should not be called unsure.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Collection
from pathlib import Path

from sherloc import locate
from sherloc.evaluation import Repositories, load_instances
from sherloc.evaluation.golds import gold_of
from sherloc.indexer.builder import build_index
from sherloc.indexer.index import Index
from sherloc.locator import settings_for
from sherloc.query import build_query
from sherloc.repository import open_tree
from sherloc.schema.issue import Issue

PROSE = ("title", "description", "expected", "actual", "comment")
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|<[^<>\n]*>|\[[^\]\n]*\]\([^)\n]*\)|https?://\S+")
_NAME = re.compile(r"\S*(?:[_./\\:=#@$]\w|\w\(|[a-z][A-Z]|\d)\S*|\b[A-Z]{2,}\w*\b")
_WORD = re.compile(r"[^\W\d_]+")
_SPACE = re.compile(r"\s+")


def names_of(index: Index) -> frozenset[str]:
    """What the repository calls its functions, classes, files and folders, in lower case."""
    code = index.code
    parts = (part for path in code.paths for part in path.rsplit(".", 1)[0].split("/"))
    return frozenset(name.lower() for name in (*code.short_names, *parts))


def anonymised(text: str, words: int, names: Collection[str] = ()) -> str:
    r"""An issue without anything that names a place in code.

    Args:
        text: The issue.
        words: How many of the body are kept.
        names: Words that are removed, too, in lower case.

    >>> anonymised("Wrong alias in `a.b`\n\nCalling delete() after using_db fails, see a/b.py", 8, ["alias"])
    'Wrong it in it\n\nCalling it after it fails, see it'
    """

    def plain(part: str) -> str:
        part = _NAME.sub("it", _QUOTED.sub("it", part))
        return _SPACE.sub(" ", _WORD.sub(lambda word: "it" if word.group().lower() in names else word.group(), part))

    segments = [segment for segment in build_query(Issue.from_text(text)).segments if segment.kind in PROSE]
    kept = [plain(segment.text).strip() for segment in segments]
    title, body = (kept[0], kept[1:]) if segments and segments[0].kind == "title" else ("", kept)
    return f"{title}\n\n{' '.join(' '.join(body).split()[:words])}".strip()


def main() -> None:
    """Locate each issue as filed and anonymised, and print the levels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--words", type=int, default=40, help="of the body, after what is removed")
    args = parser.parse_args()
    repositories = Repositories(args.mirrors, None)
    instances = sorted(
        load_instances(args.data), key=lambda each: hashlib.sha256(each.instance_id.encode()).hexdigest()
    )[: args.count]
    answers: dict[str, list[tuple[str, bool]]] = {"as filed": [], "anonymised": []}
    for instance in instances:
        place = repositories.find(instance)
        wanted = gold_of(instance, place).files
        tree = open_tree(place, instance.base_commit)
        names = names_of(build_index(tree, settings_for(tree, {})))
        for name, text in (
            ("as filed", instance.problem_statement),
            ("anonymised", anonymised(instance.problem_statement, args.words, names)),
        ):
            report = locate(text, place, revision=instance.base_commit)
            right = bool(report.ranked_files) and report.ranked_files[0].path in wanted
            answers[name].append((report.confidence, right))
            print(f"{instance.instance_id} {name}: {report.confidence}, {'right' if right else 'wrong'}", flush=True)
    for name, found in answers.items():
        for level in ("low", "medium", "high"):
            rights = [right for said, right in found if said == level]
            print(f"{name}: {level} {len(rights)} of {len(found)}, right {sum(rights)}")


if __name__ == "__main__":
    main()

"""check-names on real patches, as they are and with one name renamed.

python benchmarks/names.py DATA.json.gz --mirrors FOLDER --language python [--real 50] [--mutated 100]

Every patch is checked at its base commit. A mutation renames one use of a name that an added line calls, reads as an
attribute or gives by keyword, in one of several ways in which models go wrong; the new name may exist elsewhere in the
repository.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from sherloc.boundary.diffs import read_diff
from sherloc.indexer.decoding import decode
from sherloc.repository import classify, open_tree
from sherloc.repository.sources import Sources
from sherloc.schema.path_text import shown_path
from sherloc.skeleton.names import check_names
from sherloc.skeleton.names.patches import Patched, patched_files
from sherloc.syntax.usages import usages

WORDS = {
    "get": "fetch", "set": "update", "is": "has", "make": "create", "create": "build", "add": "append",
    "remove": "delete", "name": "title", "value": "val", "values": "items", "type": "kind", "list": "array",
    "find": "search",
    "parse": "read", "check": "verify", "to": "as", "from": "of", "index": "position", "key": "identifier",
}  # fmt: skip


def mutations(name: str) -> list[str]:
    """Ways in which a model gets a name wrong."""
    snake = "_" in name or name.islower()
    parts = name.split("_") if snake else re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name) or [name]
    joint = "_" if snake else ""
    ways = []
    for at, part in enumerate(parts):
        other = WORDS.get(part.lower())
        if other:
            other = other.capitalize() if part[:1].isupper() else other
            ways.append(joint.join([*parts[:at], other, *parts[at + 1 :]]))
    ways.append(name[:-1] if name.endswith("s") else name + "s")
    if len(parts) > 1 and all(parts):
        ways.append(
            joint.join(reversed(parts)) if snake else parts[-1].lower() + "".join(p.capitalize() for p in parts[:-1])
        )
        ways.append(joint.join(parts[:-1]))
    ways.append(f"{name}_value" if snake else f"{name}Value")
    ways.append(f"get_{name}" if snake else f"get{name[:1].upper()}{name[1:]}")
    return [way for way in dict.fromkeys(ways) if way and way != name]


def python_uses(file: Patched) -> list[tuple[str, str, int, int]]:
    """Kind, name, line and column (characters) of the uses on added lines."""
    try:
        tree = ast.parse(file.text)
    except SyntaxError:
        return []
    rows = file.text.split("\n")
    found = []
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}

    def add(kind: str, name: str, line: int, column: int) -> None:
        if line in file.added and len(name) > 2 and not name.startswith("__"):
            found.append((kind, name, line, len(rows[line - 1].encode()[:column].decode("utf-8", "replace"))))

    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) in called:
            add("call", node.id, node.lineno, node.col_offset)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            end = node.end_col_offset or 0
            add("attribute", node.attr, node.end_lineno or 0, end - len(node.attr.encode()))
        elif isinstance(node, ast.keyword) and node.arg:
            add("keyword", node.arg, node.lineno, node.col_offset)
    return found


def script_uses(file: Patched, language: str) -> list[tuple[str, str, int, int]]:
    """The same for TypeScript and JavaScript."""
    rows = file.text.split("\n")
    found = []
    kinds = {"call": "call", "member": "attribute", "option": "keyword"}
    for use in usages(language, file.text.encode("utf-8", "replace")).uses:
        if use.line in file.added and use.kind in kinds and len(use.name) > 2:
            columns = [
                match.start() for match in re.finditer(rf"(?<![\w$]){re.escape(use.name)}(?![\w$])", rows[use.line - 1])
            ]
            if len(columns) == 1:
                found.append((kinds[use.kind], use.name, use.line, columns[0]))
    return found


def mutate(patch: str, language: str, sources: Sources, rng: random.Random) -> tuple[str, str, str, str] | None:
    """A patch with one use of a name renamed: the patch, the kind of use, the old and the new name."""
    found = []
    for file in patched_files(patch, sources):
        if not file.fits:
            continue
        kind = classify(file.path).language
        if language == "python" and kind == "python":
            found += [(file.path, *use) for use in python_uses(file)]
        elif language != "python" and kind in ("typescript", "tsx", "javascript"):
            found += [(file.path, *use) for use in script_uses(file, kind)]
    if not found:
        return None
    wanted = rng.choice(sorted({kind for _, kind, _, _, _ in found}))
    path, _, name, line, column = rng.choice([each for each in found if each[1] == wanted])
    new = rng.choice(mutations(name))
    rows = patch.split("\n")
    for row in read_diff(patch):
        if (row.path, row.line, row.origin) == (path, line, "added"):
            text = row.text
            assert text[column : column + len(name)] == name, (text, name)
            rows[row.text_line - 1] = "+" + text[:column] + new + text[column + len(name) :]
            return "\n".join(rows), wanted, name, new
    return None


def main() -> None:
    """Print what is found, and what is found wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--language", default="python")
    parser.add_argument("--real", type=int, default=50)
    parser.add_argument("--mutated", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    with gzip.open(arguments.data, "rt", encoding="utf-8") as file:
        instances = json.load(file)
    wanted = [each for each in instances if each["language"] == arguments.language]
    wanted = [each for each in wanted if mirror_of(each, arguments.mirrors).is_dir()]
    rng = random.Random(arguments.seed)
    rng.shuffle(wanted)
    alarms = checked = 0
    outcomes: Counter[tuple[str, bool]] = Counter()
    seconds: list[float] = []
    real_done = mutated_done = 0
    for number, instance in enumerate(wanted):
        if real_done >= arguments.real and mutated_done >= arguments.mutated:
            break
        sources, languages = read_repository(instance, arguments.mirrors)
        if real_done < arguments.real:
            start = time.process_time()
            outcome = check_names(instance["patch"], sources, languages)
            seconds.append(time.process_time() - start)
            checked += outcome.checked
            real_done += 1
            alarms += bool(outcome.unknown)
            for each in outcome.unknown:
                print("false alarm", instance["instance_id"], each, flush=True)
        per_instance = max(1, round(arguments.mutated / max(1, min(len(wanted), arguments.real))))
        for _ in range(per_instance):
            made = mutate(instance["patch"], arguments.language, sources, rng)
            if made is None or mutated_done >= arguments.mutated:
                continue
            patch, kind, name, new = made
            mutated_done += 1
            hit = any(each.name == new for each in check_names(patch, sources, languages).unknown)
            outcomes[kind, hit] += 1
            if arguments.verbose and not hit:
                print("missed", instance["instance_id"], kind, name, "->", new, flush=True)
        if number % 10 == 9:
            print(
                f"... {real_done} real, {mutated_done} mutated, {sum(n for (_, h), n in outcomes.items() if h)} found",
                flush=True,
            )
    print(f"real patches: {real_done}, with a false alarm: {alarms}, names looked at: {checked}")
    for kind in ("call", "attribute", "keyword"):
        total = outcomes[kind, True] + outcomes[kind, False]
        print(f"mutated {kind}: {outcomes[kind, True]} of {total} found")
    found = sum(n for (_, hit), n in outcomes.items() if hit)
    print(f"mutated: {found} of {mutated_done} found ({found / max(1, mutated_done):.1%})")
    seconds.sort()
    print(f"median seconds of CPU: {seconds[len(seconds) // 2]:.2f}" if seconds else "nothing was checked")


def mirror_of(instance: dict[str, Any], mirrors: Path) -> Path:
    """The git directory that holds the base commit."""
    name = instance.get("mirror") or instance["repo"]
    return mirrors / name.replace("/", "+") / "repo"


def read_repository(instance: dict[str, Any], mirrors: Path) -> tuple[Sources, dict[str, str]]:
    """Sources and languages of all code at the base commit."""
    tree = open_tree(mirror_of(instance, mirrors), instance["base_commit"])
    languages = {}
    for entry in tree.entries:
        kind = classify(entry.path)
        if kind.language:
            languages[shown_path(entry.path)] = kind.language
    sources = Sources(tree, lambda data: decode(data)[0])
    group = ("python",) if instance["language"] == "python" else ("typescript", "tsx", "javascript")
    sources.load(path for path, language in languages.items() if language in group)
    return sources, languages


if __name__ == "__main__":
    main()

"""How much of what directs a reader the scan finds, and how often it is wrong.

python benchmarks/boundary.py --paraphrases tests/boundary/paraphrases
    --codeipi samples.json           ipi_coding_agent/dataset/samples.json of the wheel inspect-evals (MIT)
    --bipia FOLDER                   benchmark/ of microsoft/BIPIA (MIT)
    --notinject FOLDER               datasets/ of leolee99/PIGuard (MIT)
    --fresh FILE [FILE]              by others: {"ja": {"orders": [...], "ordinary": [...]}, ...}
    --files NAME=PATH [NAME=PATH]    ordinary files: a folder, or a git directory whose HEAD is read
    --part tune|report|all           the rules were made while looking at tune; report was kept aside
    --sample N                       one in N of these files, by the hash of their paths
    --speed                          MB/s on the files given, on one thread
    --show                           print hits on ordinary texts and misses on attacks (not for report)

Collections go to parts by rules that need no list: CodeIPI's samples alternate in each vector, sorted by id;
BIPIA's own train and test; NotInject's one-word file is tune, its two- and three-word files are report; the first set
of paraphrases and the files of --files go by the hash of their text or path, --whole takes all files; of the later sets
only the sixth was never used for the rules. Files of --fresh are report.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from sherloc.boundary import scan

LARGEST = 1_000_000
SETS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
Texts = list[tuple[str, str]]


def main() -> None:
    """Measure what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("paraphrases", "codeipi", "bipia", "notinject"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--fresh", nargs="*", default=[], type=Path)
    parser.add_argument("--files", nargs="*", default=[], metavar="NAME=PATH")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--suffix", default="", help="Only files whose names end so; several with commas.")
    parser.add_argument("--under", default="", help="Only files whose path holds this.")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="One in N files, by the hash of the path.")
    parser.add_argument("--part", choices=("tune", "report", "all"), default="all")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    wanted: Callable[[str], bool] = lambda part: given.part in ("all", part)  # noqa: E731
    print(f"{'collection':<34}{'part':<8}{'n':>7}{'flagged':>9}{'share':>9}  95% Wilson interval")
    for name, attack, samples in collections(given):
        for part in ("tune", "report"):
            if wanted(part) and (chosen := [sample for where, sample in samples if where == part]):
                row(name, part, chosen, given.show and part == "tune" and ("misses" if attack else "hits"))
    for argument in given.files:
        name, _, path = argument.partition("=")
        ordinary(name, Path(path), given, wanted)


def row(name: str, part: str, samples: list[Texts], show: str | bool) -> None:
    """Count samples in which a line is hit."""
    flagged = 0
    for texts in samples:
        hits = [hit for path, text in texts for hit in scan(text, path)]
        flagged += bool(hits)
        if show == "misses" and not hits:
            print("   missed:", texts[0][1][:150].replace("\n", " "))
        if show == "hits":
            for hit in hits:
                print("   hit:", hit.rules, hit.text[:150])
    low, high = wilson(flagged, len(samples))
    share = flagged / len(samples)
    print(f"{name:<34}{part:<8}{len(samples):>7}{flagged:>9}{share:>9.1%}  {low:.1%} to {high:.1%}")


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson, 1927)."""
    if not count:
        return 0.0, 1.0
    share = hits / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, (middle - half) / (1 + z * z / count)), min(1.0, (middle + half) / (1 + z * z / count))


def collections(given: argparse.Namespace) -> Iterator[tuple[str, bool, list[tuple[str, Texts]]]]:
    """Name, whether it holds attacks, and samples with their part."""
    if given.paraphrases:
        for path in sorted(
            given.paraphrases.glob("*/*.txt"), key=lambda path: (SETS.index(path.parent.name), path.name)
        ):
            lines = [line.split("\t")[1] for line in path.read_text("utf-8").splitlines()]
            part = {"first": "", "sixth": "report"}.get(path.parent.name, "tune")
            yield (
                f"paraphrases {path.parent.name} {path.stem}",
                True,
                [(part or half(line), [("", line)]) for line in lines],
            )
    for path in given.fresh:
        for language, kinds in json.loads(path.read_text("utf-8")).items():
            for kind in ("orders", "ordinary"):
                samples = [("report", [("", text)]) for text in kinds[kind]]
                yield f"{path.stem} {language} {kind}", kind == "orders", samples
    if given.codeipi:
        yield from codeipi(given.codeipi)
    if given.bipia:
        for kind in ("code", "text"):
            parts = {"tune": "train", "report": "test"}
            files = {
                part: json.loads((given.bipia / f"{kind}_attack_{file}.json").read_text())
                for part, file in parts.items()
            }
            samples = [
                (part, [("", text)]) for part, kinds in files.items() for texts in kinds.values() for text in texts
            ]
            yield f"BIPIA {kind}", True, samples
    if given.notinject:
        samples = []
        for words, part in (("one", "tune"), ("two", "report"), ("three", "report")):
            texts = json.loads((given.notinject / f"NotInject_{words}.json").read_text("utf-8"))
            samples += [(part, [("", each["prompt"])]) for each in texts]
        yield "NotInject", False, samples


def codeipi(path: Path) -> Iterator[tuple[str, bool, list[tuple[str, Texts]]]]:
    """Attacks, and the benign samples with the same shape."""
    vectors = defaultdict(list)
    for sample in sorted(json.loads(path.read_text("utf-8")), key=lambda sample: sample["id"]):
        vectors[sample["injection_vector"]].append(sample)
    parted = [("report" if n % 2 else "tune", sample) for each in vectors.values() for n, sample in enumerate(each)]
    for name, benign in (("CodeIPI attacks", False), ("CodeIPI benign", True)):
        chosen = [(part, sample) for part, sample in parted if sample["is_benign"] == benign]
        texts = [(part, [("issue", each["issue_text"]), *each["repo_files"].items()]) for part, each in chosen]
        yield name, not benign, texts


def half(key: str) -> str:
    """Tune or report, by the hash of a text."""
    return "report" if hashlib.sha256(key.encode()).digest()[0] % 2 else "tune"


def ordinary(name: str, root: Path, given: argparse.Namespace, wanted: Callable[[str], bool]) -> None:
    """Count files, lines and hits of a folder or git directory."""
    flagged: Counter[str] = Counter()
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    hit_lines: Counter[str] = Counter()
    size, seconds = 0, 0.0
    for path, text in read(root, tuple(filter(None, given.suffix.split(","))), given.under):
        if int.from_bytes(hashlib.sha256(path.encode()).digest()[1:5], "big") % given.sample:
            continue
        part = "report" if given.whole else half(path)
        if not wanted(part):
            continue
        start = time.perf_counter()
        hits = scan(text, path)
        seconds += time.perf_counter() - start
        size += len(text)
        files[part] += 1
        lines[part] += text.count("\n") + 1
        flagged[part] += bool(hits)
        hit_lines[part] += len(hits)
        rules.update(rule for hit in hits for rule in hit.rules)
        if given.show:
            for hit in hits:
                print("   hit:", f"{path}:{hit.line}", hit.rules, hit.text[:200])
    for part in sorted(files, reverse=True):
        low, high = wilson(flagged[part], files[part])
        share = flagged[part] / files[part]
        rate = 1000 * hit_lines[part] / lines[part]
        label = "whole" if given.whole else part
        print(f"{name:<34}{label:<8}{files[part]:>7}{flagged[part]:>9}{share:>9.2%}  {low:.2%} to {high:.2%}; "
              f"{hit_lines[part]} hits in {lines[part]} lines, {rate:.2f} per 1000")  # fmt: skip
    if rules:
        print("   by rule:", ", ".join(f"{rule} {count}" for rule, count in rules.most_common()))
    if given.speed and seconds:
        print(f"   {size / 1e6 / seconds:.2f} million characters a second")


def read(root: Path, suffixes: tuple[str, ...], under: str) -> Iterator[tuple[str, str]]:
    """Text files in UTF-8 of at most ``LARGEST`` bytes, by path."""
    for path, raw in sorted_files(root):
        if (suffixes and not path.endswith(suffixes)) or under not in path or len(raw) > LARGEST or b"\0" in raw:
            continue
        try:
            yield path, raw.decode("utf-8")
        except UnicodeDecodeError:
            continue


def sorted_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of a folder, or of the HEAD of a git directory."""
    if (root / "HEAD").is_file():
        yield from files_of_head(root)
        return
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(root).as_posix(), path.read_bytes()


def files_of_head(git: Path) -> Iterator[tuple[str, bytes]]:
    """Files of HEAD; objects that a partial copy lacks are left out."""
    listing = subprocess.run(["git", "-C", str(git), "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True)
    rows = [row.split(b"\t", 1) for row in listing.stdout.split(b"\0") if row]
    blobs = [(path.decode("utf-8", "replace"), head.split()[2]) for head, path in rows if head.startswith(b"100")]
    with tempfile.TemporaryFile() as wanted:
        wanted.write(b"".join(blob + b"\n" for _, blob in blobs))
        wanted.seek(0)
        command = ["git", "-C", str(git), "cat-file", "--batch"]
        with subprocess.Popen(command, stdin=wanted, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for path, _ in blobs:
                head = process.stdout.readline().split()
                if len(head) == 3:
                    content = process.stdout.read(int(head[2]))
                    process.stdout.read(1)
                    yield path, content


if __name__ == "__main__":
    main()

"""How often redaction finds something in ordinary code.

Run: python benchmarks/secret_alarms.py FOLDER_OR_BARE_REPOSITORY ...
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sherloc.llm import is_secret_file, redact

LARGEST = 400_000


def texts(place: Path) -> Iterator[tuple[str, str]]:
    """Paths and texts: of a folder's Python files, or of all text files of a repository's HEAD."""
    if not (place / "HEAD").exists():
        for path in sorted(place.rglob("*.py")):
            if "site-packages" not in path.parts:
                yield str(path.relative_to(place)), path.read_text(encoding="utf-8", errors="replace")
        return
    git = ["git", "-C", str(place)]
    rows = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True).stdout
    for row in filter(None, rows.decode(errors="replace").split("\0")):
        (mode, kind, name, size), path = row.split("\t")[0].split(), row.split("\t")[1]
        if kind == "blob" and mode != "120000" and int(size) < LARGEST:
            data = subprocess.run([*git, "cat-file", "blob", name], capture_output=True, check=True).stdout
            if b"\0" not in data[:4000]:
                yield path, data.decode("utf-8", "replace")


def main() -> None:
    """Count, and show each finding."""
    for place in map(Path, sys.argv[1:]):
        kinds: Counter[str] = Counter()
        files = lines = size = 0
        seconds = 0.0
        for path, text in texts(place):
            started = time.process_time()
            _, found = redact(text)
            seconds += time.process_time() - started
            files, lines, size = files + 1, lines + text.count("\n"), size + len(text)
            for redaction in found:
                kinds[redaction.kind] += 1
                known = " (a secret file)" if is_secret_file(path) else ""
                print(f"  {redaction.kind}: {path}:{redaction.line}{known}")
        print(f"{place}: {files} files, {lines} lines, {size / seconds / 1e6:.1f} MB/s, {dict(kinds)}")


if __name__ == "__main__":
    main()

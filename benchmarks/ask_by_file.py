#!/usr/bin/env python3
"""A command for recorded runs: puts the prompt into a folder, waits for whoever answers, and gives the reply.

    --command "python benchmarks/ask_by_file.py FOLDER"

A prompt is FOLDER/HASH.prompt; the reply is expected as FOLDER/HASH.reply (write it beside and rename it). Whoever
answers sees prompts only.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

_LOOKS_EVERY = 0.5


def main() -> int:
    """Ask and wait."""
    folder, prompt = Path(sys.argv[1]), sys.stdin.buffer.read()
    name = hashlib.sha256(prompt).hexdigest()[:16]
    reply = folder / f"{name}.reply"
    folder.mkdir(parents=True, exist_ok=True)
    if not reply.exists():
        (folder / f"{name}.tmp").write_bytes(prompt)
        (folder / f"{name}.tmp").replace(folder / f"{name}.prompt")
    while not reply.exists():
        time.sleep(_LOOKS_EVERY)
    sys.stdout.buffer.write(reply.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())

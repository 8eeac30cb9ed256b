r"""A parsing process: reads files and gives their records back over its pipes.

It is started as a program of its own, not by ``multiprocessing``: so it needs no ``__main__`` guard in the caller's
script, is safe beside threads, and when a parser crashes only this process dies. The wire is a JSON line a batch
(``[[path, content_id, language, partition], ...]``) in, and for each file ``<reason length> <record
length>\n`` and the two byte strings out, in the batch's order.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from sherloc.indexer.extract import Extractor
from sherloc.indexer.job import Job
from sherloc.repository import Entry, inspect_content, is_generated, open_reader


def parse(
    recipe: dict[str, Any], extractor: Extractor, max_line: int, jobs: Sequence[Job]
) -> Iterator[tuple[str, bytes]]:
    """For each job the reason it was skipped (or empty) and its encoded record (or empty)."""
    entries = [Entry(job.path, job.content_id, -1) for job in jobs]
    for job, (_, data) in zip(jobs, open_reader(recipe).read(entries), strict=True):
        if data is None:
            yield "unreadable", b""
            continue
        if len(data) > job.max_bytes:
            if job.partition == "code":
                yield "too_large", b""
                continue
            data = data[: job.max_bytes].rpartition(b"\n")[0]
        reason = inspect_content(job.path, data) or long_line(data, max_line, job.language)
        yield (reason, b"") if reason else _extracted(extractor, job, data)


def _extracted(extractor: Extractor, job: Job, data: bytes) -> tuple[str, bytes]:
    try:
        record = extractor.extract(job.language, job.partition, data)
        record.generated = is_generated(data)
        return "", record.encode()
    except Exception:  # noqa: BLE001 - one bad file must not lose the run; the report names it
        return "parser_failed", b""


def long_line(data: bytes, limit: int, language: str) -> str:
    """``minified`` when code has a line longer than ``limit`` bytes that makes up most of the file."""
    if not language or len(data) <= limit:
        return ""
    longest = max(map(len, data.split(b"\n")))
    return "minified" if longest > limit and longest * 2 > len(data) else ""


def main() -> None:
    """Serve batches from standard input until it ends."""
    # A file's outline is many objects and no cycles: looking for cycles costs a tenth of the time.
    gc.set_threshold(200_000, 20, 20)
    settings = json.loads(sys.stdin.buffer.readline())
    extractor = Extractor(settings["max_snippet_lines"])
    for line in sys.stdin.buffer:
        jobs = [Job(*row) for row in json.loads(line)]
        for reason, record in parse(settings["reader"], extractor, settings["max_line_bytes"], jobs):
            code = reason.encode()
            sys.stdout.buffer.write(b"%d %d\n%b%b" % (len(code), len(record), code, record))
            sys.stdout.buffer.flush()
    # The process ends: no look for cycles among what is left.
    gc.freeze()


if __name__ == "__main__":
    main()

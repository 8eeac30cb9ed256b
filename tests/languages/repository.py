"""A small repository with one fault, the issue that tells of it, and a plain BM25 to keep the pair honest."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sherloc.terms import TermTable

_MARK = re.compile(r"^=== (\S+)\n", re.MULTILINE)
_TERMS = TermTable()


def files_of(text: str) -> dict[str, str]:
    """Files by path, out of one text where a line ``=== path`` stands before each."""
    parts = _MARK.split(text)[1:]
    return {path: content.strip("\n") + "\n" for path, content in zip(parts[::2], parts[1::2], strict=True)}


def minified(words: str) -> str:
    """A script of one long line that holds words many times over."""
    names = words.split()
    return "!function(){" + "".join(f'e["{name}"]=function({name}){{return {name}}};' for name in names * 40) + "}();\n"


@dataclass(frozen=True)
class Repository:
    """A repository and where its fault is.

    Attributes:
        language: What most of it is written in.
        files: Content by path.
        issue: What a user wrote.
        path: The culprit's file.
        name: The culprit's qualified name.
        first: The culprit's first line, without the spaces around it; it stands once in the file.
        last: Its last line, indentation included; the first such line after ``first``.
        decoys: Source files that share more words with the issue than the culprit's file.
        never: Files that are no candidates: tests, other people's code, generated scripts.
        within: The culprit is among the best so many functions.
    """

    language: str
    files: dict[str, str]
    issue: str
    path: str
    name: str
    first: str
    last: str
    decoys: tuple[str, ...]
    never: tuple[str, ...]
    within: int = 1

    @property
    def span(self) -> tuple[int, int]:
        """The culprit's first and last line."""
        lines = self.files[self.path].splitlines()
        starts = [number for number, line in enumerate(lines, 1) if line.strip() == self.first]
        assert len(starts) == 1, f"{self.first!r} stands {len(starts)} times in {self.path}"
        return starts[0], lines.index(self.last, starts[0] - 1) + 1

    @property
    def sources(self) -> dict[str, str]:
        """The candidates: code by path."""
        suffix = "." + self.path.rpartition(".")[2]
        headers = (suffix, ".h", ".hpp", ".ts") if suffix in (".c", ".cpp", ".tsx") else (suffix,)
        return {path: text for path, text in self.files.items() if path.endswith(headers) and path not in self.never}

    def write(self, folder: Path) -> Path:
        """Write all files below a folder."""
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8", newline="\n")
        return folder

    def words_shared(self, path: str) -> int:
        """How many different terms of the issue a file has."""
        return len(_TERMS.count(self.issue).keys() & _TERMS.count(self.files[path]).keys())

    def never_is_tempting(self) -> bool:
        """Whether each file that is no candidate shares some of the issue's words."""
        return all(self.words_shared(path) >= 3 for path in self.never)

    def by_bm25(self, k1: float = 1.2, b: float = 0.75) -> list[str]:
        """The sources by plain BM25 over whole files, best first; ties go to the earlier path."""
        counts = {path: _TERMS.count(text) for path, text in sorted(self.sources.items())}
        lengths = {path: sum(count.values()) for path, count in counts.items()}
        mean = sum(lengths.values()) / len(lengths)
        holding = Counter(term for count in counts.values() for term in count)
        scores = dict.fromkeys(counts, 0.0)
        for term, times in _TERMS.count(self.issue).items():
            rarity = math.log1p((len(counts) - holding[term] + 0.5) / (holding[term] + 0.5))
            for path, count in counts.items():
                norm = k1 * (1 - b + b * lengths[path] / mean)
                scores[path] += times * rarity * (k1 + 1) * count[term] / (count[term] + norm)
        return sorted(scores, key=lambda path: -scores[path])

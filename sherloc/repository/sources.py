"""The text of a tree's files, read when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sherloc.repository.tree import Entry, Tree, content_id_of
from sherloc.schema.path_text import shown_path


class Sources(Mapping[str, str]):
    """Path to text, for the files of a tree; unreadable files are missing.

    Paths are those of reports and indexes (``shown_path``).

    Args:
        tree: Whose files.
        decode: Turns a file's bytes into text.

    Attributes:
        stale: Paths whose content is not the one that the tree lists: it was edited since.
    """

    def __init__(self, tree: Tree, decode: Callable[[bytes], str]) -> None:
        self._tree = tree
        self._decode = decode
        self._entries: dict[str, Entry] = {}
        self._texts: dict[str, str | None] = {}
        self.stale: set[str] = set()

    def load(self, paths: Iterable[str]) -> None:
        """Read files at once: one look into the object store, not one a file."""
        self._entries = self._entries or {shown_path(entry.path): entry for entry in self._tree.entries}
        wanted = sorted({path for path in paths if path not in self._texts and path in self._entries})
        entries = [self._entries[path] for path in wanted]
        for path, (entry, data) in zip(wanted, self._tree.read(entries), strict=True):
            self._texts[path] = None if data is None else self._decode(data)
            if data is None or not _same(data, entry.content_id, self._tree.algorithm):
                self.stale.add(path)

    def drop(self, paths: Iterable[str]) -> None:
        """Let go of what was read of files; they are read again when asked for."""
        for path in paths:
            self._texts.pop(path, None)

    def __getitem__(self, path: str) -> str:
        if path not in self._texts:
            self.load([path])
        text = self._texts.get(path)
        if text is None:
            raise KeyError(path)
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path for path, text in self._texts.items() if text is not None))

    def __len__(self) -> int:
        return sum(text is not None for text in self._texts.values())


def _same(data: bytes, content_id: str, algorithm: str) -> bool:
    """Whether content has an id, as it is or with line ends as git stores them."""
    return content_id in (content_id_of(data, algorithm), content_id_of(data.replace(b"\r\n", b"\n"), algorithm))

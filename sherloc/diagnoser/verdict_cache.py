"""Verdicts that were paid for once, kept by issue, code, prompt and model."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

from sherloc.sqlite import (
    MEMORY,
    Database,
    DatabaseCorruptError,
    DatabaseUnwritableError,
    remove_database,
)

_MIGRATIONS = (
    """CREATE TABLE verdicts (
        issue TEXT NOT NULL, snippet TEXT NOT NULL, prompt TEXT NOT NULL, model TEXT NOT NULL, verdict TEXT NOT NULL,
        written INTEGER NOT NULL, PRIMARY KEY (issue, snippet, prompt, model)) WITHOUT ROWID;
    CREATE INDEX verdicts_written ON verdicts (written)""",
)
_KEPT_SHARE = 2


class VerdictCache:
    """Verdicts in one SQLite file; thread-safe. What cannot be read or written is as if it were not there.

    Args:
        path: The file, or ``":memory:"``.
        max_bytes: When it is larger the older half goes.
    """

    def __init__(self, path: Path | str, max_bytes: int) -> None:
        self._lock = threading.Lock()
        self._max_bytes = max_bytes
        self._database = _open(path)

    def get(self, issue: str, snippet: str, prompt: str, model: str) -> str | None:
        """The JSON of a verdict, or None.

        Args:
            issue: Hash of the issue as it was shown.
            snippet: Hash of the code as it was shown.
            prompt: Identity of the prompt.
            model: The model's identity: its name and, where it is not the provider's own, its server.
        """
        with self._lock, contextlib.suppress(DatabaseCorruptError, DatabaseUnwritableError):
            rows = self._database.execute(
                "SELECT verdict FROM verdicts WHERE issue=? AND snippet=? AND prompt=? AND model=?",
                (issue, snippet, prompt, model),
            )
            return str(rows[0][0]) if rows else None
        return None

    def put(self, issue: str, prompt: str, model: str, verdicts: Sequence[tuple[str, str]]) -> None:
        """Keep verdicts, all or none; a kill of the process after this does not lose them."""
        rows = [(issue, snippet, prompt, model, verdict) for snippet, verdict in verdicts]
        with (
            self._lock,
            contextlib.suppress(DatabaseCorruptError, DatabaseUnwritableError),
            self._database.transaction(),
        ):
            self._database.execute_many(
                "INSERT OR REPLACE INTO verdicts (issue, snippet, prompt, model, verdict, written) "
                "VALUES (?, ?, ?, ?, ?, (SELECT COALESCE(MAX(written), 0) + 1 FROM verdicts))",
                rows,
            )

    def close(self) -> None:
        """Make room where there is too much, and let go of the file."""
        with self._lock, contextlib.suppress(DatabaseCorruptError, DatabaseUnwritableError):
            if self._database.size() > self._max_bytes:
                with self._database.transaction():
                    self._database.execute(
                        "DELETE FROM verdicts WHERE written <= (SELECT MAX(written) - COUNT(*) / ? FROM verdicts)",
                        (_KEPT_SHARE,),
                    )
                self._database.shrink()
        self._database.close()


def _open(path: Path | str) -> Database:
    for attempt in range(2):
        try:
            return Database(path, _MIGRATIONS)
        except DatabaseCorruptError:
            if attempt or path == MEMORY:
                break
            remove_database(Path(path))
        except DatabaseUnwritableError:
            break
    return Database(MEMORY, _MIGRATIONS)

"""``python -m sherloc`` is ``sherloc``."""

from __future__ import annotations

from sherloc.cli import main

if __name__ == "__main__":
    main()

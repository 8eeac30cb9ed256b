"""The library's loggers: silent unless the program that uses them says otherwise.

Loaded by what logs only: parsing processes and short commands do without ``logging``.
"""

from __future__ import annotations

import logging

logging.getLogger("sherloc").addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """The logger of a module.

    Args:
        name: The module's full name.
    """
    return logging.getLogger(name)

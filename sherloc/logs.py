"""The library's loggers: silent unless the program that uses them says otherwise.

Loaded by what logs only: ``logging`` takes a tenth of the time in which a parsing process starts.
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

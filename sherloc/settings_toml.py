"""Settings files: TOML that a user or a stranger wrote."""

from __future__ import annotations

import re
import sys
from typing import Any

from sherloc.errors import SettingsError
from sherloc.printable import printable

REPOSITORY_SETTINGS_FILE = ".sherloc.toml"
_REPOSITORY_SECTIONS = ("index", "retrieval")
_LARGEST_FILE = 65_536
# Parsers of TOML take the square of a key's parts, for each line below it.
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")


def repository_sections(content: bytes) -> dict[str, dict[str, Any]]:
    """What a repository's settings file sets.

    Args:
        content: Of the file; a stranger's.

    Raises:
        SettingsError: It cannot be read, or sets what it may not.
    """
    sections = read_toml(content, f"The repository's {REPOSITORY_SETTINGS_FILE}")
    for name, section in sections.items():
        if name not in _REPOSITORY_SECTIONS or not isinstance(section, dict):
            raise SettingsError(
                f"The repository's {REPOSITORY_SETTINGS_FILE} sets {name[:80]!r}, but a repository may set only "
                f"[{'] and ['.join(_REPOSITORY_SECTIONS)}].",
                hint="Give other settings to locate(settings=...) or on the command line.",
            )
    return sections


def read_toml(content: bytes, own: str) -> dict[str, Any]:
    """A TOML file's tables; linear in its length, which is limited.

    Args:
        content: Of the file.
        own: What to call it in errors.

    Raises:
        SettingsError: It is too large, or no TOML.
    """
    if not content:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    if len(content) > _LARGEST_FILE:
        raise SettingsError(f"{own} has {len(content):,} bytes; at most {_LARGEST_FILE:,} are read.")
    try:
        text = content.decode("utf-8-sig")
        if _LONG_KEY.search(text):
            raise SettingsError(f"{own} has a key of too many parts.")
        sections: dict[str, Any] = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{own} is not UTF-8: {error.reason} at byte {error.start}.") from error
    except RecursionError as error:
        raise SettingsError(f"{own} is nested too deeply.") from error
    except ValueError as error:
        raise SettingsError(f"{own} is not valid TOML: {printable(str(error))}.") from error
    return sections

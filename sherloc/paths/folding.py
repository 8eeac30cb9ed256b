"""When two names are one: the loosest equality that some file system uses."""

from __future__ import annotations

import re
import unicodedata

# What HFS+ leaves out when it compares names (git: utf8.c, next_hfs_char).
_HFS_IGNORES = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_GIT_FOLDERS = frozenset((".git", "git~1"))


def fold(name: str) -> str:
    """A key that is equal for names which some file system takes for the same.

    Upper and lower case, and composed and decomposed characters, are one (APFS, HFS+, NTFS). It goes further than each
    of them: what it calls equal may be two files on most systems, never the other way round.

    >>> fold("Caf\u00c9") == fold("cafe\u0301")
    True
    """
    if name.isascii():
        return name.lower()
    # Upper case first joins the dotless i, which NTFS maps to I, with i.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).upper().casefold())


def windows_name(name: str) -> str:
    """A folded name as Windows opens it: without a stream's name, trailing dots and blanks.

    >>> windows_name("CLAUDE.md. ::$DATA")
    'claude.md'
    """
    return fold(name).partition(":")[0].rstrip(". ")


def is_git_folder(name: str) -> bool:
    r"""Whether a file system may take a name for ``.git``.

    >>> [is_git_folder(name) for name in (".GIT", "git~1", ".git. ", ".g\u200cit", ".git::$INDEX_ALLOCATION", ".gitx")]
    [True, True, True, True, True, False]
    """
    return windows_name(_HFS_IGNORES.sub("", name)) in _GIT_FOLDERS

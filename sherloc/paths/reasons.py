"""Why a path is refused: one code a reason, and one sentence a code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sherloc.errors import UnsafePathError

PathReason = Literal[
    "not_text",
    "not_unicode",
    "empty",
    "too_long",
    "too_deep",
    "control",
    "invisible",
    "look_alike",
    "absolute",
    "home",
    "drive",
    "scheme",
    "parent",
    "git_folder",
    "edges",
    "encoded",
    "expansion",
    "glob",
    "placeholder",
    "reserved",
    "trailing",
    "character",
    "short_name",
    "denied",
    "ambiguous",
    "case_collision",
    "not_a_folder",
    "not_a_file",
    "symlink",
    "submodule",
    "missing",
    "too_large",
    "changed",
]
"""The codes. They are part of the public interface: none changes its meaning."""

SENTENCES: Mapping[PathReason, str] = {
    "not_text": "it is no text",
    "not_unicode": "it holds a lone surrogate, so it is no Unicode text",
    "empty": "it names nothing below the root",
    "too_long": "the path, or one name in it, is too long",
    "too_deep": "it has too many folders",
    "control": "it holds a control character",
    "invisible": "it holds an invisible or bidirectional character",
    "look_alike": "it holds a character that looks like, or may be turned into, a dot, slash or colon",
    "absolute": "it is absolute",
    "home": "it starts with a home folder (~)",
    "drive": "it starts with a drive letter",
    "scheme": "it is a URI",
    "parent": "it has a name of nothing but dots and blanks",
    "git_folder": "it leads into git's own folder, as some file system spells it",
    "edges": "quotes or blanks are left at an edge of it",
    "encoded": "it holds a percent-encoded dot, slash or zero byte",
    "expansion": "it holds what a shell would expand",
    "glob": "it is a pattern, not a path",
    "placeholder": "it is a placeholder, not a path",
    "reserved": "a name in it is a device on Windows",
    "trailing": "a name in it ends in a dot or blank, which Windows drops",
    "character": "a name in it holds a character that Windows does not allow",
    "short_name": "a name in it has the form of a Windows short name, which may stand for another file",
    "denied": "it is protected",
    "ambiguous": "it can mean more than one file",
    "case_collision": "it differs from an existing name only in case or in how characters are composed",
    "not_a_folder": "something on its way exists and is no folder",
    "not_a_file": "it exists and is no regular file",
    "symlink": "it is, or passes through, a symbolic link",
    "submodule": "it leads into another repository",
    "missing": "it does not exist",
    "too_large": "it is too large to be read",
    "changed": "something on its way was replaced while it was in use",
}
"""What each code says, as the end of a sentence."""

_SHOWN = 200


def refusal(reason: PathReason, path: object, *, detail: str = "", hint: str = "") -> UnsafePathError:
    """The error that refuses a path.

    Args:
        reason: Why.
        path: The path as it was given.
        detail: What exactly, put behind the reason's sentence.
        hint: What was probably meant, one sentence.
    """
    text = path if isinstance(path, str) else type(path).__name__
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    more = f" ({detail})" if detail else ""
    return UnsafePathError(
        f"The path {shown!r} is refused: {SENTENCES[reason]}{more}.",
        reason=reason,
        path=shown,
        hint=hint,
    )

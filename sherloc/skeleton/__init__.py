"""Code without the bodies of its functions, and the least context that a task needs.

``make_skeleton`` takes the bodies out of one file and ``expand`` gives one of them back; ``pack_file`` shows as much
of a file as a number of tokens allows. ``sherloc.skeleton.repository.ContextMaker`` makes contexts of a repository,
``sherloc.skeleton.document`` writes them, and ``sherloc.skeleton.names`` checks the names of a patch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sherloc.exports import lazy_exports

# Not when first used: the module of the same name would take its place.
from sherloc.skeleton.expand import Expanded, expand

if TYPE_CHECKING:
    from sherloc.skeleton.docs import Docs
    from sherloc.skeleton.files import FileSkeleton, Unread, language_of, read_skeletons, skeleton_of
    from sherloc.skeleton.make import Skeleton, make_skeleton
    from sherloc.skeleton.packing import Packed, pack_file
    from sherloc.skeleton.stats import Saving, Savings, measure

__all__ = [
    "Docs",
    "Expanded",
    "FileSkeleton",
    "Packed",
    "Saving",
    "Savings",
    "Skeleton",
    "Unread",
    "expand",
    "language_of",
    "make_skeleton",
    "measure",
    "pack_file",
    "read_skeletons",
    "skeleton_of",
]

_HOMES = {
    "Docs": "sherloc.skeleton.docs",
    "FileSkeleton": "sherloc.skeleton.files",
    "Packed": "sherloc.skeleton.packing",
    "Saving": "sherloc.skeleton.stats",
    "Savings": "sherloc.skeleton.stats",
    "Skeleton": "sherloc.skeleton.make",
    "Unread": "sherloc.skeleton.files",
    "language_of": "sherloc.skeleton.files",
    "make_skeleton": "sherloc.skeleton.make",
    "measure": "sherloc.skeleton.stats",
    "pack_file": "sherloc.skeleton.packing",
    "read_skeletons": "sherloc.skeleton.files",
    "skeleton_of": "sherloc.skeleton.files",
}

if not TYPE_CHECKING:  # A checker that saw it would let every misspelt name pass.
    __getattr__ = lazy_exports(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

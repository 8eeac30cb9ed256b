"""The patch proposal on the wire: what a generator answers. Nothing in it is trusted."""

from __future__ import annotations

from pydantic import Field

from sherloc.schema._model import Model


class ReplaceBlock(Model):
    """One search/replace edit: ``search`` must stand exactly once in the file as it is before the edit."""

    search: str
    replace: str


class ProposedFile(Model):
    """What shall become of a file: exactly one of ``content``, ``edits`` and ``delete``.

    ``reason`` says why a file outside the brief must change.
    """

    path: str
    content: str | None = None
    edits: tuple[ReplaceBlock, ...] = ()
    delete: bool = False
    reason: str = ""


class ProposedCommit(Model):
    """One commit: files, or a unified diff."""

    message: str
    files: tuple[ProposedFile, ...] = ()
    diff: str = ""


class PatchProposal(Model):
    """A proposal; with ``is_fixable`` false, ``reasoning`` and ``missing_information`` say what is missing.

    ``needed_code`` names code of the repository that the generator has to see before it can say more, as ``path`` or
    ``path:qualified.name``; it is then asked again with that code.
    """

    is_fixable: bool
    reasoning: str = ""
    missing_information: tuple[str, ...] = ()
    needed_code: tuple[str, ...] = ()
    commit_groups: tuple[ProposedCommit, ...] = ()
    title: str = ""
    pr_description: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)

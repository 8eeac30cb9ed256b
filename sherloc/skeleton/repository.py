"""Contexts of a repository on disk: opens it, indexes it, and hands both on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from sherloc.indexer.builder import build_index
from sherloc.indexer.decoding import decode
from sherloc.indexer.index import Index
from sherloc.protocols import ChatModel
from sherloc.repository import classify
from sherloc.repository.changes import find_changes
from sherloc.repository.opening import open_tree
from sherloc.repository.sources import Sources
from sherloc.repository.tree import Tree
from sherloc.schema.path_text import shown_path
from sherloc.settings import Settings
from sherloc.skeleton.context import Context, change_context, files_context
from sherloc.skeleton.names.check import PYTHON, SCRIPTS, NameCheck, check_names
from sherloc.skeleton.two_stages import SecondStage, ask_what_is_needed, second_stage
from sherloc.tokens import NamedTokenizer

Progress = Callable[[str, int, int], None]


class ContextMaker:
    """Makes contexts of one repository; it is indexed once.

    Args:
        repo: A work tree, a plain folder, or a git directory.
        revision: A commit, branch or tag; None is the work tree as it is, or HEAD of a bare repository.
        settings: ``skeleton``, ``index`` and ``cache`` are used.
        tokenizer: Counts tokens; None is the estimator.
        on_progress: Called while files are parsed.

    Raises:
        RepositoryError: The repository or revision cannot be read.
    """

    def __init__(
        self,
        repo: str | os.PathLike[str],
        *,
        revision: str | None = None,
        settings: Settings = Settings(),  # noqa: B008 - immutable
        tokenizer: NamedTokenizer | None = None,
        on_progress: Progress | None = None,
    ) -> None:
        self._repo, self._revision, self._settings = repo, revision, settings
        self._tokenizer = tokenizer
        self._open(open_tree(repo, revision), on_progress)

    def _open(self, tree: Tree, on_progress: Progress | None = None) -> None:
        self._tree = tree
        self.index: Index = build_index(tree, self._settings, on_progress)
        self.sources: Mapping[str, str] = Sources(tree, _text)

    def of_change(self, base: str | None = None, *, task: str = "", contract: str = "") -> Context:
        """The context of all that changed since a revision.

        Args:
            base: See ``find_changes``.
            task: What is to be done.
            contract: The form that an answer must have.

        Raises:
            RepositoryError: There is no such revision, or no git.
        """
        settings = self._settings.skeleton
        changes = find_changes(self._repo, base, revision=self._revision, unified=settings.unified, decode=_text)
        if changes.tree.key != self._tree.key:
            # The work tree was edited in between.
            self._open(changes.tree)
        return change_context(
            changes, self.index, self.sources, settings=settings, task=task, contract=contract,
            tokenizer=self._tokenizer,
        )  # fmt: skip

    def of_files(
        self,
        paths: Sequence[str],
        *,
        task: str = "",
        contract: str = "",
        wanted: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> Context:
        """The context of some files, most relevant first; see ``files_context``.

        Raises:
            UsageError: A path is not in the repository.
        """
        return files_context(
            paths, self.index, self.sources, settings=self._settings.skeleton, revision=self._tree.revision, task=task,
            contract=contract, wanted=wanted, tokenizer=self._tokenizer,
        )  # fmt: skip

    def second(self, context: Context, model: ChatModel) -> SecondStage:
        """Ask a model what it needs to see in full, and add that.

        Args:
            context: The first stage.
            model: Any model.

        Raises:
            ReplyError: No reply could be read.
            ModelError: The call failed.
        """
        needed = ask_what_is_needed(context, model)
        code = self.index.code
        languages = dict(zip(code.paths, code.languages, strict=True))
        return second_stage(context, needed, self.sources, languages, tokenizer=self._tokenizer)


def check_patch(patch: str, repo: str | os.PathLike[str], *, revision: str | None = None) -> NameCheck:
    """``check_names`` for a repository on disk; files of its tests count too, vendored and generated ones as well.

    Args:
        patch: A unified diff.
        repo: A work tree, a plain folder, or a git directory.
        revision: The state that the patch is for; None is the work tree as it is, or HEAD of a bare repository.

    Raises:
        RepositoryError: The repository or revision cannot be read.
    """
    tree = open_tree(repo, revision)
    languages = {shown_path(entry.path): classify(entry.path).language for entry in tree.entries}
    sources = Sources(tree, _text)
    wanted = {path: language for path, language in languages.items() if language in (*PYTHON, *SCRIPTS)}
    sources.load(wanted)
    return check_names(patch, sources, wanted)


def _text(data: bytes) -> str:
    return decode(data)[0]

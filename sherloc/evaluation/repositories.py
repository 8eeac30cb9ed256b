"""Where an instance's repository lies on this machine: a mirror, a clone, or the path that the instance names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sherloc.errors import RepositoryNotFoundError
from sherloc.evaluation.instances import Instance
from sherloc.repository.cloning import clone, has_commit

GITHUB = "https://github.com/{repo}.git"


@dataclass
class Repositories:
    """Finds the repository of each instance; nothing is checked out.

    Args:
        mirrors: Folder of repositories, as ``OWNER+NAME/repo``, ``OWNER__NAME``, ``OWNER/NAME`` or ``NAME``, each with
            or without ``.git``. A fork will do where it holds the base commit.
        clones: Folder for clones of what no mirror has; None clones nothing.
        url: Address to clone from, ``{repo}`` being ``OWNER/NAME``.
    """

    mirrors: Path | None = None
    clones: Path | None = None
    url: str = GITHUB
    _found: dict[tuple[str, str, str], str] = field(default_factory=dict, repr=False)

    def find(self, instance: Instance) -> str:
        """Path of a repository that holds the instance's base commit.

        Raises:
            RepositoryNotFoundError: There is none.
            GitError: Cloning failed.
        """
        key = (instance.repo, instance.mirror, instance.base_commit)
        if key not in self._found:
            self._found[key] = self._find(instance)
        return self._found[key]

    def _find(self, instance: Instance) -> str:
        if not instance.base_commit and os.path.isdir(instance.repo):
            return os.path.abspath(instance.repo)  # a plain folder will do
        for path in self._places(instance):
            # Several mirrors can bear the name; the first one is right unless it lacks the commit.
            if has_commit(path, instance.base_commit):
                return os.path.abspath(path)
        if self.clones is not None and "/" in instance.repo and not os.path.isabs(instance.repo):
            folder = str(self.clones / (instance.repo.replace("/", "__") + ".git"))
            if not has_commit(folder, instance.base_commit):
                clone(self.url.format(repo=instance.repo), folder)
            if has_commit(folder, instance.base_commit):
                return os.path.abspath(folder)
        at = instance.base_commit[:12] or "HEAD"
        raise RepositoryNotFoundError(
            f"{instance.instance_id}: no repository of {instance.repo} that holds {at} was found{self._looked()}.",
            hint="Give --mirrors FOLDER with OWNER+NAME/repo or OWNER__NAME.git in it, or --clones FOLDER, into which "
            "what is missing is cloned.",
        )

    def _looked(self) -> str:
        """Where it was looked, for a sentence."""
        missing = "" if self.mirrors is None or self.mirrors.is_dir() else ", which does not exist"
        mirrors = "no --mirrors was given" if self.mirrors is None else f"not in --mirrors {self.mirrors}{missing}"
        clones = "no --clones" if self.clones is None else f"not in --clones {self.clones}"
        return f": {mirrors}, and {clones}"

    def _places(self, instance: Instance) -> Iterator[str]:
        if os.path.isdir(instance.repo):
            yield instance.repo
        if self.mirrors is None:
            return
        owner, _, name = instance.repo.rpartition("/")
        names = [instance.mirror] if instance.mirror else []
        names += [f"{owner}+{name}", f"{owner}__{name}", instance.repo, name]
        for each in names:
            for path in (self.mirrors / each / "repo", self.mirrors / each, self.mirrors / f"{each}.git"):
                if path.is_dir():
                    yield str(path)
        yield from map(str, sorted(self.mirrors.glob(f"*+{_escaped(name)}/repo")))


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)

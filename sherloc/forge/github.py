"""GitHub and GitHub Enterprise: issues, branches and pull requests through the REST API (version 2022-11-28)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote

from sherloc.errors import ForgeError, ForgeRefusedError
from sherloc.forge.pushes import push_once
from sherloc.forge.replaying import tree_chunks
from sherloc.forge.tickets import make_ticket, same_text
from sherloc.forge.wire import Shape, Wire
from sherloc.protocols import PlannedCommit, PullRequest, Ticket
from sherloc.settings_repair import ForgeSettings

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


class _Label(Shape):
    name: str


class _Issue(Shape):
    number: int
    title: str
    body: str | None = None
    html_url: str = ""
    labels: list[_Label | str] = []
    pull_request: dict[str, object] | None = None


class _Comment(Shape):
    id: int
    body: str | None = None
    html_url: str = ""


class _Repository(Shape):
    default_branch: str


class _Object(Shape):
    sha: str


class _Ref(Shape):
    ref: str
    object: _Object


class _Commit(Shape):
    sha: str
    message: str
    tree: _Object
    parents: list[_Object]


class _Compared(Shape):
    status: str


class _Side(Shape):
    ref: str
    label: str = ""


class _Pull(Shape):
    number: int
    html_url: str
    state: str
    draft: bool = False
    merged_at: str | None = None
    title: str
    body: str | None = None
    head: _Side
    base: _Side

    @property
    def seen(self) -> PullRequest:
        state: Literal["open", "closed", "merged"]
        state = "merged" if self.merged_at else "open" if self.state == "open" else "closed"
        return PullRequest(
            self.number, self.html_url, state, self.draft, self.head.ref, self.base.ref, self.title, self.body or "",
        )  # fmt: skip


class GitHub:
    """One project on GitHub; a ``protocols.Forge``.

    Args:
        wire: Speaks to the API.
        project: ``owner/repo``.
        web: Where git finds projects: ``https://github.com``.
        settings: ``allow_no_draft`` and ``seconds`` count here.
    """

    def __init__(self, wire: Wire, project: str, web: str, settings: ForgeSettings) -> None:
        self._wire = wire
        self._project = project
        self._at = f"/repos/{project}"
        self._web = web
        self._allow_no_draft = settings.allow_no_draft
        self._seconds = settings.seconds

    @property
    def name(self) -> str:
        """The project, ``owner/repo``."""
        return self._project

    def close(self) -> None:
        """Let go of connections."""
        self._wire.close()

    def ready(self) -> None:
        """Nothing when branches can be published as far as is known here; nothing is asked of the forge.

        Raises:
            ForgeAuthError: No token is set; the variables are named.
        """
        self._wire.ready(f"Publishing to {self._project}")

    def read_ticket(self, number: int) -> Ticket:
        """An issue with its comments in order of time; a pull request is refused."""
        issue = self._wire.get(f"{self._at}/issues/{number:d}", _Issue)
        if issue.pull_request is not None:
            raise ForgeRefusedError(f"{self._project}#{number} is a pull request, not an issue.")
        comments = (each.body or "" for each in self._comments(number))
        labels = [each if isinstance(each, str) else each.name for each in issue.labels]
        return make_ticket(f"{self._project}#{number}", issue.html_url, issue.title, issue.body, comments, labels)

    def default_branch(self) -> str:
        """The branch that pull requests go to."""
        return self._wire.get(self._at, _Repository).default_branch

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, or None."""
        found = self._wire.find(f"{self._at}/git/ref/heads/{quote(branch)}", _Ref)
        return None if found is None else found.object.sha

    def branches(self, prefix: str) -> list[str]:
        """Names of all branches that begin with a prefix, sorted."""
        found = self._wire.pages(f"{self._at}/git/matching-refs/heads/{quote(prefix)}", _Ref)
        names = (each.ref.removeprefix("refs/heads/") for each in found)
        return sorted(name for name in names if name.startswith(prefix))

    def branch_contains(self, branch: str, sha: str) -> bool:
        """Whether a commit is in the history of a branch."""
        path = f"{self._at}/compare/{quote(branch, safe='')}...{quote(sha, safe='')}"
        found = self._wire.find(path, _Compared, per_page=1)
        return found is not None and found.status in ("identical", "behind")

    def push(self, git_dir: str, sha: str, branch: str) -> None:
        """Publish a commit of a local repository as a new branch by git."""
        push_once(
            self._wire, f"{self._web}/{self._project}.git", git_dir, sha, branch, user="x-access-token",
            seconds=self._seconds, head=self.branch_head,
        )  # fmt: skip

    def replay(self, commits: Sequence[PlannedCommit], base: str, branch: str) -> str:
        """Publish commits through the API; the branch is made last, so that nothing is seen of a half-done one."""
        there = self.branch_head(branch)
        if there is not None:
            return self._same(commits, base, branch, there)
        head = base
        tree = self._commit(base).tree.sha
        for commit in commits:
            tree = self._tree(commit, tree)
            head = self._wire.repeat("POST", f"{self._at}/git/commits", _Object, _commit_of(commit, tree, head)).sha
        self._create_branch(commits, base, branch, head)
        return head

    def pull_requests(self, branch: str) -> list[PullRequest]:
        """All pull requests from a branch of this project, newest first."""
        owner = self._project.partition("/")[0]
        found = self._wire.pages(
            f"{self._at}/pulls", _Pull, state="all", head=f"{owner}:{branch}", sort="created", direction="desc"
        )
        pulls = [each.seen for each in found if each.head.ref == branch]
        return sorted(pulls, key=lambda each: -each.number)

    def open_pull_request(
        self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = (), draft: bool = True
    ) -> PullRequest:
        """Open a pull request, or give the one that is open; its labels are made sure of."""
        body_of = {"title": title, "head": branch, "base": base, "body": body, "draft": draft}

        def look() -> PullRequest | None:
            return next((each for each in self.pull_requests(branch) if each.state == "open"), None)

        def act() -> PullRequest:
            try:
                return self._wire.send("POST", f"{self._at}/pulls", _Pull, body_of).seen
            except ForgeRefusedError as error:
                if "draft pull requests are not supported" in error.message.lower():
                    if not (self._allow_no_draft and body_of["draft"]):
                        raise
                    body_of["draft"] = False
                    return act()
                found = look() if "already exists" in error.message else None  # another worker was first
                if found is None:
                    raise
                return found

        opened = look() or self._wire.patience.until_done(act, look)
        if labels:
            path = f"{self._at}/issues/{opened.number}/labels"
            self._wire.repeat("POST", path, list[_Label], {"labels": list(labels)})
        return opened

    def update_pull_request(self, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        path = f"{self._at}/pulls/{number:d}"
        return self._wire.repeat("PATCH", path, _Pull, {"title": title, "body": body}).seen

    def comments(self, number: int) -> list[str]:
        """Texts of all comments of an issue, oldest first."""
        return [each.body or "" for each in self._comments(number)]

    def comment(self, number: int, body: str) -> str:
        """Comment on an issue; the comment's address."""
        before = {each.id for each in self._comments(number)}

        def look() -> str | None:
            made = (each for each in self._comments(number) if each.id not in before)
            return next((each.html_url for each in made if same_text(each.body or "", body)), None)

        path = f"{self._at}/issues/{number:d}/comments"
        return self._wire.patience.until_done(
            lambda: self._wire.send("POST", path, _Comment, {"body": body}).html_url, look
        )

    def _comments(self, number: int) -> list[_Comment]:
        found = self._wire.pages(f"{self._at}/issues/{number:d}/comments", _Comment)
        return sorted(found, key=lambda each: each.id)

    def _commit(self, sha: str) -> _Commit:
        return self._wire.get(f"{self._at}/git/commits/{quote(sha, safe='')}", _Commit)

    def _tree(self, commit: PlannedCommit, base: str) -> str:
        """Make the tree of a commit on top of another tree; its id is the one that git made here."""
        tree = base
        for chunk in tree_chunks(commit.files, self._blob):
            tree = self._wire.repeat("POST", f"{self._at}/git/trees", _Object, {"base_tree": tree, "tree": chunk}).sha
        if tree != commit.tree:
            raise ForgeRefusedError(
                f"{self._project}: the forge made the tree {tree} of a commit whose tree is {commit.tree}; no branch "
                "was made.",
                hint='Publish by git instead: forge.publish = "push".',
            )
        return tree

    def _blob(self, encoded: str) -> str:
        body = {"content": encoded, "encoding": "base64"}
        return self._wire.repeat("POST", f"{self._at}/git/blobs", _Object, body).sha

    def _create_branch(self, commits: Sequence[PlannedCommit], base: str, branch: str, head: str) -> None:
        def look() -> str | None:
            there = self.branch_head(branch)
            return None if there is None else self._same(commits, base, branch, there)

        def act() -> str:
            try:
                body = {"ref": f"refs/heads/{branch}", "sha": head}
                return self._wire.send("POST", f"{self._at}/git/refs", _Ref, body).object.sha
            except ForgeRefusedError as error:
                # Another worker was first, or an earlier answer was lost.
                found = look() if "already exists" in error.message else None
                if found is None:
                    raise
                return found

        self._wire.patience.until_done(act, look)

    def _same(self, commits: Sequence[PlannedCommit], base: str, branch: str, head: str) -> str:
        """The head of a branch that holds these commits on that base, by their trees and messages."""
        at = head
        for commit in reversed(commits):
            found = self._commit(at)
            alike = found.tree.sha == commit.tree and same_text(found.message, commit.message)
            if not alike or len(found.parents) != 1:
                raise _other(self._project, branch, head)
            at = found.parents[0].sha
        if at != base:
            raise _other(self._project, branch, head)
        return head


def _other(project: str, branch: str, head: str) -> ForgeError:
    return ForgeRefusedError(
        f"{project} has a branch {branch} with other commits (at {head[:12]}); it is not overwritten.",
        hint="Delete it, or change branch_prefix.",
    )


def _commit_of(commit: PlannedCommit, tree: str, parent: str) -> dict[str, object]:
    """With name, address and time for both roles, the id is the one that git made here."""
    who = {"name": commit.author, "email": commit.email, "date": commit.date}
    return {"message": commit.message, "tree": tree, "parents": [parent], "author": who, "committer": who}

"""GitLab, its own server too: issues, branches and merge requests through the REST API (v4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from pydantic import Field

from sherloc.errors import ForgeRefusedError
from sherloc.forge.harmless import harmless_line
from sherloc.forge.pushes import push_once
from sherloc.forge.replaying import Entry, checked, encoded, tree_id
from sherloc.forge.tickets import make_ticket, same_text
from sherloc.forge.wire import Shape, Wire
from sherloc.protocols import FileState, PlannedCommit, PullRequest, Ticket
from sherloc.settings_repair import ForgeSettings

_DRAFT = "Draft: "
_TITLE_LIMIT = 255
_STATES = {"opened": "open", "locked": "open", "merged": "merged", "closed": "closed"}


class _Issue(Shape):
    title: str
    description: str | None = None
    web_url: str = ""
    labels: list[str] = []


class _Note(Shape):
    id: int
    body: str | None = None
    system: bool = False


class _Project(Shape):
    default_branch: str | None = None


class _Commit(Shape):
    id: str
    message: str = ""
    parent_ids: list[str] = []


class _Branch(Shape):
    name: str
    commit: _Commit


class _Listed(Shape):
    id: str = Field(pattern=r"\A(?:[0-9a-f]{2}){20,32}\z")
    name: str
    mode: str = Field(pattern=r"\A[0-7]{5,6}\z")


class _File(Shape):
    execute_filemode: bool = False


class _Merge(Shape):
    iid: int
    web_url: str
    state: str
    draft: bool = False
    title: str
    description: str | None = None
    source_branch: str
    target_branch: str
    source_project_id: int | None = None
    target_project_id: int | None = None

    @property
    def seen(self) -> PullRequest:
        title = self.title.removeprefix(_DRAFT) if self.draft else self.title
        state: Any = _STATES.get(self.state, "closed")
        return PullRequest(
            self.iid, self.web_url, state, self.draft, self.source_branch, self.target_branch, title,
            self.description or "",
        )  # fmt: skip


class GitLab:
    """One project on GitLab; a ``protocols.Forge``.

    Args:
        wire: Speaks to the API.
        project: ``group/project``, with as many groups as there are.
        web: Where git finds projects: ``https://gitlab.com``.
        settings: ``seconds`` counts here.
    """

    def __init__(self, wire: Wire, project: str, web: str, settings: ForgeSettings) -> None:
        self._wire = wire
        self._project = project
        self._at = f"/projects/{quote(project, safe='')}"
        self._repository = f"{self._at}/repository"
        self._web = web
        self._seconds = settings.seconds

    @property
    def name(self) -> str:
        """The project, ``group/project``."""
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
        """An issue with its comments in order of time."""
        issue = self._wire.get(f"{self._at}/issues/{number:d}", _Issue)
        reference = f"{self._project}#{number}"
        return make_ticket(
            reference, issue.web_url, issue.title, issue.description, self.comments(number), issue.labels
        )

    def default_branch(self) -> str:
        """The branch that merge requests go to."""
        branch = self._wire.get(self._at, _Project).default_branch
        if not branch:
            raise ForgeRefusedError(f"{self._project} has no commit yet.", hint="Push its first one.")
        return branch

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, or None."""
        found = self._wire.find(f"{self._repository}/branches/{quote(branch, safe='')}", _Branch)
        return None if found is None else found.commit.id

    def branches(self, prefix: str) -> list[str]:
        """Names of all branches that begin with a prefix, sorted."""
        found = self._wire.pages(f"{self._repository}/branches", _Branch, search=f"^{prefix}")
        return sorted(each.name for each in found if each.name.startswith(prefix))

    def branch_contains(self, branch: str, sha: str) -> bool:
        """Whether a commit is in the history of a branch."""
        if self._wire.find(f"{self._repository}/commits/{quote(sha, safe='')}", _Commit) is None:
            return False
        path = f"{self._repository}/merge_base?refs[]={quote(branch, safe='')}&refs[]={quote(sha, safe='')}"
        found = self._wire.find(path, _Commit)
        return found is not None and found.id == sha

    def push(self, git_dir: str, sha: str, branch: str) -> None:
        """Publish a commit of a local repository as a new branch by git."""
        push_once(
            self._wire, f"{self._web}/{self._project}.git", git_dir, sha, branch, user="oauth2",
            seconds=self._seconds, head=self.branch_head,
        )  # fmt: skip

    def replay(self, commits: Sequence[PlannedCommit], base: str, branch: str) -> str:
        """Publish commits through the API, one request each; the first makes the branch.

        The API has no other way: a run that was ended between two commits is continued by the next.
        """
        done = self._done(commits, base, branch)
        head = done[-1] if done else base
        for at in range(len(done), len(commits)):
            head = self._add(commits, at, base, branch, head)
        return head

    def pull_requests(self, branch: str) -> list[PullRequest]:
        """All merge requests from a branch of this project, newest first."""
        found = self._wire.pages(
            f"{self._at}/merge_requests", _Merge, source_branch=branch, state="all", order_by="created_at", sort="desc"
        )
        own = [each.seen for each in found
               if each.source_branch == branch and each.source_project_id == each.target_project_id]  # fmt: skip
        return sorted(own, key=lambda each: -each.number)

    def open_pull_request(
        self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = (), draft: bool = True
    ) -> PullRequest:
        """Open a merge request, or give the one that is open."""
        asked = {
            "source_branch": branch, "target_branch": base, "title": _titled(title, draft), "description": body,
            **({"labels": ",".join(labels)} if labels else {}),
        }  # fmt: skip

        def look() -> PullRequest | None:
            return next((each for each in self.pull_requests(branch) if each.state == "open"), None)

        def act() -> PullRequest:
            try:
                return self._wire.send("POST", f"{self._at}/merge_requests", _Merge, asked).seen
            except ForgeRefusedError as error:
                found = look() if "already exists" in error.message else None  # another worker was first
                if found is None:
                    raise
                return found

        return look() or self._wire.patience.until_done(act, look)

    def update_pull_request(self, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body; a draft stays one."""
        path = f"{self._at}/merge_requests/{number:d}"
        draft = self._wire.get(path, _Merge).draft
        return self._wire.repeat("PUT", path, _Merge, {"title": _titled(title, draft), "description": body}).seen

    def comments(self, number: int) -> list[str]:
        """Texts of all comments of an issue, oldest first; what GitLab itself notes is left out."""
        return [each.body or "" for each in self._notes(number)]

    def comment(self, number: int, body: str) -> str:
        """Comment on an issue; the comment's address."""
        before = {each.id for each in self._notes(number)}

        def look() -> _Note | None:
            made = (each for each in self._notes(number) if each.id not in before)
            return next((each for each in made if same_text(each.body or "", body)), None)

        path = f"{self._at}/issues/{number:d}/notes"
        note = self._wire.patience.until_done(lambda: self._wire.send("POST", path, _Note, {"body": body}), look)
        return f"{self._web}/{self._project}/-/issues/{number}#note_{note.id}"

    def _notes(self, number: int) -> list[_Note]:
        found = self._wire.pages(f"{self._at}/issues/{number:d}/notes", _Note, sort="asc", order_by="created_at")
        return sorted((each for each in found if not each.system), key=lambda each: each.id)

    def _add(self, commits: Sequence[PlannedCommit], at: int, base: str, branch: str, parent: str) -> str:
        """Make one commit on the branch; its tree is the one that git made here."""
        commit = commits[at]
        body: dict[str, Any] = {
            "branch": branch, "commit_message": commit.message, "author_name": commit.author,
            "author_email": commit.email,
            "actions": [action for file in commit.files for action in self._actions(checked(file), parent)],
        }  # fmt: skip
        if at == 0:
            body["start_sha"] = base

        def look() -> str | None:
            done = self._done(commits, base, branch)
            return done[at] if len(done) > at else None

        def act() -> str:
            try:
                return self._wire.send("POST", f"{self._repository}/commits", _Commit, body).id
            except ForgeRefusedError:
                found = look()  # another worker was first, or an earlier answer was lost
                if found is None:
                    raise
                return found

        made = self._wire.patience.until_done(act, look)
        if self._tree(made) != commit.tree:
            raise ForgeRefusedError(
                f"{self._project}: the forge's commit {made[:12]} on {branch} has another tree than {commit.tree}.",
                hint=f'Delete the branch {branch}, and publish by git instead: forge.publish = "push".',
            )
        return made

    def _actions(self, file: FileState, parent: str) -> list[dict[str, Any]]:
        path = f"{self._repository}/files/{quote(file.path, safe='')}"
        there = self._wire.find(path, _File, ref=parent)
        if file.data is None:
            return [{"action": "delete", "file_path": file.path}]
        content = {"file_path": file.path, "content": encoded(file.data), "encoding": "base64"}
        actions: list[dict[str, Any]] = [{"action": "create" if there is None else "update", **content}]
        executable = file.mode == "100755"
        if executable != (there is not None and there.execute_filemode):
            actions.append({"action": "chmod", "file_path": file.path, "execute_filemode": executable})
        return actions

    def _tree(self, sha: str) -> str:
        """The id of a commit's tree, which the API does not tell, from what the tree lists."""
        listed = self._wire.pages(f"{self._repository}/tree", _Listed, ref=sha)
        return tree_id(Entry(each.mode, each.name, each.id) for each in listed)

    def _done(self, commits: Sequence[PlannedCommit], base: str, branch: str) -> list[str]:
        """Those of the commits that the branch already has, oldest first.

        Raises:
            ForgeRefusedError: It has others.
        """
        head = self.branch_head(branch)
        if head is None:
            return []
        chain: list[_Commit] = []
        at = head
        while at != base and len(chain) <= len(commits):
            chain.insert(0, self._wire.get(f"{self._repository}/commits/{quote(at, safe='')}", _Commit))
            at = chain[0].parent_ids[0] if len(chain[0].parent_ids) == 1 else ""
        alike = all(
            same_text(found.message, commit.message) and self._tree(found.id) == commit.tree
            for found, commit in zip(chain, commits, strict=False)
        )
        if at != base or len(chain) > len(commits) or not alike:
            raise ForgeRefusedError(
                f"{self._project} has a branch {branch} with other commits (at {head[:12]}); it is not overwritten.",
                hint="Delete it, or change branch_prefix.",
            )
        return [each.id for each in chain]


def _titled(title: str, draft: bool) -> str:
    prefix = _DRAFT if draft else ""
    return prefix + harmless_line(title, limit=_TITLE_LIMIT - len(prefix))

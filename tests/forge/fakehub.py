"""GitHub's REST API over a real bare repository, as strict as the original where clients go wrong.

::

    hub = FakeHub(tmp_path, files={"shop.py": "..."})
    number = hub.add_issue("Basket.total is wrong", "It is twice the price.", comments=["me too"])
    hub.fail("POST /repos/octo/shop/pulls", after=True)     # carried out, and the answer is lost
    forge = open_forge("octo/shop", hub.settings(), hub.environ)
"""

from __future__ import annotations

import base64
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sherloc.settings_repair import ForgeSettings

from .fake_server import TOKEN, Asked, FakeForge, Refusal

_Answer = tuple[int, dict[str, str], Any]
_LONGEST = 65_536


class FakeHub(FakeForge):
    """The fake.

    Args:
        folder: Where its repository is made.
        project: ``owner/repo``.
        files: Of the first commit on main; None leaves the repository empty.
        drafts: Whether drafts are supported.
        workflow_scope: Whether the token may change workflow files through the API.
        public: Whether reading needs no token.
    """

    api_path = "/api/v3"

    def __init__(
        self,
        folder: Path,
        project: str = "octo/shop",
        *,
        files: Mapping[str, str | bytes] | None = None,
        drafts: bool = True,
        workflow_scope: bool = True,
        public: bool = True,
        token: str = TOKEN,
    ) -> None:
        self.drafts = drafts
        self.workflow_scope = workflow_scope
        self.items: dict[int, dict[str, Any]] = {}
        """Issues and pull requests by number."""
        self.comments: list[dict[str, Any]] = []
        super().__init__(folder, project, token=token, public=public)
        if files is not None:
            self.commit(files, message="first\n")

    @property
    def environ(self) -> dict[str, str]:
        """An environment with the token."""
        return {"GITHUB_TOKEN": self.token}

    def settings(self, **changes: Any) -> ForgeSettings:
        """Settings that lead here; retries wait for real unless ``sleep`` is given to ``open_forge``."""
        return ForgeSettings(**{"kind": "github", "base_url": self.api, "seconds": 10.0, **changes})

    def add_issue(self, title: str, body: str = "", *, comments: Sequence[str] = (), labels: Sequence[str] = ()) -> int:
        """Open an issue as somebody would; its number."""
        number = len(self.items) + 1
        self.items[number] = {
            "number": number, "title": title, "body": body, "labels": [_label(each) for each in labels],
            "state": "open", "html_url": f"{self.root}/{self.project}/issues/{number}",
            "url": f"{self.api}/repos/{self.project}/issues/{number}",
        }  # fmt: skip
        for text in comments:
            self._comment(number, text)
        return number

    @property
    def pulls(self) -> list[dict[str, Any]]:
        """Pull requests as the API tells them, oldest first."""
        return [each for each in self.items.values() if "head" in each]

    def end_pull(self, number: int, *, merged: bool = False) -> None:
        """Close or merge a pull request as somebody would."""
        self.items[number] |= {"state": "closed", "merged_at": "2020-01-02T00:00:00Z" if merged else None}

    def texts(self, number: int) -> list[str]:
        """The comments of an issue."""
        return [each["body"] for each in self.comments if each["issue"] == number]

    def answer(self, asked: Asked) -> _Answer:
        allowed = self.authorised(asked)
        if not allowed and (asked.method not in ("GET", "HEAD") or not self.public):
            raise Refusal(401 if self.public else 404, "Requires authentication" if self.public else "Not Found")
        prefix = f"/repos/{self.project}"
        if not asked.path.startswith(prefix):
            raise Refusal(404, "Not Found")
        path = unquote(asked.path[len(prefix) :])
        for method, pattern, act in _ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == asked.method:
                return act(self, asked, *found.groups())
        raise Refusal(404, "Not Found")

    def repository(self, asked: Asked) -> _Answer:
        return 200, {}, {
            "id": 1, "name": self.project.partition("/")[2], "full_name": self.project, "default_branch": "main",
            "url": f"{self.api}/repos/{self.project}", "private": not self.public,
        }  # fmt: skip

    def issue(self, asked: Asked, number: str) -> _Answer:
        found = self._item(number)
        if "head" in found:
            return 200, {}, {**found, "pull_request": {"url": found["url"]}}
        return 200, {}, found

    def list_comments(self, asked: Asked, number: str) -> _Answer:
        self._item(number)
        return self._page(asked, [each for each in self.comments if each["issue"] == int(number)])

    def make_comment(self, asked: Asked, number: str) -> _Answer:
        self._item(number)
        body = _text(asked.body, "body")
        if not body or len(body) > _LONGEST:
            raise Refusal(422, "Validation Failed", [{"message": "body is too long (maximum is 65536 characters)"}])
        return 201, {}, self._comment(int(number), body)

    def add_labels(self, asked: Asked, number: str) -> _Answer:
        found = self._item(number)
        names = [each["name"] for each in found["labels"]]
        found["labels"] += [_label(each) for each in asked.body["labels"] if each not in names]
        return 200, {}, found["labels"]

    def ref(self, asked: Asked, branch: str) -> _Answer:
        self._not_empty()
        head = self.head(branch)
        if head is None:
            raise Refusal(404, "Not Found")
        return 200, {}, self._ref(branch, head)

    def make_ref(self, asked: Asked) -> _Answer:
        self._not_empty()
        name, sha = _text(asked.body, "ref"), _text(asked.body, "sha")
        if not name.startswith("refs/heads/") or self.kind(sha) != "commit":
            raise Refusal(422, "Object does not exist" if name.startswith("refs/") else "Reference name is invalid")
        branch = name.removeprefix("refs/heads/")
        if self.head(branch) is not None:
            raise Refusal(422, "Reference already exists")
        self.git("update-ref", name, sha, "0" * 40)
        return 201, {}, self._ref(branch, sha)

    def commit_object(self, asked: Asked, sha: str) -> _Answer:
        self._not_empty()
        if self.kind(sha) != "commit":
            raise Refusal(404, "Not Found")
        return 200, {}, self._commit(sha)

    def make_commit(self, asked: Asked) -> _Answer:
        body = asked.body
        tree, parents = _text(body, "tree"), body.get("parents", [])
        if self.kind(tree) != "tree" or any(self.kind(each) != "commit" for each in parents):
            raise Refusal(422, "Tree SHA or parent does not exist")
        author = body.get("author") or {"name": "token", "email": "token@example.org"}
        who = [_person(each) for each in (author, body.get("committer") or author)]
        return 201, {}, self._commit(self.raw_commit(tree, parents, who[0], who[1], _text(body, "message")))

    def make_blob(self, asked: Asked) -> _Answer:
        content = _text(asked.body, "content")
        kind = asked.body.get("encoding", "utf-8")
        sha = self.blob(base64.b64decode(content) if kind == "base64" else content.encode())
        return 201, {}, {"sha": sha, "url": f"{self.api}/repos/{self.project}/git/blobs/{sha}"}

    def make_tree(self, asked: Asked) -> _Answer:
        base = asked.body.get("base_tree", "")
        if base and self.kind(base) not in ("tree", "commit"):
            raise Refusal(422, "base_tree is not a valid tree oid")
        present = set(self.git("ls-tree", "-r", "-z", "--name-only", base).split("\0")) if base else set()
        changes = [self._entry(each, present) for each in asked.body["tree"]]
        try:
            sha = self.build(base, changes)
        except subprocess.CalledProcessError:
            raise Refusal(422, "GitRPC::BadObjectState") from None
        return 201, {}, {"sha": sha, "url": f"{self.api}/repos/{self.project}/git/trees/{sha}", "tree": []}

    def compare(self, asked: Asked, base: str, head: str) -> _Answer:
        one, other = self.head(base), head if self.kind(head) == "commit" else self.head(head)
        if one is None or other is None:
            raise Refusal(404, "Not Found")
        common = self.git("merge-base", one, other)
        status = {one == other: "diverged", common == one: "ahead", common == other: "behind"}
        word = "identical" if one == other else status.get(True, "diverged")
        return 200, {}, {"status": word}

    def list_pulls(self, asked: Asked) -> _Answer:
        owner, _, branch = asked.query.get("head", "").partition(":")
        state = asked.query.get("state", "open")
        found = [
            each for each in self.pulls
            if (not branch or (each["head"]["ref"] == branch and owner == self.project.partition("/")[0]))
            and (state in ("all", each["state"]))
        ]  # fmt: skip
        return self._page(asked, found[::-1] if asked.query.get("direction") == "desc" else found)

    def make_pull(self, asked: Asked) -> _Answer:
        body = asked.body
        title, head, base = (_text(body, name) for name in ("title", "head", "base"))
        head = head.rpartition(":")[2]
        heads = self.branches()
        problem = ""
        if head not in heads or base not in heads:
            problem = "The head or base does not exist"
        elif body.get("draft") and not self.drafts:
            raise Refusal(422, "Draft pull requests are not supported in this repository.")
        elif any(each["head"]["ref"] == head and each["state"] == "open" for each in self.pulls):
            problem = f"A pull request already exists for {self.project.partition('/')[0]}:{head}."
        elif not self.git("rev-list", f"{heads[base]}..{heads[head]}"):
            problem = f"No commits between {base} and {head}"
        elif len(title) > 256 or len(body.get("body") or "") > _LONGEST:
            problem = "body is too long (maximum is 65536 characters)"
        if problem:
            raise Refusal(422, "Validation Failed", [{"resource": "PullRequest", "message": problem}])
        number = len(self.items) + 1
        self.items[number] = {
            "number": number, "title": title, "body": body.get("body"), "state": "open", "labels": [],
            "draft": bool(body.get("draft")), "merged_at": None,
            "url": f"{self.api}/repos/{self.project}/pulls/{number}",
            "html_url": f"{self.root}/{self.project}/pull/{number}",
            "head": {"ref": head, "sha": heads[head], "label": f"octo:{head}"},
            "base": {"ref": base, "sha": heads[base], "label": f"octo:{base}"},
        }  # fmt: skip
        return 201, {}, self.items[number]

    def edit_pull(self, asked: Asked, number: str) -> _Answer:
        found = self._item(number)
        found |= {name: asked.body[name] for name in ("title", "body", "state") if name in asked.body}
        return 200, {}, found

    def _item(self, number: str) -> dict[str, Any]:
        found = self.items.get(int(number))
        if found is None:
            raise Refusal(404, "Not Found")
        return found

    def _comment(self, number: int, text: str) -> dict[str, Any]:
        made = {
            "id": 1000 + len(self.comments), "issue": number, "body": text,
            "html_url": f"{self.root}/{self.project}/issues/{number}#issuecomment-{1000 + len(self.comments)}",
            "url": f"{self.api}/repos/{self.project}/issues/comments/{1000 + len(self.comments)}",
        }  # fmt: skip
        self.comments.append(made)
        return made

    def _not_empty(self) -> None:
        if not self.branches():
            raise Refusal(409, "Git Repository is empty.")

    def matching_refs(self, asked: Asked, prefix: str) -> _Answer:
        heads = sorted(self.branches().items())
        return self._page(asked, [self._ref(name, sha) for name, sha in heads if name.startswith(prefix)])

    def _ref(self, branch: str, sha: str) -> dict[str, Any]:
        url = f"{self.api}/repos/{self.project}/git/refs/heads/{branch}"
        return {"ref": f"refs/heads/{branch}", "url": url, "object": {"sha": sha, "type": "commit", "url": url}}

    def _commit(self, sha: str) -> dict[str, Any]:
        raw = self.git("cat-file", "commit", sha)
        message = raw.partition("\n\n")[2]
        parents = re.findall(r"^parent (\w+)", raw, re.M)
        url = f"{self.api}/repos/{self.project}/git/commits/{sha}"
        return {"sha": sha, "url": url, "message": message, "tree": {"sha": raw.split()[1], "url": url},
                "parents": [{"sha": each, "url": url} for each in parents]}  # fmt: skip

    def _entry(self, entry: dict[str, Any], present: set[str]) -> tuple[str, str, str]:
        path, mode = _text(entry, "path"), _text(entry, "mode")
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
            raise Refusal(422, "tree.path contains a malformed path component")
        if mode not in ("100644", "100755", "040000", "160000", "120000"):
            raise Refusal(422, "Must supply a valid tree.mode")
        if path.startswith(".github/workflows/") and not self.workflow_scope:
            raise Refusal(404, "Not Found: refusing to create or update workflow without `workflow` scope")
        if ("sha" in entry) == ("content" in entry):
            raise Refusal(422, "Must supply either tree.sha or tree.content")
        if "content" in entry:
            return mode, path, self.blob(_text(entry, "content").encode())
        if entry["sha"] is None:
            if path not in present:
                raise Refusal(422, "GitRPC::BadObjectState")
            return mode, path, ""
        if self.kind(entry["sha"]) != "blob":
            raise Refusal(422, "tree.sha is not a valid blob")
        return mode, path, entry["sha"]

    def _page(self, asked: Asked, items: list[dict[str, Any]]) -> _Answer:
        size = min(100, int(asked.query.get("per_page", "30")))
        page = int(asked.query.get("page", "1"))
        more = {"Link": f'<{self.api}{asked.path}?per_page={size}&page={page + 1}>; rel="next"'}
        return 200, more if len(items) > size * page else {}, items[size * (page - 1) : size * page]


_ROUTES: list[tuple[str, str, Callable[..., _Answer]]] = [
    ("GET", "", FakeHub.repository),
    ("GET", r"/issues/(\d+)", FakeHub.issue),
    ("GET", r"/issues/(\d+)/comments", FakeHub.list_comments),
    ("POST", r"/issues/(\d+)/comments", FakeHub.make_comment),
    ("POST", r"/issues/(\d+)/labels", FakeHub.add_labels),
    ("GET", r"/git/ref/heads/(.+)", FakeHub.ref),
    ("GET", r"/git/matching-refs/heads/(.+)", FakeHub.matching_refs),
    ("POST", "/git/refs", FakeHub.make_ref),
    ("GET", r"/git/commits/(\w+)", FakeHub.commit_object),
    ("POST", "/git/commits", FakeHub.make_commit),
    ("POST", "/git/blobs", FakeHub.make_blob),
    ("POST", "/git/trees", FakeHub.make_tree),
    ("GET", r"/compare/(.+)\.\.\.(.+)", FakeHub.compare),
    ("GET", "/pulls", FakeHub.list_pulls),
    ("POST", "/pulls", FakeHub.make_pull),
    ("PATCH", r"/pulls/(\d+)", FakeHub.edit_pull),
]


def _label(name: str) -> dict[str, str]:
    return {"name": name}


def _text(body: Any, name: str) -> str:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str):
        raise Refusal(422, "Invalid request", [f"For '{name}', {value!r} is not a string."])
    return value


def _person(who: Mapping[str, str]) -> str:
    """Name, address and time as a commit has them."""
    when = datetime.fromisoformat(who.get("date", "2021-01-01T00:00:00Z").replace("Z", "+00:00"))
    when = when if when.tzinfo else when.replace(tzinfo=timezone.utc)
    return f"{who['name']} <{who['email']}> {int(when.timestamp())} {when.strftime('%z')}"

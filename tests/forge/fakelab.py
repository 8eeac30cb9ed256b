"""GitLab's REST API over a real bare repository: what sherloc asks of it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote

from sherloc.settings_repair import ForgeSettings

from .fake_server import TOKEN, Asked, FakeForge, Refusal

_Answer = tuple[int, dict[str, str], Any]


class FakeLab(FakeForge):
    """The fake; its project may stand in groups."""

    api_path = "/api/v4"

    def __init__(self, folder: Path, project: str = "group/sub/shop", *, files: Mapping[str, str | bytes]) -> None:
        self.issues: dict[int, dict[str, Any]] = {}
        self.notes: list[dict[str, Any]] = []
        self.merges: list[dict[str, Any]] = []
        super().__init__(folder, project, token=TOKEN)
        self.commit(files, message="first\n")

    @property
    def environ(self) -> dict[str, str]:
        return {"GITLAB_TOKEN": self.token}

    def settings(self, **changes: Any) -> ForgeSettings:
        return ForgeSettings(**{"kind": "gitlab", "base_url": self.api, "seconds": 10.0, **changes})

    def add_issue(self, title: str, body: str = "", *, comments: Sequence[str] = (), labels: Sequence[str] = ()) -> int:
        number = len(self.issues) + 1
        url = f"{self.root}/{self.project}/-/issues/{number}"
        self.issues[number] = {"title": title, "description": body, "labels": list(labels), "web_url": url}
        for text in comments:
            self._note(number, text)
        return number

    def answer(self, asked: Asked) -> _Answer:
        if not self.authorised(asked) and asked.method != "GET":
            raise Refusal(401, "401 Unauthorized")
        prefix = f"/projects/{quote(self.project, safe='')}"
        if not asked.path.startswith(prefix):
            raise Refusal(404, "404 Project Not Found")
        for method, pattern, act in _ROUTES:
            found = re.fullmatch(pattern, asked.path[len(prefix) :])
            if found and method == asked.method:
                return act(self, asked, *map(unquote, found.groups()))
        raise Refusal(404, "404 Not Found")

    def project_(self, asked: Asked) -> _Answer:
        return 200, {}, {"default_branch": "main"}

    def issue(self, asked: Asked, number: str) -> _Answer:
        if int(number) not in self.issues:
            raise Refusal(404, "404 Not found")
        return 200, {}, self.issues[int(number)]

    def list_notes(self, asked: Asked, number: str) -> _Answer:
        return self._page(asked, [each for each in self.notes if each["issue"] == int(number)])

    def make_note(self, asked: Asked, number: str) -> _Answer:
        return 201, {}, self._note(int(number), asked.body["body"])

    def branch(self, asked: Asked, branch: str) -> _Answer:
        head = self.head(branch)
        if head is None:
            raise Refusal(404, "404 Branch Not Found")
        return 200, {}, {"name": branch, "commit": self._commit(head)}

    def merge_base(self, asked: Asked) -> _Answer:
        one, other = parse_qs(asked.headers["query"])["refs[]"]
        return 200, {}, self._commit(self.git("merge-base", one, other))

    def commit_(self, asked: Asked, sha: str) -> _Answer:
        if self.kind(sha) != "commit":
            raise Refusal(404, "404 Commit Not Found")
        return 200, {}, self._commit(sha)

    def file(self, asked: Asked, path: str) -> _Answer:
        line = self.git("ls-tree", asked.query["ref"], "--", path)
        if not line:
            raise Refusal(404, "404 File Not Found")
        return 200, {}, {"file_path": path, "execute_filemode": line.startswith("100755")}

    def tree(self, asked: Asked) -> _Answer:
        entries = []
        for line in self.git("ls-tree", "-z", asked.query["ref"]).split("\0"):
            if line:
                head, _, name = line.partition("\t")
                mode, kind, sha = head.split()
                entries.append({"id": sha, "name": name, "type": kind, "path": name, "mode": mode})
        return self._page(asked, entries)

    def make_commit(self, asked: Asked) -> _Answer:
        body = asked.body
        head = self.head(body["branch"])
        if "start_sha" in body and head is not None:
            raise Refusal(400, "A branch called '" + body["branch"] + "' already exists. Switch to that branch")
        parent = body.get("start_sha") or head
        if parent is None:
            raise Refusal(400, "You can only create or edit files when you are on a branch")
        tree = parent
        for action in body["actions"]:
            tree = self._act(action, tree)
        made = self.raw_commit(
            self.git("rev-parse", f"{tree}^{{tree}}"), [parent],
            f"{body['author_name']} <{body['author_email']}> 1577836800 +0000",
            "lab <lab@example.org> 1700000000 +0000",
            body["commit_message"],
        )  # fmt: skip
        self.git("update-ref", f"refs/heads/{body['branch']}", made, head or "0" * 40)
        return 201, {}, self._commit(made)

    def list_merges(self, asked: Asked) -> _Answer:
        found = [each for each in self.merges if each["source_branch"] == asked.query["source_branch"]]
        return self._page(asked, found[::-1])

    def make_merge(self, asked: Asked) -> _Answer:
        body = asked.body
        for each in self.merges:
            if each["source_branch"] == body["source_branch"] and each["state"] == "opened":
                raise Refusal(409, f"Another open merge request already exists for this source branch: !{each['iid']}")
        if len(body["title"]) > 255 or self.head(body["source_branch"]) is None:
            raise Refusal(400, "title is too long, or there is no such branch")
        number = len(self.merges) + 1
        self.merges.append({
            "iid": number, "web_url": f"{self.root}/{self.project}/-/merge_requests/{number}", "state": "opened",
            "draft": body["title"].startswith("Draft: "), "title": body["title"], "description": body["description"],
            "source_branch": body["source_branch"], "target_branch": body["target_branch"],
            "source_project_id": 1, "target_project_id": 1, "labels": body.get("labels", "").split(","),
        })  # fmt: skip
        return 201, {}, self.merges[-1]

    def merge(self, asked: Asked, number: str) -> _Answer:
        return 200, {}, self.merges[int(number) - 1]

    def edit_merge(self, asked: Asked, number: str) -> _Answer:
        found = self.merges[int(number) - 1]
        found |= {**asked.body, "draft": asked.body["title"].startswith("Draft: ")}
        return 200, {}, found

    def _act(self, action: dict[str, Any], base: str) -> str:
        path = action["file_path"]
        line = self.git("ls-tree", base, "--", path)
        if (action["action"] == "create") == bool(line):
            raise Refusal(
                400, "A file with this name already exists" if line else "A file with this name doesn't exist"
            )
        mode, _, sha = line.split("\t")[0].split() if line else ("100644", "", "")
        if action["action"] == "delete":
            return self.build(base, [(mode, path, "")])
        if action["action"] == "chmod":
            return self.build(base, [("100755" if action["execute_filemode"] else "100644", path, sha)])
        data = action["content"]
        return self.build(base, [(mode, path, self.blob(base64.b64decode(data)))])

    def _note(self, number: int, text: str, *, system: bool = False) -> dict[str, Any]:
        self.notes.append({"id": 100 + len(self.notes), "issue": number, "body": text, "system": system})
        return self.notes[-1]

    def _commit(self, sha: str) -> dict[str, Any]:
        raw = self.git("cat-file", "commit", sha)
        parents = re.findall(r"^parent (\w+)", raw, re.M)
        return {"id": sha, "message": raw.partition("\n\n")[2], "parent_ids": parents}

    def _page(self, asked: Asked, items: list[dict[str, Any]]) -> _Answer:
        size, page = int(asked.query["per_page"]), int(asked.query["page"])
        return 200, {}, items[size * (page - 1) : size * page]


_ROUTES: list[tuple[str, str, Callable[..., _Answer]]] = [
    ("GET", "", FakeLab.project_),
    ("GET", r"/issues/(\d+)", FakeLab.issue),
    ("GET", r"/issues/(\d+)/notes", FakeLab.list_notes),
    ("POST", r"/issues/(\d+)/notes", FakeLab.make_note),
    ("GET", "/repository/branches/([^/]+)", FakeLab.branch),
    ("GET", "/repository/merge_base", FakeLab.merge_base),
    ("GET", "/repository/commits/([^/]+)", FakeLab.commit_),
    ("POST", "/repository/commits", FakeLab.make_commit),
    ("GET", "/repository/files/([^/]+)", FakeLab.file),
    ("GET", "/repository/tree", FakeLab.tree),
    ("GET", "/merge_requests", FakeLab.list_merges),
    ("POST", "/merge_requests", FakeLab.make_merge),
    ("GET", r"/merge_requests/(\d+)", FakeLab.merge),
    ("PUT", r"/merge_requests/(\d+)", FakeLab.edit_merge),
]

"""A proposal as models write it: names drift, a rename comes as a path with its old one, a lone commit is unwrapped."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, Field

from sherloc.errors import ProposalError
from sherloc.json_hardening import Confidence, ExactText
from sherloc.json_hardening.lexis import fold
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile, ReplaceBlock

_DELETES = frozenset({"delete", "deleted", "remove", "removed", "削除", "删除"})


def _also(name: str, *others: str, default: Any = ...) -> Any:
    return Field(default=default, validation_alias=AliasChoices(name, *others))


class BlockReply(BaseModel):
    """See ``ReplaceBlock``."""

    search: ExactText = _also(
        "search", "old", "old_text", "old_string", "old_str", "before", "original", "find", "検索"
    )
    replace: ExactText = _also(
        "replace", "new", "new_text", "new_string", "new_str", "after", "replacement", "updated", "置換", "替换"
    )


class FileReply(BaseModel):
    """See ``ProposedFile``; ``old_path`` is where a file comes from that is renamed."""

    path: str = _also("path", "file_path", "file", "filename", "パス", "路径", "文件路径")
    content: Annotated[str | None, Field()] = _also(
        "content", "contents", "new_content", "file_content", "full_content", "内容", default=None
    )
    edits: tuple[BlockReply, ...] = _also(
        "edits", "edit", "replacements", "blocks", "search_replace", "changes", default=()
    )
    delete: bool = _also("delete", "deleted", "remove", "削除", "删除", default=False)
    reason: str = _also("reason", "reasoning", "why", "理由", "原因", default="")
    action: str = _also("action", "operation", "status", "change_type", default="")
    old_path: str = _also(
        "old_path", "rename_from", "renamed_from", "previous_path", "previous_filename", "from", default=""
    )

    def files(self) -> tuple[ProposedFile, ...]:
        """As one entry of the wire format, or two for a rename."""
        delete = self.delete or (fold(self.action) in _DELETES and self.content is None and not self.edits)
        edits = tuple(ReplaceBlock(search=edit.search, replace=edit.replace) for edit in self.edits)
        made = ProposedFile(path=self.path, content=self.content, edits=edits, delete=delete, reason=self.reason)
        if not self.old_path or self.old_path == self.path:
            return (made,)
        if self.content is None:
            raise ProposalError(
                (f"{self.path} is to be renamed from {self.old_path} without content: send the rename as a unified "
                 "diff with rename from and rename to lines, or with the whole content of the new file.",)
            )  # fmt: skip
        reason = self.reason or f"It is renamed to {self.path}."
        return ProposedFile(path=self.old_path, delete=True, reason=reason), made


class CommitReply(BaseModel):
    """See ``ProposedCommit``."""

    message: str = _also(
        "message", "commit_message", "title", "summary", "コミットメッセージ", "メッセージ", "提交信息", default=""
    )
    files: tuple[FileReply, ...] = _also("files", "file_changes", "ファイル", "文件", default=())
    diff: ExactText = _also("diff", "patch", "unified_diff", "差分", "补丁", default="")

    def commit(self) -> ProposedCommit:
        """As the wire format has it."""
        files = tuple(file for reply in self.files for file in reply.files())
        return ProposedCommit(message=self.message, files=files, diff=self.diff)


class ProposalReply(BaseModel):
    """See ``PatchProposal``; ``files`` and ``diff`` are a lone commit that was not put into ``commit_groups``."""

    is_fixable: bool | None = _also("is_fixable", "fixable", "can_fix", "修正可能", "可修复", default=None)
    reasoning: str = _also("reasoning", "reason", "summary", "explanation", "理由", "原因", default="")
    missing_information: tuple[str, ...] = _also(
        "missing_information", "missing_info", "missing", "questions", "不足情報", "缺少信息", default=()
    )
    needed_code: tuple[str, ...] = _also("needed_code", "needed_files", "needs_code", default=())
    commit_groups: tuple[CommitReply, ...] = _also(
        "commit_groups", "commits", "commit_group", "コミット", "提交", default=()
    )
    title: str = _also("title", "pr_title", "pull_request_title", "タイトル", "标题", default="")
    pr_description: str = _also(
        "pr_description", "pull_request_description", "pr_body", "description", "body", "説明", "描述", default=""
    )
    confidence: Confidence | None = _also("confidence", "確信度", "信頼度", "置信度", default=None)
    files: tuple[FileReply, ...] = _also("files", "file_changes", "ファイル", "文件", default=())
    diff: ExactText = _also("diff", "patch", "unified_diff", "差分", "补丁", default="")
    message: str = _also("message", "commit_message", default="")

    def proposal(self) -> PatchProposal:
        """As the wire format has it.

        Raises:
            ProposalError: It contradicts itself, or says nothing.
        """
        groups = tuple(group.commit() for group in self.commit_groups)
        if self.files or self.diff:
            if groups:
                raise ProposalError(
                    ("Changes stand both in commit_groups and beside it: put all of them into commit_groups.",)
                )
            groups = (CommitReply(message=self.message, files=self.files, diff=self.diff).commit(),)
        fixable = bool(groups) if self.is_fixable is None else self.is_fixable
        if self.is_fixable is None and not groups:
            raise ProposalError(
                ("is_fixable is missing: say true and send commit_groups, or false and what is missing.",)
            )
        if fixable and not groups:
            raise ProposalError(
                ("is_fixable is true, but there is no change: put it into commit_groups, or set is_fixable to false.",)
            )
        if not fixable and groups:
            raise ProposalError(
                ("is_fixable is false, but there are changes: leave commit_groups empty, or set is_fixable to true.",)
            )
        return PatchProposal(
            is_fixable=fixable, reasoning=self.reasoning, missing_information=self.missing_information,
            needed_code=self.needed_code, commit_groups=groups, title=self.title,
            pr_description=self.pr_description, confidence=self.confidence,
        )  # fmt: skip

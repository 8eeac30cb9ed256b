"""What generators answer: JSON of every style, bare diffs, blocks, and what is none of them."""

from __future__ import annotations

import json

import pytest

from sherloc.errors import (
    AmbiguousOutput,
    ConflictingAlias,
    MalformedJson,
    NoJsonFound,
    ProposalError,
    Refused,
    ReplyError,
    TruncatedOutput,
)
from sherloc.repair import read_proposal
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile, ReplaceBlock

NO_REASON = "The proposal came without JSON, which has no place for a reason."
FILE = ProposedFile(path="a.py", content="x = 1\n")
WANTED = PatchProposal(
    is_fixable=True, reasoning="why", commit_groups=(ProposedCommit(message="fix", files=(FILE,)),), pr_description="d"
)
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
BLOCK = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"


def as_json(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


GROUP = {"message": "fix", "files": [{"path": "a.py", "content": "x = 1\n"}]}
CHINESE = {"提交信息": "fix", "文件": [{"路径": "a.py", "内容": "x = 1\n"}]}
PLAIN = as_json(is_fixable=True, reasoning="why", commit_groups=[GROUP], pr_description="d")


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        as_json(isFixable="true", reason="why", commitGroups=[GROUP], prDescription="d"),
        as_json(fixable="yes", summary="why", commits=GROUP, description="d"),
        as_json(修正可能="はい", 理由="why", コミット=[GROUP], 説明="d"),
        as_json(可修复="是", 原因="why", 提交=[CHINESE], 描述="d"),
        as_json(reasoning="why", message="fix", files=[{"file_path": "a.py", "newContent": "x = 1\n"}], body="d"),
        f"Sure!\n```json\n{PLAIN}\n```",
        f'<think>{{"is_fixable": false}}</think>\n{PLAIN}',
        f"I saw {{config}} first.\n{PLAIN}\nthe {{placeholder}} stays",
    ],
)
def test_json_of_every_style(text: str) -> None:
    assert read_proposal(text, "stop") == WANTED


def test_texts_of_files_are_never_altered() -> None:
    content = "s = '{\\'a\\': 1,}'\n```\n<think>x</think>\n\t\r\n\u201cq\u201d\n# ... rest unchanged\n"
    text = as_json(is_fixable=True, commit_groups=[{"message": "m", "files": [{"path": "a.md", "content": content}]}])
    assert read_proposal(text).commit_groups[0].files[0].content == content
    broken = '{"is_fixable": true, "commit_groups": [{"files": [{"path": "a", "content": "say "hi" to \\d"}]}]}'
    with pytest.raises(MalformedJson):
        read_proposal(broken)


def test_edits_and_diffs_in_json() -> None:
    text = as_json(
        is_fixable=True,
        commit_groups=[
            {"message": "one", "files": [{"path": "a.py", "edits": [{"old_string": " x\n", "new_string": ""}]}]},
            {"message": "two", "patch": DIFF, "files": [{"path": "a.py", "why": "it must"}]},
        ],
    )
    one, two = read_proposal(text).commit_groups
    assert one.files == (ProposedFile(path="a.py", edits=(ReplaceBlock(search=" x\n", replace=""),)),)
    assert two == ProposedCommit(message="two", diff=DIFF, files=(ProposedFile(path="a.py", reason="it must"),))


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ({"path": "a", "delete": True}, (ProposedFile(path="a", delete=True),)),
        ({"path": "a", "action": "Delete"}, (ProposedFile(path="a", delete=True),)),
        ({"path": "a", "action": "modify", "content": ""}, (ProposedFile(path="a", content=""),)),
        (
            {"path": "b", "old_path": "a", "content": "x"},
            (ProposedFile(path="a", delete=True, reason="It is renamed to b."), ProposedFile(path="b", content="x")),
        ),
    ],
)
def test_deletions_and_renames(file: dict[str, object], wanted: tuple[ProposedFile, ...]) -> None:
    text = as_json(is_fixable=True, commit_groups=[{"message": "m", "files": [file]}])
    assert read_proposal(text).commit_groups[0].files == wanted


def test_what_cannot_be_fixed() -> None:
    text = as_json(is_fixable=False, reasoning="no steps", missing_information=["the version"], commit_groups=[])
    found = read_proposal(text)
    assert (found.is_fixable, found.reasoning, found.missing_information) == (False, "no steps", ("the version",))


@pytest.mark.parametrize(
    "text",
    [
        as_json(is_fixable=False, commit_groups=[GROUP]),
        as_json(is_fixable=True, commit_groups=[]),
        as_json(is_fixable=True, reasoning="x"),
        as_json(reasoning="x"),
        as_json(is_fixable=True, commit_groups=[GROUP], files=GROUP["files"]),
        as_json(is_fixable=True, commit_groups=[{"files": [{"path": "b", "old_path": "a"}]}]),
    ],
)
def test_what_contradicts_itself(text: str) -> None:
    with pytest.raises(ProposalError):
        read_proposal(text)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (DIFF, ""),
        (f"It was wrong.\n```diff\n{DIFF}```\nDone.", "It was wrong.\nDone."),
        (f"~~~~\n{DIFF}~~~~", ""),
        (f"It was wrong.\n\n{DIFF}", "It was wrong."),
        (f"<think>maybe\n{DIFF}</think>\n{DIFF}", ""),
        (f"maybe\n{DIFF}\n</think>\n{DIFF}", ""),
        (f"Run it:\n```sh\npytest\n```\n```diff\n{DIFF}```", "Run it:\npytest"),
    ],
)
def test_bare_diffs(text: str, prose: str) -> None:
    files = (ProposedFile(path="a.py", reason=NO_REASON),)
    assert read_proposal(text) == PatchProposal(
        is_fixable=True, reasoning=prose, commit_groups=(ProposedCommit(message="", files=files, diff=DIFF),)
    )


def test_several_fenced_diffs_are_one() -> None:
    other = DIFF.replace("a.py", "b.py")
    found = read_proposal(f"one\n```diff\n{DIFF}```\ntwo\n```diff\n{other}```\n")
    assert found.commit_groups[0].diff == DIFF + other
    assert [file.path for file in found.commit_groups[0].files] == ["a.py", "b.py"]


def test_a_diff_of_json_is_a_diff() -> None:
    diff = '--- a/t.json\n+++ b/t.json\n@@ -1,3 +1,3 @@\n {\n-"files": []\n+"files": ["a"]\n }\n'
    assert read_proposal(diff).commit_groups[0].diff == diff


@pytest.mark.parametrize(
    "text",
    [
        f"a.py\n{BLOCK}",
        f"a.py\n```python\n{BLOCK}```\n",
        f"```python\na.py\n{BLOCK}```\n",
        f"```python a.py\n{BLOCK}```\n",
        f"### `a.py`:\n\n```\n{BLOCK}```",
        f"**File: a.py**\n{BLOCK}",
    ],
)
def test_blocks(text: str) -> None:
    edits = (ReplaceBlock(search="x = 1\n", replace="x = 2\n"),)
    files = (ProposedFile(path="a.py", edits=edits, reason=NO_REASON),)
    found = read_proposal(text)
    assert found == PatchProposal(is_fixable=True, commit_groups=(ProposedCommit(message="", files=files),))


def test_blocks_of_several_files_with_prose() -> None:
    new = "<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE\n"
    found = read_proposal(f"First this.\n\na.py\n{BLOCK}and then\n{BLOCK}\nb.py\n{new}All done.")
    one, two = found.commit_groups[0].files
    assert (one.path, len(one.edits), two.path) == ("a.py", 2, "b.py")
    assert two.edits == (ReplaceBlock(search="", replace="y\n"),)
    assert found.reasoning == "First this.\n\nand then\n\nAll done."


@pytest.mark.parametrize(
    ("text", "stop", "error"),
    [
        ("", None, NoJsonFound),
        ("I cannot help with that.", None, NoJsonFound),
        ("Use {a: b} in yaml", None, NoJsonFound),
        (DIFF, "max_tokens", TruncatedOutput),
        (DIFF, "content_filter", Refused),
        (f"```diff\n{DIFF}", None, TruncatedOutput),
        (f"a.py\n{BLOCK[:-20]}", None, TruncatedOutput),
        (BLOCK, None, ProposalError),
        (f"a.py\n{BLOCK}".replace("=======\n", "=======\n=======\n"), None, ProposalError),
        (f"a.py\n{BLOCK}\n{DIFF}", None, AmbiguousOutput),
        (f"```diff\n{DIFF}```\n{PLAIN}", None, AmbiguousOutput),
        (as_json(is_fixable=True, isFixable=False), None, ConflictingAlias),
        (PLAIN[:-5], None, TruncatedOutput),
        (PLAIN + as_json(is_fixable=False), None, AmbiguousOutput),
    ],
)
def test_what_cannot_be_read(text: str, stop: str | None, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        read_proposal(text, stop)
    assert str(caught.value)
    if isinstance(caught.value, ReplyError):
        assert caught.value.text == text
    if isinstance(caught.value, TruncatedOutput):
        assert caught.value.needs_more_tokens

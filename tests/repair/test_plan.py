"""From proposals to bytes, and everything that refuses a proposal. Every expected byte is written by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.errors import ProposalError
from sherloc.protocols import FileState
from sherloc.repair import Workshop, plan_changes
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile
from sherloc.settings_repair import RepairSettings


def refused(shop: Workshop, say: SimpleNamespace, *groups: Any, **settings: Any) -> str:
    with pytest.raises(ProposalError) as caught:
        say.plan(shop, *groups, **settings)
    return "\n".join(caught.value.problems)


def diff(path: str, hunks: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n{hunks}"


# What a file becomes, whichever way the change is said.
@pytest.mark.parametrize(
    ("path", "wanted", "forms"),
    [
        (
            "app.py",
            b"def one(x):\n    return x + 1\n\n\ndef two(x):\n    return one(x)\n",
            [
                ("whole", "def one(x):\n    return x + 1\n\n\ndef two(x):\n    return one(x)\n"),
                ("whole", "def one(x):\n    return x + 1\n\n\ndef two(x):\n    return one(x)"),
                ("edit", ("return x\n", "return x + 1\n")),
                ("edit", ("x\n\n", "x + 1\n\n")),
                ("diff", "@@ -1,3 +1,3 @@\n def one(x):\n-    return x\n+    return x + 1\n \n"),
                # counts and lines that are wrong, or missing
                ("diff", "@@ -7,1 +70,9 @@\n def one(x):\n-    return x\n+    return x + 1\n"),
                ("diff", "@@ def one(x): @@\n def one(x):\n-    return x\n+    return x + 1\n\n"),
                ("diff", "@@ ... @@\n def one(x):\n-    return x\n+    return x + 1\n\n\n def two(x):\n"),
                ("diff", "@@ -2 +2 @@\n-    return x\n+    return x + 1\n"),
            ],
        ),
        (
            "crlf.py",
            b"a = 1\r\nb = 0\r\nc = 3\r\n",
            [
                ("whole", "a = 1\nb = 0\nc = 3\n"),
                ("whole", "a = 1\r\nb = 0\r\nc = 3\r\n"),
                ("edit", ("b = 2\n", "b = 0\n")),
                ("edit", ("2", "0")),
                ("edit", ("a = 1\nb = 2\nc", "a = 1\nb = 0\nc")),
                ("edit", ("\r\nb = 2", "\r\nb = 0")),
                ("diff", "@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 0\n c = 3\n"),
                ("diff", "@@ -1,3 +1,3 @@\n a = 1\r\n-b = 2\r\n+b = 0\r\n c = 3\r\n"),
            ],
        ),
        (
            "open.py",
            b"a = 1\nb = 3\nc = 4",
            [
                ("whole", "a = 1\nb = 3\nc = 4\n"),
                ("whole", "a = 1\nb = 3\nc = 4"),
                ("edit", ("b = 2\n", "b = 3\nc = 4\n")),
                ("edit", ("b = 2", "b = 3\nc = 4")),
                ("diff", "@@ -1,2 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n+c = 4\n"),
                (
                    "diff",
                    "@@ -1,2 +1,3 @@\n a = 1\n-b = 2\n\\ No newline at end of file\n+b = 3\n+c = 4\n"
                    "\\ No newline at end of file\n",
                ),
            ],
        ),
        (
            "open.py",
            b"a = 1\nb = 2\nc = 4",
            [("whole", "a = 1\nb = 2\nc = 4\n"), ("diff", "@@ -1,2 +1,3 @@\n a = 1\n b = 2\n+c = 4\n")],
        ),
        (
            "open.py",
            b"a = 1\nb = 2\n",
            [("diff", "@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n\\ No newline at end of file\n+b = 2\n")],
        ),
        (
            "open.py",
            b"a = 1",
            [("diff", "@@ -1,2 +1 @@\n a = 1\n-b = 2\n"), ("edit", ("\nb = 2", ""))],
        ),
        (
            "app.py",
            b"def one(x):\n    return x\n\n\ndef two(x):\n    return one(x)",
            [("diff", "@@ -6 +6 @@\n-    return one(x)\n+    return one(x)\n\\ No newline at end of file\n")],
        ),
        (
            "bom.py",
            b"\xef\xbb\xbfa = 0\nb = 2\n",
            [
                ("whole", "a = 0\nb = 2\n"),
                ("whole", "\ufeffa = 0\nb = 2\n"),
                ("edit", ("a = 1", "a = 0")),
                ("diff", "@@ -1,2 +1,2 @@\n-a = 1\n+a = 0\n b = 2\n"),
                ("diff", "@@ -1,2 +1,2 @@\n-\ufeffa = 1\n+\ufeffa = 0\n b = 2\n"),
            ],
        ),
        (
            "latin.py",
            b"# caf\xe9\na = '\xfc'\n",
            [
                ("whole", "# caf\u00e9\na = '\u00fc'\n"),
                ("edit", ("a = 1", "a = '\u00fc'")),
                ("diff", "@@ -1,2 +1,2 @@\n # caf\u00e9\n-a = 1\n+a = '\u00fc'\n"),
            ],
        ),
        (
            "cp932.txt",
            b"\x93\xfa\x96{\na = 2\n",
            [("edit", ("a = 1", "a = 2")), ("diff", "@@ -2 +2 @@\n-a = 1\n+a = 2\n")],
        ),
        (
            "wide.txt",
            b"\xff\xfe" + "a = 1\r\nb = \u672c\r\n".encode("utf-16-le"),
            [
                ("whole", "a = 1\nb = \u672c\n"),
                ("edit", ("\u65e5\n", "\u672c\n")),
                ("diff", "@@ -1,2 +1,2 @@\n a = 1\n-b = \u65e5\n+b = \u672c\n"),
            ],
        ),
        (
            "mac.txt",
            b"a\rx\ry\rc\r",
            [
                ("whole", "a\nx\ny\nc\n"),
                ("edit", ("b\n", "x\ny\n")),
                ("diff", "@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n"),
            ],
        ),
        (
            "mixed.txt",
            b"a\r\nx\r\nb\ny\nc\r\nd\n",
            [
                ("whole", "a\nx\nb\ny\nc\nd\n"),
                ("whole", "a\r\nx\r\nb\ny\nc\r\nd\n"),
                ("edit", ("a\n", "a\nx\n"), ("b\n", "b\ny\n")),
                ("diff", "@@ -1,4 +1,6 @@\n a\n+x\n b\n+y\n c\n d\n"),
            ],
        ),
        (
            "empty.txt",
            b"a\n",
            [("whole", "a\n"), ("edit", ("", "a\n")), ("diff", "@@ -0,0 +1 @@\n+a\n")],
        ),
        (
            "twice.txt",
            b"x\ny\nx\nz\n",
            [
                ("whole", "x\ny\nx\nz\n"),
                ("edit", ("y\nx\ny\n", "y\nx\nz\n")),
                ("diff", "@@ -3,2 +3,2 @@\n x\n-y\n+z\n"),
                ("diff", "@@ -2,3 +2,3 @@\n y\n x\n-y\n+z\n"),
            ],
        ),
    ],
)  # fmt: skip
def test_every_form_gives_the_same_bytes(
    shop: Workshop, say: SimpleNamespace, path: str, wanted: bytes, forms: list[tuple[Any, ...]]
) -> None:
    for kind, *said in forms:
        group: Any = diff(path, said[0]) if kind == "diff" else (getattr(say, kind)(path, *said),)
        made = say.plan(shop, group)
        assert say.contents(made) == {path: wanted}, (kind, said)
        assert made.paths == (path,)


def test_new_files_folders_deletions_renames_and_modes(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(
        shop,
        (say.whole("new/deep.py", "x = 1"), say.delete("pkg/mod.py"), say.whole("pkg", "now a file\n")),
        "diff --git a/app.py b/lib/app2.py\nsimilarity index 90%\nrename from app.py\nrename to lib/app2.py\n"
        "--- a/app.py\n+++ b/lib/app2.py\n@@ -1,2 +1,2 @@\n def one(x):\n-    return x\n+    return 1\n"
        "diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n"
        "diff --git a/tool.sh b/tool.sh\nnew file mode 100755\n--- /dev/null\n+++ b/tool.sh\n@@ -0,0 +1 @@\n+echo\n"
        "diff --git a/open.py b/open.py\ndeleted file mode 100644\n",
    )
    app = b"def one(x):\n    return 1\n\n\ndef two(x):\n    return one(x)\n"
    assert [group.files for group in made.groups] == [
        (
            FileState("new/deep.py", b"x = 1"),
            FileState("pkg", b"now a file\n"),
            FileState("pkg/mod.py", None),
        ),
        (
            FileState("app.py", None),
            FileState("lib/app2.py", app),
            FileState("open.py", None),
            FileState("run.sh", b"#!/bin/sh\necho 1\n", "100644"),
            FileState("tool.sh", b"echo\n", "100755"),
        ),
    ]
    assert "run.sh changes its mode from 100755 to 100644." in made.flags
    assert "tool.sh is new and can be executed." in made.flags
    assert "app.py is deleted." in made.flags
    assert "rename from app.py\nrename to lib/app2.py\n" in made.diff
    assert (made.added, made.removed) == (4, 4)


def test_the_mode_of_a_file_is_kept(shop: Workshop, say: SimpleNamespace) -> None:
    (group,) = say.plan(shop, (say.edit("run.sh", ("1", "2")),)).groups
    assert group.files == (FileState("run.sh", b"#!/bin/sh\necho 2\n", "100755"),)


def test_a_rename_in_case_only(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(shop, (say.delete("app.py"), say.whole("App.py", "x = 1\n")))
    assert made.paths == ("App.py", "app.py")


def test_commits_stand_on_each_other(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(
        shop,
        (say.whole("new.py", "x = 1\n"), say.edit("app.py", ("return x\n", "return 1\n"))),
        (say.edit("app.py", ("return 1\n", "return 2\n")), say.edit("new.py", ("1", "2"))),
        (say.delete("new.py"),),
    )
    assert [len(group.files) for group in made.groups] == [2, 2, 1]
    assert made.paths == ("app.py",)
    assert say.contents(made)["app.py"] == b"def one(x):\n    return 2\n\n\ndef two(x):\n    return one(x)\n"


def test_groups_without_effect_are_left_out_and_whole_proposals_refused(shop: Workshop, say: SimpleNamespace) -> None:
    nothing = say.edit("pkg/mod.py", ("X", "X"))
    made = say.plan(shop, (nothing,), (say.edit("app.py", ("return x\n", "return 1\n")), nothing))
    assert [group.message for group in made.groups] == ["commit 2"]
    assert made.flags == (
        "commit 1: pkg/mod.py was sent without any change.",
        "commit 1: it changes nothing and was left out.",
        "commit 2: pkg/mod.py was sent without any change.",
    )
    there, back = (say.edit("pkg/mod.py", ("1", "2")),), (say.edit("pkg/mod.py", ("2", "1")),)
    for groups in (((nothing,),), (there, back), ((say.whole("app.py", say.files["app.py"]),),)):
        assert refused(shop, say, *groups).startswith("The proposal changes nothing")


def test_no_change_at_all_is_refused(shop: Workshop) -> None:
    with pytest.raises(ProposalError, match="no change in it"):
        plan_changes(PatchProposal(is_fixable=True), shop, brief_paths=(), settings=RepairSettings())


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        # search/replace
        (lambda say: (say.edit("app.py", ("return y\n", "")),), "search does not stand in the file. The nearest text"),
        (lambda say: (say.edit("app.py", ("\treturn x\n", "")),), "only white space differs"),
        (lambda say: (say.edit("twice.txt", ("x\n", "z\n")),), "stands 2 times in the file, at lines 1, 3. Take lines"),
        (lambda say: (say.edit("app.py", ("", "x")),), "search is empty"),
        (lambda say: (say.edit("app.py", ("\u65e5\u672c\u8a9e", "x")),), "No line of the file is like it"),
        (lambda say: (say.edit("none.py", ("a", "b")),), "it does not exist"),
        (lambda say: (say.edit("ap.py", ("a", "b")),), "Did you mean app.py"),
        # diffs
        (lambda say: diff("app.py", "@@ -1 +1 @@\n-def won(x):\n+def x():\n"), "hunk 1 of 1 of app.py does not apply"),
        (lambda say: diff("twice.txt", "@@ -9 +9 @@\n-x\n+z\n"), "stand 2 times in the file (at lines 1, 3)"),
        (lambda say: diff("app.py", "@@ -1,0 +2 @@\n+# no\n"), "has no context"),
        (lambda say: diff("none.py", "@@ -1 +1 @@\n-a\n+b\n"), "it does not exist"),
        (lambda say: diff("app.py", "@@ -1 +1 @@\n-def one(x):\n+def one(y):\n\n+    z\n"), "belongs to no hunk"),
        (lambda say: diff("app.py", "@@ -1,2 +1,2 @@\n def one(x):\noops\n-    return x\n+    y\n"),
         "belongs to no hunk"),
        (lambda say: "--- a/app.py\n+++ b/crlf.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n", "does not call it a rename"),
        (lambda say: "--- /dev/null\n+++ b/app.py\n@@ -0,0 +1 @@\n+x\n", "app.py exists already"),
        (lambda say: "diff --git a/image.png b/image.png\nGIT binary patch\nliteral 0\n",
         "binary patches are not taken"),
        (
            lambda say: diff("app.py", "@@ -1,2 +1,2 @@\n-def one(x):\n+def uno(x):\n     return x\n"
                                       "@@ -1,2 +1,2 @@\n-def one(x):\n+def eins(x):\n     return x\n"),
            "two hunks of app.py change line 1",
        ),
        (
            lambda say: "diff --git a/s b/s\nnew file mode 120000\n--- /dev/null\n+++ b/s\n"
            "@@ -0,0 +1 @@\n+/etc/passwd\n",
            "s would be a symbolic link",
        ),
        # targets
        (lambda say: (say.whole("image.png", "x"),), "image.png is binary"),
        (lambda say: (say.delete("image.png"),), "image.png is binary"),
        (lambda say: (say.whole("big.bin", "x"),), "kept in Git LFS"),
        (lambda say: (say.whole("link", "x"),), "symbolic link"),
        (lambda say: (say.whole("link/x.py", "x"),), "symbolic link"),
        (lambda say: (say.delete("link"),), "symbolic link"),
        (lambda say: (say.whole("sub/x.py", "x"),), "another repository"),
        (lambda say: (say.whole("pkg", "x"),), "it is a folder"),
        (lambda say: (say.whole("app.py/x.py", "x"),), "is no folder"),
        (lambda say: (say.whole("APP.py", "x"),), "Did you mean app.py?"),
        (lambda say: (say.delete("none.py"),), "does not exist"),
        (lambda say: (say.whole("a.txt", "x"), say.whole("A.txt", "x")), "differs from an existing name only in case"),
        (lambda say: (say.whole("app.py", "x"), say.whole("./app.py", "y")), "app.py stands twice in one commit"),
        (lambda say: (say.whole("app.py", "x"), say.delete("app.py")), "app.py stands twice in one commit"),
        # content
        (lambda say: (say.whole("app.py", "def one(x):\n    # ... rest unchanged\n"),),
         "stands for text that was left out"),
        (lambda say: (say.whole("app.py", "def one(x):\n    return 1\n\n...\n"),), "stands for text that was left out"),
        (lambda say: (say.edit("app.py", ("return x\n", "return 1\n    # \u4ee5\u4e0b\u7701\u7565\n")),), "left out"),
        (lambda say: diff("app.py", "@@ -2 +2,2 @@\n-    return x\n+    # existing code here\n+    return 1\n"),
         "left out"),
        (lambda say: (say.whole("long.py", "".join(f"v{i} = {i}\n" for i in range(30))),), "was probably cut"),
        (lambda say: (say.whole("new.txt", "a\0b"),), "NUL characters"),
        (lambda say: (say.edit("app.py", ("return x", "return '[redacted key]'")),), "secret that was not shown"),
        (lambda say: (say.edit("latin.py", ("1", "'\u65e5'")),), "stored as latin-1, which has no '\u65e5' (line 2"),
        (lambda say: (say.edit("app.py", ("return x\n", "return (x\n")),), "app.py would not parse"),
        (lambda say: (say.edit("app.py", ("    return x\n", "  return x\n   y\n")),), "would not parse: "),
        (lambda say: (say.whole("new.py", "def f(:\n"),), "new.py would not parse"),
        # the brief
        (lambda say: (say.whole("new.py", "x = 1\n", reason=""),), "not among the files that were located"),
        # one of three
        (lambda say: (ProposedFile(path="app.py"),), "none of content, edits and delete"),
        (lambda say: (ProposedFile(path="app.py", content="", delete=True),), "app.py has content and delete"),
    ],
)  # fmt: skip
def test_refusals(shop: Workshop, say: SimpleNamespace, groups: Any, words: str) -> None:
    said = refused(shop, say, groups(say))
    assert words in said
    assert all(problem[-1] in ".?)" or "\n" in problem for problem in said.split("\n- ")), said


def test_what_is_no_elision(shop: Workshop, say: SimpleNamespace) -> None:
    body = 'class P:\n    def f(self):\n        ...\n\n    def g(self):\n        """Doc."""\n        ...\n'
    text = 'D = """\n>>> f()\n...\n"""\nx = [1, ...]\n'
    made = say.plan(
        shop,
        (
            say.whole("p.py", body),
            say.whole("q.py", text),
            say.whole("r.md", "Then:\n\n...\n"),
            say.edit("notes.md", ("# Notes", "# More notes")),
            say.edit("long.py", ("v1 = 1\n", "v1 = 2\n")),
        ),
    )
    assert len(made.paths) == 5


def test_a_file_that_was_broken_may_stay_so(shop: Workshop, say: SimpleNamespace) -> None:
    assert say.plan(shop, (say.edit("broken.py", ("def f", "def g")),)).paths == ("broken.py",)


def test_most_of_a_file_may_go_when_it_is_said_so(shop: Workshop, say: SimpleNamespace) -> None:
    long = say.files["long.py"]
    made = say.plan(shop, (say.edit("long.py", (long[long.index("v9 =") :], "")),), max_changed_lines=900)
    assert (made.added, made.removed) == (0, 891)


def test_limits(shop: Workshop, say: SimpleNamespace) -> None:
    two = (say.whole("a.txt", "x\n"), say.whole("b.txt", "y\n"))
    assert "touches 2 files; 1 are allowed" in refused(shop, say, two, max_files=1)
    assert "adds 2 and removes 0 lines; 1 together" in refused(shop, say, two, max_changed_lines=1)
    assert "would have 2000 bytes; 1500 are" in refused(
        shop, say, (say.whole("a.txt", "x" * 2000),), max_file_bytes=1500
    )
    assert "has 9680 bytes; files of up to 5000" in refused(
        shop, say, (say.edit("long.py", ("v1 = 1\n", "")),), max_file_bytes=5000
    )


def test_all_problems_come_at_once_and_once(shop: Workshop, say: SimpleNamespace) -> None:
    bad = (
        say.whole("../x", "x"),
        say.edit("app.py", ("nothing", "")),
        say.whole("image.png", ""),
        say.whole("../x", ""),
    )
    with pytest.raises(ProposalError) as caught:
        say.plan(shop, bad, (say.delete("none.py"),))
    assert [problem.split(" ")[0] for problem in caught.value.problems] == ["commit"] * 4
    assert "none.py" in caught.value.problems[-1]


def test_reasons_of_a_diff(shop: Workshop, say: SimpleNamespace) -> None:
    text = "--- /dev/null\n+++ b/tests/test_new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    group = ProposedCommit(message="m", diff=text, files=(ProposedFile(path="./tests/test_new.py", reason="a\ntest"),))
    made = plan_changes(
        PatchProposal(is_fixable=True, commit_groups=(group,)), shop, brief_paths=(), settings=RepairSettings()
    )
    assert made.flags == ("tests/test_new.py is not among the files that were located. Reason given: a test",)
    both = group.model_copy(update={"files": (say.whole("a.py", "x"),)})
    with pytest.raises(ProposalError, match="either files or a diff"):
        plan_changes(
            PatchProposal(is_fixable=True, commit_groups=(both,)), shop, brief_paths=(), settings=RepairSettings()
        )


def test_files_that_run_code_and_protected_places(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(shop, (say.whole("setup.py", "x = 1\n"),))
    assert "setup.py is run by tools that build or test the project: look at it before you run anything." in made.flags
    workflow = (say.whole(".github/workflows/x.yml", "on: push\n"),)
    assert "protected (.github/workflows)" in refused(shop, say, workflow)
    assert say.plan(shop, workflow, allow_paths=("ci",)).paths == (".github/workflows/x.yml",)


def test_unknown_names_are_refused_and_old_ones_are_not(shop: Workshop, say: SimpleNamespace) -> None:
    unknown = (say.edit("app.py", ("return x\n", "return there_is_none(x)\n")),)
    assert "app.py line 2 uses there_is_none, which is not known" in refused(shop, say, unknown, check_names=True)
    assert say.plan(shop, unknown).paths == ("app.py",)
    known = (say.edit("app.py", ("return x\n", "return two(x)\n")),)
    assert say.plan(shop, known, check_names=True).paths == ("app.py",)

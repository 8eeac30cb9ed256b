"""Whatever a file looks like: every form of one change gives one tree, and nothing else about the file changes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from sherloc.errors import ProposalError, ReplyError
from sherloc.protocols import FileState
from sherloc.repair import Workshop, read_proposal
from sherloc.repair.edits import apply_edits
from sherloc.repair.texts import find_once, read_text, whole_text, with_line_ends
from sherloc.repository.writing import Signature
from sherloc.schema.proposal import ReplaceBlock

WHO = Signature("A", "a@example.org", "2026-01-31T12:00:00+00:00")
LINES = st.lists(st.text("ab \u00e9+-@\\", max_size=3), min_size=1, max_size=8)
ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "latin-1": b"",
}


def joined(lines: list[str], ends: list[str], last: bool) -> str:
    text = "".join(line + ends[number % len(ends)] for number, line in enumerate(lines))
    return text if last else text.removesuffix("\n").removesuffix("\r")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, say: SimpleNamespace) -> Iterator[Workshop]:
    """A place to make bases in."""
    root = tmp_path_factory.mktemp("ground")
    say.git(root, "init", "-q")
    say.git(root, "commit", "-q", "--allow-empty", "-m", "nothing")
    with Workshop(root) as made:
        yield made


def base_of(ground: Workshop, data: bytes) -> str:
    return ground.scratch.commit(ground.tree_of(ground.base, (FileState("f.txt", data),)), ground.base, "m", WHO)


def diff_of(ground: Workshop, old: str, new: str) -> str:
    """As git shows it, of the texts in UTF-8."""
    trees = [ground.tree_of(ground.base, (FileState("f.txt", text.encode()),)) for text in (old, new)]
    return ground.diff(*trees)


CHANGES = {
    "old_lines": LINES,
    "new_lines": LINES,
    "ends": st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], ["\r\n", "\r\n", "\n"]]),
    "last": st.booleans(),
    "encoding": st.sampled_from(sorted(ENCODINGS)),
}
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]


@settings(max_examples=3, deadline=None, suppress_health_check=QUIET)
@given(**CHANGES)
@example(old_lines=["a"], new_lines=["a", "b"], ends=["\n"], last=False, encoding="utf-8")
@example(old_lines=["a", "", "b"], new_lines=["a", "b"], ends=["\r\n", "\n"], last=False, encoding="utf-16-le")
@example(old_lines=["\u00e9", "a"], new_lines=["\u00e9"], ends=["\n"], last=True, encoding="latin-1")
def test_every_form_of_a_change_gives_the_same_tree(ground: Workshop, say: SimpleNamespace, **change: Any) -> None:
    check_forms(ground, say, **change)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=QUIET)
@given(**CHANGES)
def test_every_form_of_many_changes(ground: Workshop, say: SimpleNamespace, **change: Any) -> None:
    check_forms(ground, say, **change)


def check_forms(
    ground: Workshop, say: SimpleNamespace, old_lines: list[str], new_lines: list[str], ends: list[str], last: bool,
    encoding: str,
) -> None:  # fmt: skip
    old, new = joined(old_lines, ends, last), joined(new_lines, ends, last)
    assume(old and new and old != new and old.endswith("\n") == new.endswith("\n") == last)
    # Bytes without any other character are UTF-8, too.
    assume(encoding != "latin-1" or "\u00e9" in old)
    assume(("\r" in old) == ("\r" in new) and ("\n" in old or "\r" not in old))
    raw = "utf-8" if encoding == "utf-8-sig" else encoding
    data, wanted = (ENCODINGS[encoding] + text.encode(raw) for text in (old, new))
    found = read_text(data)
    assert found is not None and found.encode(found.text) == data
    mark = "\ufeff" if encoding == "utf-8-sig" else ""
    forms = [
        (say.whole("f.txt", new),),
        (say.edit("f.txt", (old, new)),),
        "diff of f.txt\n" + diff_of(ground, mark + old, mark + new),
    ]
    if len(ends) == 1 and last:
        forms.append((say.whole("f.txt", new.replace("\r\n", "\n")),))
        forms.append("x\n" + diff_of(ground, mark + old.replace("\r\n", "\n"), mark + new.replace("\r\n", "\n")))
    with Workshop(ground.git_dir, base_of(ground, data)) as shop:
        plans = [say.plan(shop, form) for form in forms]
        assert [say.contents(plan) for plan in plans] == [{"f.txt": wanted}] * len(forms)
        assert len({plan.tree for plan in plans}) == 1
        (commit,) = shop.commits(plans[0], author="A", email="a@x", date=WHO.date)
        assert say.git(Path(shop.git_dir), "fsck", "--strict", "--no-dangling", commit.sha) == ""
        if raw == "utf-8":
            # What the plan shows can be applied by git, and taken as a proposal again.
            assert say.plan(shop, plans[0].diff).tree == plans[0].tree
            patch = Path(shop.git_dir) / "again.patch"
            patch.write_bytes(plans[0].diff.encode("utf-8", "surrogateescape"))
            folder = Path(shop.checkout(shop.base))
            say.git(folder, "apply", "--check", str(patch))
            say.git(folder, "apply", str(patch))
            assert (folder / "f.txt").read_bytes() == wanted


TEXTS = st.text("ab\r\n", max_size=14)


@given(TEXTS, st.text("ab\r\n", min_size=1, max_size=4))
@example("a\r\nb", "\nb")
@example("a\r\na\r\n", "a\n")
def test_what_is_found_is_what_was_looked_for(text: str, wanted: str) -> None:
    found, short = find_once(text, wanted)
    if wanted in text:
        assert [text[start:end] for start, end in found] == [wanted] * len(found)
        assert [start for start, _ in found] == [at for at in range(len(text)) if text.startswith(wanted, at)]
    for start, end in found:
        there = text[start:end].replace("\r\n", "\n")
        assert there + "\n" * short == wanted.replace("\r\n", "\n")


@given(TEXTS, TEXTS)
def test_a_whole_text_keeps_its_last_line_and_comes_to_rest(old: str, new: str) -> None:
    made = whole_text(old, new)
    assert made.replace("\r\n", "\n").rstrip("\n") == new.replace("\r\n", "\n").rstrip("\n") or "\r" in new
    if old and made:
        assert made.endswith("\n") == old.endswith("\n") or new.endswith("\n\n") or "\r" in new
    assert whole_text(old, old) == old or "\r" in old
    assert with_line_ends(old, made, "\r\n" in old).replace("\r\n", "\n") == made.replace("\r\n", "\n")


@given(
    st.text("ab\n", max_size=12),
    st.lists(st.tuples(st.text("ab\n", max_size=4), st.text("ab\n", max_size=4)), max_size=3),
)
def test_edits_do_what_python_would(text: str, pairs: list[tuple[str, str]]) -> None:
    made, problems = apply_edits("f", text, [ReplaceBlock(search=one, replace=other) for one, other in pairs])
    expected = text
    for one, other in pairs:
        places = [at for at in range(len(expected)) if one and expected.startswith(one, at)]
        if len(places) == 1:
            expected = expected.replace(one, other)
        elif one:
            assume(places or not expected.endswith(one.removesuffix("\n")) or one == "\n")
    assert made == expected
    assert all(problem.startswith("edit ") for problem in problems)


PIECES = [
    "--- a/app.py\n", "+++ b/app.py\n", "@@ -1,2 +1,2 @@\n", "@@ -2 +2 @@\n", "@@\n", " def one(x):\n",
    "-    return x\n",
    "+    return 1\n", "\n", "\\ No newline at end of file\n", "rename from app.py\n", "rename to b.py\n",
    "+x\n", "-x\n",
    "diff --git a/app.py b/app.py\n", "new file mode 100644\n", "deleted file mode 100644\n",
    "--- /dev/null\n", "```\n",
    "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "app.py\n", '{"is_fixable": true, "files": [', "]}",
    "prose\n",
    "old mode 100644\n", "new mode 120000\n", "+++ b/../x\n", "GIT binary patch\n", "copy from app.py\n",
    "copy to c.py\n",
]  # fmt: skip


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_reply_ends_in_another_error(shop: Workshop, say: SimpleNamespace, text: str) -> None:
    try:
        proposal = read_proposal(text)
    except (ReplyError, ProposalError) as error:
        assert str(error)
        return
    for group in proposal.commit_groups:
        try:
            made = say.plan(shop, group.diff if group.diff else group.files)
        except (ReplyError, ProposalError) as error:
            assert str(error)
        else:
            assert set(made.paths) <= {"app.py", "b.py", "c.py", "x"}

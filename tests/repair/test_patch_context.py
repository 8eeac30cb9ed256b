from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.protocols import PatchRequest
from sherloc.repair.context import PatchContext, patch_context
from sherloc.schema.brief import GlobalContext, SurgeryBrief
from sherloc.schema.change_set import ChangeSet, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.issue import Issue
from sherloc.settings import Settings
from sherloc.settings_repair import RepairSettings
from sherloc.skeleton.repository import ContextMaker
from sherloc.tokens import estimate_tokens

ISSUE = Issue(title="t")


def place(path: str, start: int | None, end: int | None = None, **values: object) -> ChangeSet:
    return ChangeSet(
        file_path=path, target_location=TargetLocation(start_line=start, end_line=end or start),
        change_type=ChangeType.FIX_LOGIC, confidence=0.5, **values,  # type: ignore[arg-type]
    )  # fmt: skip


def made(
    sources: dict[str, str], *places: ChangeSet, brief: SurgeryBrief | None = None, **repair: object
) -> PatchContext:
    settings = Settings(repair=RepairSettings(**repair))  # type: ignore[arg-type]
    return patch_context(ISSUE, brief or SurgeryBrief(issue_summary="s", change_sets=places), sources, settings)


def shown_lines(context: str) -> list[int]:
    heads = (row.partition("|")[0].strip() for row in context.split("\n") if "|" in row)
    return [int(head) for head in heads if head.isdigit()]


def test_a_whole_small_file() -> None:
    found = made({"a.py": "def f(x):\n    return x + x\n"}, place("a.py", 2))
    assert found.request == PatchRequest(
        ISSUE, SurgeryBrief(issue_summary="s", change_sets=(place("a.py", 2),)),
        {"a.py": "def f(x):\n    return x + x\n"},
        "### a.py (targets: line 2; whole file)\n\n```python\n1| def f(x):\n2|     return x + x\n```",
    )  # fmt: skip
    assert found.tokens == estimate_tokens(found.request.context)
    assert (found.left_out, found.notes) == ((), ())


def test_fifty_lines_around_a_target_in_module_code() -> None:
    text = "".join(f"A{n} = {n}\n" for n in range(1, 301)).replace("A", "VALUE_")
    # No definitions: the skeleton of module code is all of it, so only a budget makes it the window.
    found = made({"a.py": text}, place("a.py", 150), context_tokens=1400)
    assert shown_lines(found.request.context) == list(range(100, 201))
    assert found.request.context.split("\n")[3] == "   | ..."
    assert found.tokens <= 1400
    narrow = made({"a.py": text}, place("a.py", 150), context_tokens=500)
    assert shown_lines(narrow.request.context) == list(range(138, 163))


def test_the_whole_enclosing_function_and_the_heads_of_the_others() -> None:
    body = "".join(f"    x{n} = call({n})\n" for n in range(100))
    text = f"import os\n\n\ndef before():\n{body}\n\ndef hit(a):\n{body}\n\ndef after(b):\n{body}"
    # before: 4-104, hit: 107-207, after: 210-310
    found = made({"a.py": text}, place("a.py", 110))
    lines = shown_lines(found.request.context)
    assert lines == [1, 2, 3, 4, *range(60, 208), 208, 209, 210]
    assert "lines left out" in found.request.context
    assert found.request.context.rstrip("`\n").endswith("| ...")
    # Of a function that has no room the window is shown.
    small = made({"a.py": text}, place("a.py", 150), context_tokens=1000, context_lines=10)
    assert shown_lines(small.request.context) == [1, 2, 3, 4, 105, 106, 107, *range(140, 161), 208, 209, 210]


def test_files_mode_shows_all() -> None:
    body = "".join(f"    x{n} = call({n})\n" for n in range(200))
    text = f"def hit(a):\n    return 1\n\n\ndef other():\n{body}"
    files = made({"a.py": text}, place("a.py", 2), context_mode="files", context_lines=0)
    assert shown_lines(files.request.context) == list(range(1, 206))
    skeleton = made({"a.py": text}, place("a.py", 2), context_lines=0)
    assert shown_lines(skeleton.request.context) == [1, 2, 3, 4, 5]
    assert skeleton.tokens < files.tokens / 10


def test_several_files_share_the_budget_in_the_order_of_the_brief() -> None:
    text = "".join(f"VALUE_{n} = {n}\n" for n in range(1, 301))
    places = [place("b.py", 10), place("a.py", 290), place("c.py", 1), place("b.py", 200)]
    found = made({"a.py": text, "b.py": text, "c.py": "x = 1\n"}, *places, context_tokens=2000)
    heads = [row for row in found.request.context.split("\n") if row.startswith("### ")]
    assert [head.split(" ")[1] for head in heads] == ["b.py", "a.py", "c.py"]
    assert heads[0] == "### b.py (targets: lines 10, 200; lines left out)"
    assert found.tokens <= 2000
    assert sorted(found.request.sources) == ["a.py", "b.py", "c.py"]


def test_a_target_with_no_room_is_left_out() -> None:
    found = made({"a.py": ("y" * 5000 + "\n") * 9}, place("a.py", 2, 6), context_tokens=500)
    assert (found.left_out, found.request.context, found.tokens) == (("a.py",), "", 0)
    assert "a.py" in found.request.sources


def test_very_long_lines_are_cut_with_a_mark() -> None:
    found = made({"a.js": "var a = '" + "y" * 5000 + "';\nb();\n"}, place("a.js", 2))
    assert "y [... the line goes on]\n2| b();" in found.request.context


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "x", "\r\n", "\ufeffx = 1\r\ny = 2\r\n", "def f(:\n  )\n"])
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.txt", "Makefile"])
def test_odd_files(text: str, path: str) -> None:
    found = made({path: text}, place(path, 1), place(path, 900), place(path, None))
    assert found.left_out == ()
    count = len(text.split("\n")) - text.endswith("\n") if text else 0
    assert shown_lines(found.request.context) == list(range(1, count + 1))


def test_new_and_missing_files_have_no_code() -> None:
    found = made({}, place("new.py", None, new_file=True), place("gone.py", 4))
    assert (found.request.context, dict(found.request.sources)) == ("", {})


def test_files_that_hold_secrets_are_never_shown() -> None:
    brief = SurgeryBrief(
        issue_summary="s",
        change_sets=(place(".env", 1, context_code_snippet="KEY=hunter2"), place("a.py", 1)),
        global_context=(
            GlobalContext(file_path="deploy/id_rsa", purpose="p", snippet="hunter2"),
            GlobalContext(file_path="b.py", purpose="p", snippet="y = 2"),
        ),
    )
    sources = {".env": "KEY=hunter2\n", "deploy/id_rsa": "hunter2\n", "a.py": "x = 1\n", "b.py": "y = 2\n"}
    found = made(sources, brief=brief)
    assert "hunter2" not in str(found.request)
    assert sorted(found.request.sources) == ["a.py", "b.py"]
    assert [(note.code, note.path) for note in found.notes] == [
        ("secret_file", ".env"), ("secret_file", "deploy/id_rsa"),
    ]  # fmt: skip
    assert [each.file_path for each in found.request.brief.change_sets] == [".env", "a.py"]


FILES = {
    "shop/basket.py": "from shop.money import rounded\n\n\ndef total(prices):\n    return rounded(sum(prices) * 2)\n",
    "shop/money.py": "def rounded(value):\n" + "    value += 0\n" * 60 + "    return round(value, 2)\n",
    "shop/till.py": "from shop.basket import total\n\n\ndef pay(prices):\n    print(total(prices))\n",
    "other/far.py": "def far():\n    return 1\n",
    "shop/secrets.json": '{"key": "hunter2"}\n',
}


def test_what_stands_around_comes_after_the_targets(make_repository: Callable[..., Path]) -> None:
    maker = ContextMaker(make_repository(FILES))
    brief = SurgeryBrief(issue_summary="s", change_sets=(place("shop/basket.py", 5),))

    def around(**repair: object) -> PatchContext:
        settings = Settings(repair=RepairSettings(**repair))  # type: ignore[arg-type]
        return patch_context(ISSUE, brief, maker.sources, settings, index=maker.index, language="ja")

    found = around()
    heads = [row for row in found.request.context.split("\n") if row.startswith("### ")]
    assert heads[:2] == [
        "### shop/basket.py (targets: line 5; whole file)",
        "### shop/till.py:4 pay (calls total)",
    ]
    assert "### shop/money.py (imported by what changed; bodies left out)" in heads
    assert "value += 0" not in found.request.context
    assert "value += 0" in around(context_mode="files").request.context
    assert "other/far.py" not in found.request.context and "hunter2" not in found.request.context
    assert found.request.language == "ja"
    assert found.tokens == estimate_tokens(found.request.context) <= 16_000
    assert around() == found
    tight = around(context_tokens=500)
    assert tight.tokens <= 500
    assert tight.request.context.startswith(heads[0])
    # money.py does not fit whole, and is not shown in part.
    files = around(context_tokens=500, context_mode="files")
    assert "shop/money.py" in files.left_out
    assert "### shop/money.py" not in files.request.context
    assert files.tokens <= 500

"""Reports on a terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from sherloc.render.code import code_lines
from sherloc.render.console import make_console, mark, wants_colour
from sherloc.render.layout import print_bullet, print_items, print_title, shortened
from sherloc.render.terminal import print_report
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.change_set import ChangeSet, EvidenceItem, TargetLocation
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.report import RankedFile, RankedFunction, Report, RunInfo, SignalRecord, StageTiming

CODE = "".join(f"line_{number} = {number}\n" for number in range(1, 41))


def console(width: int = 80, encoding: str = "utf-8", *, colour: bool = False) -> Console:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    return Console(
        file=stream, width=width, color_system="256" if colour else None, force_terminal=colour, highlight=False,
        markup=False, emoji=False,
    )  # fmt: skip


def text_of(target: Console) -> str:
    stream: Any = target.file
    data: bytes = stream.buffer.getvalue()
    return data.decode(stream.encoding)


def change_set(**more: Any) -> ChangeSet:
    values: dict[str, Any] = {
        "file_path": "pkg/a.py",
        "target_location": TargetLocation(start_line=20, end_line=22, function_name="f"),
        "change_type": ChangeType.FIX_LOGIC,
        "confidence": 0.42,
        "diagnostic_evidence": tuple(EvidenceItem(source="diagnosis", description=f"Sign {n}.") for n in range(5))
        + (EvidenceItem(source="unknown", description="No test was run."),),
        "context_code_snippet": CODE,
        "context_start_line": 1,
    }
    return ChangeSet.model_validate({**values, **more})


def report(**more: Any) -> Report:
    signal = SignalRecord(channel="lexical", kind="lexical", detail="one, two", score=1.0)
    values: dict[str, Any] = {
        "repository": "shop",
        "revision": "",
        "ranked_files": tuple(
            RankedFile(path=f"pkg/{n}.py", score=1, confidence=0.9 - n / 10, signals=(signal,)) for n in range(8)
        ),
        "ranked_functions": tuple(
            RankedFunction(
                path=f"pkg/{n}.py", qualified_name=f"C.f{n}", start_line=1, end_line=2, score=1, confidence=0.2,
                signals=(signal,),
            )
            for n in range(8)
        ),
        "change_sets": tuple(change_set(file_path=f"pkg/{n}.py") for n in range(5)),
        "brief": SurgeryBrief(issue_summary="x"),
        "confidence": "low",
        "confidence_reasons": ("Because [it] is so.",),
        "run": RunInfo(seconds=0.5, stages=(StageTiming(stage="query", seconds=0.1),)),
    }  # fmt: skip
    return Report.model_validate({**values, **more})


def shown(given: Report, width: int = 80, **options: Any) -> str:
    target = console(width)
    print_report(given, target, **options)
    return text_of(target)


def test_order_and_amount() -> None:
    lines = shown(report()).splitlines()
    assert lines[0] == "shop · 0.5 s"
    assert lines[1].startswith("Low confidence")
    assert lines[2] == "  – Because [it] is so."
    assert lines[4] == "▶ pkg/0.py:20-22  f"
    assert sum("one, two" in line for line in lines) == 10
    assert [line[:1] for line in lines if "──" in line] == ["1", "2", "3"]


def test_what_is_unknown_of_all_is_said_once() -> None:
    text = shown(report())
    assert text.count("No test was run.") == 1
    single = shown(report(change_sets=(change_set(),)))
    assert single.count("No test was run.") == 1


def test_three_signs_unless_all_are_asked_for() -> None:
    one = report(change_sets=(change_set(),))
    assert "Sign 2." in shown(one)
    assert "Sign 3." not in shown(one)
    assert "and 2 more (-v)" in shown(one)
    verbose = shown(one, verbose=True)
    assert "Sign 4." in verbose
    assert "query 0.1 s; 0 files parsed, 0 reused" in verbose
    assert "line_40" in verbose


def test_verbose_shows_all_change_sets() -> None:
    assert sum("──" in line for line in shown(report(), verbose=True).splitlines()) == 5


def test_top() -> None:
    text = shown(report(), top=7)
    assert text.count("one, two") == 14


def test_short_cut_and_stale_and_new_file() -> None:
    text = shown(report(short_cut=True, change_sets=(change_set(stale=True, new_file=True),)), 120)
    assert "the issue names its place outright" in text
    assert "the file changed after it was indexed" in text
    assert "a new file" in text


def test_nothing_found() -> None:
    text = shown(report(ranked_files=(), ranked_functions=(), change_sets=()))
    assert "Files" not in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_widths(width: int) -> None:
    for line in shown(report(), width).splitlines():
        assert len(line) <= max(width, 25) or "pkg/" in line


def test_reason_stands_beside_the_path_where_there_is_room() -> None:
    assert "pkg/0.py  shares the words one, two" in shown(report(), 80)
    assert "pkg/0.py\n          shares the words" in shown(report(), 40)


def test_a_place_that_does_not_fit_stands_below_the_name() -> None:
    long = RankedFunction(
        path="pkg/some/module.py", qualified_name="A_rather_long_name_of_a_class.and_its_method", start_line=101,
        end_line=202, score=1, confidence=0.2,
    )  # fmt: skip
    assert "and_its_method\n          pkg/some/module.py:101-202\n" in shown(report(ranked_functions=(long,)), 60)
    assert "and_its_method  pkg/some/module.py:101-202\n" in shown(report(ranked_functions=(long,)), 90)


def test_suspect_lines_are_marked_and_context_is_bounded() -> None:
    lines = [line.plain for line in code_lines(change_set(), console())]
    assert lines[0] == "  16  line_16 = 16"
    assert lines[-1] == "  26  line_26 = 26"
    assert [line for line in lines if line.startswith("▶")] == [f"▶ {n}  line_{n} = {n}" for n in (20, 21, 22)]


def test_ascii_stand_ins() -> None:
    target = console(encoding="ascii")
    print_report(report(), target)
    text = text_of(target)
    assert "> 20  line_20" in text
    assert text.isascii()


def test_colour_highlights_suspect_lines_and_dims_the_rest() -> None:
    target = console(60, colour=True)
    print_report(report(), target)
    assert "\x1b[" in text_of(target)
    for line in code_lines(change_set(), target):
        assert any(span.style == "dim" for span in line.spans) is not line.plain.startswith("▶")


def test_long_lines_are_cut_tabs_are_spaces_and_controls_are_visible() -> None:
    code = "a\tb\n" + "x" * 200 + "\n\x1b[31m\u202e\n"
    lines = [
        line.plain for line in code_lines(change_set(context_code_snippet=code, context_start_line=19), console(40))
    ]
    assert lines[0] == "  19  a   b"
    assert len(lines[1]) == 40
    assert lines[1].endswith("…")
    assert "\\x1b[31m\\u202e" in lines[2]


def test_line_feeds_of_windows() -> None:
    lines = code_lines(change_set(context_code_snippet="a\r\nb\r\n", context_start_line=20), console())
    assert [line.plain for line in lines] == ["▶ 20  a", "▶ 21  b"]


def test_a_file_that_does_not_exist_yet_has_no_suspect_lines() -> None:
    new = change_set(target_location=TargetLocation(), context_start_line=None)
    assert not any(line.plain.startswith("▶") for line in code_lines(new, console()))


def test_code_of_an_unknown_kind() -> None:
    target = console(colour=True)
    lines = code_lines(
        change_set(file_path="a.unheard_of", context_code_snippet="<<< ]] \n", context_start_line=20), target
    )
    assert "<<< ]]" in lines[0].plain


@pytest.mark.parametrize(
    ("environment", "terminal", "no_color", "colour"),
    [
        ({}, True, False, True),
        ({}, False, False, False),
        ({"TERM": "dumb"}, True, False, False),
        ({"NO_COLOR": "1"}, True, False, False),
        ({"NO_COLOR": ""}, True, False, True),
        ({"FORCE_COLOR": "1"}, False, False, True),
        ({"FORCE_COLOR": "0"}, True, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False, False),
        ({"FORCE_COLOR": "1"}, True, True, False),
    ],
)
def test_who_decides_on_colour(environment: dict[str, str], terminal: bool, no_color: bool, colour: bool) -> None:
    assert wants_colour(environment, terminal=terminal, no_color=no_color) is colour


def test_a_pipe_is_wide_and_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    target = make_console(io.StringIO())
    assert target.width == 100
    assert target.color_system is None
    monkeypatch.setenv("COLUMNS", "72")
    assert make_console(io.StringIO()).width == 72


def test_marks_of_an_unknown_encoding() -> None:
    class Odd:
        encoding = "no-such-encoding"

    odd: Any = Odd()
    assert mark(odd, "here") == ">"


def test_layout() -> None:
    target = console(24)
    print_bullet("one two three four five six", target, sign="+", indent="  ")
    print_items(["alpha 1.0", "beta 2.0", "gamma 3.0"], target)
    assert text_of(target).splitlines() == [
        "  + one two three four",
        "    five six",
        "  alpha 1.0, beta 2.0,",
        "  gamma 3.0",
    ]
    assert shortened("abcdef", 4, target).plain == "abc…"
    assert shortened("abcd", 4, target).plain == "abcd"


@pytest.mark.parametrize(
    ("columns", "width"),
    [("0", 100), ("1", 20), ("19", 20), ("21", 21), ("-5", 100), ("x", 100), ("", 100)],
)
def test_no_terminal_is_too_narrow(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    target = make_console(io.StringIO())
    assert target.width == width
    print_title("Files", target)
    assert "Files" in target.file.getvalue()  # type: ignore[attr-defined]

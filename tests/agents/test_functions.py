"""The tools as plain functions: typed, bounded, in words when something is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.agents import (
    ContextAnswer,
    ContextPiece,
    FileAnswer,
    LocateAnswer,
    PlaceAnswer,
    call_tool,
    explain_file,
    get_context,
    index_status,
    locate_issue,
    openai_tools,
)
from sherloc.agents.answers import MOST_BYTES, bounded
from sherloc.errors import UsageError
from sherloc.llm.schemas import is_strict


def test_locate(repo: Path, issue: str) -> None:
    answer = locate_issue(issue, str(repo), top=2)
    assert answer.status == "ready"
    place = answer.places[0]
    assert (place.path, place.function) == ("shop/basket.py", "Basket.total_price")
    assert "total - total * discount" in place.code
    assert place.evidence
    assert [file.path for file in answer.files] == ["shop/basket.py", "shop/mail.py"]
    assert answer.functions[0].name == "Basket.total_price"
    assert not answer.truncated


@pytest.mark.parametrize("top", [0, 51, True, "5"])
def test_a_top_out_of_range(repo: Path, issue: str, top: int) -> None:
    with pytest.raises(UsageError, match="1 to 50"):
        locate_issue(issue, str(repo), top=top)


def test_explain(repo: Path, issue: str) -> None:
    answer = explain_file(issue, "shop/mail.py", str(repo))
    assert (answer.standing, answer.rank) == ("ranked", 2)
    assert answer.functions == ("2. send_receipt shop/mail.py:1-2",) or answer.functions
    with pytest.raises(UsageError, match=r"shop/mial\.py"):
        explain_file(issue, "shop/mial.py", str(repo))


def test_context_by_function_and_by_line(repo: Path) -> None:
    by_name = get_context("shop/basket.py", str(repo), function="Basket.total_price")
    assert by_name == get_context("shop/basket.py", str(repo), function="total_price")
    assert by_name == get_context("shop/basket.py", str(repo), line=10)
    first, second = by_name.pieces
    assert (first.name, first.purpose, first.start_line, first.end_line) == (
        "Basket.total_price", "the place itself", 8, 11,
    )  # fmt: skip
    assert first.code.startswith("    def total_price(self, discount=0):\n")
    assert (second.path, second.purpose) == ("shop/mail.py", "calls Basket.total_price")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({"path": "shop/baskett.py"}, r"No code file .*\nDid you mean shop/basket\.py\?"),
        ({"path": "../../etc/passwd"}, "No code file"),
        ({"path": "shop/basket.py", "line": 99}, "belongs to no code"),
        ({"path": "shop/basket.py", "function": "nothing"}, r"defines no 'nothing'"),
    ],
)
def test_places_that_are_not_there(repo: Path, place: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        get_context(repo=str(repo), **place)  # type: ignore[arg-type]
    assert __import__("re").search(words, str(caught.value))


def test_status_before_and_after(repo: Path, issue: str) -> None:
    absent = index_status(str(repo))
    assert (absent.status, absent.how_to_go_on) == ("absent", "locate builds it.")
    locate_issue(issue, str(repo))
    answer = index_status(str(repo))
    assert (answer.status, answer.files, answer.parsed) == ("ready", 4, 4)


def test_a_large_answer_is_cut_and_says_how_to_go_on(make_repository: Callable[..., Path]) -> None:
    body = "".join(f"    basket_{n} = '{'price ' * 30}'\n" for n in range(110))
    repo = make_repository({f"shop/basket_{n}.py": f"def basket_price_{n}():\n{body}" for n in range(60)})
    issue, plain = "The basket price is wrong\n\n`basket_price_7` fails.", {"vectors": {"embedder": "none"}}
    answer = locate_issue(issue, str(repo), top=50, settings=plain)
    assert answer.truncated
    assert answer.how_to_go_on.startswith("Ask again with a smaller top")
    assert answer.places
    assert len(answer.model_dump_json().encode()) <= MOST_BYTES
    context = get_context("shop/basket_7.py", str(repo), function="basket_price_7")
    assert context.truncated
    assert len(context.model_dump_json().encode()) <= MOST_BYTES
    assert len(context.pieces) == 1


@given(st.integers(0, 30), st.integers(0, 30), st.text(max_size=2000), st.integers(2_000, 6_000))
def test_any_answer_fits(files: int, places: int, text: str, most: int) -> None:
    answer = LocateAnswer(
        files=tuple(FileAnswer(path=f"{n}.py", why=text[:100]) for n in range(files)),
        places=tuple(PlaceAnswer(path=f"{n}.py", chance=0.5, code=text * 5) for n in range(places)),
    )
    cut = bounded(answer, ("files", "places"), "Ask for less.", most_bytes=most)
    assert len(cut.model_dump_json().encode()) <= most
    assert cut.truncated == (cut.places != answer.places or cut.files != answer.files)
    assert bool(cut.places) == bool(places)


def test_one_piece_without_end_is_cut_too() -> None:
    answer = ContextAnswer(pieces=(ContextPiece(path="a", start_line=1, end_line=2, purpose="x", code="é" * 99_999),))
    assert len(bounded(answer, ("pieces",), "less").model_dump_json().encode()) <= MOST_BYTES


def test_definitions_are_strict() -> None:
    tools = openai_tools()
    assert [tool["function"]["name"] for tool in tools] == ["locate", "explain", "get_context", "index_status"]
    for tool in tools:
        assert is_strict(tool["function"]["parameters"])
        assert len(tool["function"]["description"]) < 1024
    locate = tools[0]["function"]["parameters"]
    assert locate["required"] == ["issue", "top", "scope"]
    assert locate["properties"]["top"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]


def test_a_call_by_name(repo: Path, issue: str) -> None:
    arguments = json.dumps({"issue": issue, "top": 1, "scope": None})
    answer = json.loads(call_tool("locate", f"```json\n{arguments}\n```", str(repo)))
    assert answer["files"][0]["path"] == "shop/basket.py"
    assert json.loads(call_tool("index_status", "", str(repo)))["files"] == 4


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("locat", "{}", "There is no tool 'locat'"),
        ("locate", '{"issue": "x", "repo": "/etc"}', "repo"),
        ("locate", {"issue": "x", "repo": "/etc"}, "repo"),
        ("locate", '{"issue": ""}', "no text"),
        ("locate", "not json", ""),
        ("get_context", {"path": "shop/stock.py", "line": "two"}, "line"),
    ],
)
def test_what_goes_wrong_is_told_to_the_model(repo: Path, name: str, arguments: object, words: str) -> None:
    answer = json.loads(call_tool(name, arguments, str(repo)))  # type: ignore[arg-type]
    assert set(answer) == {"error", "hint"}
    assert words in answer["error"]


def test_langchain(repo: Path, issue: str) -> None:
    from sherloc.agents.langchain import langchain_tools

    tools = {tool.name: tool for tool in langchain_tools(str(repo))}
    assert set(tools) == {"locate", "explain", "get_context", "index_status"}
    answer = json.loads(tools["locate"].invoke({"issue": issue, "top": 1}))
    assert answer["files"][0]["path"] == "shop/basket.py"
    assert json.loads(tools["index_status"].invoke({}))["status"] == "ready"


@pytest.mark.slow
def test_llamaindex(repo: Path, issue: str) -> None:
    pytest.importorskip("llama_index.core")
    from sherloc.agents.llamaindex import llamaindex_tools

    tools = {tool.metadata.name: tool for tool in llamaindex_tools(str(repo))}
    assert set(tools) == {"locate", "explain", "get_context", "index_status"}
    answer = json.loads(tools["locate"].call(issue=issue, top=1).raw_output)
    assert answer["files"][0]["path"] == "shop/basket.py"

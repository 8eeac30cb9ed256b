"""Lists that come in pages, and answers of too many values."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from forge.test_wire import Odd, odd
from sherloc.errors import ForgeRefusedError
from sherloc.forge import open_forge
from sherloc.settings_repair import ForgeSettings

__all__ = ["odd"]


@dataclass
class Pages:
    """A server of lists, and what it was asked for."""

    url: str
    size: int
    asked: list[str] = field(default_factory=list)


def paged(odd: Any, items: Callable[[int], list[Any]], link: Callable[[int], str] = lambda _: "") -> Pages:
    """A server whose list has these items on each page, and this header."""
    pages = Pages("", len(json.dumps(items(1))))

    def do_get(self: Odd) -> None:
        pages.asked.append(self.path)
        page = int(parse_qs(urlsplit(self.path).query)["page"][0])
        self.body, self.extra = json.dumps(items(page)).encode(), {"Link": link(page)} if link(page) else {}
        Odd.do_GET(self)

    pages.url, _ = odd(do_GET=do_get)
    return pages


def listed(pages: Pages, kind: Any = "github") -> list[str]:
    forge = open_forge("o/r", ForgeSettings(kind=kind, base_url=pages.url, retries=0), {})
    try:
        return forge.comments(1)
    finally:
        forge.close()


def comments(first: int, last: int) -> list[Any]:
    return [{"id": number, "body": str(number)} for number in range(first, last)]


def test_the_pages_of_a_list_are_bounded_together(odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherloc.forge.wire._MOST_BYTES_OF_A_LIST", 100_000)
    pages = paged(odd, lambda page: [{"id": page * 50 + number + 1000, "body": "x" * 600} for number in range(50)])
    forge = open_forge("o/r", ForgeSettings(base_url=pages.url), {})
    with pytest.raises(ForgeRefusedError, match=r"GET /repos/o/r/issues/1/comments: the list is larger than"):
        forge.comments(1)
    assert len(pages.asked) == 100_000 // pages.size + 1
    forge.close()


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_server_that_knows_no_pages(odd: Any, kind: Any) -> None:
    for count in (50, 130):
        pages = paged(odd, lambda _, count=count: comments(0, count))  # type: ignore[misc]
        assert listed(pages, kind) == [str(number) for number in range(count)]
        assert len(pages.asked) == 2


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_server_with_smaller_pages_says_that_there_are_more(odd: Any, kind: Any) -> None:
    pages = paged(
        odd, lambda page: comments(page * 10, page * 10 + 10),
        lambda page: '<x>; rel="next", <y>; rel="last"' if page < 7 else '<x>; rel="first"',
    )  # fmt: skip
    assert listed(pages, kind) == [str(number) for number in range(10, 80)]


def test_a_list_is_never_cut_without_a_word(odd: Any) -> None:
    full = paged(odd, lambda page: comments(page * 50, page * 50 + 50) if page <= 100 else [])
    assert len(listed(full)) == 5000
    for pages in (
        paged(odd, lambda page: comments(page * 50, page * 50 + 50)),
        paged(odd, lambda page: [], lambda page: '<x>; rel="next"'),
    ):
        with pytest.raises(ForgeRefusedError, match="has more than 100 pages"):
            listed(pages)
        assert len(pages.asked) == 101


def test_an_answer_of_a_million_values_is_not_read(odd: Any) -> None:
    url, _ = odd(body=b"[" + b"{}," * 1_000_001 + b"{}]")
    forge = open_forge("o/r", ForgeSettings(base_url=url), {})
    with pytest.raises(ForgeRefusedError, match="has more than 1,000,000 values"):
        forge.comments(1)
    url, _ = odd(body=b"[" + b"{}," * 900_000 + b"{}]")
    forge = open_forge("o/r", ForgeSettings(base_url=url), {})
    with pytest.raises(ForgeRefusedError, match=r"not what it should be: id: Field required\."):
        forge.comments(1)
    forge.close()


@pytest.mark.parametrize(
    "entry", [{"id": "zz" * 20}, {"id": "a" * 39}, {"id": ""}, {"id": "\u0663" * 40}, {"mode": "999999"}, {"mode": ""}]
)
def test_a_tree_of_gitlab_that_is_none(odd: Any, entry: dict[str, str]) -> None:
    url, _ = odd(body=json.dumps([{"id": "a" * 40, "name": "x", "mode": "100644", **entry}]).encode())
    forge: Any = open_forge("o/r", ForgeSettings(kind="gitlab", base_url=url), {})
    with pytest.raises(ForgeRefusedError, match="not what it should be: (id|mode)"):
        forge._tree("a" * 40)
    forge.close()

"""Tools show nothing of files that hold secrets, and answer arguments of any type in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import Locator

FILES = {"shop.py": "SECRET_KEY = load()\n", ".env": "SECRET_KEY=Zx81hhQQmm2938hdkLLqpw\n", "id_rsa": "SECRET_KEY\n"}


def test_a_search_does_not_look_into_files_with_secrets(make_repository: Callable[..., Path]) -> None:
    with Locator(make_repository(FILES), settings={"vectors": {"embedder": "none"}}) as locator:
        tools = locator.tools()
        assert tools.call("search_text", {"text": "SECRET_KEY"}).text == "shop.py:1: SECRET_KEY = load()"
        assert not tools.call("search_text", {"text": "Zx81"}).ok
        assert "Zx81" not in tools.call("search_text", {"text": "SECRET_KEY", "path": ".env"}).text


@pytest.mark.parametrize(
    ("name", "arguments"), [("show_lines", None), (None, {}), ("show_lines", 5), ("search_text", [])]
)
def test_wrong_types_are_answered_in_words(make_repository: Callable[..., Path], name: Any, arguments: Any) -> None:
    with Locator(make_repository(FILES), settings={"vectors": {"embedder": "none"}}) as locator:
        assert not locator.tools().call(name, arguments).ok

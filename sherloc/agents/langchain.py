"""The tools for LangChain. Needs ``pip install 'sherloc[langchain]'``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.agents.definitions import TOOLS, bound
from sherloc.errors import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


def langchain_tools(repo: str = ".", *, settings: Mapping[str, Any] | None = None) -> list[StructuredTool]:
    """The tools as LangChain's ``StructuredTool``, bound to a repository.

    Args:
        repo: The repository.
        settings: Nested sections, as for ``sherloc.locate``.

    Raises:
        MissingExtraError: LangChain is not installed.
    """
    try:
        from langchain_core.tools import StructuredTool
    except ImportError as error:
        raise MissingExtraError("langchain-core", "langchain", "Offering tools to LangChain") from error

    return [
        StructuredTool.from_function(
            func=bound(tool.name, repo, settings),
            name=tool.name,
            description=tool.description,
            args_schema=tool.arguments,
        )
        for tool in TOOLS
    ]

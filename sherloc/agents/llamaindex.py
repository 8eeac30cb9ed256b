"""The tools for LlamaIndex. Needs ``pip install 'sherloc[llamaindex]'``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.agents.definitions import TOOLS, bound
from sherloc.errors import MissingExtraError

if TYPE_CHECKING:
    from llama_index.core.tools import FunctionTool


def llamaindex_tools(repo: str = ".", *, settings: Mapping[str, Any] | None = None) -> list[FunctionTool]:
    """The tools as LlamaIndex's ``FunctionTool``, bound to a repository.

    Args:
        repo: The repository.
        settings: Nested sections, as for ``sherloc.locate``.

    Raises:
        MissingExtraError: LlamaIndex is not installed.
    """
    try:
        from llama_index.core.tools import FunctionTool
    except ImportError as error:
        raise MissingExtraError("llama-index-core", "llamaindex", "Offering tools to LlamaIndex") from error

    return [
        FunctionTool.from_defaults(
            fn=bound(tool.name, repo, settings), name=tool.name, description=tool.description, fn_schema=tool.arguments
        )
        for tool in TOOLS
    ]

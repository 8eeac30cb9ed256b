"""What agents call: plain typed functions, their definitions for model APIs, and a server that speaks MCP.

``locate_issue``, ``explain_file``, ``get_context`` and ``index_status`` only read; each gives a small typed answer that
never grows beyond a limit and says how to go on. ``openai_tools`` describes them, ``call_tool`` runs one by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherloc.agents.answers import (
        ContextAnswer,
        ContextPiece,
        ExplainAnswer,
        FileAnswer,
        FunctionAnswer,
        IndexAnswer,
        LocateAnswer,
        PlaceAnswer,
        SkeletonPiece,
    )
    from sherloc.agents.definitions import TOOLS, Tool, call_tool, openai_tools
    from sherloc.agents.functions import explain_file, get_context, index_status, locate_issue

__all__ = [
    "TOOLS",
    "ContextAnswer",
    "ContextPiece",
    "ExplainAnswer",
    "FileAnswer",
    "FunctionAnswer",
    "IndexAnswer",
    "LocateAnswer",
    "PlaceAnswer",
    "SkeletonPiece",
    "Tool",
    "call_tool",
    "explain_file",
    "get_context",
    "index_status",
    "locate_issue",
    "openai_tools",
]
_FUNCTIONS = ("explain_file", "get_context", "index_status", "locate_issue")
_DEFINITIONS = ("TOOLS", "Tool", "call_tool", "openai_tools")


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: a starting server needs few of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "functions" if name in _FUNCTIONS else "definitions" if name in _DEFINITIONS else "answers"
    return getattr(import_module(f"{__name__}.{home}"), name)

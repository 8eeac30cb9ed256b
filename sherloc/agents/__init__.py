"""What agents call: plain typed functions, their definitions for model APIs, and a server that speaks MCP.

``locate_issue``, ``explain_file``, ``get_context`` and ``index_status`` only read; each gives a small typed answer that
never grows beyond a limit and says how to go on. ``openai_tools`` describes them, ``call_tool`` runs one by name.
"""

from __future__ import annotations

from sherloc.agents.answers import (
    ContextAnswer,
    ContextPiece,
    ExplainAnswer,
    FileAnswer,
    FunctionAnswer,
    IndexAnswer,
    LocateAnswer,
    PlaceAnswer,
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
    "Tool",
    "call_tool",
    "explain_file",
    "get_context",
    "index_status",
    "locate_issue",
    "openai_tools",
]

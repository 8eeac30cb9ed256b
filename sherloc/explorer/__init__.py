"""Exploration: a model with a few tools that read the repository, and the tools by themselves."""

from sherloc.explorer.explore import Exploration, Explorer
from sherloc.explorer.toolbelt import ToolBelt, ToolResult

__all__ = ["Exploration", "Explorer", "ToolBelt", "ToolResult"]

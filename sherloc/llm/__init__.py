"""Language models behind one seam."""

from sherloc.llm.scripted import ScriptedModel

__all__ = ["ScriptedModel"]

"""From a query and an index to candidates."""

from sherloc.retriever.explain import Explainer, FileRank, FunctionRank
from sherloc.retriever.retrieve import Retriever

__all__ = ["Explainer", "FileRank", "FunctionRank", "Retriever", "retrieve"]

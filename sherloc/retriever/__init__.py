"""From a query and an index to candidates."""

from sherloc.retriever.retrieve import Retriever, retrieve

__all__ = ["Retriever", "retrieve"]

"""Issue -> Query: an issue taken apart into what helps to find code.

Pure text analysis: no repository, no model. ``build`` knows the order; ``layout`` cuts the text into chunks,
``segments`` gives every piece of a chunk its kind, and a module each reads names, paths, frames, messages and code.
"""

from sherloc.query.build import build_query
from sherloc.query.weights import QueryWeights

__all__ = ["QueryWeights", "build_query"]

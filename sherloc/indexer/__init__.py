"""From a tree of files to an index of snippets.

Nothing is imported here: the parsing processes load only what they need, ``indexer.worker``.
"""

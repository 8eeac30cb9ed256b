"""What models are told of the tools: when to use each, and when not."""

from __future__ import annotations

ISSUE = (
    "The issue's text: its title on the first line, then all that is known: messages, tracebacks, what was expected."
)
LOCATE = (
    "Find the files, functions and lines that must change for an issue, bug report or failing test, ranked, with "
    "evidence and an estimated chance each. Use it first when you do not know where a problem lies; when you know an "
    "exact name or message, a plain text search is enough."
)
EXPLAIN = "Say why one file is, or is not, among those to change for an issue. Use it to check a suspicion of your own."
CONTEXT = (
    "Show the code of a place together with what calls it, what it calls and what it overrides, and the skeletons "
    "(heads without bodies, numbered) of its file and of files around. Use it before editing a place; to read a whole "
    "file, read it from disk."
)
STATUS = "Say whether the repository's index is ready. locate builds it by itself; use this only after a slow answer."

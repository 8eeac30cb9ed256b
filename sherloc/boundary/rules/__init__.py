"""The rules: what sentences look like that direct who reads the material.

Four families come with a topic word: ``order``, ``waiver`` (permission not to look, or a claim that someone else has
approved), ``scope`` (exclusion) and ``limit`` (of the number of findings). Six more are of their own kind: ``answer``
(shapes the reader's answer or code), ``precondition`` (a command before any change), ``secrets`` (prose or a command
that shows credentials), ``persistence`` (hooks and jobs), ``override`` (forget what was said before, tokens of chat
formats), and characters that hide text: ``bidirectional`` and ``invisible``. ``reads_like`` is no rule: it names lines
that only the learned score finds.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from sherloc.boundary.rules import (
    chinese,
    chinese_clauses,
    chinese_requests,
    commands,
    english,
    english_clauses,
    english_requests,
    japanese,
    japanese_clauses,
    japanese_requests,
)
from sherloc.boundary.rules._rule import CJK, Rule

RULE_NAMES = (
    "order", "waiver", "scope", "limit", "answer", "precondition", "secrets", "persistence", "override",
    "reads_like", "bidirectional", "invisible",
)  # fmt: skip

READS_LIKE = "reads_like"
"""The name of hits that no rule gives, only the learned score."""

WEIGHED = frozenset({"order", "waiver", "scope", "limit"})
"""Rules whose matches do not count where the line's learned score is that of ordinary text."""

RULES: tuple[Rule, ...] = (
    *english.RULES, *english_clauses.RULES, *english_requests.RULES, *japanese.RULES,
    *japanese_clauses.RULES, *japanese_requests.RULES, *chinese.RULES, *chinese_clauses.RULES, *chinese_requests.RULES, *commands.RULES,
)  # fmt: skip


WEIGHTS = Path(__file__).parent.parent / "weights"
"""Folder of the learned weights, a file a language; ``sherloc.boundary.learned`` reads them."""


@cache
def rules_version() -> str:
    """A short hash of all rules and of the learned weights: the same rules find the same lines."""
    parts = (part for rule in RULES for part in (rule.name, *rule.anchors, rule.source, rule.unless, *rule.also))
    text = "\0".join(parts)
    made = hashlib.sha256(text.encode())
    for path in sorted(WEIGHTS.glob("*.npz")):
        made.update(path.read_bytes())
    return made.hexdigest()[:12]


__all__ = ["CJK", "READS_LIKE", "RULES", "RULE_NAMES", "WEIGHED", "WEIGHTS", "Rule", "rules_version"]

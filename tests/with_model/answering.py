"""A scripted model that answers each kind of question by a function of what it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from sherloc.llm import ScriptedModel
from sherloc.llm.prompts import load_prompt
from sherloc.protocols import Message

PIECE = re.compile(r"^Piece \[(p-[0-9a-f]+)\]:\n<<<MATERIAL-\w+\n(.*) \[\w+\]$", re.M)
ENTRY = re.compile(r"^\[(p-[0-9a-f]+)\] (.*) \[\w+\]$", re.M)
EVIDENCE = re.compile(r"^path: (.*)\nfunction: (.*)$", re.M)
KINDS = ("expand", "narrow", "filter", "rerank", "diagnose", "arbitrate", "explore")

Answer = Callable[[str], Any]


def verdict(name: str, score: float, **more: Any) -> dict[str, Any]:
    """A verdict as a model writes it."""
    return {
        "id": name,
        "relevance_score": score,
        "impact": "i",
        "reason": "r",
        "potential_change_type": "fix_logic",
        **more,
    }


def scoring(score: Callable[[str], float]) -> dict[str, Answer]:
    """Answers of a model that scores places (``path::name``) and nothing else."""
    return {
        "expand": lambda _: {"description": "", "terms": []},
        "narrow": lambda _: {"files": [], "folders": []},
        "filter": lambda text: {"pieces": [{"id": n, "relevant": score(p) >= 2} for n, p in PIECE.findall(text)]},
        "rerank": lambda text: {
            "ranking": [n for n, p in sorted(ENTRY.findall(text), key=lambda e: -score(e[1])) if score(p) > 0][:15]
        },
        "diagnose": lambda text: {"diagnoses": [verdict(n, score(p)) for n, p in PIECE.findall(text)]},
        "arbitrate": lambda text: {
            "primary_change_sets": [
                {"file_path": path, "function_name": name, "target_lines": "", "confidence": 0.8}
                for path, name in sorted(EVIDENCE.findall(text), key=lambda e: -score(f"{e[0]}::{e[1]}"))[:1]
            ],
            "reasoning": "scripted",
        },
    }


def kind_of(system: str) -> str:
    """Which question a system prompt belongs to."""
    return next(kind for kind in KINDS if system.startswith(load_prompt(kind).system))


def answering(answers: dict[str, Answer], name: str = "scripted") -> ScriptedModel:
    """A model that answers by kind of question; what is no text is written as JSON."""

    def answer(messages: Sequence[Message]) -> Any:
        found = answers[kind_of(messages[0].content)](messages[-1].content)
        return json.dumps(found) if isinstance(found, (dict, list)) else found

    return ScriptedModel(answer, name=name)

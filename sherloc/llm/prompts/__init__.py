"""Prompts as files: what each question says to a model, with a version.

A file starts with ``version: N``. Before the line ``=== reply ===`` stands the system prompt, behind it the contract of
the reply, which is said last, after the material: what stands in the middle of a long prompt is read least.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

_REPLY = "\n=== reply ===\n"
_VERSION = "version:"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The fixed parts of a question.

    Attributes:
        name: The file's name without its ending.
        version: As the file says it.
        system: Who is asked what, and by which rules.
        reply: The form of the answer.
        identity: Name, version and a hash of the text: an edited prompt never gets another one's cached answers.
    """

    name: str
    version: int
    system: str
    reply: str
    identity: str


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a question.

    Args:
        name: ``diagnose``, ``rerank``, ``narrow``, ``expand``, ``filter``, ``arbitrate`` or ``explore``.
    """
    text = (resources.files(__name__) / f"{name}.md").read_text(encoding="utf-8").replace("\r\n", "\n")
    head, _, body = text.partition("\n")
    version = int(head.removeprefix(_VERSION))
    system, _, reply = body.partition(_REPLY)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Prompt(name, version, system.strip(), reply.strip(), f"{name}-{version}-{digest}")

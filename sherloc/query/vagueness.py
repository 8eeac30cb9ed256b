"""Why an issue gives little to go on."""

from __future__ import annotations

from collections.abc import Sequence

from sherloc.schema.query import Query
from sherloc.terms import expand

_GENERIC = frozenset(
    term
    for word in """app application bad behavior behaviour break broken bug button cannot cant change click code
    crash crashes crashed current dead doesn don error errors everything expected fail failed failing fails
    failure fault feature fix fixed freeze freezes gone hang hangs happen happens hello help helps here hi
    incorrect issue issues keep know latest long lot make many need never new nothing often old page people
    please pls problem problems program project really report result run running runs screen see seem seems
    since slow slowly software someone something sometimes soon still stop stopped stops stuff support sure
    system take takes tell thank thanks thing things time today try trying unable unexpected update user users
    version want weird well work worked working works wrong time times always again all also another because
    but cant every getting give go good great much one other own person point possible question quite same say
    start there very way won yesterday""".split()
    for term in expand(word)
)
_FEW_TERMS = 4
_SOME_TERMS = 8


def reasons_for_vagueness(query: Query) -> tuple[str, ...]:
    """Reasons in plain words; empty when the issue names enough.

    Args:
        query: The query without its ``vague``.
    """
    if not query.terms:
        return ("The issue has no words to search for.",)
    telling = [term for term, _ in query.terms if term not in _GENERIC]
    named = any(mention.origin != "prose" for mention in query.mentions)
    anchored = bool(named or query.paths or query.frames or query.exceptions or query.settings)
    said = bool(query.messages or query.code_blocks)
    reasons: list[str] = []
    if not telling:
        reasons.append("It uses only general words, such as 'error' or 'does not work'.")
    elif len(telling) < _FEW_TERMS and not anchored:
        reasons.append(
            f"It has only {_count(len(telling))} telling word{'s' if len(telling) > 1 else ''}: {_listed(telling)}."
        )
    if not anchored and not said and len(telling) < _SOME_TERMS:
        reasons.append("It names no function, class, file, message or setting.")
    if reasons and all(segment.kind == "title" for segment in query.segments):
        reasons.append("It has a title only.")
    return tuple(reasons)


def _count(number: int) -> str:
    return ("no", "one", "two", "three")[number] if number < _FEW_TERMS else str(number)


def _listed(terms: Sequence[str]) -> str:
    return ", ".join(sorted(terms))

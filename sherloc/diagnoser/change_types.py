"""What kind of change an issue asks for, by the words of the issue and the shape of the code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sherloc.late import late
from sherloc.schema.diagnosis import ChangeType
from sherloc.schema.query import Query
from sherloc.schema.snippet import Snippet

_TITLE_WEIGHT = 3.0
_MESSAGE_WEIGHT = 2.0
_TEXT_WEIGHT = 1.0
_MOST_TEXT_HITS = 3
_CODE_WEIGHT = 0.75
_LEAST = 2.0
_MAX_CHARACTERS = 20_000

_PROSE_KINDS = frozenset({"description", "expected", "actual", "comment"})
_NOT_CODE = (".md", ".rst", ".txt", ".adoc", ".cfg", ".ini", ".toml", ".yaml", ".yml", ".json", ".xml", ".properties")


class _Rule(NamedTuple):
    change_type: ChangeType
    issue: re.Pattern[str]
    code: Callable[[], re.Pattern[str]] | None = None


def _rule(change_type: ChangeType, issue: str, code: str = "") -> _Rule:
    # Gaps in the patterns are bounded, so that each takes linear time.
    return _Rule(change_type, re.compile(issue, re.I), late(code) if code else None)


_RULES = (
    _rule(
        ChangeType.FIX_NULL_HANDLING,
        r"nonetype|null ?pointer|\bNPE\b|nil pointer|null (?:reference|dereference)|undefined is not|of undefined"
        r"|cannot read propert|segmentation fault|segfault"
        r"|\b(?:is|when|if|being|returns?|with) (?:`?none`?|null|nil)\b",
        r"\bNone\b|\bnull(?:ptr)?\b|\bnil\b|\?\.|\bOption(?:al)?\b",
    ),
    _rule(
        ChangeType.FIX_BOUNDARY,
        r"indexerror|index out of|out of (?:range|bounds)|outofbounds|off[- ]by[- ]one|overflow|underflow|boundary"
        r"|stopiteration|negative (?:index|size|length)|empty (?:list|array|string|sequence|input|slice)"
        r"|zero[- ]length|divi(?:de|sion) by zero|zerodivision",
        r"\[[^\]\n]{0,40}[-+] ?1|\brange\(|\blen\(|\.(?:length|size)\b|[<>]=",
    ),
    _rule(
        ChangeType.FIX_PARAMETERS,
        r"missing \d+ required|unexpected keyword|positional argument|got multiple values|takes \d+ "
        r"|(?:wrong|incorrect|missing|extra) (?:number of )?(?:arguments?|parameters?)|\bkwargs?\b"
        r"|(?:argument|parameter)s? (?:\S+ )?(?:is|are) (?:ignored|missing|not (?:passed|used|respected))|not passed",
        r"\*\*kwargs|\*args|\w+=\w+,",
    ),
    _rule(
        ChangeType.FIX_PERMISSION_CHECK,
        r"permission|forbidden|\b40[13]\b|denied|csrf|unauthori[sz]ed|access control|privilege",
        r"permission|\bauth|csrf|\bchmod|is_staff|is_superuser|\brole",
    ),
    _rule(
        ChangeType.FIX_CONCURRENCY,
        r"race condition|deadlock|data race|concurren|thread[- ]?safe|\bthreads?\b|\basyncio\b|\bcoroutines?\b|\bmutex",
        r"\bLock\(|\bthreading\b|\bawait\b|\basync\b|synchronized|\bMutex\b|\bgo func|\bspawn\b",
    ),
    _rule(
        ChangeType.ADD_INPUT_VALIDATION,
        r"invalid \w{1,30} (?:is|are|was|were) (?:accepted|allowed)|should (?:reject|refuse|not (?:allow|accept))"
        r"|\bvalidat(?:e|ion|or)|prohibit|disallow|sanitiz|accepts? invalid|without (?:any )?(?:check|warning|error)",
        r"\bvalidate|\bclean|ValidationError|\bcheck_",
    ),
    _rule(
        ChangeType.FIX_TYPE_CONVERSION,
        r"unicode(?:de|en)code|\b(?:en|de)cod(?:e|ing|es|ed)\b|\bdtypes?\b|\bcast(?:s|ed|ing)?\b|\bcoerc"
        r"|type conversion"
        r"|\bbytes?(?:string)?s?\b.{0,40}\bstr(?:ing)?s?\b|\bstr(?:ing)?s?\b.{0,40}\bbytes?\b"
        r"|\bconver(?:t|ts|ted|ting|sion)\b|\bto (?:int|float|str|string)\b|unsupported operand|serializ",
        r"\b(?:int|float|str|bytes|bool)\(|\.astype\(|\.(?:en|de)code\(|dtype|isinstance\(",
    ),
    _rule(
        ChangeType.FIX_API_CALL,
        r"deprecat|no longer (?:available|supported|works?)|incompatible with|removed in|breaking change"
        r"|has no attribute|futurewarning",
        r"warnings\.warn|deprecat|Deprecat",
    ),
    _rule(
        ChangeType.FIX_EXCEPTION_HANDLING,
        r"swallow|uncaught|unhandled|should (?:raise|throw|catch)|exceptions? (?:is|are) (?:not )?(?:raised|caught)"
        r"|(?:confusing|misleading|unhelpful|wrong|bad|better) error|error message|instead of (?:raising|an? error)"
        r"|crash(?:es|ed|ing)?\b|raises? (?:an? )?(?:\w{1,40}error|exception)",
        r"\bexcept\b|\braise\b|\bcatch\b|\bthrow\b|\brescue\b",
    ),
    _rule(
        ChangeType.FIX_STATE,
        r"\bcache[ds]?\b|\bcaching\b|\bstale\b|\bmutab|\bmutat|side[- ]effects?|\bshared\b|\bleaks?\b|\bstate\b|\breset"
        r"|second (?:time|call|run)|\btwice\b|in[- ]place|\bpickl|\bunhashable|\bcop(?:y|ies|ied)\b",
        r"cache|\bself\._?\w+ ?=|\bglobal\b|\bcopy\(|\.clear\(|\breset",
    ),
    _rule(
        ChangeType.FIX_CONFIGURATION,
        r"\bsettings?\b|\bdefault(?:s| value)?\b|\bconfig\w{0,12}\b|command[- ]line|environment variable|\.ini\b"
        r"|\.toml\b"
        r"|(?:^|\s)--[a-z]",
        r"\bsettings\.|config|add_argument|add_option|getenv|environ|default",
    ),
    _rule(
        ChangeType.ADD_FEATURE,
        r"feature request|add(?:ing)? (?:\w+ )?support|\bsupport for\b|should (?:allow|support|be able)|enhancement"
        r"|would be (?:nice|useful|great|helpful|good)|\bproposal\b|\bimplement\b|please add|^allow\b|^add\b|^support\b"
        r"|\bwe (?:could|should) add\b|not (?:yet )?(?:supported|implemented)|lacks? support",
    ),
    _rule(
        ChangeType.FIX_CONDITION,
        r"wrong(?:ly)? (?:\w+ )?(?:result|compar|detect|treat|consider)|\bcompar(?:e|es|ison|ing)\b|\bcondition"
        r"|incorrectly (?:treated|detected|considered|marked|identif|report)|false (?:positive|negative)"
        r"|should (?:only|not|never)\b|\bshouldn'?t\b|even (?:if|when|though)|regardless of|only (?:when|if)"
        r"|\bignor(?:e|es|ed)\b",
        r"\bif\b|\belif\b|\bwhile\b|==|!=|\bswitch\b|\bmatch\b",
    ),
)


class ChangeTypeRules:
    """Rules for one issue; the issue's part is worked out once, the code's part for each snippet.

    A rule counts 3 for the title, 2 for quoted messages and exception names, and 1 for each of up to three hits in
    description, expected, actual and comments; code of a fitting shape adds 0.75 to a rule that the issue already
    supports. The highest sum wins, ties go to the rule that stands first (null handling, boundary, parameters,
    permission, concurrency, validation, conversion, API call, exceptions, state, configuration, feature, condition).
    Under a sum of 2 it is ``fix_logic``. Documentation and configuration files give ``other``.

    Args:
        query: The issue, taken apart.
    """

    def __init__(self, query: Query) -> None:
        title = "\n".join(part.text for part in query.segments if part.kind == "title")[:_MAX_CHARACTERS]
        prose = "\n".join(part.text for part in query.segments if part.kind in _PROSE_KINDS)[:_MAX_CHARACTERS]
        quoted = "\n".join((*query.messages, *query.exceptions))[:_MAX_CHARACTERS]
        self._supported: list[tuple[float, _Rule]] = []
        for rule in _RULES:
            hits = min(sum(1 for _ in rule.issue.finditer(prose)), _MOST_TEXT_HITS)
            weight = _TEXT_WEIGHT * hits
            weight += _TITLE_WEIGHT * bool(rule.issue.search(title)) + _MESSAGE_WEIGHT * bool(rule.issue.search(quoted))
            if weight:
                self._supported.append((weight, rule))

    def change_type(self, snippet: Snippet, code: str) -> ChangeType:
        """The kind of change expected in a snippet.

        Args:
            snippet: The snippet.
            code: Its text; may be empty.
        """
        if snippet.path.lower().endswith(_NOT_CODE):
            return ChangeType.OTHER
        code = code[:_MAX_CHARACTERS]
        best, best_weight = ChangeType.FIX_LOGIC, 0.0
        for weight, rule in self._supported:
            if rule.code is not None and rule.code().search(code):
                weight += _CODE_WEIGHT
            if weight >= _LEAST and weight > best_weight:
                best, best_weight = rule.change_type, weight
        return best

"""What keys look like. Each rule is a literal mark, looked for first, and a pattern that takes linear time.

Sources: the providers' own documentation of their key formats, as of 2026; secret scanners agree on most of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sherloc.llm.secrets.randomness import looks_random, looks_random_password

_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    Attributes:
        kind: Name for reports.
        marks: Lower-case texts; at least one is in every text that holds such a secret.
        pattern: Finds it; group 1, where there is one, is the part to take out.
        accepts: Looks at that part: is it really one?
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = lambda value: True


def _rule(
    kind: str, marks: str, pattern: str, accepts: Callable[[str], bool] = lambda value: True, flags: int = 0
) -> Rule:
    return Rule(kind, tuple(marks.split()), re.compile(pattern, flags), accepts)


_PLACEHOLDERS = re.compile(
    r"example|sample|change.?me|placeholder|your|xxxx|\*\*\*|dummy|fake|redacted|foobar|1234567|abcdef|0000000|deadbeef",
    re.I,
)
_PLAIN_PASSWORDS = re.compile(
    r"pass|passwd|password\d*|pwd|pw|secret|user|username|token|key|x+|foo|bar|baz|test\w*|qwerty|my\w*|the\w*|some\w*",
    re.I,
)


def _real(value: str) -> bool:
    return not _PLACEHOLDERS.search(value)


def _real_random(value: str) -> bool:
    return _real(value) and looks_random(value)


def _real_password(value: str) -> bool:
    return _real(value) and looks_random_password(value)


def _real_url_password(value: str) -> bool:
    return _real(value) and not _PLAIN_PASSWORDS.fullmatch(value) and not re.search(r"[{}<>$%()\[\]\\]", value)


_SECRET_WORDS = (
    r"(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|auth[_-]?key"
    r"|account[_-]?key|signing[_-]?key|encryption[_-]?key|credential)"
)
# Not what a name says about a secret (where it is, what it is called) but the secret itself.
_NOT_ABOUT = r"(?!\w{0,20}(?:name|path|file|url|uri|env|header|field|type|format|regex|pattern|expires|length|class))"

RULES = (
    _rule("aws_key", "akia asia abia acca", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + _END, _real),
    _rule(
        "github_token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})", _real,
    ),
    _rule("gitlab_token", "glpat-", _START + r"glpat-[A-Za-z0-9_-]{20,255}", _real),
    _rule("anthropic_key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_-]{20,255}", _real),
    _rule("openai_key", "sk-", _START + r"sk-(?!ant-)[A-Za-z0-9_-]{20,255}", _real_random),
    _rule("google_key", "aiza", _START + r"AIza[A-Za-z0-9_-]{35}" + _END, _real),
    _rule("google_token", "ya29. gocspx-",
          _START + r"(?:ya29\.[A-Za-z0-9_-]{20,512}|GOCSPX-[A-Za-z0-9_-]{20,64})", _real),
    _rule("slack_token", "xox xapp-", _START + r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}", _real),
    _rule(
        "slack_webhook", "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9_]{6,64}/[A-Za-z0-9_/]{16,128})", _real,
    ),
    _rule("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
          _START + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})", _real_random),
    _rule(
        "discord_webhook", "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{60,80})", _real,
    ),
    _rule("signature", "sig=", r"[?&]sig=([A-Za-z0-9+/_-]{20,200}(?:=|%3D){0,2})", _real_random, re.I),
    _rule(
        "private_key", "ls0tls1crudjti",
        r"LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0Eg|BFQyBQ|BPUEVOU1NI|BFTkNSWVBURUQ|BEU0Eg)[A-Za-z0-9+/]{40,20000}={0,2}",
    ),
    _rule("npm_token", "npm_", _START + r"npm_[A-Za-z0-9]{36}" + _END, _real),
    _rule("pypi_token", "pypi-ageichlwas5vcmc", r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}"),
    _rule("hugging_face_token", "hf_", _START + r"hf_[A-Za-z0-9]{34,64}" + _END, _real),
    _rule("sendgrid_key", "sg.", _START + r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", _real),
    _rule("digitalocean_token", "_v1_", _START + r"do[opr]_v1_[a-f0-9]{64}"),
    _rule("telegram_token", ":aa", r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}" + _END, _real),
    _rule("jwt", "eyj", _START + r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}"),
    _rule(
        "authorization", "bearer basic",
        r"\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)[ \t]{1,4}([A-Za-z0-9+/_.~=-]{16,2000})", _real_random,
    ),
    _rule(
        "authorization", "authorization",
        r"authorization[\"']?[ \t]{0,8}[:=,][ \t]{0,8}[\"']?(?:[a-z]{2,16}[ \t]{1,4})?"
        r"[\"']?(?:[ \t]{0,4}\+[ \t]{0,4}[\"'])?([a-z0-9+/_.~=-]{16,2000})", _real_random, re.I,
    ),
    _rule(
        "url_password", "://", r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'`<>]{0,128}:([^\s/:\"'`<>]{3,256})@(?=[\w\[])",
        _real_url_password,
    ),
    _rule(
        "password", "pass pwd secret token key credential",
        _SECRET_WORDS + _NOT_ABOUT
        + r"\w{0,20}\\{0,3}[\"']?\]?[ \t]{0,8}(?::=|=>|[:=,(])[ \t]{0,8}[rbuf]?(\\{0,3}[\"'`])([^\s\"'`]{8,512})\1",
        _real_password, re.I,
    ),
    _rule(
        "password", "pass pwd secret token key",
        _SECRET_WORDS + _NOT_ABOUT + r"\w{0,20}[ \t]{0,8}(?:=|:)[ \t]{0,8}([A-Za-z0-9+/_=-]{16,512})(?=[\s;&\\\"'`]|$)",
        _real_random, re.I | re.M,
    ),
)  # fmt: skip

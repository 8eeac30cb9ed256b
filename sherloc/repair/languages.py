"""The language of a ticket, found offline: by script, then by small words. Says English when it is not sure."""

from __future__ import annotations

import re

from sherloc.schema.issue import Issue

NAMES = {
    "en": "English", "de": "German", "es": "Spanish", "fr": "French", "ja": "Japanese", "ko": "Korean",
    "pt": "Portuguese", "ru": "Russian", "zh-Hans": "Chinese in simplified characters",
    "zh-Hant": "Chinese in traditional characters",
}  # fmt: skip
"""The languages that fixed texts exist in, by BCP 47 tag."""

_MOST = 20_000  # characters that are looked at
_LEAST_CHARACTERS, _LEAST_WORDS, _LEAD = 4, 3, 2
_HEAVIER = 2  # letters that one character of Chinese, Japanese or Korean stands for, at least
_TRADITIONAL = ("tw", "hk", "mo", "hant")

_CODE = re.compile(
    r"<!--.*?(?:-->|\Z)|^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)|`[^`\n]+`|^(?: {4}|\t|>)[^\n]*|https?://\S+"
    r"|^\s*(?:File \"|Traceback|at \S+\(|\d{4}-\d\d-\d\d|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR)\b)[^\n]*|</?\w[^<>\n]*>",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile("[!-~]+")
_NOT_IN_WORDS = re.compile(r"[\d_./\\()\[\]{}<>=:#@$*]|(?<=.)[A-Z]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_NOT_RUSSIAN = re.compile("[іїєґўђјљњћџѓќѕ]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SIMPLIFIED = (
    "这个们时来对说会没还过发现错误问题应该请运让从给软码读写输显执环报异务处实数据库网页测试认为开关无选项类线长连动"
)
_TRADITIONAL_FORMS = (
    "這個們時來對說會沒還過發現錯誤問題應該請運讓從給軟碼讀寫輸顯執環報異務處實數據庫網頁測試認為開關無選項類線長連動"
)
_SMALL_WORDS = {
    "en": "the is are was of and to in that it this with not for be when on as have has should if does but there",
    "de": "der die das und ist nicht ein eine einen dem den mit für wird werden wenn von zu auf auch es im bei nach "
    "sich sollte kann aber ich wir beim wurde sind",
    "fr": "le la les des est une un et dans pas que qui pour avec sur ne du au ce cette il je nous mais lorsque quand "
    "sont être après aux",
    "es": "el la los las es una un y en no que con para por del se al lo cuando pero como esta este está son debería "
    "si hay ser",
    "pt": "o a os as é uma um e em não que com para por do da no na ao se quando mas como esta este está são deveria "
    "ser você isso",
}


def ticket_language(issue: Issue) -> str:
    """The language that a ticket is written in, as one of ``NAMES``.

    Code, logs, addresses, quotations and names of programs do not count. English is also the answer for what is too
    short or mixed to tell, and for languages other than those. Deterministic; linear in the text.

    Args:
        issue: Title and body are looked at, the first 20,000 characters.
    """
    text = _TOKEN.sub(_word, _CODE.sub(" ", f"{issue.title}\n\n{issue.body}"[:_MOST]))
    words = [word.lower() for word in _WORD.findall(text)]
    latin = sum(len(word) for word in words if word[0] < "\u0250")
    kana, hangul, han = (len(script.findall(text)) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul + han >= _LEAST_CHARACTERS and _HEAVIER * (kana + hangul + han) >= latin:
        if hangul > kana + han:
            return "ko"
        return "ja" if kana * 10 > han else _chinese(text)
    cyrillic = _CYRILLIC.findall(text)
    if len(cyrillic) > max(latin, _LEAST_CHARACTERS):
        return "en" if _NOT_RUSSIAN.search(text) else "ru"
    return _by_small_words(words)


def known_language(tag: str) -> str:
    """The language of ``NAMES`` that a BCP 47 tag means; English for others.

    >>> known_language("ja-JP"), known_language("zh-TW"), known_language("zh"), known_language("nl")
    ('ja', 'zh-Hant', 'zh-Hans', 'en')
    """
    parts = tag.replace("_", "-").lower().split("-")
    if parts[0] == "zh":
        return "zh-Hant" if any(part in _TRADITIONAL for part in parts[1:]) else "zh-Hans"
    return parts[0] if parts[0] in NAMES else "en"


def language_name(tag: str) -> str:
    """A language's English name with its tag, for prompts: ``Japanese (ja)``."""
    known = known_language(tag)
    is_known = known != "en" or tag.lower().startswith("en")
    return f"{NAMES[known]} ({tag})" if is_known else f"the language with the tag {tag}"


def _word(match: re.Match[str]) -> str:
    """A word as it stands; nothing for what is a name in a program."""
    core = match.group().strip(".,;:!?()[]{}\"'*_<>-")
    return " " if _NOT_IN_WORDS.search(core) else match.group()


def _chinese(text: str) -> str:
    simplified = sum(text.count(each) for each in _SIMPLIFIED if each not in _TRADITIONAL_FORMS)
    traditional = sum(text.count(each) for each in _TRADITIONAL_FORMS if each not in _SIMPLIFIED)
    return "zh-Hant" if traditional > simplified else "zh-Hans"


def _by_small_words(words: list[str]) -> str:
    counts = {}
    for language, small in _SMALL_WORDS.items():
        own = set(small.split())
        counts[language] = sum(word in own for word in words)
    (_, second), (best, first) = sorted(((language, count) for language, count in counts.items()), key=_by_count)[-2:]
    return best if first >= _LEAST_WORDS and first - second >= _LEAD else "en"


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return item[1], item[0]

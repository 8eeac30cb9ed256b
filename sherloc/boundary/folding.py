"""Text as the rules see it: one case, one width, one blank, no invisible characters, no comment marks.

Unicode's own NFKC is not used on whole texts: ``unicodedata.normalize`` sorts runs of combining marks in quadratic
time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Blocks with compatibility forms of letters, digits and kana that people and tools read as the plain ones.
_FORMS = (
    (0x2100, 0x2150), (0x2460, 0x2500), (0x3300, 0x3400), (0xF900, 0xFB00), (0xFF00, 0xFFF0),
    (0x1D400, 0x1D800), (0x1F100, 0x1F1A0),
)  # fmt: skip
_BLANKS = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_MORE_BLANKS = "\u2028\u2029\u202f\u205f\u3000"
_APOSTROPHES = "\u2018\u2019\u02bc"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_IGNORED = (
    (0x00, 0x09), (0x0E, 0x1C), (0x7F, 0x85), (0x86, 0xA0),
    (0xAD, 0xAE), (0x34F, 0x350), (0x61C, 0x61D), (0x115F, 0x1161), (0x17B4, 0x17B6), (0x180B, 0x1810),
    (0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0x3164, 0x3165), (0xFE00, 0xFE10), (0xFEFF, 0xFF00),
    (0xFFA0, 0xFFA1), (0xFFF9, 0xFFFC), (0xE0000, 0xE1000),
)  # fmt: skip
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f]")
_VOICED = re.compile("[\u304b-\u307b\u30ab-\u30db\u30a6][\u3099\u309a]")
_RUN_OF_BLANKS = re.compile(" {2,}")
_SPACED_LETTERS = re.compile(r"(?<!\w)\w(?: \w){2,}(?!\w)")

_KANA = re.compile("[\u3041-\u30ff]")

# The traditional characters whose simplified ones the rules use, one below the other (after OpenCC's tables).
_TRADITIONAL = (
    "丟並乾併係倉個們備僅價優內兩別刪則劃動務勞匯區卽參員問單噹嚴圍團執報場塊壓夠夾實審寫寬將對導屬幹幾庫廢張彆彔彙"
    "後從復態慮憑應懷戶拋拏捨掃揚揹擔擱敗數斷於旣時暫書會査條棄榦構標樣檔檢欄權歸決沒減測準滙滿濃濾為無爲牠狀獲現環"
    "異當疇發眾睜確碼種穫箇節範簡簽籤糰糾納紕級細終組結絕給統絶經綫綱緊線編緻縮總繞繫纏纔罷聲職脩腳與菓著蓋蔘處衆衕"
    "袷裏裝裡製複覈見規視觀觸計討記訪設許訴註証評詞試話該詳認語誤說説談請論謂謝證識議讀變負責質賴趕較輕輯輸迴這週進"
    "遊運過達違遶選邊邏郵釦鈅鈎鉤錄錯録錶鍵鑑鑒鑰門閉開閤閱閲闆關隊險隱隻離靜響頁頂項須頭題額類顧顯風餘饋驗驚驟體髮"
    "鬚麪麫麵麼麽點齣衹"
)
_SIMPLIFIED = (
    "丢并干并系仓个们备仅价优内两别删则划动务劳汇区即参员问单当严围团执报场块压够夹实审写宽将对导属干几库废张别录汇"
    "后从复态虑凭应怀户抛拿舍扫扬背担搁败数断于既时暂书会查条弃干构标样档检栏权归决没减测准汇满浓滤为无为它状获现环"
    "异当畴发众睁确码种获个节范简签签团纠纳纰级细终组结绝给统绝经线纲紧线编致缩总绕系缠才罢声职修脚与果着盖参处众同"
    "夹里装里制复核见规视观触计讨记访设许诉注证评词试话该详认语误说说谈请论谓谢证识议读变负责质赖赶较轻辑输回这周进"
    "游运过达违绕选边逻邮扣钥钩钩录错录表键鉴鉴钥门闭开合阅阅板关队险隐只离静响页顶项须头题额类顾显风余馈验惊骤体发"
    "须面面面么么点出只"
)
_SIMPLER = str.maketrans(_TRADITIONAL, _SIMPLIFIED)

# What stands around prose in comments, lists, quotes, tables and strings.
_MARKS = " #/*;>%!|\"'`~+=-<([{$&\\"
_END_MARKS = " #/*;>%|\"'`~+=-<)]}\\"


@cache
def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {}
    for start, end in _FORMS:
        for code in range(start, end):
            plain = unicodedata.normalize("NFKC", chr(code)).lower()
            if plain != chr(code):
                table[code] = plain
    table.update(dict.fromkeys(map(ord, _BLANKS + _MORE_BLANKS), " "))
    table.update(dict.fromkeys(map(ord, _APOSTROPHES), "'"))
    table.update(dict.fromkeys(map(ord, _DASHES), "-"))
    for start, end in _IGNORED:
        table.update(dict.fromkeys(range(start, end)))
    return table


def fold(text: str) -> str:
    """The text in lower case with full and half width, styled letters and blanks made plain, the invisible left out.

    Line feeds stay where they are, so lines keep their numbers. Linear.

    >>> fold("Ｒｅｖｉｅｗ\u200b は　ﾚﾋﾞｭｰ")
    'review は レビュー'
    """
    text = text.lower()
    if not text.isascii():
        text = text.translate(_table())
        if "\u3099" in text or "\u309a" in text:
            text = _VOICED.sub(lambda found: unicodedata.normalize("NFC", found.group()), text)
    elif _CONTROLS.search(text):
        text = text.translate(_table())
    text = _SPACED_LETTERS.sub(lambda found: found.group().replace(" ", ""), text)
    return _RUN_OF_BLANKS.sub(" ", text)


def prose(lines: list[str]) -> list[str]:
    """Folded lines without the marks of comments, lists, quotes and strings around them.

    Args:
        lines: Lines without line feeds.

    Returns:
        As many lines; one without a letter is a full stop, which ends a sentence.
    """
    folded = fold("\n".join(lines)).split("\n")
    return [_end(line.lstrip(_MARKS)) or "." for line in folded]


def simplified(lines: list[str]) -> list[str]:
    """Chinese in simplified characters, for rules that are written in them; each line as long as before.

    Lines with kana are Japanese, which uses traditional characters as its own, and stay as they are.
    """
    return [line if line.isascii() or _KANA.search(line) else line.translate(_SIMPLER) for line in lines]


def _end(line: str) -> str:
    return line.rstrip(_END_MARKS)

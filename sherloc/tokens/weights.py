"""The estimator's numbers: thousandths of a token, by character and by what stands before it.

Fitted by non-negative least squares to the mean of two public encodings (o200k_base and cl100k_base) on 4 000 pieces of
code and prose in 14 programming and 12 human languages; docs/model-output.md has how far it is off. The weights of
Chinese, Japanese and Korean are at least 600, every weight is at least 20.
"""

from __future__ import annotations

ASCII_CLASSES = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    " ",
    "\n\r\v\f",
    "\t",
    "_",
    ".",
    ",;:",
    "\"'`",
    "()[]{}<>",
)
"""Columns of ``ASCII_WEIGHTS``; every other ASCII character is in a last one."""

# fmt: off
ASCII_WEIGHTS = (
    (  94,  305, 1287,  293, 1135,  489,  591,   46,  926,  718,  583,  694),  # after a lower-case letter
    ( 356,  184, 1409,   54,  678,  489,  481,   93,  811,  611,  599,  324),  # after an upper-case letter
    ( 507,  563,  518,  112,  672,  489,  504,  148,  874,  549,  720,  320),  # after a digit
    ( 435,  503, 1393,   37,  633,  489,  557,   81,  737,  795,  568,  520),  # after a space
    (  79,  326, 1055,  325,  497,  562,  480,   20,  723,  592,  488,  328),  # after a line break
    ( 240,  271, 1045,   86,  630,  391,  479,   20,  720,  574,  554,  244),  # after a tab
    ( 404,  347, 1064,   93,  640,  489,  442,   20,  714,  599,  542,  222),  # after an underscore
    ( 583,  228, 1164,  188,  566,  489,  552,   20,  725,  540,  556,  197),  # after a dot
    ( 198,  248, 1039,  446,  393,  489,  478,   20,  615,  531,  524,  264),  # after , ; or :
    ( 283,  296, 1035,  126,  673,  499,  529,   78,  733,  467,  409,  297),  # after a quote
    ( 405,  278, 1170,  224,  699,  489,  479,   27,  351,  395,  349,  290),  # after a bracket
    ( 778,  541, 1081,  555,  513,  491,  477,   54,  700,  511,  577,   68),  # after any other ASCII
    ( 101,  277, 1046,   20,  661,  488,  607,   20,  708,  578,  565,  227),  # after anything else
)
"""A row for what stands before, a column for the character itself."""

SCRIPTS = (
    (0x00080, "symbol"), (0x000C0, "latin"), (0x00250, "other"), (0x00300, "mark"),
    (0x00370, "greek"), (0x00400, "cyrillic"), (0x00530, "semitic"), (0x00900, "indic"),
    (0x00E00, "thai"), (0x00F00, "other"), (0x01100, "hangul"), (0x01200, "other"),
    (0x01E00, "latin"), (0x01F00, "greek"), (0x02000, "symbol"), (0x02E80, "han"),
    (0x03000, "cjk_mark"), (0x03040, "kana"), (0x03100, "han"), (0x03130, "hangul"),
    (0x03190, "han"), (0x0A000, "other"), (0x0AC00, "hangul"), (0x0D7B0, "other"),
    (0x0F900, "han"), (0x0FB00, "semitic"), (0x0FE00, "mark"), (0x0FE10, "symbol"),
    (0x0FE70, "semitic"), (0x0FF00, "cjk_mark"), (0x0FF66, "kana"), (0x0FFA0, "other"),
    (0x1B000, "kana"), (0x1B300, "other"), (0x1F000, "emoji"), (0x20000, "han"),
    (0x323B0, "other"),
)
"""First code point of each stretch, with its script; a stretch ends where the next begins."""

SCRIPT_WEIGHTS = {
    "symbol": 1413, "latin": 1005, "other": 1567, "mark": 429, "greek": 775,
    "cyrillic": 380, "semitic": 670, "indic": 821, "thai": 672, "hangul": 984,
    "han": 926, "cjk_mark": 600, "kana": 878, "emoji": 1500,
}
"""Of each character of a script, whatever stands before it."""
# fmt: on

"""From a file's bytes to text with stable lines."""

from __future__ import annotations

import codecs

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode(data: bytes) -> tuple[str, str]:
    r"""The text of a source file and the encoding it had.

    A byte-order mark decides; otherwise UTF-8, and latin-1 where that fails (it cannot fail). Lines are what ``\n``
    parts; a file of lone carriage returns is read as if they were line feeds, as editors show it.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            break
    else:
        try:
            text, encoding = data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
    return text, encoding

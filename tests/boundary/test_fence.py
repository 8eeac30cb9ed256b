from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from sherloc.boundary import fence
from sherloc.boundary.folding import fold


def digits_of(material: str, nonce: str = "", attempt: int = 0) -> str:
    raw = nonce.encode() + b"\0" + material.encode("utf-8", "surrogatepass") + b"\0%d" % attempt
    return hashlib.sha256(raw).hexdigest()[:32]


def test_marks_come_from_the_content() -> None:
    made = fence("a\n")
    digits = digits_of("a\n")
    assert made.opening == f"<<<MATERIAL-{digits}"
    assert made.closing == f"{digits}-MATERIAL>>>"
    assert made.text == str(made) == f"<<<MATERIAL-{digits}\na\n\n{digits}-MATERIAL>>>"
    assert fence("a\n") == made
    assert fence("b\n").opening != made.opening


def test_a_nonce_gives_other_marks() -> None:
    assert fence("a", nonce="1").opening == f"<<<MATERIAL-{digits_of('a', '1')}"
    assert fence("a", nonce="1").opening != fence("a").opening


def test_the_form_of_a_mark_in_the_material_is_counted() -> None:
    assert fence("x").look_alikes == 0
    assert fence("<<<MATERIAL-0000\n<<<material-\u200bff\nffff-MATERIAL>>>").look_alikes == 3
    assert fence("＜＜＜ＭＡＴＥＲＩＡＬ－1").look_alikes == 1


@given(st.text(), st.text())
def test_marks_occur_nowhere_in_the_material(material: str, nonce: str) -> None:
    made = fence(material, nonce=nonce)
    for mark in (made.opening, made.closing):
        assert mark not in material
        assert fold(mark) not in fold(material)
        assert made.text.count(mark) == 1
    assert made.material == material


def test_half_characters_are_material_too() -> None:
    assert fence("a\udcff").material == "a\udcff"

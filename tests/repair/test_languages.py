from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.repair.languages import NAMES, known_language, language_name, ticket_language
from sherloc.schema.issue import Issue

TICKETS = [
    ("en", "Basket.total is wrong", "It gives twice the price."),
    ("en", "Crash on startup", ""),
    ("en", "", ""),
    ("en", "TypeError in foo", 'Traceback (most recent call last):\n  File "a.py", line 3\nTypeError: x'),
    ("en", "Le Monde feed breaks parser", "The feed of Le Monde is not parsed"),
    ("en", "Title 'こんにちは' is garbled", "When the title has Japanese text the output is broken in the console."),
    ("en", "Wrong text", "It says:\n\n```\nエラーが発生しました。もう一度\n```\n\nand that is not English."),
    ("en", "Замок", "Двері не відчиняються, якщо є ключ і замок."),
    ("ja", "ログインできない", "routes/auth.py の validate_token() が None を返す"),
    ("ja", "注文履歴機能を追加", ""),
    ("ja", "Basket.totalの値が2倍になる", "`Basket.total` は価格の2倍です。\n\n```py\nassert the(total) is right\n```"),
    ("zh-Hans", "登录失败", "当用户输入错误的密码时，系统没有显示任何提示，应该显示错误信息。"),
    ("zh-Hant", "登入失敗", "當使用者輸入錯誤的密碼時，系統沒有顯示任何提示，應該顯示錯誤訊息。"),
    ("ko", "로그인 실패", "비밀번호가 틀리면 오류가 표시되지 않습니다."),
    ("de", "Warenkorb falsch", "Die Summe ist doppelt so hoch, wenn ein Rabatt auf den Artikel gegeben wird."),
    ("fr", "Panier faux", "Le total est le double du prix quand il y a une remise sur un article."),
    ("fr", "Erreur 500 à la connexion", "Bonjour, depuis la mise à jour je ne peux plus me connecter."),
    ("es", "Carrito incorrecto", "El total es el doble del precio cuando hay un descuento en el artículo."),
    ("es", "No funciona la exportación", "Al exportar, se duplica cada fila y no se guarda el archivo."),
    ("pt", "Carrinho errado", "O total é o dobro do preço quando há um desconto no artigo. Não deveria ser assim."),
    ("ru", "Корзина считает неверно", "Сумма вдвое больше цены, если есть скидка."),
]  # fmt: skip


@pytest.mark.parametrize("language, title, body", TICKETS)
def test_the_language_of_a_ticket(language: str, title: str, body: str) -> None:
    assert ticket_language(Issue(title=title, body=body)) == language


def test_logs_and_code_do_not_count() -> None:
    log = "2026-01-01 12:00:00 the server is not in the list that was given to it\n" * 30
    code = "    the code is not for you and it is in the way\n<!-- the is are of and to -->"
    body = f"ログインすると落ちます。\n\n{log}\n{code}"
    assert ticket_language(Issue(title="ログイン", body=body)) == "ja"


@settings(max_examples=50)
@given(st.text(max_size=30), st.text(max_size=120))
def test_any_ticket_has_a_language_and_always_the_same(title: str, body: str) -> None:
    found = ticket_language(Issue(title=title, body=body))
    assert found in NAMES
    assert ticket_language(Issue(title=title, body=body)) == found


@pytest.mark.parametrize("piece", ["a", "<a", "`", "```\n", "<!--", "a_", "a.", "()", "\n> ", "[[", "ア", "~~~ "])
def test_long_tickets_take_no_longer_than_their_length(piece: str) -> None:
    start = time.perf_counter()
    ticket_language(Issue(title="", body=piece * 100_000))
    assert time.perf_counter() - start < 2


def test_tags() -> None:
    assert [known_language(tag) for tag in ("en-GB", "de_AT", "zh-HK", "zh-Hans-CN", "JA", "xx", "")] == [
        "en", "de", "zh-Hant", "zh-Hans", "ja", "en", "en",
    ]  # fmt: skip
    assert language_name("ja") == "Japanese (ja)"
    assert language_name("pt-BR") == "Portuguese (pt-BR)"
    assert language_name("en") == "English (en)"
    assert language_name("nl") == "the language with the tag nl"

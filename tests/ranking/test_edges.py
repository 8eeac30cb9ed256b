"""Ends of the range: nothing to search in, nothing to search for, other scripts, much to read."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sherloc.schema.report import Report

Find = Callable[..., Report]

_ONE = "def greet(name):\n    return f'Hello {name}'\n"
_TWO = "def part(name):\n    return f'Bye {name}'\n"


def _paths(report: Report) -> list[str]:
    return [file.path for file in report.ranked_files]


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "# Greetings\n\nHello to everybody.\n"},
        {"setup.cfg": "[metadata]\nname = greet\n"},
        {"tests/test_greet.py": _ONE},
        {"app.py": ""},
        {"app.py": "\n\n\n"},
    ],
    ids=["docs", "config", "tests", "empty", "blank"],
)
def test_repository_without_code(find: Find, files: dict[str, str]) -> None:
    report = find(files, "greet() says Hello twice")
    assert report.ranked_functions == ()
    assert report.confidence == "low" and report.confidence_reasons
    assert report.brief is not None
    assert set(_paths(report)) <= files.keys()
    # Chances of such files are not estimated: none may pass for sure.
    assert all(each.confidence < 0.01 and each.change_type == "other" for each in report.change_sets)
    sentences = [item.description for each in report.change_sets for item in each.diagnostic_evidence]
    assert not report.change_sets or "It shares words with the issue." in sentences


def test_one_snippet_and_a_long_list_asked_for(find: Find) -> None:
    report = find({"app.py": _ONE}, "greet() says Hello twice")
    assert [function.qualified_name for function in report.ranked_functions] == ["greet"]
    assert _paths(report) == ["app.py"]


@pytest.mark.parametrize(
    "issue",
    [
        "it is the and of a",
        "\U0001f600 \U0001f4a5\U0001f525",
        "?!... --- *** ///",
        "1 2 3 4 5.6",
        "\u200b\u2060x",
        "```\n```",
        "a b c\n\nd e f",
    ],
    ids=["stop words", "emoji", "punctuation", "numbers", "invisible", "empty fence", "letters"],
)
def test_issue_without_words(find: Find, issue: str) -> None:
    report = find({"app.py": _ONE, "more.py": _TWO}, issue)
    assert report.confidence == "low" and report.confidence_reasons
    assert not report.short_cut
    Report.model_validate_json(report.model_dump_json())


@pytest.mark.parametrize("name", ["app.py", "app.js", "app.c", "app.go", "app.rb"])
def test_code_of_punctuation_only(find: Find, name: str) -> None:
    report = find({name: ";;;\n{}[]()\n+-*/%\n", "more.py": _TWO}, "part() says Bye twice")
    assert _paths(report) == ["more.py"]


def test_japanese_issue_finds_japanese_comments_and_strings(find: Find) -> None:
    files = {
        "shop/stock.py": 'def take(article):\n    """在庫から商品を取り出す。"""\n    return article.count - 1\n',
        "shop/tax.py": "def rounded(amount):\n    # 消費税の端数は切り捨てる\n    return amount * 110 // 100\n",
        "shop/mail.py": 'def notice(order):\n    return f"ご注文の商品{order}を発送しました"\n',
        "shop/login.py": 'def refuse():\n    raise ValueError("パスワードが正しくありません")\n',
        "shop/cart.py": "def total(lines):\n    return sum(line.cents for line in lines)\n",
    }
    tax = find(files, "消費税の計算が一円ずれる\n\n小数になる金額では端数の処理が間違っています。")
    assert (_paths(tax)[0], tax.ranked_functions[0].qualified_name) == ("shop/tax.py", "rounded")
    login = find(files, "ログインできない\n\n「パスワードが正しくありません」と表示されます。")
    assert (_paths(login)[0], login.ranked_functions[0].qualified_name) == ("shop/login.py", "refuse")
    mail = find(files, "発送のお知らせに注文番号がない")
    assert _paths(mail)[0] == "shop/mail.py"


def test_chinese_issue_finds_chinese_comments_and_strings(find: Find) -> None:
    files = {
        "src/Upload.java": "class Upload {\n    // 文件大小超过限制时拒绝上传\n    boolean tooLarge(long size) {\n"
        "        return size > 1024;\n    }\n}\n",
        "src/Login.java": 'class Login {\n    String failed() {\n        return "用户名或密码错误";\n    }\n}\n',
        "src/Export.java": "class Export {\n    /** 导出订单报表为表格 */\n    void orders() {\n    }\n}\n",
        "src/Clock.java": "class Clock {\n    long now() {\n        return System.nanoTime();\n    }\n}\n",
    }
    upload = find(files, "无法上传大文件\n\n文件大小没有超过限制,但是上传被拒绝。")
    assert upload.ranked_functions[0].qualified_name == "Upload.tooLarge"
    assert _paths(find(files, "登录时总是提示用户名或密码错误"))[0] == "src/Login.java"
    assert _paths(find(files, "订单报表导出后是空的"))[0] == "src/Export.java"


def test_long_log_with_one_telling_sentence(find: Find) -> None:
    """200 kB of a log that speaks of everything else, in less than three seconds of work."""
    files = {f"svc/handler_{n}.py": f"def handle_{n}(request):\n    return 'request {n} handled'\n" for n in range(30)}
    files["svc/voucher.py"] = "def redeem(voucher, basket):\n    basket.discount = voucher.percent\n    return basket\n"
    log = "\n".join(
        f"2024-05-01 12:{n % 60:02}:00,{n % 1000:03} INFO svc.handler_{n % 30} request {n} handled in {n % 97} ms"
        for n in range(2800)
    )
    issue = f"Log of last night\n\n```\n{log}\n```\n\nA voucher of 20 percent is redeemed twice for one basket.\n"
    assert len(issue) > 200_000
    start = time.process_time()
    report = find(files, issue)
    assert time.process_time() - start < 3
    assert _paths(report)[0] == "svc/voucher.py"
    assert report.ranked_functions[0].qualified_name == "redeem"


def test_the_log_itself_does_not_hide_the_sentence_before_it(find: Find) -> None:
    """The same without a fence, and with the sentence in front."""
    files = {f"svc/handler_{n}.py": f"def handle_{n}(request):\n    return 'request {n} handled'\n" for n in range(30)}
    files["svc/voucher.py"] = "def redeem(voucher, basket):\n    basket.discount = voucher.percent\n    return basket\n"
    log = "\n".join(f"12:{n % 60:02}:00 INFO handler_{n % 30}: request {n} handled" for n in range(500))
    report = find(files, f"A voucher of 20 percent is redeemed twice for one basket\n\n{log}\n")
    assert _paths(report)[0] == "svc/voucher.py"

"""Segments: headings of every style, hidden comments, fences, version tables, logs, and their weights."""

from __future__ import annotations

import pytest

from sherloc.query import QueryWeights, build_query
from sherloc.schema.issue import Issue
from sherloc.schema.query import Query


def query(body: str, title: str = "Cart is wrong", **more: tuple[str, ...]) -> Query:
    return build_query(Issue(title=title, body=body, **more))


def parts(body: str) -> list[tuple[str, str]]:
    return [(s.kind, " ".join(s.text.split())) for s in query(body).segments if s.kind != "title"]


def weights(q: Query) -> dict[str, float]:
    return dict(q.terms)


GITHUB_TEMPLATE = """<!-- Thanks for reporting!
Please search hidden words first. -->

### Describe the bug

The discount of a cart is applied twice.

### Steps To Reproduce

1. Put a coupon into the cart

```python
cart.apply(coupon)
```

### Expected behavior
The discount is applied once.

#### Actual behavior
It is applied twice.

### Environment

- OS: Ubuntu 22.04
- Python version: 3.11.2
- shop 4.2.0

### Checklist
- [x] I have searched existing issues
- [ ] I agree to follow the Code of Conduct

### Anything else?
_No response_
"""


def test_github_template() -> None:
    assert parts(GITHUB_TEMPLATE) == [
        ("description", "The discount of a cart is applied twice."),
        ("reproduction", "1. Put a coupon into the cart"),
        ("code", "cart.apply(coupon)"),
        ("expected", "The discount is applied once."),
        ("actual", "It is applied twice."),
        ("environment", "- OS: Ubuntu 22.04 - Python version: 3.11.2 - shop 4.2.0"),
    ]


def test_words_of_the_template_and_hidden_comments_are_not_the_issues() -> None:
    terms = weights(query(GITHUB_TEMPLATE))
    assert not {"hidden", "searched", "conduct", "describe", "behavior", "reproduce", "reporting", "response"} & set(
        terms
    )
    assert terms["discount"] > 10 * terms.get("ubuntu", 0)


@pytest.mark.parametrize(
    "heading",
    [
        "## {}",
        "###### {} ######",
        "**{}**",
        "**{}:**",
        "__{}__",
        "{}:",
        "{}\n--------",
        "{}\n====",
        "== {} ==",
        "- **{}**:",
    ],
)
@pytest.mark.parametrize(
    ("name", "kind"),
    [("Expected behavior", "expected"), ("Actual results", "actual"), ("Steps to reproduce", "reproduction")],
)
def test_styles_of_headings(heading: str, name: str, kind: str) -> None:
    body = f"A cart.\n\n{heading.format(name)}\n\nTwo coupons are added."
    assert parts(body) == [("description", "A cart."), (kind, "Two coupons are added.")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Expected: one coupon", "expected"),
        ("Actual behavior: two coupons", "actual"),
        ("**Expected behaviour** one coupon", "expected"),
    ],
)
def test_lead_in_on_the_line_itself(text: str, kind: str) -> None:
    assert parts(f"A cart.\n\n{text}\n")[1][0] == kind


def test_lead_in_ends_with_its_paragraph() -> None:
    assert [kind for kind, _ in parts("Expected: one coupon\n\nThe cart holds two.")] == ["expected", "description"]


def test_heading_of_the_author_keeps_its_words() -> None:
    assert parts("## Coupons in `Cart.apply`\n\nTwo.") == [("description", "Coupons in `Cart.apply` Two.")]


def test_trac_description_and_braces() -> None:
    head = "Description\n\t\n\t\t(last modified by Some Body)\n\t\n"
    body = head + "It fails.\n{{{#!python\nCart().apply(1)\n}}}\nAnd `x`."
    assert parts(body) == [("description", "It fails."), ("code", "Cart().apply(1)"), ("description", "And `x`.")]


def test_unfenced_code_of_a_ticket_is_code() -> None:
    body = (
        "Given this model:\nfrom shop import models\n"
        "class Cart(models.Model):\n\ttotal = models.IntegerField()\n\tpass\n"
        "the query that is made of it is wrong."
    )
    assert [kind for kind, _ in parts(body)] == ["description", "code", "description"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("See:\n\n~~~js\nlet a = 1\n~~~\n", "let a = 1"),
        ("See:\n\n````md\n```\nx = 1\n```\n````\n", "``` x = 1 ```"),
        ("See:\n\n```python\nx = run()\n\n## Expected behavior\n\nIt is one of them.", "x = run()"),
        ("See:\n\n    x = run()\n    y = x.go()\n\nand so it goes on.", "x = run() y = x.go()"),
        ("See::\n\n    x = run()\n    y = x.go()\n", "x = run() y = x.go()"),
        ("See:\n\n>>> run(1)\n'one'\n>>> run(2)\n'two'\n", ">>> run(1) 'one' >>> run(2) 'two'"),
        ("See:\n\nIn [1]: run(1)\nOut[1]: 'one'\n", "In [1]: run(1) Out[1]: 'one'"),
        ("See:\n<pre>\nx = run()\n</pre>\nand so on", "x = run()"),
        ("See: ```\nx = run()\n```\n", "x = run()"),
        ("> See:\n> ```python\n> x = run()\n> ```\n", "x = run()"),
    ],
)
def test_code_however_it_is_marked(body: str, code: str) -> None:
    assert [text for kind, text in parts(body) if kind == "code"] == [code]


def test_quoted_reply_is_read_without_its_marks() -> None:
    assert parts("> the coupon is\n> added twice\n\nI see the same thing.")[0] == (
        "description",
        "the coupon is added twice",
    )


def test_details_with_versions() -> None:
    table = "INSTALLED VERSIONS\n------------------\npython: 3.8.1\nnumpy: 1.18.1\npandas: 1.0.3\n"
    summary = "<summary>Output of versions</summary>"
    body = f"It fails.\n<details>\n{summary}\n\n{table}</details>\n\nMore of the story is here."
    found = parts(body)
    assert ("environment", "python: 3.8.1 numpy: 1.18.1 pandas: 1.0.3") in found
    assert found[-1] == ("description", "More of the story is here.")


def test_sentence_under_environment_is_description() -> None:
    found = parts("### Environment\n\nPython 3.8.1\nshop 1.2.3\n\nThe fault is in the way that the cart adds coupons.")
    assert [kind for kind, _ in found] == ["environment", "description"]


def test_comments_are_a_kind_of_their_own() -> None:
    q = query("It fails.", comments=("The registry is to blame.\n```\nreg.add(1)\n```",))
    assert [s.kind for s in q.segments] == ["title", "description", "comment", "code"]


def test_hidden_comment_that_never_ends_hides_the_rest_and_code_keeps_its_comments() -> None:
    assert parts("Shown.\n<!-- hidden\nall of it") == [("description", "Shown.")]
    assert parts("```html\n<!-- kept -->\n<p>x</p>\n```") == [("code", "<!-- kept --> <p>x</p>")]
    assert parts("Put `<!--` into a page") == [("description", "Put `<!--` into a page")]


LOG = "\n".join(
    f"2024-05-01 10:{i // 60:02}:{i % 60:02},{i:03} INFO worker.pool: task {i} took {i * 7} ms on 0x{i * 99:x}"
    for i in range(500)
)


def test_one_sentence_outweighs_a_log_of_500_lines() -> None:
    q = query(f"The coupon registry forgets entries.\n\n```\n{LOG}\n```\n", title="Failure")
    terms = weights(q)
    for own in ("coupon", "registry", "forget", "entry"):
        for pasted in ("worker", "pool", "task", "took"):
            assert terms[own] > terms[pasted] > 0
    kinds = {s.kind: s.weight for s in q.segments}
    assert kinds["log"] < 0.1 < kinds["description"]


def test_unfenced_log_is_a_log_too() -> None:
    found = parts(f"The coupon registry forgets entries.\n\n{LOG}\n\nWhy does it do that?")
    assert [kind for kind, _ in found] == ["description", "log", "description"]


def test_plain_description_has_the_saturation_of_bm25() -> None:
    terms = weights(
        build_query(Issue(body="coupon coupon coupon registry"), QueryWeights(description=1.0, saturation=1.0))
    )
    assert terms == {"coupon": pytest.approx(1.5), "registry": pytest.approx(1.0)}


def test_weights_are_the_callers() -> None:
    issue = Issue(title="registry", body="coupon")
    assert dict(build_query(issue, QueryWeights(title=0.5)).terms)["registry"] < 1.0


def test_order_of_weights() -> None:
    body = "alpha\n\n```python\nbeta = gamma()\n```\n\n## Environment\n\nPython 3.8.1\ndelta 1.2.3\n"
    terms = weights(query(body, title="omega"))
    assert terms["omega"] > terms["alpha"] > terms["beta"] > terms["delta"]


JAPANESE = """## 概要
カートの割引が二重に適用されます。`Cart.apply_discount` が原因のようです。

## 再現手順
1. クーポンを追加する

## 期待する動作
割引は一度だけ適用される

## 実際の動作
二回適用される

## 環境
- OS: macOS 14.1
- Python: 3.11.2
"""

CHINESE = """**问题描述**
购物车的折扣计算错误，见 `CartService#applyDiscount`。

**复现步骤**
添加优惠券

**预期结果**
折扣只计算一次

**实际结果**
计算了两次

**环境**
- JDK: 17.0.2
- 版本: 2.0.25
"""


@pytest.mark.parametrize(("body", "name"), [(JAPANESE, "apply_discount"), (CHINESE, "applyDiscount")])
def test_japanese_and_chinese(body: str, name: str) -> None:
    q = query(body, title="割引" if body is JAPANESE else "折扣错误")
    assert [s.kind for s in q.segments] == ["title", "description", "reproduction", "expected", "actual", "environment"]
    assert name in {m.name for m in q.mentions}
    assert "割引" in weights(q) or "折扣" in weights(q)
    assert not q.vague


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("[BUG] Cart loses items", "Cart loses items"),
        ("Title: Cart loses items", "Cart loses items"),
        ("# Title\n\nCart loses items\n\nIt does.", "Cart loses items"),
        ("## **Cart loses items**", "Cart loses items"),
        ("[cart] loses items", "[cart] loses items"),
    ],
)
def test_title_without_tags(text: str, title: str) -> None:
    assert build_query(Issue.from_text(text)).segments[0].text == title

"""What the outline gets wrong today; a test that passes unexpectedly fails, so that its mark is taken off."""

from __future__ import annotations

import pytest

from sherloc.syntax import Outline, outline


def _calls(found: Outline) -> list[str]:
    return [each.name for each in found.references if each.kind == "call"]


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("a.filter(i -> i.is(key));", ["a.filter", "i.is"]),
        ("a.map(x -> go(x));", ["a.map", "go"]),
        ("int k = switch (n) { case ONE -> make(n); default -> other(n); };", ["make", "other"]),
    ],
)
def test_java_arrows(code: str, calls: list[str]) -> None:
    assert _calls(outline("java", f"class A {{ void f() {{ {code} }} }}".encode())) == calls


@pytest.mark.xfail(strict=True, reason="the last word of the comment is read as the object")
def test_java_comment_in_a_chain() -> None:
    assert _calls(outline("java", b"class A { void f() {\n  a\n    // why\n    .b();\n} }")) == ["b"]


def test_java_type_arguments_before_the_name() -> None:
    assert _calls(outline("java", b"class A { void f() { this.<T>go(); } }")) == ["this.go"]


def test_go_type_arguments() -> None:
    source = b"package p\nfunc f() { Collect[K](x); list.Pair[K, V](x) }\n"
    assert _calls(outline("go", source)) == ["Collect", "list.Pair"]


@pytest.mark.xfail(strict=True, reason="the grammar takes the annotation for an expression when a comment precedes it")
@pytest.mark.parametrize("keyword", ["class B", "fun b() = 1"])
def test_kotlin_annotation_with_arguments_below_a_comment(keyword: str) -> None:
    found = outline("kotlin", f'val a = 1\n\n/** Doc. */\n@Service("orders")\n{keyword}\n'.encode())
    assert [(each.start_line, each.end_line, each.docstring) for each in found.definitions] == [(3, 5, "Doc.")]


def test_the_same_source_gives_the_same_order() -> None:
    first = outline("python", b"x.a().b().c()\n").references
    assert all(outline("python", b"x.a().b().c()\n").references == first for _ in range(60))


@pytest.mark.parametrize("source", ["val a = 1\n@Entity", "class A\n@", "val a = 1\n@E(", "fun f() = 1\n@A\n@B"])
def test_kotlin_that_ends_in_an_annotation(source: str) -> None:
    """The grammar never came back from it."""
    outline("kotlin", source.encode())


def test_kotlin_without_a_line_feed_at_the_end() -> None:
    source = b"""\
enum class State {
    OPEN { override fun done() = false },
    CLOSED;
    open fun done() = true
}
object Registry { fun add(orders: Orders) { orders.shop?.register(this) } }
typealias Keys = List<String>

// Twice the list.
fun <T> List<T>.twice(): List<T> = this + this
fun String?.`is it`() = this != null
fun main() { println("a") }
"""
    complete, cut = outline("kotlin", source), outline("kotlin", source.rstrip())
    assert len(complete.definitions) == 9
    assert cut.definitions == complete.definitions


@pytest.mark.xfail(strict=True, reason="the grammar wants a line feed before the brace")
def test_kotlin_classes_of_one_line() -> None:
    found = outline("kotlin", b"class A { fun a() = 1 }\nclass B { fun b() = 1 }\nfun c() = 1\n")
    assert [each.qualified_name for each in found.definitions] == ["A", "A.a", "B", "B.b", "c"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("n d::h<>n(){", "n"),
        ("int a<b<int>>::f() { return 1; }", "f"),
        ("template <> int List<int>::size() const { return 0; }", "size"),
    ],
)
def test_template_arguments_of_rubble_do_not_make_one_word_of_two(source: str, name: str) -> None:
    assert [each.name for each in outline("cpp", source.encode()).definitions] == [name]


def test_a_cpp_name_of_rubble_holds_no_other_code() -> None:
    source = b"""\
eturn std::hash<id push(T#include <vector>
using namespace shop::detail;

namespace shop {

/// What can be sold.
class Item : public Base<int>, private detail::Counted {
    explicit Item(const string &name) : name_(name) {}
};

} // namespace shop

Item::~Item() {}
"""
    for each in outline("cpp", source).definitions:
        assert not set(each.name) & set("{};#/"), each

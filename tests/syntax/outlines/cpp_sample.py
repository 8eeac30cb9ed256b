"""Namespaces, templates, operators, methods outside of their class."""

from outlines.sample import Sample

_SOURCE = """\
#include <vector>
#include "shop.hpp"
using std::string;
using namespace shop::detail;

namespace shop {

/// What can be sold.
class Item : public Base<int>, private detail::Counted {
public:
    Item();
    explicit Item(const string &name) : name_(name) {}
    virtual ~Item() = default;

    // Compares the names.
    bool operator==(const Item &other) const { return name_ == other.name_; }
    operator bool() const { return !name_.empty(); }
    virtual double price() const = 0;

    struct Hash {
        size_t operator()(const Item &item) const noexcept { return std::hash<string>{}(item.name_); }
    };

private:
    string name_;
};

enum class State { Open, Closed };

template <typename T, int N = 4>
T largest(const std::vector<T> &all)
{
    auto less = [](const T &a, const T &b) { return a < b; };
    return *std::max_element(all.begin(), all.end(), less);
}

template <class T>
struct List {
    void push(T value) { items->push_back(value); }
    T pop();
};

template <class T>
T List<T>::pop() {
    throw std::out_of_range("empty");
}

} // namespace shop

namespace a::b { int depth() { return make<Item>(R"(raw " text)"); } }

shop::Item::Item() { }
double shop::Item::price() const { return *new Price(1); }
Item::~Item() {}
std::ostream &operator<<(std::ostream &out, const Item &item) { return out; }

extern "C" int plugin(void) { return shop::run(); }
"""

SAMPLE = Sample(
    "cpp",
    _SOURCE,
    [
        ("class", "shop", 6, 48),
        ("class", "shop::Item", 8, 26),
        ("method", "shop::Item::Item", 12, 12),
        ("method", "shop::Item::~Item", 13, 13),
        ("method", "shop::Item::operator==", 15, 16),
        ("method", "shop::Item::operator bool", 17, 17),
        ("class", "shop::Item::Hash", 20, 22),
        ("method", "shop::Item::Hash::operator()", 21, 21),
        ("class", "shop::State", 28, 28),
        ("function", "shop::largest", 30, 35),
        ("class", "shop::List", 37, 41),
        ("method", "shop::List::push", 39, 39),
        ("method", "shop::List::pop", 43, 46),
        ("class", "a::b", 50, 50),
        ("function", "a::b::depth", 50, 50),
        ("method", "shop::Item::Item", 52, 52),
        ("method", "shop::Item::price", 53, 53),
        ("method", "Item::~Item", 54, 54),
        ("function", "operator<<", 55, 55),
        ("function", "plugin", 57, 57),
    ],
    details={
        "shop": "namespace",
        "shop::Item::Item": "constructor",
        "Item::~Item": "destructor",
        "shop::State": "enum",
        "shop::List": "struct",
        "shop::List::pop": "method",
        "operator<<": "function",
    },
    bases={"shop::Item": ("Base", "detail::Counted"), "shop::List": ()},
    signatures={
        "shop::Item": "class Item : public Base<int>, private detail::Counted",
        "shop::largest": "template <typename T, int N = 4> T largest(const std::vector<T> &all)",
    },
    docstrings={"shop::Item": "What can be sold.", "shop::Item::operator==": "Compares the names."},
    references=[
        ("import", "vector", "", 1, ""),
        ("import", "shop.hpp", "", 2, ""),
        ("import", "std::string", "string", 3, ""),
        ("import", "shop::detail::*", "*", 4, ""),
        ("call", "name_.empty", "", 17, "shop::Item::operator bool"),
        ("call", "std::max_element", "", 34, "shop::largest"),
        ("call", "all.begin", "", 34, "shop::largest"),
        ("call", "all.end", "", 34, "shop::largest"),
        ("call", "items.push_back", "", 39, "shop::List::push"),
        ("call", "std::out_of_range", "", 45, "shop::List::pop"),
        ("raise", "std::out_of_range", "", 45, "shop::List::pop"),
        ("call", "make", "", 50, "a::b::depth"),
        ("call", "Price", "", 53, "shop::Item::price"),
        ("call", "shop::run", "", 57, "plugin"),
    ],
    zones=[("comment", "// Compares the names."), ("string", 'raw " text'), ("string", "empty")],
    no_zones=("max_element",),
)

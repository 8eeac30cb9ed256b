#include <vector>
using std::string;

namespace geo::flat {

namespace {
int hidden() { return 1; }
}

/// A shape.
template <typename T, int N = 1>
class Shape : public Base<T>, private ns::Other {
public:
    Shape() : a(1), b{2} {}
    ~Shape() {}
    void declared();
    virtual double area() const override { return m->w(); }
    bool operator==(const Shape& o) const { return true; }
    operator bool() const { return true; }
    Shape(const Shape&) = delete;
    template <class U> U cast(U u) { return u; }
    struct Point { int x; };
};

template <typename T> void Shape<T>::declared() {}

enum class Color : int { Red };

}  // namespace geo::flat

Widget::Widget(int x) try : base(x) {
} catch (...) {
}

Widget::~Widget() {
    throw std::runtime_error("x");
}

std::ostream& operator<<(std::ostream& os, const Widget& w) { return os; }

void Widget::Part<int>::draw() const {
    auto f = [](int x) { return x; };
}

extern "C" int c_function() { return R"(raw)"[0]; }

Widget::operator std::string() const { return ""; }

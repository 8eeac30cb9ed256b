#include <vector>
namespace shop {
template <typename T> class Basket : public Base {
 public:
  Basket(int a) : a_(a), b_{1} { init(); }
  ~Basket() { clear(); }
  int size() const noexcept { return items_.size(); }
  Basket& operator=(const Basket&) = default;
  operator bool() const { return !items_.empty(); }
  virtual void run() = 0;
 private:
  int a_;
  std::vector<T> items_;
};
auto twice = [](int x) { return x * compute(2); };
}
shop::Basket::Basket() try : a_(1) { start(); } catch (...) { stop(); }
int shop::count(int x)
{
  struct Local { int y; };
  return x + 1;
}

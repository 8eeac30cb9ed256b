using System;
using Alias = Demo.Other;

namespace Demo.Orders
{
    /// <summary>An order.</summary>
    [Table("orders")]
    public class Order<T> : Base<T>, IOrder where T : new()
    {
        public Order() : base(1) { }
        ~Order() { }

        // Ships it.
        [Test]
        public void Ship<U>(int x)
        {
            void Local() { }
            this.log.Write<int>(x).Flush();
            throw new Demo.Broken($"a {Name()} b");
        }

        public int Count { get; set; }
        public int this[int i] { get { return 1; } }
        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        public static implicit operator int(Order<T> a) => 1;
        void IOrder.Cancel() { }
        public delegate void Handler(int x);
    }

    interface IOrder { void Cancel(); }
    struct Money { }
    enum State { Open, Closed }
    record Line(int Amount) : Money;
}

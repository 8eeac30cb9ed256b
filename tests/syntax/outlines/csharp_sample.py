"""Properties, indexers, operators, records, local functions."""

from outlines.sample import Sample

_SOURCE = """\
using System;
using Tools = Shop.Core.Tools;
using static System.Math;

namespace Shop.Orders
{
    /// <summary>
    /// What can be sold.
    /// </summary>
    public interface ISells<T> : IEnumerable<T>, IDisposable
    {
        double Price(int key);
        string Name { get; }
    }

    [Serializable]
    [Table("orders")]
    public abstract partial class Orders : Base<Item>, ISells<Item>
    {
        private readonly List<Item> _items = new();

        // For the tests.
        [Inject]
        public Orders(List<Item> items) : base(items) { _items = items; }

        ~Orders() { Dispose(false); }

        public string Name { get; set; } = "none // here";
        public int Total => _items.Sum(item => item.Price);
        public Item this[int key] { get { return _items[key]; } }

        public double Price(int key) => Price(key.ToString());

        public double Price(string key)
        {
            bool Matches(Item item) { return item.Key == key; }
            return _items.Find(Matches)?.Price ?? throw new KeyNotFoundException(key);
        }

        public static Orders operator +(Orders a, Orders b) => a.Merge(b);
        public static implicit operator int(Orders orders) => orders.Total;
        public event EventHandler Changed { add { } remove { } }
        public abstract Task FlushAsync();
    }

    public enum State { Open, Closed }
    public record Line(string Name, int Amount) : Entry(Name);
    public struct Point { public int X; }
    public delegate void Handler(object sender);
}
"""

SAMPLE = Sample(
    "csharp",
    _SOURCE,
    [
        ("class", "ISells", 7, 14),
        ("method", "ISells.Price", 12, 12),
        ("method", "ISells.Name", 13, 13),
        ("class", "Orders", 16, 44),
        ("method", "Orders.Orders", 22, 24),
        ("method", "Orders.~Orders", 26, 26),
        ("method", "Orders.Name", 28, 28),
        ("method", "Orders.Total", 29, 29),
        ("method", "Orders.this", 30, 30),
        ("method", "Orders.Price", 32, 32),
        ("method", "Orders.Price", 34, 38),
        ("function", "Orders.Price.Matches", 36, 36),
        ("method", "Orders.operator +", 40, 40),
        ("method", "Orders.operator int", 41, 41),
        ("method", "Orders.Changed", 42, 42),
        ("method", "Orders.FlushAsync", 43, 43),
        ("class", "State", 46, 46),
        ("class", "Line", 47, 47),
        ("class", "Point", 48, 48),
        ("class", "Handler", 49, 49),
    ],
    details={
        "ISells": "interface",
        "ISells.Price": "declaration",
        "Orders.Orders": "constructor",
        "Orders.~Orders": "destructor",
        "Orders.Total": "property",
        "Orders.this": "property",
        "Orders.Changed": "event",
        "Orders.FlushAsync": "declaration",
        "State": "enum",
        "Line": "record",
        "Point": "struct",
        "Handler": "type",
    },
    bases={"Orders": ("Base", "ISells"), "ISells": ("IEnumerable", "IDisposable"), "Line": ("Entry",)},
    signatures={
        "Orders": "public abstract partial class Orders : Base<Item>, ISells<Item>",
        "Orders.Orders": "public Orders(List<Item> items) : base(items)",
    },
    docstrings={"ISells": "What can be sold.", "Orders.Orders": "For the tests."},
    zones=[("string", "none // here"), ("comment", "// For the tests.")],
    no_zones=("KeyNotFoundException",),
)

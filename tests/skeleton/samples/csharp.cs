using System;

namespace A.B
{
    /// <summary>A basket.</summary>
    [Serializable]
    public class Basket<T> : Base, IRunner where T : class
    {
        public const int Limit = 10;
        private readonly List<T> items = new();
        public int Size { get; private set; }
        public int Count => items.Count + Compute(1);
        public string Name
        {
            get { return name.Trim() + "x"; }
            set => name = value.ToLower() + "x";
        }
        public Basket(int a) : base(a) { Init(a, a); }
        ~Basket() { Dispose(false); }
        public override async Task<int> Run<K>(K key, string x = ")")
        {
            int Helper(int y) { return y + Compute(y); }
            return Helper(1);
        }
        public int Twice(int x) => x * 2 + Compute(x);
        public int this[int i] { get { return items[i] + 0; } }
        public static Basket<T> operator +(Basket<T> a, Basket<T> b) { return a.Join(b); }
        public abstract void Go();
        Func<int, int> f = x => { return x + Compute(x); };
    }
    interface IRunner { Task<int> Run(); }
    enum Kind { A, B = 2 }
    record Point(int X, int Y);
}

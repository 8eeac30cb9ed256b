package a.b;

import java.util.List;

/** A basket. */
@Entity(name = "x")
public class Basket<T extends Comparable<T>> implements Runnable {
    public static final int LIMIT = 10;
    private final List<T> items;
    static { register(Basket.class); }
    { prepare(); }

    /** Makes one. */
    public Basket(List<T> items) {
        this.items = items;
    }

    @Override
    public void run() throws IllegalStateException {
        // why
        class Local { void go() { start(); } }
        new Local().go();
    }

    abstract int size();
    Runnable task = () -> { work(); };
    interface Inner { default int one() { return compute(1); } }
    enum Kind { A { int x() { return compute(2); } }, B; int x() { return compute(3); } }
    record Point(int x, int y) { Point { check(x); } }
}

package demo;

import java.util.*;
import static demo.Util.log;

/**
 * A tree.
 *
 * @param <T> what is in it
 */
@SuppressWarnings("x")
public class Tree<T> extends Base<T> implements Comparable<Tree<T>>, java.io.Closeable {
    private final String text = "a b";

    public Tree() {
        this(1);
    }

    // Compares.
    @Override
    public int compareTo(Tree<T> other) throws IllegalStateException {
        Runnable task = new Runnable() {
            public void run() {}
        };
        this.left.visit(other).log();
        throw new demo.Broken("x");
    }

    interface Visitor extends Plain {
        void visit(Tree<?> tree);

        default void leave() {}
    }

    enum Color implements Plain {
        RED {
            @Override
            String code() { return "r"; }
        };

        abstract String code();
    }

    record Point(int x, int y) implements Plain {
        Point {
        }
    }

    @interface Marker {
        String value() default "";
    }
}

"""Annotations, overloads, nested and anonymous classes, records and enums."""

from outlines.sample import Sample

_SOURCE = """\
/* Licensed to nobody. */
package org.example.shop;

import java.util.List;
import static java.util.Objects.*;
import static org.example.Tools.check;

/**
 * Keeps the orders
 * of one <p> day.
 *
 * @since 1.2
 */
@Service(name = "orders")
@Deprecated
public class Orders<T extends Item> extends AbstractShop<T> implements Shop<T>, java.io.Closeable {
    private final List<T> items;

    // For the tests.
    @Inject
    Orders(List<T> items) {
        super(items);
        this.items = requireNonNull(items, "no // items");
    }

    @Override
    public void close() throws java.io.IOException {}

    public T find(int key) { return find(Integer.toString(key)); }

    public T find(String key) {
        Runnable lost = new Runnable() {
            @Override public void run() { log.warn("lost"); }
        };
        if (key == null) {
            throw new IllegalArgumentException("key");
        }
        return this.items.stream().filter(key::equals).findFirst().get();
    }

    static abstract class Builder { abstract Builder with(Object item); }

    enum State {
        OPEN { @Override boolean done() { return false; } },
        CLOSED;
        boolean done() { return true; }
    }

    record Line(int amount, String name) implements Item {
        Line { check(amount); }
        static Line of(String name) { return new Line(1, name); }
    }
}

interface Shop<T> extends Iterable<T> {
    T find(int key);
    default boolean has(int key) { return find(key) != null; }
}

@interface Service {
    String name() default "none";
}
"""

SAMPLE = Sample(
    "java",
    _SOURCE,
    [
        ("class", "Orders", 8, 53),
        ("method", "Orders.Orders", 19, 24),
        ("method", "Orders.close", 26, 27),
        ("method", "Orders.find", 29, 29),
        ("method", "Orders.find", 31, 39),
        ("method", "Orders.find.run", 33, 33),
        ("class", "Orders.Builder", 41, 41),
        ("method", "Orders.Builder.with", 41, 41),
        ("class", "Orders.State", 43, 47),
        ("method", "Orders.State.OPEN.done", 44, 44),
        ("method", "Orders.State.done", 46, 46),
        ("class", "Orders.Line", 49, 52),
        ("method", "Orders.Line.Line", 50, 50),
        ("method", "Orders.Line.of", 51, 51),
        ("class", "Shop", 55, 58),
        ("method", "Shop.find", 56, 56),
        ("method", "Shop.has", 57, 57),
        ("class", "Service", 60, 62),
        ("method", "Service.name", 61, 61),
    ],
    details={
        "Orders.Orders": "constructor",
        "Orders.Line": "record",
        "Orders.Line.Line": "constructor",
        "Orders.State": "enum",
        "Shop": "interface",
        "Shop.find": "declaration",
        "Shop.has": "method",
        "Service": "annotation",
        "Orders.Builder.with": "declaration",
    },
    bases={
        "Orders": ("AbstractShop", "Shop", "java.io.Closeable"),
        "Orders.Line": ("Item",),
        "Shop": ("Iterable",),
    },
    signatures={
        "Orders": "public class Orders<T extends Item> extends AbstractShop<T> implements Shop<T>, java.io.Closeable",
        "Orders.close": "public void close() throws java.io.IOException",
        "Shop.find": "T find(int key)",
    },
    docstrings={"Orders": "Keeps the orders of one  day.".replace("  ", " "), "Orders.Orders": "For the tests."},
    references=[
        ("import", "java.util.List", "List", 4, ""),
        ("import", "java.util.Objects.*", "*", 5, ""),
        ("import", "org.example.Tools.check", "check", 6, ""),
        ("call", "requireNonNull", "", 23, "Orders.Orders"),
        ("call", "find", "", 29, "Orders.find"),
        ("call", "Integer.toString", "", 29, "Orders.find"),
        ("call", "Runnable", "", 32, "Orders.find"),
        ("call", "log.warn", "", 33, "Orders.find.run"),
        ("call", "IllegalArgumentException", "", 36, "Orders.find"),
        ("raise", "IllegalArgumentException", "", 36, "Orders.find"),
        ("call", "this.items.stream", "", 38, "Orders.find"),
        ("call", "filter", "", 38, "Orders.find"),
        ("call", "findFirst", "", 38, "Orders.find"),
        ("call", "get", "", 38, "Orders.find"),
        ("call", "check", "", 50, "Orders.Line.Line"),
        ("call", "Line", "", 51, "Orders.Line.of"),
        ("call", "find", "", 57, "Shop.has"),
    ],
    zones=[("comment", "// For the tests."), ("string", '"no // items"'), ("comment", "/* Licensed to nobody. */")],
    no_zones=("requireNonNull", "throw new"),
)

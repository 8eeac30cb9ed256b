"""Companions, extensions, secondary constructors, objects."""

from outlines.sample import Sample

_SOURCE = """\
package org.example.shop

import org.example.core.Base as Root
import org.example.tools.*

/** What can be sold. */
interface Sells<T> : Iterable<T> {
    val name: String
    fun price(key: Int): Double
    fun has(key: Int): Boolean = price(key) > 0
}

/**
 * Keeps the orders.
 *
 * @since 1.2
 */
@Service
@Singleton
open class Orders(private val items: List<Item>) : Root(items), Sells<Item> by items {
    // From one item.
    constructor(item: Item) : this(listOf(item)) {
        check(item)
    }

    val total: Int
        get() = items.sumOf { it.price }

    @Throws(IOException::class)
    override suspend fun find(key: String): Item? {
        fun matches(item: Item) = item.key == key
        return items.firstOrNull { matches(it) } ?: throw NoSuchElementException("no $key // here")
    }

    companion object {
        const val LIMIT = 10
        @JvmStatic fun of(vararg items: Item) = Orders(items.toList())
    }

    inner class Line {
        fun cost() = 1
    }
}

data class Point(val x: Int, val y: Int)
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

SAMPLE = Sample(
    "kotlin",
    _SOURCE,
    [
        ("class", "Sells", 6, 11),
        ("method", "Sells.price", 9, 9),
        ("method", "Sells.has", 10, 10),
        ("class", "Orders", 13, 43),
        ("method", "Orders.constructor", 21, 24),
        ("method", "Orders.total", 26, 27),
        ("method", "Orders.find", 29, 33),
        ("function", "Orders.find.matches", 31, 31),
        ("method", "Orders.of", 37, 37),
        ("class", "Orders.Line", 40, 42),
        ("method", "Orders.Line.cost", 41, 41),
        ("class", "Point", 45, 45),
        ("class", "State", 46, 50),
        ("method", "State.OPEN.done", 47, 47),
        ("method", "State.done", 49, 49),
        ("class", "Registry", 51, 51),
        ("method", "Registry.add", 51, 51),
        ("class", "Keys", 52, 52),
        ("function", "List.twice", 54, 55),
        ("function", "String.is it", 56, 56),
        ("function", "main", 57, 57),
    ],
    details={
        "Sells": "interface",
        "Sells.price": "declaration",
        "Orders": "class",
        "Orders.constructor": "constructor",
        "Orders.total": "property",
        "State": "enum",
        "Registry": "object",
        "Keys": "type",
    },
    bases={"Orders": ("Root", "Sells"), "Sells": ("Iterable",)},
    signatures={
        "Orders.find": "override suspend fun find(key: String): Item?",
        "List.twice": "fun <T> List<T>.twice(): List<T>",
    },
    docstrings={"Orders": "Keeps the orders.", "List.twice": "Twice the list."},
    zones=[("comment", "// Twice the list."), ("comment", "// From one item.")],
    no_zones=("firstOrNull",),
)

"""A library of conditions for searches; the issue names a class of one letter."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== src/main/kotlin/org/example/find/Find.kt
package org.example.find

import org.example.find.catalogue.Catalogue
import org.example.find.condition.Condition

class Find(private val catalogue: Catalogue) {
    fun all(condition: Condition): List<String> =
        catalogue.items().filter { condition.holds(it) }.map { it.title }
}

=== src/main/kotlin/org/example/find/condition/Condition.kt
package org.example.find.condition

import org.example.find.catalogue.Item

interface Condition {
    fun holds(item: Item): Boolean

    fun toSql(): String
}

=== src/main/kotlin/org/example/find/condition/Q.kt
package org.example.find.condition

import org.example.find.catalogue.Item

class Q(val connector: String, val children: List<Condition>, val inverted: Boolean = false) : Condition {
    override fun holds(item: Item): Boolean {
        val found = if (connector == "AND") children.all { it.holds(item) } else children.any { it.holds(item) }
        return found != inverted
    }

    override fun toSql(): String {
        val inner = children.joinToString(" $connector ") { it.toSql() }
        return if (inverted) "NOT ($inner)" else inner
    }

    infix fun and(other: Condition): Q = joined("AND", other)

    infix fun or(other: Condition): Q = joined("OR", other)

    operator fun not(): Q = Q(connector, children, inverted = true)

    private fun joined(word: String, other: Condition): Q =
        if (connector == word && !inverted) Q(word, children + other) else Q(word, listOf(this, other))

    companion object {
        fun of(condition: Condition): Q = Q("AND", listOf(condition))
    }
}

=== src/main/kotlin/org/example/find/condition/Equals.kt
package org.example.find.condition

import org.example.find.catalogue.Item

class Equals(private val field: String, private val value: String) : Condition {
    override fun holds(item: Item) = item.field(field) == value

    override fun toSql() = "$field = '${value.replace("'", "''")}'"
}

=== src/main/kotlin/org/example/find/condition/Between.kt
package org.example.find.condition

import org.example.find.catalogue.Item

class Between(private val field: String, private val low: Int, private val high: Int) : Condition {
    override fun holds(item: Item) = item.field(field).toIntOrNull()?.let { it in low..high } ?: false

    override fun toSql() = "$field BETWEEN $low AND $high"
}

=== src/main/kotlin/org/example/find/condition/Contains.kt
package org.example.find.condition

import org.example.find.catalogue.Item

class Contains(private val field: String, private val part: String) : Condition {
    override fun holds(item: Item) = part.lowercase() in item.field(field).lowercase()

    override fun toSql() = "lower($field) LIKE '%${part.lowercase()}%'"
}

=== src/main/kotlin/org/example/find/catalogue/Item.kt
package org.example.find.catalogue

data class Item(val title: String, val author: String, val year: Int, val loaned: Boolean) {
    fun field(name: String): String = when (name) {
        "title" -> title
        "author" -> author
        "year" -> year.toString()
        else -> loaned.toString()
    }
}

=== src/main/kotlin/org/example/find/catalogue/Catalogue.kt
package org.example.find.catalogue

class Catalogue(private val items: MutableList<Item> = mutableListOf()) {
    fun add(item: Item) {
        items += item
    }

    fun items(): List<Item> = items.sortedBy { it.title }
}

=== src/main/kotlin/org/example/find/catalogue/Import.kt
package org.example.find.catalogue

import java.io.File

object Import {
    fun read(path: String): Catalogue {
        val catalogue = Catalogue()
        File(path).forEachLine { line ->
            val (title, author, year) = line.split('\t')
            catalogue.add(Item(title, author, year.toInt(), loaned = false))
        }
        return catalogue
    }
}

=== src/main/kotlin/org/example/find/saved/SavedSearch.kt
package org.example.find.saved

import org.example.find.condition.Condition

/** A search that was saved for the shop. */
class SavedSearch(val name: String, val condition: Condition) {
    /** What can be read in the window. */
    fun describe(): String = "$name finds books where ${condition.toSql()}"
}

=== src/main/kotlin/org/example/find/saved/Window.kt
package org.example.find.saved

import org.example.find.Find

/** The window shows the books of a saved search. */
class Window(private val find: Find, private val searches: List<SavedSearch>) {
    /** Each once, in its original order. */
    fun books(): List<String> = searches.flatMap { find.all(it.condition) }.distinct()

    /** The opposite. */
    fun opposite(search: SavedSearch): String = "books that ${search.name} does not find"
}

=== src/main/kotlin/org/example/find/saved/Toggle.kt
package org.example.find.saved

/** A toggle in the window: pressing it excludes the books of a search, pressing it twice shows the search again. */
class Toggle(private val search: SavedSearch) {
    private var pressed = false

    /** Twice pressed gives what was there. */
    fun press() {
        pressed = !pressed
    }

    /** Excluding shows in the label again, too. */
    fun label(): String = if (pressed) "all books but ${search.name}" else search.name
}

=== src/main/kotlin/org/example/find/ui/Prompt.kt
package org.example.find.ui

class Prompt(private val out: Appendable) {
    fun ask(question: String): String? {
        out.append(question).append("> ")
        return readlnOrNull()
    }
}

=== src/main/kotlin/org/example/find/ui/Pager.kt
package org.example.find.ui

class Pager(private val size: Int) {
    fun page(lines: List<String>, number: Int): List<String> = lines.drop(number * size).take(size)

    fun count(lines: List<String>): Int = (lines.size + size - 1) / size
}

=== src/main/kotlin/org/example/find/ui/Colours.kt
package org.example.find.ui

fun String.red(): String = "\u001b[31m$this\u001b[0m"

fun String.bold(): String = "\u001b[1m$this\u001b[0m"

=== src/test/kotlin/org/example/find/QTest.kt
class QTest {
    fun `a search excluded twice is the original search, all books are shown in the window`() {
        check(!(!Q.of(Equals("loaned", "true"))) == Q.of(Equals("loaned", "true")))
    }
}

=== third_party/query/Q.kt
/** Excludes books of a search; twice negated it is the original search again */
class Q { operator fun not(): Q = Q() }
"""

REPOSITORY = Repository(
    language="kotlin",
    files=files_of(_FILES)
    | {"web/window.min.js": minified("search books window excluded excluding original saved shown")},
    issue="""`Q.not()` of a `Q` that is inverted does not give the original back

In our shop a saved search can be excluded, and excluding the search again should show the books of the search. But
`!!Q.of(condition)` finds what `!Q.of(condition)` finds: the connector and the children are those of the inverted one,
and `NOT (...)` is still there.
""",
    path="src/main/kotlin/org/example/find/condition/Q.kt",
    name="Q.not",
    first="operator fun not(): Q = Q(connector, children, inverted = true)",
    last="    operator fun not(): Q = Q(connector, children, inverted = true)",
    decoys=(
        "src/main/kotlin/org/example/find/saved/SavedSearch.kt",
        "src/main/kotlin/org/example/find/saved/Window.kt",
        "src/main/kotlin/org/example/find/saved/Toggle.kt",
    ),
    never=("src/test/kotlin/org/example/find/QTest.kt", "third_party/query/Q.kt", "web/window.min.js"),
)

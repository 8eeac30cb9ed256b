package a.b

import x.y.Z

const val LIMIT = 10

/** A basket. */
@Entity(name = "x")
class Basket<T>(val items: List<T>, private val owner: String = ")") : Base(), Runner {
    val size: Int get() = items.size + compute(1)
    var name: String = ""
        get() { return field.trim() }
        set(value) { field = value.lowercase() }
    val lazyValue by lazy { computeSlowly(1) }
    val handler = { x: Int -> work(x) }

    init {
        register(this)
    }

    constructor(owner: String) : this(emptyList(), owner) { log(owner) }

    override suspend fun run(x: Int): String {
        fun helper(y: Int): Int { return y + compute(y) }
        return helper(x).toString()
    }

    fun short() = items.first().toString()
    companion object { fun make(): Basket<Int> { return Basket(listOf(1)) } }
}

fun String.shout(): String = uppercase() + "!" + compute(2)
data class Point(val x: Int, val y: Int)

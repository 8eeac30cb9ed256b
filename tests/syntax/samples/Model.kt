package demo

import demo.util.Log
import demo.other.*
import demo.name as alias

/** A model. */
@Entity("x")
open class Model<T>(val x: Int) : Base<T>(x), Named by other, Closeable {
    companion object {
        fun create() {}
    }

    override fun close(): Unit = log.io?.write(1) ?: throw Broken("x")

    constructor(a: String) : this(1) {
        init(a)
    }

    val size: Int get() = 1

    inner class Part {
        fun run() {}
    }
}

interface Named {
    fun name(): String
}

enum class Color {
    RED {
        override fun code() = 1
    };
    abstract fun code(): Int
}

object Registry : Named {
    fun add() {}
}

fun String.shout(times: Int): String {
    return "a ${this.plus(times)} b"
}

suspend inline fun <T> List<T>.each() where T : Any {
    fun local() {}
}

typealias Names = List<String>
data class Point(val x: Int)

"""Frames, exceptions and messages of each language's traceback, word for word."""

from __future__ import annotations

import pytest

from sherloc.query import build_query
from sherloc.schema.issue import Issue

Place = tuple[str, "int | None", str]

PYTHON = """Traceback (most recent call last):
  File "/home/me/run.py", line 7, in <module>
    main()
  File "/home/me/.venv/lib/python3.11/site-packages/shop/cart.py", line 41, in total
    return sum(item.price for item in self.items)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "C:\\\\src\\\\shop\\\\money.py", line 12, in __add__
    raise CurrencyError(f"cannot add {self.code} to {other.code}")
shop.errors.CurrencyError: cannot add EUR to USD
"""

CHAINED = """Traceback (most recent call last):
  File "pkg/cache.py", line 5, in get
    return self.data[key]
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "pkg/app.py", line 20, in handle
    self.cache.get(key)
  File "pkg/cache.py", line 9, in get
    raise CacheMiss("no such key in the cache") from None
pkg.cache.CacheMiss: no such key in the cache
"""

IPYTHON = """---------------------------------------------------------------------------
ValueError                                Traceback (most recent call last)
<ipython-input-3-0a1b2c3d> in <module>()
----> 1 frame.pivot("a")

~/env/lib/python3.9/site-packages/tab/frame.py in pivot(self, index, columns)
    210         from tab.shape import pivot
    211
--> 212         return pivot(self, index)
    213
    214     def melt(self):

~/env/lib/python3.9/site-packages/tab/shape.py in pivot(data, index)
     30     if index is None:
---> 31         raise ValueError("index must not be empty")
     32

ValueError: index must not be empty
"""

IPYTHON_8 = """File ~/lib/tab/frame.py:212, in Frame.pivot(self, index)
    210 from tab.shape import pivot
--> 212 return pivot(self, index)

File ~/lib/tab/shape.py:31, in pivot(data, index)
---> 31 raise ValueError("index must not be empty")

ValueError: index must not be empty
"""

PYTEST = """tests/test_cart.py:8: in test_total
    assert Cart([a, b]).total() == 3
shop/cart.py:41: in total
    return sum(self.items)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

self = <Money 1>

    def __add__(self, other):
        if other.code != self.code:
>           raise CurrencyError("cannot add different currencies")
E           shop.errors.CurrencyError: cannot add different currencies

shop/money.py:12: CurrencyError
"""

NODE = """TypeError: Cannot read properties of undefined (reading 'name')
    at Object.render [as draw] (/app/src/view/card.js:12:17)
    at new Board (webpack:///./src/view/board.ts:30:5)
    at async run (file:///app/src/index.mjs:3:1)
    at /app/node_modules/queue/lib/task.js:88:9
"""

FIREFOX = """TypeError: card is undefined
render@https://example.org/static/js/card.js:12:17
@https://example.org/static/js/main.js?v=3:4:1
"""

JAVA = """Exception in thread "main" java.lang.IllegalStateException: Could not start the pipeline
\tat org.acme.pipe.Runner.start(Runner.java:88)
\tat org.acme.Main.main(Main.java:14)
Caused by: org.acme.ConfigException: Unknown key retries in section queue
\tat org.acme.config.Parser$Section.read(Parser.java:203)
\tat org.acme.pipe.Runner.start(Runner.java:80)
\t... 1 more
"""

KOTLIN = """kotlin.KotlinNullPointerException
\tat io.acme.sync.SyncKt.merge(Sync.kt:19)
\tat java.base/java.lang.Thread.run(Thread.java:829)
"""

GO = """panic: runtime error: index out of range [5] with length 3 [recovered]

goroutine 18 [running]:
panic({0x5a0, 0xc0001})
\t/usr/local/go/src/runtime/panic.go:884 +0x212
github.com/acme/mux/route.(*Tree).Find(0xc000102, {0x6f3, 0x2})
\t/home/me/mux/route/tree.go:57 +0x1d
main.main()
\t/home/me/mux/cmd/main.go:9 +0x3a
"""

RUST = """thread 'main' panicked at src/walk.rs:44:17:
called `Option::unwrap()` on a `None` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:578:5
   1: finder::walk::Walker::next::h0123456789abcdef
             at ./src/walk.rs:44:17
   2: finder::main
             at ./src/main.rs:12:5
"""

RUST_OLD = "thread 'main' panicked at 'entry not found in the tree', src/tree.rs:9:13\n"

GDB = """Program received signal SIGSEGV, Segmentation fault.
#0  0x00005555555551a9 in buffer_append (b=0x0, text=0x5555 "a(b)") at src/buffer.c:21
#1  0x00005555555552b1 in fmt::detail::write<char> (out=...) at include/fmt/core.h:310
#2  main (argc=1, argv=0x7ffe) at src/main.c:5
"""

ASAN = """==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x4f
READ of size 1 at 0x602 thread T0
    #0 0x4f5a1c in zip::Reader::block(int) /src/zip/reader.cc:120:9
    #1 0x4f61aa in main /src/zip/main.cc:14:3
"""

RUBY = """lib/shop/cart.rb:12:in `total': undefined method `+' for nil (NoMethodError)
\tfrom lib/shop/cart.rb:8:in `block in sum'
\tfrom bin/shop:3:in `<main>'
"""

PHP = """PHP Fatal error:  Uncaught TypeError: Argument 1 must be of type string in /var/www/src/Mailer.php:31
Stack trace:
#0 /var/www/src/App.php(12): Acme\\Mailer->send(NULL)
#1 {main}
"""

CSHARP = """System.InvalidOperationException: Sequence contains no elements
   at Acme.Shop.Cart.First(Int32 id) in C:\\src\\Shop\\Cart.cs:line 27
   at Acme.Program.Main(String[] args) in /src/Program.cs:line 9
"""

CASES: list[tuple[str, str, str, list[Place], str, str]] = [
    ("python", PYTHON, "python", [
        ("C:/src/shop/money.py", 12, "__add__"),
        ("/home/me/.venv/lib/python3.11/site-packages/shop/cart.py", 41, "total"),
        ("/home/me/run.py", 7, "<module>"),
    ], "CurrencyError", "cannot add EUR to USD"),
    ("chained", CHAINED, "python", [
        ("pkg/cache.py", 9, "get"), ("pkg/app.py", 20, "handle"), ("pkg/cache.py", 5, "get"),
    ], "CacheMiss", "no such key in the cache"),
    ("ipython", IPYTHON, "python", [
        ("~/env/lib/python3.9/site-packages/tab/shape.py", 31, "pivot"),
        ("~/env/lib/python3.9/site-packages/tab/frame.py", 212, "pivot"),
    ], "ValueError", "index must not be empty"),
    ("ipython 8", IPYTHON_8, "python", [
        ("~/lib/tab/shape.py", 31, "pivot"), ("~/lib/tab/frame.py", 212, "Frame.pivot"),
    ], "ValueError", "index must not be empty"),
    ("pytest", PYTEST, "python", [
        ("shop/money.py", 12, "__add__"), ("shop/cart.py", 41, "total"), ("tests/test_cart.py", 8, "test_total"),
    ], "CurrencyError", "cannot add different currencies"),
    ("node", NODE, "javascript", [
        ("/app/src/view/card.js", 12, "Object.render"), ("src/view/board.ts", 30, "Board"),
        ("/app/src/index.mjs", 3, "run"), ("/app/node_modules/queue/lib/task.js", 88, ""),
    ], "TypeError", "Cannot read properties of undefined (reading 'name')"),
    ("firefox", FIREFOX, "javascript", [
        ("static/js/card.js", 12, "render"), ("static/js/main.js", 4, ""),
    ], "TypeError", "card is undefined"),
    ("java", JAVA, "java", [
        ("org/acme/config/Parser.java", 203, "org.acme.config.Parser$Section.read"),
        ("org/acme/pipe/Runner.java", 80, "org.acme.pipe.Runner.start"),
        ("org/acme/pipe/Runner.java", 88, "org.acme.pipe.Runner.start"),
        ("org/acme/Main.java", 14, "org.acme.Main.main"),
    ], "ConfigException", "Unknown key retries in section queue"),
    ("kotlin", KOTLIN, "java", [
        ("io/acme/sync/Sync.kt", 19, "io.acme.sync.SyncKt.merge"),
        ("java/lang/Thread.java", 829, "java.lang.Thread.run"),
    ], "KotlinNullPointerException", ""),
    ("go", GO, "go", [
        ("/home/me/mux/route/tree.go", 57, "github.com/acme/mux/route.(*Tree).Find"),
        ("/home/me/mux/cmd/main.go", 9, "main.main"),
    ], "panic", "runtime error: index out of range [5] with length 3"),
    ("rust", RUST, "rust", [
        ("src/walk.rs", 44, "finder::walk::Walker::next"), ("src/main.rs", 12, "finder::main"),
    ], "panic", "called `Option::unwrap()` on a `None` value"),
    ("rust, old", RUST_OLD, "rust", [("src/tree.rs", 9, "")], "panic", "entry not found in the tree"),
    ("gdb", GDB, "cpp", [
        ("src/buffer.c", 21, "buffer_append"), ("include/fmt/core.h", 310, "fmt::detail::write<char>"),
        ("src/main.c", 5, "main"),
    ], "SIGSEGV", "Segmentation fault."),
    ("asan", ASAN, "cpp", [
        ("/src/zip/reader.cc", 120, "zip::Reader::block"), ("/src/zip/main.cc", 14, "main"),
    ], "heap-buffer-overflow", "on address 0x602 at pc 0x4f"),
    ("ruby", RUBY, "ruby", [
        ("lib/shop/cart.rb", 12, "total"), ("lib/shop/cart.rb", 8, "block in sum"), ("bin/shop", 3, "<main>"),
    ], "NoMethodError", "undefined method `+' for nil"),
    ("php", PHP, "php", [
        ("/var/www/src/Mailer.php", 31, ""), ("/var/www/src/App.php", 12, "Acme\\Mailer->send"),
    ], "TypeError", "Argument 1 must be of type string"),
    ("csharp", CSHARP, "csharp", [
        ("C:/src/Shop/Cart.cs", 27, "Acme.Shop.Cart.First"), ("/src/Program.cs", 9, "Acme.Program.Main"),
    ], "InvalidOperationException", "Sequence contains no elements"),
]  # fmt: skip


WRAPS = ["{}", "It fails:\n\n```\n{}```\nThat is all we know of it.", "It fails with\n{}\nWhat is wrong?"]


@pytest.mark.parametrize("wrap", WRAPS, ids=["bare", "fenced", "in prose"])
@pytest.mark.parametrize(
    ("text", "language", "places", "exception", "message"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_frames(wrap: str, text: str, language: str, places: list[Place], exception: str, message: str) -> None:
    query = build_query(Issue(title="Crash", body=wrap.format(text)))
    assert [(f.path, f.line, f.function) for f in query.frames] == places
    assert [f.depth for f in query.frames] == list(range(len(places)))
    assert {f.language for f in query.frames} == {language}
    assert query.exceptions[0] == exception
    if message:
        assert query.messages[0] == message
    assert not query.paths, "frames are not path mentions"


def test_notebook_links_and_debugger() -> None:
    notebook = "[/lib/shape.py](https://localhost:8080/#) in pivot(data)\n---> 31 raise KeyError(1)\n\nKeyError: no key"
    debugger = "ipdb> w\n> /lib/base.py(416)execute()\n--> 416 return run()"
    for text, place in ((notebook, ("/lib/shape.py", 31, "pivot")), (debugger, ("/lib/base.py", 416, "execute"))):
        (frame,) = build_query(Issue(body=f"```\n{text}\n```")).frames
        assert (frame.path, frame.line, frame.function) == place


def test_error_alone_in_a_fence_is_what_happens() -> None:
    (segment,) = build_query(Issue(body="```\nValueError: no such key in the cache\n```")).segments
    assert segment.kind == "actual"


def test_two_tracebacks_each_start_at_depth_zero() -> None:
    body = f"First:\n```\n{PYTHON}```\nand then\n```\n{NODE}```"
    depths = [(f.language, f.depth) for f in build_query(Issue(body=body)).frames]
    assert depths == [("python", 0), ("python", 1), ("python", 2), *(("javascript", i) for i in range(4))]


def test_raised_message_counts_as_what_happens_and_frames_count_little() -> None:
    segments = build_query(Issue(body=f"```\n{PYTHON}```")).segments
    assert [s.kind for s in segments] == ["traceback", "actual"]
    assert segments[1].text == "CurrencyError: cannot add EUR to USD"
    assert segments[0].weight < segments[1].weight / 2


@pytest.mark.parametrize(
    "text",
    [
        "See models.py in the app folder.",
        "pkg/a.py:12:4: E501 line too long",
        "src/a.c:12: error: expected expression",
        "It is looked at in main.rs:12",
        "We meet at noon (room 3:4)",
    ],
)
def test_no_frames_in_prose_and_lint_output(text: str) -> None:
    assert build_query(Issue(title="x", body=text)).frames == ()

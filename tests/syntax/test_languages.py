"""Every definition of one file a language: kind, detail, lines, qualified name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherloc.syntax import LANGUAGES, Outline, Reference, outline

SAMPLES = Path(__file__).parent / "samples"

# A suffix keeps linters from mending the Python sample.
EXPECTED = {
    "python": (
        "cache.py.txt",
        """
        function function 12-23 hits
        function function 20-21 hits.inner
        class class 27-51 Cache
        method constructor 32-33 Cache.__init__
        method method 35-37 Cache.full
        method method 39-46 Cache.get
        class class 48-51 Cache.Entry
        method method 49-49 Cache.Entry.run
        method method 51-51 Cache.Entry.run
        function function 55-55 pick
        function function 57-57 pick
    """,
    ),
    "javascript": (
        "store.js",
        """
        function function 6-10 load
        function function 8-8 load.inner
        class class 12-23 Store
        method method 13-13 Store.#key
        method method 14-16 Store.create
        method constructor 17-19 Store.constructor
        method getter 20-20 Store.size
        method setter 21-21 Store.size
        method method 22-22 Store.[Symbol.iterator]
        function function 25-26 add
        function function 27-29 mul
        function function 30-30 sub
        function function 31-31 div
        method method 32-34 Store.clear
        method method 36-36 handlers.open
        method method 37-37 handlers.close
        method method 38-38 handlers.nested.deep
        function function 40-40 ids
        function function 41-41 named
    """,
    ),
    "typescript": (
        "service.ts",
        """
        class namespace 4-6 Api.V1
        function function 5-5 Api.V1.ping
        class module 7-9 legacy
        function declaration 8-8 legacy.old
        class class 11-29 Service
        method constructor 16-18 Service.constructor
        method method 20-24 Service.start
        method declaration 26-26 Service.stop
        method method 27-27 Service.stop
        method method 28-28 Service.onClick
        class class 31-34 Shape
        method declaration 32-32 Shape.area
        method getter 33-33 Shape.name
        class interface 35-38 Runnable
        method declaration 36-36 Runnable.run
        class enum 39-39 Color
        class type 40-40 Pair
        function function 41-41 pick
    """,
    ),
    "tsx": (
        "view.tsx",
        """
        class type 3-3 Props
        function function 5-10 View
        function function 8-8 View.onClick
        function function 12-14 App
        class class 16-20 Old
        method method 17-19 Old.render
    """,
    ),
    "java": (
        "Tree.java",
        """
        class class 6-52 Tree
        method constructor 15-17 Tree.Tree
        method method 19-27 Tree.compareTo
        method method 23-23 Tree.compareTo.run
        class interface 29-33 Tree.Visitor
        method declaration 30-30 Tree.Visitor.visit
        method method 32-32 Tree.Visitor.leave
        class enum 35-42 Tree.Color
        method method 37-38 Tree.Color.RED.code
        method declaration 41-41 Tree.Color.code
        class record 44-47 Tree.Point
        method constructor 45-46 Tree.Point.Point
        class annotation 49-51 Tree.Marker
        method declaration 50-50 Tree.Marker.value
    """,
    ),
    "go": (
        "server.go",
        """
        class struct 10-15 Server
        method method 17-23 Server.Start
        method method 25-25 Handler.Stop
        class type 28-28 Handler
        class interface 29-32 Runner
        method declaration 31-31 Runner.Run
        class type 33-33 Func
        class type 36-36 Alias
        function function 38-40 Map
    """,
    ),
    "rust": (
        "store.rs",
        """
        class struct 6-12 Store
        method method 15-19 Store::new
        method method 23-25 Store::fmt
        class trait 28-33 Shape
        method declaration 29-29 Shape::area
        method method 30-32 Shape::name
        class enum 35-35 Kind
        class union 36-36 Raw
        class type 37-37 Pair
        class struct 38-38 Unit
        function macro 40-42 twice
        class module 44-46 inner
        function function 45-45 inner::run
        method method 49-49 Shape::extra
        function declaration 53-53 external
    """,
    ),
    "c": (
        "list.c",
        """
        function macro 3-4 MAX
        class struct 7-11 node_t
        class enum 13-13 color_t
        class struct 15-18 list
        function function 22-28 push
        function function 30-33 signal
        function function 35-35 name
        function function 37-38 bar
        function function 40-43 old
    """,
    ),
    "cpp": (
        "shape.cpp",
        """
        class namespace 4-29 geo::flat
        function function 7-7 geo::flat::hidden
        class class 10-23 geo::flat::Shape
        method constructor 14-14 geo::flat::Shape::Shape
        method destructor 15-15 geo::flat::Shape::~Shape
        method method 17-17 geo::flat::Shape::area
        method method 18-18 geo::flat::Shape::operator==
        method method 19-19 geo::flat::Shape::operator bool
        method constructor 20-20 geo::flat::Shape::Shape
        method method 21-21 geo::flat::Shape::cast
        class struct 22-22 geo::flat::Shape::Point
        method method 25-25 geo::flat::Shape::declared
        class enum 27-27 geo::flat::Color
        method constructor 31-33 Widget::Widget
        method destructor 35-37 Widget::~Widget
        function function 39-39 operator<<
        method method 41-43 Widget::Part::draw
        function function 45-45 c_function
        method method 47-47 Widget::operator std::string
    """,
    ),
    "ruby": (
        "queue.rb",
        """
        class module 4-36 Jobs
        class class 6-35 Jobs::Queue
        class class 10-14 Jobs::Queue::Item
        method method 11-13 Jobs::Queue::Item#label
        method constructor 16-18 Jobs::Queue#initialize
        method singleton 20-20 Jobs::Queue.build
        method singleton 23-25 Jobs::Queue.default
        method method 29-32 Jobs::Queue#push!
        method method 34-34 Jobs::Queue#==
        function function 38-40 top
    """,
    ),
    "php": (
        "user.php",
        """
        class class 8-30 User
        method constructor 16-22 User::__construct
        method declaration 24-24 User::name
        method method 26-29 User::find
        class interface 32-32 Named
        method declaration 32-32 Named::name
        class trait 33-33 Loud
        method method 33-33 Loud::shout
        class enum 34-34 Level
        method method 34-34 Level::label
        function function 36-39 helper
    """,
    ),
    "kotlin": (
        "Model.kt",
        """
        class class 7-25 Model
        method method 11-11 Model.create
        method method 14-14 Model.close
        method constructor 16-18 Model.constructor
        method property 20-20 Model.size
        class class 22-24 Model.Part
        method method 23-23 Model.Part.run
        class interface 27-29 Named
        method declaration 28-28 Named.name
        class enum 31-36 Color
        method method 33-33 Color.RED.code
        method declaration 35-35 Color.code
        class object 38-40 Registry
        method method 39-39 Registry.add
        function function 42-44 String.shout
        function function 46-48 List.each
        function function 47-47 List.each.local
        class type 50-50 Names
        class class 51-51 Point
    """,
    ),
    "csharp": (
        "Order.cs",
        """
        class class 6-28 Order
        method constructor 10-10 Order.Order
        method destructor 11-11 Order.~Order
        method method 13-20 Order.Ship
        function function 17-17 Order.Ship.Local
        method property 22-22 Order.Count
        method property 23-23 Order.this
        method operator 24-24 Order.operator +
        method operator 25-25 Order.operator int
        method method 26-26 Order.Cancel
        class type 27-27 Order.Handler
        class interface 30-30 IOrder
        method declaration 30-30 IOrder.Cancel
        class struct 31-31 Money
        class enum 32-32 State
        class record 33-33 Line
    """,
    ),
}


def read(language: str) -> tuple[bytes, Outline]:
    source = (SAMPLES / EXPECTED[language][0]).read_bytes()
    return source, outline(language, source)


def references(language: str, kind: str) -> list[tuple[str, str, int]]:
    _, found = read(language)
    return [(r.name, r.alias, r.line) for r in found.references if r.kind == kind]


def test_every_language_has_a_sample() -> None:
    assert set(EXPECTED) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_definitions(language: str) -> None:
    _, found = read(language)
    lines = [f"{d.kind} {d.detail} {d.start_line}-{d.end_line} {d.qualified_name}" for d in found.definitions]
    assert lines == [line.strip() for line in EXPECTED[language][1].strip().split("\n")]
    assert bool(found.errors) == (language == "c")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_bytes_with_other_line_ends(language: str) -> None:
    source, found = read(language)
    other = outline(language, source.replace(b"\n", b"\r\n"))
    assert [(d.qualified_name, d.start_line, d.end_line) for d in other.definitions] == [
        (d.qualified_name, d.start_line, d.end_line) for d in found.definitions
    ]
    assert [(d.signature, d.docstring) for d in other.definitions] == [
        (d.signature, d.docstring) for d in found.definitions
    ]


IMPORTS = {
    "python": "__future__.annotations annotations|functools functools|a.b.c d|a.b.e e",
    "javascript": "./http.js.get fetchIt|./http.js.default axios|util.* util|fs.* fs|path.join join|path.resolve full",
    "typescript": "./http.Request Request|fs.* fs",
    "tsx": "react.useState useState|react.default React",
    "java": "java.util.* *|demo.Util.log log",
    "go": "fmt fmt|example.com/log/v2 log|strings *|embed ",
    "rust": "std::collections::HashMap HashMap|std::io io|std::io::Read R|crate::util::* *",
    "c": "stdio.h |list.h ",
    "cpp": "vector |std::string string",
    "ruby": "set |./lib/base ",
    "php": "App\\Base B|App\\Other Other|App\\One One|App\\Two Zwei|helpers.php ",
    "kotlin": "demo.util.Log Log|demo.other.* *|demo.name alias",
    "csharp": "System.* *|Demo.Other Alias",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_imports(language: str) -> None:
    assert [f"{name} {alias}" for name, alias, _ in references(language, "import")] == IMPORTS[language].split("|")


CALLS = {
    "python": "functools.lru_cache inner len self.check.size self.load errors.CacheError",
    "javascript": "fetchIt full Store super errors.Gone run",
    "typescript": "Component Input Log this.http.get",
    "tsx": "useState setN Panel.Box Label View",
    "java": "this.left.visit log Runnable demo.Broken",
    "go": "s.run fmt.Println",
    "rust": "Vec::new write self.items.len to_string",
    "c": "make MAX",
    "cpp": "m.w std::runtime_error",
    "ruby": "new Jobs::Full.new items.add puts x.to_s",
    "php": "parent::__construct this.log.info this.name Query\\Builder \\RuntimeException",
    "kotlin": "log.io.write Broken this.plus init Base Entity",
    "csharp": "this.log.Write Flush Demo.Broken Name",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls(language: str) -> None:
    called = {name for name, _, _ in references(language, "call")}
    assert set(CALLS[language].split()) - {"inner"} <= called


RAISES = {
    "python": "errors.CacheError",
    "javascript": "errors.Gone",
    "java": "demo.Broken",
    "cpp": "std::runtime_error",
    "ruby": "Jobs::Full",
    "php": "\\RuntimeException",
    "kotlin": "Broken",
    "csharp": "Demo.Broken",
}


@pytest.mark.parametrize("language", RAISES)
def test_raises(language: str) -> None:
    assert [name for name, _, _ in references(language, "raise")] == [RAISES[language]]


def test_decorators_and_owners() -> None:
    _, found = read("python")
    names = [d.qualified_name for d in found.definitions]
    owned = [(r.kind, r.name, names[r.owner] if r.owner >= 0 else "") for r in found.references]
    assert ("decorator", "functools.lru_cache", "hits") in owned
    assert ("decorator", "property", "Cache.full") in owned
    assert ("import", "functools", "") in owned
    assert ("call", "self.load", "Cache.get") in owned
    parents = {d.qualified_name: d.parent for d in found.definitions}
    assert parents["hits"] == -1
    assert names[parents["Cache.Entry.run"]] == "Cache.Entry"
    assert names[parents["hits.inner"]] == "hits"


SIGNATURES = {
    "python": ("hits", "def hits(store, *, strict: bool = False) -> int", "Count them."),
    "javascript": ("load", "export async function load(name)", "Loads it."),
    "typescript": ("Service.start", "private start(@Arg() a?: string): void", "Starts it."),
    "tsx": ("View", "export const View: React.FC<Props> = ({ title }) =>", "Shows it."),
    "java": (
        "Tree",
        "public class Tree<T> extends Base<T> implements Comparable<Tree<T>>, java.io.Closeable",
        "A tree.",
    ),
    "go": ("Server.Start", "func (s *Server[T]) Start(port int) (int, error)", "Start starts it."),
    "rust": ("Store", "pub struct Store<T>", "Holds values."),
    "c": ("push", "static inline int push(struct list *l, void (*callback)(int))", "Pushes."),
    "cpp": (
        "geo::flat::Shape",
        "template <typename T, int N = 1> class Shape : public Base<T>, private ns::Other",
        "A shape.",
    ),
    "ruby": ("Jobs::Queue#push!", "def push!(x)", ""),
    "php": ("User::__construct", "public function __construct(private string $name)", "Makes one."),
    "kotlin": ("Model", "open class Model<T>(val x: Int) : Base<T>(x), Named by other, Closeable", "A model."),
    "csharp": ("Order", "public class Order<T> : Base<T>, IOrder where T : new()", "An order."),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_signature_and_docstring(language: str) -> None:
    name, signature, docstring = SIGNATURES[language]
    source, found = read(language)
    definition = next(d for d in found.definitions if d.qualified_name == name)
    assert definition.signature == signature
    assert definition.docstring == docstring
    assert source[definition.body_start_byte : definition.end_byte]


BASES = {
    "python": ("Cache", ("base.Store", "d")),
    "javascript": ("Store", ("base.Model",)),
    "typescript": ("Service", ("Base", "Runnable", "ns.Closable")),
    "java": ("Tree", ("Base", "Comparable", "java.io.Closeable")),
    "go": ("Server", ("Base", "pkg.Logger")),
    "rust": ("Shape", ("Base", "Other")),
    "cpp": ("geo::flat::Shape", ("Base", "ns::Other")),
    "ruby": ("Jobs::Queue", ("Base::Store", "Enumerable")),
    "php": ("User", ("\\App\\Base", "Named", "Countable", "SoftDeletes")),
    "kotlin": ("Model", ("Base", "Named", "Closeable")),
    "csharp": ("Order", ("Base", "IOrder")),
}


@pytest.mark.parametrize("language", BASES)
def test_bases(language: str) -> None:
    name, bases = BASES[language]
    _, found = read(language)
    assert next(d for d in found.definitions if d.qualified_name == name).bases == bases


def test_zones_leave_interpolated_code_out() -> None:
    source, found = read("python")
    zones = [(z.kind, source[z.start_byte : z.end_byte]) for z in found.zones]
    assert ("docstring", b'"""A cache."""') in zones
    assert ("comment", b"# between") in zones
    assert ("string", b"no") in zones
    assert not any(b"self.load" in text for _, text in zones)


def test_a_reference_says_its_line() -> None:
    _, found = read("python")
    assert Reference("raise", "errors.CacheError", "", 46, 5) in found.references

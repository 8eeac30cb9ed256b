"""Receivers, embedded types, groups of types."""

from outlines.sample import Sample

_SOURCE = """\
// Package shop keeps orders.
package shop

import "fmt"
import (
	"net/http"
	log "github.com/sirupsen/logrus"
	. "math"
	_ "embed"
	"gopkg.in/yaml.v3"
	"example.org/tool/v2"
)

// Order is what somebody wants.
// It is never empty.
type Order struct {
	*Base
	http.Handler
	sync.Map[string, int]
	Name string `json:"name"`
}

type (
	// Key of an order.
	Key   = string
	Price int64
	Shop  interface {
		Store
		Find(key Key) (*Order, error)
		Close()
	}
	Handler func(w http.ResponseWriter)
)

// NewOrder makes one.
func NewOrder(name string) *Order {
	check := func(n string) bool { return len(n) > 0 }
	if !check(name) {
		panic(fmt.Errorf("no name: %q", name))
	}
	return &Order{Name: name}
}

/* Total of all. */
func (o *Order) Total(prices ...Price) (sum Price, err error) {
	defer log.WithField("a", 1).Info(`raw // text`)
	return o.sum.Of(prices...), nil
}

func (Price) String() string { return fmt.Sprint(Sqrt(1)) }

func (l List[T, K]) Map(f func(T) K) []K {
	return collect(l.items, f)
}

func native(a int) int
"""

SAMPLE = Sample(
    "go",
    _SOURCE,
    [
        ("class", "Order", 14, 21),
        ("class", "Key", 24, 25),
        ("class", "Price", 26, 26),
        ("class", "Shop", 27, 31),
        ("method", "Shop.Find", 29, 29),
        ("method", "Shop.Close", 30, 30),
        ("class", "Handler", 32, 32),
        ("function", "NewOrder", 35, 42),
        ("method", "Order.Total", 44, 48),
        ("method", "Price.String", 50, 50),
        ("method", "List.Map", 52, 54),
        ("function", "native", 56, 56),
    ],
    details={
        "Order": "struct",
        "Shop": "interface",
        "Price": "type",
        "Shop.Find": "declaration",
        "native": "declaration",
        "Order.Total": "method",
    },
    bases={"Order": ("Base", "http.Handler", "sync.Map"), "Shop": ("Store",)},
    signatures={"Order.Total": "func (o *Order) Total(prices ...Price) (sum Price, err error)"},
    docstrings={"Order": "Order is what somebody wants. It is never empty.", "Order.Total": "Total of all."},
    references=[
        ("import", "fmt", "fmt", 4, ""),
        ("import", "net/http", "http", 6, ""),
        ("import", "github.com/sirupsen/logrus", "log", 7, ""),
        ("import", "math", "*", 8, ""),
        ("import", "embed", "", 9, ""),
        ("import", "gopkg.in/yaml.v3", "yaml", 10, ""),
        ("import", "example.org/tool/v2", "tool", 11, ""),
        ("call", "len", "", 37, "NewOrder"),
        ("call", "check", "", 38, "NewOrder"),
        ("call", "panic", "", 39, "NewOrder"),
        ("call", "fmt.Errorf", "", 39, "NewOrder"),
        ("call", "Info", "", 46, "Order.Total"),
        ("call", "log.WithField", "", 46, "Order.Total"),
        ("call", "o.sum.Of", "", 47, "Order.Total"),
        ("call", "fmt.Sprint", "", 50, "Price.String"),
        ("call", "Sqrt", "", 50, "Price.String"),
        ("call", "collect", "", 53, "List.Map"),
    ],
    zones=[("string", "raw // text"), ("comment", "/* Total of all. */"), ("string", "no name: %q")],
    no_zones=("defer log",),
)

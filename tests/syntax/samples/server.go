package server

import (
	"fmt"
	log "example.com/log/v2"
	. "strings"
	_ "embed"
)

// Server serves.
type Server[T any] struct {
	Base
	*pkg.Logger
	name string
}

// Start starts it.
//
// And more.
func (s *Server[T]) Start(port int) (int, error) {
	go func() { s.run() }()
	return fmt.Println(`raw`, "text")
}

func (Handler) Stop() {}

type (
	Handler int
	Runner  interface {
		fmt.Stringer
		Run(x int) error
	}
	Func func(int) string
)

type Alias = Server[int]

func Map[K comparable](in []K) []K {
	return in
}

package a

import "fmt"

// Limit is the limit.
const Limit = 10

type Basket struct {
	Items []string `json:"items"`
}

type Runner interface {
	Run(x int) (string, error)
}

// Run runs.
func (b *Basket) Run(x int) (s string, err error) {
	type local struct{ a int }
	return fmt.Sprint(x), nil
}

var handler = func(w int) {
	fmt.Println(w)
}

func Map[T any, U any](xs []T, f func(T) U) []U { return apply(xs, f) }

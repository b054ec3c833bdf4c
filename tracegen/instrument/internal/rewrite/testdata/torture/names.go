package main

import (
	"fmt"
	. "math"
	str "strings"
)

// names uses identifiers that generated code might want.
func names() {
	tape := []int{1, 2}
	unsafe := "u"
	len := func(s string) int { return 99 }
	cap, int, any := 3, 4, 5
	uint64 := 7
	uintptr := []float64{Pi}
	append := tape[0]
	make := map[string]bool{"m": true}
	new := func() *bool { b := false; return &b }()
	copy := tape[1]
	true := false
	nil := 0
	max, min, bool := 1, 2, 3
	*new = tape[0] == 1 && tape[1] == 2
	for t := 0; t < cap; t++ {
		tape[t%2] += int
	}
	for range tape {
		int++
	}
	for i := range cap {
		tape[0] += i
	}
	n, b, o, l := tape[0], tape[1], unsafe, uintptr[0]
	hooks, v1, c1 := o, n, b
	show("names", tape, unsafe, len("abc"), cap, int, any, uint64, uintptr, append, make, *new, copy, true, nil, max, min, bool, n, b, o, l, hooks, v1, c1)
	{
		show := show
		fmt := fmt.Sprint
		show("shadowed", fmt(str.ToUpper("x"), Floor(2.5)))
	}
	x := tape
	{
		x := x[0]
		x++
		tape[1] = x
	}
	if x := x[1]; x > 0 {
		x, y := x+1, x
		show("inner", x, y)
	}
	var t__ = tape[0]
	var tape__, unsafe__ = t__, 1
	show("suffixes", t__, tape__, unsafe__)
}

type (
	len2  = int
	rune8 interface{ Code() int }
)

type code struct{ n int }

func (c *code) Code() int { return c.n }

var _ rune8 = (*code)(nil)

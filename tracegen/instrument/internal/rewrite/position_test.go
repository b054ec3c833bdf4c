package rewrite

import "testing"

// located prints the lines that it runs on. It is not formatted, so that what is
// rewritten shares lines, and takes several.
const located = `package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

func line() int { _, _, l, _ := runtime.Caller(1); return l }

func main() {
	a := []int{line(), line(),
		line()}
	for i := 0; i < line()*0+1 &&
		line() > 0; i += line() *
		0 + 1 {
		a = append(a, line())
	}
	switch {
	case a[0] > 1000,
		line() > 0:
		a = append(a, line())
	}
	f := func() int { return line() }; g := func() int {
		return line() +
			0*line()
	}
	if x := line(); x > 0 { a = append(a, x, f(), g()) }; a = append(a, line())
	a[0], a[1] = line(),
		line()
	for i, j := a[0], a[1]; i < a[0]+
		1; i, j = i+1,
		line() {
		a = append(a, i, j)
	}
	raw := ` + "`first\n/*line :1:1*/ second`" + `; a = append(a, len(raw), line())
	for v := range func(yield func(int) bool) { yield(line()); yield(
		line()) } {
		a = append(a, v, line())
	}
	fmt.Println("lines", a, line()); fmt.Println(line())
	defer func() {
		for _, l := range strings.Split(string(debug.Stack()), "\n") {
			if i := strings.Index(l, ".go:"); i >= 0 && !strings.Contains(l, "src/runtime") {
				fmt.Println(strings.Fields(l[i:])[0])
			}
		}
		fmt.Println(recover(), line())
	}()
	if a[0] > 0 &&
		a[1000] > 0 {
		fmt.Println("not here")
	}
}
`

// Rewritten code shows the lines that the user wrote: to runtime.Caller, and in the
// stack of a panic.
func TestLinesAreThoseOfTheUser(t *testing.T) {
	name := folder(t, "located.go")
	p := parsed(t, name, located)
	want := output(t, build(t, folder(t, ""), map[string][]byte{name: []byte(located)}))
	for variant, o := range variants {
		t.Run(variant, func(t *testing.T) {
			sameOutput(t, output(t, build(t, folder(t, ""), rewritten(t, p, o).Files)), want)
		})
	}
}

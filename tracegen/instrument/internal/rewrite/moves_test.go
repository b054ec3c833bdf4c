package rewrite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"spoor/tracegen/instrument/internal/assembly"
	"spoor/tracegen/tape"
)

// moves are statements, and how many bytes they move or clear.
var moves = []struct {
	statement, routine string
	bytes              int
}{
	{"copy(a, b)", "memmove", 24},
	{"copy(a[:2], b)", "memmove", 16},
	{"copy(bytes, text)", "memmove", 5},
	{"copy(bytes, text[:0])", "memmove", 0},
	{"copy(a, named(b))", "memmove", 24},
	{"n = copy(a, b)", "memmove", 24},
	{"for range copy(a[:2], b) { n++ }", "memmove", 16},
	{"a = append(a[:1], b[:2]...)", "memmove", 16},
	{"bytes = append(bytes[:0], text...)", "memmove", 5},
	{"a = append(a[:1], 1, 2)", "memmove", 0},
	{"a = append(a[:1], append(c, b...)[:0]...)", "memmove", 24},
	{"clear(a)", "memclrNoHeapPointers", 40},
	{"clear(a[:0])", "memclrNoHeapPointers", 0},
	{"clear(table)", "memclrNoHeapPointers", 0},
	{"generic(a, b)", "memmove", 24},
}

const moving = `package main

type named []int

func min(a, b float64) float64 { return a }

func generic[S ~[]T, T any](a, b S) { copy(a, b) }

`

// Copies, appends of slices and clears count the routine in assembly that moves or clears their bytes.
func TestMovesAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(moving)
	var fs, ns []string
	for k, m := range moves {
		fmt.Fprintf(&b, `
func f%d(n int, observe func()) {
	a, b, c, bytes, text, table := make([]int, 5), []int{1, 2, 3}, make([]int, 0, 9), make([]byte, 9), "words", map[int]int{}
	_, _, _, _, _, _ = a, b, c, bytes, text, table
	%s
}
`, k, m.statement)
		fs, ns = append(fs, fmt.Sprintf("f%d", k)), append(ns, strconv.Itoa(0))
	}
	main := fmt.Sprintf(countMain, strings.Join(fs, ", "), strings.Join(ns, ", "))
	p := parsedAll(t, map[string]string{folder(t, "f.go"): b.String(), folder(t, "main.go"): main})
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			o.Weights, o.Goroutines, o.Assembly = weighted(p), false, true
			files := rewritten(t, p, o).Files
			files[folder(t, "main.go")] = []byte(main)
			lines := strings.Split(output(t, build(t, folder(t, ""), files)), "\n")
			for k, m := range moves {
				t.Run(m.statement, func(t *testing.T) {
					want := uint64(0)
					if m.bytes > 0 {
						want = tape.Cost(assembly.Find("runtime", m.routine).Points, m.bytes)
					}
					if got := strings.TrimSpace(lineOf(lines, k)); got != fmt.Sprint(want) {
						t.Errorf("counted %s, want %d", got, want)
					}
				})
			}
		})
	}
}

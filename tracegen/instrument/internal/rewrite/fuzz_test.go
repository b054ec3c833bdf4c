package rewrite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A writer writes random functions over slices, structs and calls with effects,
// which always end: loops are short, and panics are part of the result.
type writer struct {
	*rand.Rand
	strings.Builder
	depth int
	loops int
	label int
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) line(format string, args ...any) {
	w.WriteString(strings.Repeat("\t", w.depth+1))
	fmt.Fprintf(w, format+"\n", args...)
}

// place is something of type int that can be assigned to.
func (w *writer) place(depth int) string {
	switch w.IntN(9) {
	case 0:
		return w.pick("x", "y")
	case 1:
		return "total"
	case 2:
		return w.pick("p.v", "p.next.v", "ps[1].v", "p.in.x")
	case 3:
		return "p.arr[" + w.index(depth) + "]"
	case 4:
		return "local[" + w.index(depth) + "]"
	case 5:
		return "*" + w.pick("q", "at(q)", "&x", "&a[1]")
	default:
		return w.pick("a", "b", "p.s", "a[1:]", "rows[1]") + "[" + w.index(depth) + "]"
	}
}

func (w *writer) index(depth int) string {
	if w.IntN(8) == 0 {
		return "n + " + w.number(depth-1) // may be out of range
	}
	return "(n+" + w.number(depth-1) + ")&3"
}

func (w *writer) number(depth int) string {
	if depth <= 0 {
		return w.pick("x", "y", "1", "2", "7", "len(a)", "total", "a[2]", "p.v", "n")
	}
	switch w.IntN(12) {
	case 0, 1, 2:
		return w.place(depth - 1)
	case 3, 4, 5:
		return "(" + w.number(depth-1) + " " + w.pick("+", "-", "*", "&", "^") + " " + w.number(depth-1) + ")"
	case 6:
		return "(" + w.number(depth-1) + " " + w.pick("/", "%") + " (n + " + w.number(depth-1) + "))"
	case 7:
		return w.pick("side", "change") + "(" + w.number(depth-1) + ")"
	case 8:
		return "p." + w.pick("get", "set") + "(" + w.number(depth-1) + ")"
	case 9:
		return "b2i(" + w.truth(depth-1) + ")"
	case 10:
		return "func() int { " + w.pick("x++", "total--", "a[1] = 3", "p = p.next") + "; return " + w.number(depth-1) + " }()"
	}
	return w.pick("int(s[1])", "min("+w.number(depth-1)+", 3)", "len(a[:"+w.index(depth)+"])", "p.any.(int)", "m["+w.number(depth-1)+"]")
}

func (w *writer) truth(depth int) string {
	if depth <= 0 {
		return w.pick("x > 1", "a[1] < a[2]", "ok", "p.v == 0")
	}
	switch w.IntN(5) {
	case 0, 1:
		return "(" + w.truth(depth-1) + " " + w.pick("&&", "||") + " " + w.truth(depth-1) + ")"
	case 2:
		return "!" + "(" + w.truth(depth-1) + ")"
	}
	return w.number(depth-1) + " " + w.pick("<", ">", "==", "!=") + " " + w.number(depth-1)
}

func (w *writer) statements(n int) {
	for range n {
		w.statement()
	}
}

func (w *writer) block(n int) {
	w.depth++
	w.statements(n)
	w.depth--
}

func (w *writer) statement() {
	if w.depth > 3 {
		w.simple()
		return
	}
	switch w.IntN(14) {
	case 0:
		w.line("if %s {", w.truth(2))
		w.block(2)
		if w.IntN(2) == 0 {
			w.line("} else if %s {", w.truth(1))
			w.block(1)
		}
		w.line("}")
	case 1:
		w.loop()
	case 2:
		w.line("for i, v := range %s {", w.pick("a", "b[1:]", "p.arr", "&p.arr", "local", "p.s"))
		w.line("\tx += i*v")
		w.block(1)
		w.line("}")
	case 3:
		w.choice()
	case 4:
		if w.loops > 0 {
			w.line("if %s { %s }", w.truth(1), w.pick("break", "continue"))
			return
		}
		w.simple()
	case 5:
		w.line("for v := range count(2) {")
		w.line("\ty += v")
		w.block(1)
		w.line("}")
	case 6:
		w.line("if %s { return %s, x }", w.truth(1), w.number(2))
	default:
		w.simple()
	}
}

func (w *writer) loop() {
	w.label++
	w.loops++
	i := fmt.Sprintf("i%d", w.label)
	post := w.pick(i+"++", i+" += 1 + b2i(a[1] == 99)", i+", a["+i+"&3] = "+i+"+1, x")
	cond := w.pick(i+" < 3", i+" < 3 && "+w.truth(1), i+" < a[0]&3")
	w.line("for %s := 0; %s; %s {", i, cond, post)
	w.line("\tx ^= %s", i)
	w.block(2)
	w.line("}")
	w.loops--
}

func (w *writer) choice() {
	tag := w.pick("", w.number(1), "x & 3")
	w.line("switch %s {", tag)
	for k := range 2 {
		if tag == "" {
			w.line("case %s:", w.truth(1))
		} else {
			w.line("case %s, %d:", w.pick("a[1]", "y", "side(2)"), k+100)
		}
		loops := w.loops
		w.loops = 0
		w.block(1)
		w.loops = loops
		if k == 0 && w.IntN(3) == 0 {
			w.line("\tfallthrough")
		}
	}
	w.line("}")
}

func (w *writer) simple() {
	switch w.IntN(10) {
	case 0, 1, 2:
		w.line("%s = %s", w.place(2), w.number(3))
	case 3, 4:
		w.line("%s %s= n + %s", w.place(2), w.pick("+", "-", "*", "^", "%"), w.number(2))
	case 5:
		w.line("%s%s", w.place(2), w.pick("++", "--"))
	case 6:
		w.line("%s, %s = %s, %s", w.place(1), w.place(1), w.number(2), w.number(2))
	case 7:
		w.line("%s, %s = pair(%s)", w.place(1), w.place(1), w.number(1))
	case 8:
		w.line("%s", w.pick("a = append(a, "+w.number(2)+")", "copy(a, b)", "ok = "+w.truth(3), "p, q = p.next, &a["+w.index(1)+"]",
			"defer side("+w.number(1)+")", "p = &node{v: "+w.number(1)+", next: p, s: b, any: 5}"))
	default:
		w.line("%s(%s)", w.pick("side", "change"), w.number(3))
	}
}

const fuzzHelpers = `
type point struct{ x, y int }

type node struct {
	v    int
	next *node
	in   point
	arr  [4]int
	s    []int
	any  any
}

var (
	total int
	seen  []int
)

func (p *node) get(k int) int { return p.v + k }

func (p *node) set(k int) int { p.v = k; return k }

func side(v int) int { seen = append(seen, v); return v }

func change(v int) int { total = v; return total }

func at(p *int) *int { total++; return p }

func pair(v int) (int, int) { return v, v + 1 }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func environment() (a, b []int, p *node, ps []node) {
	total, seen = 1, nil
	a, b = []int{1, 2, 3, 4}, []int{5, 6, 7, 8}
	p = &node{v: 1, s: []int{9, 10, 11, 12}, any: 3}
	p.next = &node{v: 2, next: p, s: a, any: 4}
	return a, b, p, make([]node, 3)
}

func try(k int, f func() (int, int)) {
	defer func() {
		e := recover()
		if err, ok := e.(error); ok {
			e = err.Error()
		}
		fmt.Println(k, e, total, seen)
	}()
	fmt.Println(f())
}
`

// program is a program of random functions.
func program(seed uint64, functions int) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.WriteString("package main\n\nimport \"fmt\"\n" + fuzzHelpers)
	for k := range functions {
		fmt.Fprintf(w, "\nfunc f%d(n int) (int, int) {\n", k)
		w.line("a, b, p, ps := environment()")
		w.line("x, y, ok, q, s, local, rows, m := 1, n, true, &a[1], \"text\", [4]int{1, 2}, [][]int{a, b}, map[int]int{1: 2}")
		w.line("_, _, _, _, _, _, _, _ = ok, q, s, local, rows, m, ps, p")
		w.line("defer func() { side(len(a)*1000 + x + y); seen = append(append(append(seen, a...), b...), local[:]...) }()")
		w.statements(6)
		w.line("return x, y")
		w.WriteString("}\n")
	}
	w.WriteString("\nfunc main() {\n")
	for k := range functions {
		fmt.Fprintf(w, "\ttry(%d, func() (int, int) { return f%d(%d) })\n", k, k, k%5)
	}
	w.WriteString("}\n")
	return w.String()
}

// Random programs do and print the same in whatever way they are rewritten.
func TestRandomProgramsAreLeftAlone(t *testing.T) {
	name := folder(t, "random.go")
	for seed := range uint64(randomPrograms) {
		src := program(seed, 60)
		p := parsed(t, name, src)
		want := output(t, build(t, folder(t, ""), map[string][]byte{name: []byte(src)}))
		for variant, o := range variants {
			t.Run(fmt.Sprintf("%d %s", seed, variant), func(t *testing.T) {
				got := output(t, build(t, folder(t, ""), rewritten(t, p, o).Files))
				sameOutput(t, got, want)
			})
		}
	}
}

// randomPrograms is how many, which take seconds each.
const randomPrograms = 2

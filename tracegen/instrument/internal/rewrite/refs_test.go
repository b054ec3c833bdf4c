package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

// environment is what the statements of the tables run in, and how references are
// named: the tape's words as "kind place", where kind is L or S and the bytes.
const environment = `package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"spoor/tracegen/tape"
)

type point struct{ x, y int32 }

type node struct {
	v    int
	next *node
	p    point
	s    []int
	arr  [4]int
	at   atomic.Int32
}

type large struct{ v [12]int }

var (
	g    int
	gs   []int
	garr [4]int
	a    []int
	b    []float64
	c    []complex128
	ps   []point
	big  []large
	n    *node
	str  string
	m    map[int]int
	ch   chan int
	list []*node
	u8   []byte
	_    = atomic.AddInt32
)

func reset() {
	g, garr = 1, [4]int{1, 2, 3}
	gs, a = []int{3, 2, 1, 0}, []int{1, 2, 3, 4, 5}
	b, c = []float64{1, 2, 3, 4}, []complex128{1, 2}
	ps, big = []point{{1, 2}, {3, 4}}, make([]large, 2)
	n = &node{v: 1, next: &node{v: 2}, s: []int{1, 2, 3}}
	str, m, ch, list = string([]byte("text")), map[int]int{1: 1}, make(chan int, 4), []*node{n, n.next}
	u8 = []byte("ab")
}

var made []string // allocations

func place(p unsafe.Pointer, bytes uint64) { made = append(made, fmt.Sprintf("%x", p)) }

func name(addr uint64) string {
	type region struct {
		name  string
		at    unsafe.Pointer
		size  uintptr
		count int
	}
	for _, r := range []region{
		{"g", unsafe.Pointer(&g), 8, 0}, {"gs[%d]", unsafe.Pointer(&gs[0]), 8, len(gs)}, {"gs", unsafe.Pointer(&gs), 24, 0},
		{"garr[%d]", unsafe.Pointer(&garr[0]), 8, 4}, {"a[%d]", unsafe.Pointer(&a[0]), 8, cap(a)}, {"b[%d]", unsafe.Pointer(&b[0]), 8, len(b)},
		{"c[%d]", unsafe.Pointer(&c[0]), 16, len(c)}, {"big[%d]", unsafe.Pointer(&big[0]), 96, len(big)}, {"list[%d]", unsafe.Pointer(&list[0]), 8, 2},
		{"ps[0].x", unsafe.Pointer(&ps[0].x), 4, 0}, {"ps[0].y", unsafe.Pointer(&ps[0].y), 4, 0}, {"ps[1].x", unsafe.Pointer(&ps[1].x), 4, 0}, {"ps[1].y", unsafe.Pointer(&ps[1].y), 4, 0},
		{"str[%d]", unsafe.Pointer(unsafe.StringData(str)), 1, len(str)}, {"u8[%d]", unsafe.Pointer(&u8[0]), 1, len(u8)},
	} {
		if off := uintptr(addr) - uintptr(r.at); off < r.size*uintptr(max(1, r.count)) {
			if r.count == 0 {
				return r.name
			}
			return fmt.Sprintf(r.name, off/r.size)
		}
	}
	for k, q := range []*node{n, n.next} {
		base := []string{"n", "n.next"}[k]
		if q == nil {
			continue
		}
		if off := uintptr(addr) - uintptr(unsafe.Pointer(q)); off < unsafe.Sizeof(*q) {
			switch {
			case off == unsafe.Offsetof(q.v):
				return base + ".v"
			case off == unsafe.Offsetof(q.next):
				return base + ".next"
			case off == unsafe.Offsetof(q.p):
				return base + ".p.x"
			case off == unsafe.Offsetof(q.p)+4:
				return base + ".p.y"
			case off == unsafe.Offsetof(q.s):
				return base + ".s"
			case off == unsafe.Offsetof(q.at):
				return base + ".at"
			case off >= unsafe.Offsetof(q.arr):
				return fmt.Sprintf("%s.arr[%d]", base, (off-unsafe.Offsetof(q.arr))/8)
			}
		}
		if off := uintptr(addr) - uintptr(unsafe.Pointer(unsafe.SliceData(q.s))); len(q.s) > 0 && off < 24 {
			return fmt.Sprintf("%s.s[%d]", base, off/8)
		}
	}
	for i, p := range made {
		if p == fmt.Sprintf("%x", addr) {
			return fmt.Sprintf("new%d", i)
		}
	}
	return "?"
}

func run(f func()) {
	reset()
	made = nil
	var refs []string
	t := tape.NewTape(1000, func(words []uint64) {
		for len(words) > 0 {
			r, k := tape.Next(words)
			kind := "L"
			if r.Store {
				kind = "S"
			}
			if r.Parts > 1 {
				kind += "P"
			}
			if r.Size > 0 {
				refs = append(refs, fmt.Sprintf("%s%d %s", kind, r.Size, name(r.Addr)))
			}
			words = words[k:]
		}
	}, place)
	func() {
		defer func() {
			if e := recover(); e != nil {
				refs = append(refs, fmt.Sprint(e))
			}
		}()
		tape.Switch(t)
		f()
	}()
	t.Drain()
	tape.Switch(nil)
	fmt.Println(strings.Join(refs, ", "))
}
`

// A statement, and the references that it makes, in order.
type statement struct{ stmt, want string }

// refs are statements with these local variables: i is 1, j is 2, x is 5, arr is a local array.
var refs = []statement{
	// Loads.
	{"x = a[i]", "L8 a[1]"},
	{"_ = a[i]", "L8 a[1]"},
	{"x = a[1] + a[i]*x + a[j]", "L8 a[1], L8 a[1], L8 a[2]"},
	{"x = a[a[i]]", "L8 a[1], L8 a[2]"},
	{"f = b[i] / b[j]", "L8 b[1], L8 b[2]"},
	{"z = c[i]", "LP8 c[1]"},
	{"x = n.v", "L8 n.v"},
	{"x = int(n.p.y)", "L4 n.p.y"},
	{"x = n.next.v", "L8 n.next, L8 n.next.v"},
	{"x = n.arr[j]", "L8 n.arr[2]"},
	{"x = n.s[j]", "L24 n.s, L8 n.s[2]"},
	{"q := *n.next; x = q.v", "L8 n.next, L88 n.next.v"},
	{"x = int(ps[i].y)", "L4 ps[1].y"},
	{"p := ps[i]; x = int(p.y)", "L8 ps[1].x"},
	{"l := big[i]; x = l.v[0]", "L96 big[1]"},
	{"x = g", "L8 g"},
	{"x = gs[i]", "L24 gs, L8 gs[1]"},
	{"x = garr[j]", "L8 garr[2]"},
	{"x = len(gs)", "L24 gs"},
	{"x = len(a)", ""},
	{"x = arr[j]", ""},
	{"x = int(str[j])", "L16 ?, L1 str[2]"},
	{"s := str; x = int(s[j])", "L16 ?, L1 str[2]"},
	{"p := &a[j]; x = *p", "L8 a[2]"},
	{"p := &n.p; x = int(p.x)", "L4 n.p.x"},
	{"p := &p0; p.x = 3; x = int(p0.x)", "S8 ?, L8 ?, S4 ?, L4 ?"},
	// Stores.
	{"a[i] = x", "S8 a[1]"},
	{"a[i] = a[j]", "L8 a[2], S8 a[1]"},
	{"a[a[i]] = a[j]", "L8 a[2], L8 a[1], S8 a[2]"},
	{"n.next.v = a[i]", "L8 a[1], L8 n.next, S8 n.next.v"},
	{"g = x", "S8 g"},
	{"gs[i] = g", "L8 g, L24 gs, S8 gs[1]"},
	{"c[0] = c[1] * c[0]", "LP8 c[1], LP8 c[0], SP8 c[0]"},
	{"ps[0] = ps[1]", "L8 ps[1].x, S8 ps[0].x"},
	{"big[0] = big[1]", "L96 big[1], S96 big[0]"},
	{"arr[i] = x", ""},
	{"x, a[i] = a[j], x", "L8 a[2], S8 a[1]"},
	// Updates.
	{"a[i] += x", "L8 a[1], S8 a[1]"},
	{"a[i]++", "L8 a[1], S8 a[1]"},
	{"a[i] += a[j]", "L8 a[1], L8 a[2], S8 a[1]"},
	{"n.next.v--", "L8 n.next, L8 n.next.v, S8 n.next.v"},
	{"b[i] -= b[0] * b[j]", "L8 b[1], L8 b[0], L8 b[2], S8 b[1]"},
	{"g++", "L8 g, S8 g"},
	{"x += a[i]", "L8 a[1]"},
	{"a[one()] += one()", "L8 a[1], S8 a[1]"},
	// Several at once.
	{"a[i], a[j] = a[j], a[i]", "L8 a[1], L8 a[2], S8 a[1], S8 a[2]"},
	{"i, a[i] = 0, 9", "S8 a[1]"},
	{"a[0], x = a[1], a[2]", "L8 a[2], L8 a[1], S8 a[0]"},
	{"a[0], a[1] = pair()", "S8 a[0], S8 a[1]"},
	{"a[i], ok = m[1]", "L8 ?, S8 a[1]"},
	// Conditions.
	{"if a[i] > 1 && a[j] > 100 { x = 0 }", "L8 a[1], L8 a[2]"},
	{"if a[i] > 100 && a[j] > 1 { x = 0 }", "L8 a[1]"},
	{"if a[i] > 1 || a[j] > 100 { x = a[0] }", "L8 a[1], L8 a[0]"},
	{"if x := a[i]; x > 1 { a[0] = x }", "L8 a[1], S8 a[0]"},
	{"if a[0] > 1 { x = 1 } else if a[1] > 1 { x = a[2] }", "L8 a[0], L8 a[1], L8 a[2]"},
	{"ok = a[0] > 1 && g > 0", "L8 a[0]"},
	{"switch a[i] { case 1: x = a[0]; case 2: x = a[3] }", "L8 a[1], L8 a[3]"},
	{"switch x { case a[0]: x = 1; case a[4], a[1]: x = a[2] }", "L8 a[0], L8 a[4], L8 a[2]"},
	{"switch { case a[0] > 1: x = 1; case a[1] > 1: x = a[2]; case a[3] > 1: }", "L8 a[0], L8 a[1], L8 a[2]"},
	// Loops.
	{"for i := 0; i < a[0]; i++ { x += a[i+1] }", "L8 a[0], L8 a[1], L8 a[0]"},
	{"for i := 0; i < 2; i++ { x += a[i] }", "L8 a[0], L8 a[1]"},
	{"for q := n; q != nil; q = q.next { x += q.v }", "L8 n.v, L8 n.next, L8 n.next.v, L8 n.next.next"},
	{"for k := range a { a[k] = k; if k == 1 { break } }", "S8 a[0], S8 a[1]"},
	{"for k, v := range a[:2] { x += v * k }", "L8 a[0], L8 a[1]"},
	{"for _, v := range n.s { x += v }", "L24 n.s, L8 n.s[0], L8 n.s[1], L8 n.s[2]"},
	{"for _, p := range ps { x += int(p.x) }", "L8 ps[0].x, L8 ps[1].x"},
	{"for _, v := range &garr { x += v }", "L8 garr[0], L8 garr[1], L8 garr[2], L8 garr[3]"},
	{"for _, v := range garr { x += v }", "L32 garr[0]"},
	{"for range garr { x++ }", ""},
	{"for _, r := range str[:2] { x += int(r) }", "L16 ?, L1 str[0], L1 str[1]"},
	{"for _, a[0] = range a[1:3] { x++ }", "L8 a[1], S8 a[0], L8 a[2], S8 a[0]"},
	{"for i = 0; i < 2; i, a[i] = i+1, i { x++ }", "S8 a[0], S8 a[1]"},
	// Built-in functions and memory.
	{"copy(a[1:3], a)", "L16 a[0], S16 a[1]"},
	{"copy(u8, str)", "L24 ?, L16 ?, L2 str[0], S2 u8[0]"},
	{"a = append(a[:1], 7)", "S8 a[1]"},
	{"a = append(a, a[0])", "L8 a[0], L40 a[0], S40 new0, S8 ?"},
	{"clear(a[:2])", "S16 a[0]"},
	{"p := &point{x: int32(a[0])}; p.y = 2", "L8 a[0], S4 new0, S4 ?"},
	{"q := []int{a[1], 2}; x = q[1]", "L8 a[1], S16 new0, L8 ?"},
	{"p := new(int); *p = 1", "S8 new0"},
	{"q := make([]int, 2); q[0] = 1", "S8 new0"},
	{"x = len(string(u8))", "L24 ?, L2 u8[0], S2 new0"},
	{"q := []byte(str[:3]); q[0] = 1", "L16 ?, L3 str[0], S3 new0, S1 new0"},
	{"ok = string(u8) == str", "L24 ?, L2 u8[0], L16 ?"},
	// Calls.
	{"x = add(a[0], a[1])", "L8 a[0], L8 a[1]"},
	{"x = get(a, i) + a[j]", "L8 a[1], L8 a[2]"},
	{"x = a[j] + get(a, i)", "L8 a[1], L8 a[2]"},
	{"a[0] = get(a, i)", "L8 a[1], S8 a[0]"},
	{"a[get(a, 0)] = get(a, i)", "L8 a[0], L8 a[1], S8 a[1]"},
	{"x = n.get(a[0])", "L8 a[0], L8 n.v"},
	{"x = n.next.get(1)", "L8 n.next, L8 n.next.v"},
	{"x = (*n).sum()", "L88 n.v"},
	{"f2 := n.get; x = f2(1)", "L8 n.v"},
	{"x = func() int { return a[i] }() + a[0]", "L8 a[1], L8 a[0]"},
	{"defer add(a[0], a[1])", "L8 a[0], L8 a[1]"},
	// Shared variables.
	{"w := 1; h := func() { w++ }; h(); x = w", "S8 ?, L8 ?, S8 ?, L8 ?"},
	{"w := a[0]; h := func() int { return w }; x = h()", "L8 a[0]"},
	// Others.
	{"atomic.AddInt32(&n.p.x, 1)", "L4 n.p.x, S4 n.p.x"},
	{"x = int(n.at.Load())", "L4 n.at"},
	{"n.at.Store(int32(a[0]))", "L8 a[0], S4 n.at"},
	{"ch <- a[i]; a[0] = <-ch", "L8 ?, L8 a[1], L8 ?, S8 a[0]"},
	{"m[a[0]] = a[1]", "L8 a[1], L8 ?, L8 a[0]"},
	// A panic of the runtime loses what the function recorded since its last call.
	{"x = a[i] / (a[0] - 1)", "runtime error: integer divide by zero"},
	{"a[9] = a[1]", "runtime error: index out of range [9] with length 5"},
}

const helpers = `
func one() int { return 1 }

func pair() (int, int) { return 3, 4 }

//go:noinline
func add(x, y int) int { return x + y }

func get(a []int, i int) int { return a[i] }

func get2(a []int) []int { return a[:2] }

func (n *node) get(x int) int { return n.v + x }

func (n node) sum() int { return n.v }

`

func TestReferencesOfStatements(t *testing.T) {
	for _, assembly := range []bool{false, true} {
		checkReferences(t, refs, assembly)
	}
}

// What the standard library does so often is recorded where it is recorded.
func TestReferencesOfAppendedSlices(t *testing.T) {
	checkReferences(t, []statement{
		{"a = append(a[:1], a[2:4]...)", "L16 a[2], S16 a[1]"},
		{"u8 = append(u8[:1], str[:1]...)", "L24 ?, L16 ?, L1 str[0], S1 u8[1], S24 ?"},
		{"a = append(a[:1], get2(a)...)", "L16 a[0], S16 a[1]"},
	}, true)
}

// checkReferences compares the references of statements.
func checkReferences(t *testing.T, refs []statement, assembly bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\nimport \"sync/atomic\"\n\nvar _ atomic.Int32\n" + helpers)
	var main strings.Builder
	for k, r := range refs {
		fmt.Fprintf(&b, `
func f%d(a []int, b []float64, c []complex128, ps []point, n *node, list []*node, big []large) {
	i, j, x, f, z, ok, arr, p0 := 1, 2, 5, 0.5, 1i, true, [4]int{}, point{}
	_, _, _, _, _, _, _, _ = i, j, x, f, z, ok, arr, p0
	%s
	_ = x
}
`, k, r.stmt)
		fmt.Fprintf(&main, "\trun(func() { f%d(a, b, c, ps, n, list, big) })\n", k)
	}
	env := environment + "\nfunc main() {\n" + main.String() + "}\n"
	p := parsedAll(t, map[string]string{folder(t, "refs.go"): b.String(), folder(t, "main.go"): env})
	r := rewritten(t, p, Options{Mode: Trace, Headers: true, Assembly: assembly})
	files := map[string][]byte{folder(t, "main.go"): []byte(env), folder(t, "refs.go"): r.Files[folder(t, "refs.go")]}
	lines := strings.Split(output(t, build(t, folder(t, ""), files)), "\n")
	for k, r := range refs {
		if k >= len(lines) || lines[k] != r.want {
			t.Errorf("%s, assembly %v:\n got %s\nwant %s", r.stmt, assembly, lineOf(lines, k), r.want)
		}
	}
}

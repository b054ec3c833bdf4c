package rewrite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spoor/tracegen/instrument/internal/code"
)

// counts are bodies of func f(n int, observe func()) with the weights of their
// lines, and what is counted for a given n: at each call of observe, then in all.
var counts = []struct {
	name, body string
	n          int
	want       string
}{
	{"straight", `
	x := n //=3
	x++ //=2
	use(x) //=4
`, 1, "9"},
	{"nothing", `
	x := n
	use(x)
`, 1, "0"},
	{"branch taken", `
	x := n //=1
	if x > 0 { //=2
		x++ //=10
	}
	use(x) //=3
`, 1, "16"},
	{"branch not taken", `
	x := n //=1
	if x > 0 { //=2
		x++ //=10
	} else {
		x-- //=20
	}
	use(x) //=3
`, 0, "26"},
	{"else if", `
	if n > 5 { //=1
		use(1) //=10
	} else if n > 3 { //=2
		use(2) //=20
	} else if n > 1 { //=4
		use(3) //=40
	}
`, 2, "47"},
	{"right operand evaluated", `
	if n > 0 && //=1
		n > 5 { //=2
		use(n) //=10
	}
	use(n) //=100
`, 3, "103"},
	{"right operand not evaluated", `
	if n > 0 && //=1
		n > 5 { //=2
		use(n) //=10
	}
	use(n) //=100
`, 0, "101"},
	{"or", `
	ok := n > 0 || //=1
		n < -5 || //=2
		n == -1 //=4
	if ok { //=8
		use(n) //=16
	}
`, -6, "27"},
	{"loop", `
	for i := 0; //=1
		i < n; //=2
		i++ { //=3
		use(i) //=4
	}
`, 5, "46"},
	{"loop without iterations", `
	for i := 5; //=1
		i < n; //=2
		i++ { //=3
		use(i) //=4
	}
`, 5, "1"},
	{"loop down in steps", `
	for i := n; //=1
		i >= 1; //=2
		i -= 3 { //=3
		use(i) //=4
	}
`, 10, "37"},
	{"loop with early end", `
	for i := 0; //=1
		i < n; //=2
		i++ { //=3
		if i == 2 { //=4
			break //=5
		}
		use(i) //=6
	}
	use(n) //=100
`, 5, "145"},
	{"continue", `
	for i := range n { //=2
		if i == 2 { //=4
			continue //=5
		}
		use(i) //=6
	}
	use(n) //=100
`, 5, "159"},
	{"nested loops", `
	for i := 0; //=1
		i < n; //=2
		i++ { //=3
		for j := 0; //=4
			j < i; //=5
			j++ { //=6
			use(j) //=7
		}
	}
`, 4, "145"},
	{"condition with a call", `
	i := 0 //=1
	for step(&i) < n && //=2
		i < 3 { //=4
		use(i) //=8
	}
	use(i) //=16
`, 10, "49"},
	{"return", `
	for i := range n { //=1
		if i == 3 { //=2
			return //=4
		}
	}
	use(n) //=8
`, 10, "16"},
	{"switch", `
	switch n { //=1
	case 1: //=2
		use(1) //=4
	case 2: //=8
		use(2) //=16
	default:
		use(3) //=32
	}
	use(4) //=64
`, 2, "91"},
	{"fallthrough", `
	switch n {
	case 1:
		use(1) //=1
		fallthrough //=2
	case 2:
		use(2) //=4
	default:
		use(3) //=8
	}
`, 1, "7"},
	{"closure", `
	f := func(k int) { //=1
		use(k) //=2
	}
	f(1) //=4
	f(2) //=8
`, 1, "17"},
	{"call", `
	use(counted(n)) //=1
	use(counted(n)) //=2
`, 3, "103"},
	{"recursion", `
	use(down(n)) //=1
`, 4, "51"},
	{"observed", `
	use(n) //=1
	observe() //=2
	use(n) //=4
	if n > 0 { //=8
		observe() //=16
		use(n) //=32
	}
	use(n) //=64
	observe() //=128
	use(n) //=256
`, 1, "3 31 255 511"},
	{"observed in a loop", `
	for i := 0; //=1
		i < n; //=2
		i++ { //=4
		use(i) //=8
		observe() //=16
		use(i) //=32
	}
`, 2, "31 93 125"},
	{"observed in a callee", `
	use(n) //=1
	through(observe) //=2
	use(n) //=4
`, 1, "103 107"},
	{"defer", `
	defer use(n) //=1
	defer func() { //=2
		use(n) //=4
	}()
	if n > 0 { //=8
		return //=16
	}
	use(n) //=32
`, 1, "31"},
	{"panic", `
	defer func() { //=1
		_ = recover() //=2
	}()
	use(n) //=4
	if n > 0 { //=8
		panic(n) //=16
	}
	use(n) //=32
`, 1, "31"},
	{"panic in a callee", `
	defer func() { //=1
		_ = recover() //=2
	}()
	use(n) //=4
	panicking(n) //=8
	use(n) //=16
`, 1, "105"},
	{"goto", `
	i := 0 //=1
again:
	i++ //=2
	if i < n { //=4
		goto again //=8
	}
	use(i) //=16
`, 3, "51"},
	{"labels", `
outer:
	for i := range n { //=1
		for j := range n { //=2
			if j > i { //=4
				continue outer //=8
			}
			use(j) //=16
		}
		use(i) //=32
	}
`, 3, "195"},
	{"range over a slice", `
	a := make([]int, n) //=1
	for i := range a { //=2
		a[i]++ //=4
	}
	for _, v := range a { //=8
		use(v) //=16
	}
`, 3, "91"},
	{"range over a function", `
	for v := range upTo(n) { //=1
		if v == 3 { //=2
			break //=4
		}
		use(v) //=8
	}
	use(n) //=16
`, 10, "146"},
	{"large block", `
	a := make([]int, 1) //=5000
	a[0]++ //=2000
`, 1, "7000"},
	{"large block in a loop", `
	a := make([]int, 4) //=1
	for i := range n { //=700
		if i%2 == 0 { //=1
			use(i) //=600
		} else {
			a[i]++ //=800
		}
	}
`, 4, "5605"},
	{"many branches", `
	a := make([]int, 4)
	for i := range n { //=1
		a[0]++ //=10
		if i%2 == 0 { //=100
			use(i) //=200
		}
		if i%3 == 0 { //=100
			use(i) //=200
		}
		if i%5 == 0 { //=100
			use(i) //=200
		}
	}
`, 6, "3266"},
}

const countHelpers = `
//go:noinline
func use(int) {}

func step(i *int) int {
	*i++
	return *i
}

//go:noinline
func counted(n int) int {
	return n + 1 //=50
}

func down(n int) int {
	if n == 0 { //=1
		return 0 //=1
	}
	return down(n-1) + 1 //=11
}

func through(f func()) {
	f() //=100
}

func panicking(n int) {
	if n > 0 { //=30
		panic(n) //=60
	}
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n { //=10
			if !yield(i) { //=10
				return //=10
			}
		}
	}
}
`

const countMain = `package main

import (
	"fmt"

	"spoor/tracegen/tape"
)

func main() {
	for i, f := range []func(int, func()){%s} {
		sum := uint64(0)
		t := tape.NewTape(64, func(words []uint64) {
			for len(words) > 0 {
				r, k := tape.Next(words)
				sum += r.Instr
				words = words[k:]
			}
		}, nil)
		tape.Switch(t)
		f([]int{%s}[i], func() { t.Drain(); fmt.Print(sum+t.N, " ") })
		t.Drain()
		fmt.Println(sum + t.N)
	}
}
`

var weightOf = regexp.MustCompile(`//=(\d+)`)

// weighted is the weights of the lines of sources, by file, from comments.
func weighted(p *code.Package) map[string]map[int]int {
	weights := map[string]map[int]int{}
	for name, src := range p.Src {
		weights[name] = map[int]int{}
		for i, line := range strings.Split(string(src), "\n") {
			if m := weightOf.FindStringSubmatch(line); m != nil {
				weights[name][i+1], _ = strconv.Atoi(m[1])
			}
		}
	}
	return weights
}

// Both modes count the same, whatever the blocks are.
func TestCountsAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles rewritten programs")
	}
	var b strings.Builder
	b.WriteString("package main\n" + countHelpers)
	var fs, ns []string
	for k, c := range counts {
		fmt.Fprintf(&b, "\nfunc f%d(n int, observe func()) {%s}\n", k, c.body)
		fs, ns = append(fs, fmt.Sprintf("f%d", k)), append(ns, strconv.Itoa(c.n))
	}
	main := fmt.Sprintf(countMain, strings.Join(fs, ", "), strings.Join(ns, ", "))
	p := parsedAll(t, map[string]string{folder(t, "f.go"): b.String(), folder(t, "main.go"): main})
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			o.Weights, o.Goroutines = weighted(p), false
			files := rewritten(t, p, o).Files
			files[folder(t, "main.go")] = []byte(main)
			lines := strings.Split(output(t, build(t, folder(t, ""), files)), "\n")
			for k, c := range counts {
				t.Run(c.name, func(t *testing.T) {
					if got := strings.TrimSpace(lineOf(lines, k)); got != c.want {
						t.Errorf("%s with n = %d: got %s, want %s", c.name, c.n, got, c.want)
					}
				})
			}
		})
	}
}

package marshalling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// matrixOf is items that are all different, as far as a test uses them.
func matrixOf(n int64) []int32 {
	m := make([]int32, n)
	for i := range m {
		m[i] = int32(i) * 3
	}
	return m
}

// Packing takes the items of the block, row by row, and unpacking puts them where they were, and touches no others.
func TestPackIsWhatItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		l := Layout{Base: r.Int64N(20), Rows: 1 + r.Int64N(9), Cols: 1 + r.Int64N(9)}
		l.Stride = l.Cols + r.Int64N(9)
		m := matrixOf(20 + l.Rows*l.Stride + l.Cols)
		var want []int32
		other := make([]int32, len(m))
		for i := range l.Rows {
			for j := range l.Cols {
				want = append(want, m[l.Base+i*l.Stride+j])
				other[l.Base+i*l.Stride+j] = m[l.Base+i*l.Stride+j]
			}
		}
		packed := make([]int32, l.Rows*l.Cols)
		l.Pack(packed, m)
		if !slices.Equal(packed, want) {
			t.Fatalf("%+v: packed %v, want %v", l, packed, want)
		}
		got := make([]int32, len(m))
		l.Unpack(got, packed)
		if !slices.Equal(got, other) {
			t.Fatalf("%+v: unpacked %v, want %v", l, got, other)
		}
	}
}

// Two processes with halves of an array have what one process with all of it has.
func TestScansCompose(t *testing.T) {
	const height, width = 5, 7
	all := matrixOf(2 * height * width)
	for _, horizontal := range []bool{true, false} {
		halves := [2][]int32{slices.Clone(all[:height*width]), slices.Clone(all[height*width:])}
		l := Layout{Base: width * (height - 1), Rows: 1, Cols: width, Stride: width}
		across, along := width, height
		at := func(k, n int) int { return n*width + k }
		if horizontal { // the second half lies to the right
			l = Layout{Base: width - 1, Rows: height, Cols: 1, Stride: width}
			across, along = height, width
			at = func(k, n int) int { return k*width + n }
		}
		carry, sums := make([]int32, across), make([]int32, across)
		for h, half := range halves {
			l.Scan(half, carry)
			for k := range across {
				for n := range along {
					sums[k] += all[h*height*width+at(k, n)]
					if half[at(k, n)] != sums[k] {
						t.Errorf("horizontal %v, half %d: sum %d of %d is %d, not %d", horizontal, h, n, k, half[at(k, n)], sums[k])
					}
				}
			}
			packed := make([]int32, across)
			l.Pack(packed, half)
			if !slices.Equal(packed, carry) || !slices.Equal(carry, sums) {
				t.Errorf("horizontal %v: the carry is %v, the block %v", horizontal, carry, packed)
			}
		}
	}
}

// Statements do what their names say, with the arrays, accesses and operations that they say, to the block alone.
func TestStatements(t *testing.T) {
	of := map[string]func(a, b, c int32) int32{
		"A = s": func(_, _, _ int32) int32 { return scalar }, "A = B": func(_, b, _ int32) int32 { return b },
		"A = A + s": func(a, _, _ int32) int32 { return a + scalar }, "A = B + s": func(_, b, _ int32) int32 { return b + scalar },
		"A = A + B": func(a, b, _ int32) int32 { return a + b }, "A = B + C": func(_, b, c int32) int32 { return b + c },
	}
	l := Layout{Base: 3, Rows: 4, Cols: 5, Stride: 8}
	for _, s := range Statements {
		m := matrixOf(2*apart + 100)
		want := slices.Clone(m)
		for i := range l.Rows {
			for j := range l.Cols {
				at := l.Base + i*l.Stride + j
				want[at] = of[s.Name](m[at], m[apart+at], m[2*apart+at])
			}
		}
		s.Run(m, l)
		if !slices.Equal(m, want) {
			t.Errorf("%s does something else", s.Name)
		}
		p := packing.Point{Rows: 4, Cols: 5, Accesses: 20 * s.Accesses, Ops: 20 * s.Ops, Blocks: s.Arrays}
		if back, err := StatementOf(&p); err != nil || back.Name != s.Name {
			t.Errorf("%s is taken for %s, %v", s.Name, back.Name, err)
		}
	}
	if _, err := StatementOf(&packing.Point{Rows: 4, Cols: 5, Accesses: 21}); err == nil {
		t.Error("a statement was found that does not exist")
	}
}

// As many training as test points, all different, that fit into a matrix; 100 of transfers, half of them rows.
func TestPlan(t *testing.T) {
	for _, look := range []bool{false, true} {
		list := Plans[0].Points(1, look)
		count, rows := map[packing.Experiment]map[packing.Set]int{}, 0
		for i, p := range list {
			if err := Check(&p); err != nil || slices.Contains(list[:i], p) {
				t.Fatalf("%+v: %v, or it is there twice", p, err)
			}
			if count[p.Experiment] == nil {
				count[p.Experiment] = map[packing.Set]int{}
			}
			count[p.Experiment][p.Set]++
			if p.Experiment == packing.Transfer && p.Cols == int64(p.Stride/Item) {
				rows++
			}
			if p.Experiment == packing.Array {
				if _, err := StatementOf(&p); err != nil {
					t.Error(err)
				}
			}
		}
		for _, e := range []packing.Experiment{packing.Transfer, packing.Scan, packing.Array} {
			if c := count[e]; c[timing.Train] != c[timing.Test] || c[timing.Train] < 2 {
				t.Errorf("%s: %v", e, c)
			}
		}
		if c := count[packing.Transfer]; !look && (c[timing.Train] != transfers || rows < transfers || rows > transfers+5) {
			t.Errorf("transfers: %v, %d of them rows", c, rows)
		}
	}
}

// Plans other than the first have what their names say, as many test as training points.
func TestOtherPlans(t *testing.T) {
	for _, c := range []struct {
		plan                    int
		transfers, scans, array int
	}{{1, 400, 0, 0}, {2, 6 * sides, 2 * sides, sides}} {
		count, test := map[packing.Experiment]int{}, 0
		list := Plans[c.plan].Points(1, false)
		for i, p := range list {
			if err := Check(&p); err != nil || slices.Contains(list[:i], p) {
				t.Fatalf("%s: %+v: %v, or it is there twice", Plans[c.plan].Name, p, err)
			}
			if count[p.Experiment]++; p.Set == timing.Test {
				test++
			}
		}
		if count[packing.Transfer] != c.transfers || count[packing.Scan] != c.scans || count[packing.Array] != c.array || 2*test != len(list) {
			t.Errorf("%s: %v, %d of %d are test points", Plans[c.plan].Name, count, test, len(list))
		}
	}
}

// Where a process would unpack outside of its memory, it must be told before.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		base, rows, cols, stride int64
		fits                     bool
	}{
		{0, 1, 1, 1, true}, {0, 200, 4000, 4000, true}, {0, 4000, 200, 4000, true}, {Matrix/Item - 1, 1, 1, 1, true}, {3800, 4000, 200, 4000, true},
		{Matrix / Item, 1, 1, 1, false}, {0, 201, 4000, 4000, false}, {0, 2, 5, 4, false}, {-1, 1, 1, 1, false}, {0, 0, 0, 0, false}, {3801, 4000, 200, 4000, false},
	} {
		t.Run(fmt.Sprintf("%v %v", c.base, c.rows), func(t *testing.T) {
			p := packing.Point{Experiment: packing.Transfer, Rows: c.rows, Cols: c.cols, Item: Item, Stride: unit.Bytes(c.stride * Item), Base: uint64(c.base * Item)}
			if err := Check(&p); (err == nil) != c.fits {
				t.Errorf("%+v: %v", c, err)
			}
		})
	}
	p := packing.Point{Experiment: packing.Transfer, Rows: 1, Cols: 1, Item: 8, Stride: 8}
	if Check(&p) == nil {
		t.Error("items of 8 bytes fit")
	}
}

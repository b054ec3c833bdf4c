package marshal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// naive is the definition: the lines of every byte of the first n.
func naive(l Layout, n int64, line unit.Bytes) map[uint64]bool {
	lines := map[uint64]bool{}
	for i := range l.Count {
		for j := range l.Block {
			if n--; n < 0 {
				return lines
			}
			lines[(l.Addr+uint64(i)*uint64(l.Stride)+uint64(j))/uint64(line)] = true
		}
	}
	return lines
}

// check holds everything about a layout to the definition.
func check(t *testing.T, l Layout, n int64, line unit.Bytes) {
	t.Helper()
	all := naive(l, math.MaxInt64, line)
	if got, err := l.Lines(line); err != nil || got != uint64(len(all)) {
		t.Fatalf("%+v touches %d lines of %d (%v), want %d", l, got, line, err, len(all))
	}
	want, b := naive(l, n, line), l.First(n)
	if got, err := b.Lines(line); err != nil || got != uint64(len(want)) {
		t.Fatalf("%d bytes of %+v touch %d lines of %d (%v), want %d", n, l, got, line, err, len(want))
	}
	seen := slices.Sorted(b.touched(line))
	if len(seen) != len(want) {
		t.Fatalf("%d bytes of %+v: %d lines are named, want %d", n, l, len(seen), len(want))
	}
	for _, x := range seen {
		if !want[x] {
			t.Fatalf("%d bytes of %+v: line %d is named", n, l, x)
		}
		for _, y := range []uint64{x - 1, x, x + 1} {
			if b.touches(y, line) != want[y] {
				t.Fatalf("%d bytes of %+v: touches(%d) is %v", n, l, y, !want[y])
			}
		}
	}
	if lower, upper, err := l.Bounds(line); err == nil && (len(all) < int(lower) || len(all) > int(upper)) {
		t.Fatalf("%+v touches %d lines, not %d to %d", l, len(all), lower, upper)
	}
}

func FuzzLinesAreNaive(f *testing.F) {
	f.Add(uint64(4), uint8(60), uint8(9), int16(28), uint8(10), uint16(300))
	f.Add(uint64(1<<20), uint8(60), uint8(64), int16(-200), uint8(64), uint16(77))
	f.Add(uint64(1<<20), uint8(7), uint8(20), int16(3), uint8(8), uint16(30))
	f.Add(uint64(1<<63), uint8(7), uint8(200), int16(-90), uint8(16), uint16(999))
	f.Add(uint64(math.MaxUint64-200), uint8(2), uint8(100), int16(101), uint8(1), uint16(150))
	f.Fuzz(func(t *testing.T, addr uint64, count, block uint8, stride int16, line uint8, n uint16) {
		l := Layout{addr, int64(count), int64(block), int64(stride)}
		size := unit.Bytes(max(1, line))
		if _, err := l.hull(size); err == nil {
			check(t, l, int64(n), size)
		}
	})
}

func TestLinesAreNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range testsize.Cases(20_000, 4000) {
		line := []unit.Bytes{1, 8, 10, 16, 32, 64}[r.IntN(6)]
		l := Layout{1<<20 + r.Uint64N(64), r.Int64N(60), r.Int64N(3 * int64(line)), r.Int64N(12*int64(line)) - 6*int64(line)}
		check(t, l, r.Int64N(l.Count*l.Block+3), line)
	}
}

// [FACTS 3.2]: the formula that takes neighbours' shared lines off is the same.
func floorSums(base, rows, apart, width, line int64) int64 {
	sum := func(n, b int64) (s int64) {
		for i := range n {
			s += (apart*i + b) / line
		}
		return s
	}
	base %= line
	n := rows + sum(rows, base+width-1) - sum(rows, base)
	if apart-width < line && rows > 1 {
		n -= rows - 1 - (sum(rows-1, base+apart) - sum(rows-1, base+width-1))
	}
	return n
}

func TestLinesOfTheOtherFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 20_000 {
		line := []int64{8, 10, 16, 32, 64}[r.IntN(5)]
		apart := 1 + r.Int64N(6*line)
		l := Layout{r.Uint64N(uint64(line)), 1 + r.Int64N(60), 1 + r.Int64N(apart), apart}
		if got, _ := l.Lines(unit.Bytes(line)); got != uint64(floorSums(int64(l.Addr), l.Count, l.Stride, l.Block, line)) {
			t.Fatalf("%+v: %d", l, got)
		}
	}
}

// Rows of a matrix that follow each other are one row of [hur1999, sec. 3.2], however many blocks they are.
func TestRowsWithoutHoles(t *testing.T) {
	for _, stride := range []int64{24, -24} {
		l := Layout{Addr: 1 << 20, Count: 5, Block: 24, Stride: stride}
		if lower, upper, err := l.Bounds(64); err != nil || lower != 2 || upper != 3 { // ceil(120/64), and one more
			t.Errorf("%+v: %d to %d, %v", l, lower, upper, err)
		}
	}
	l := Layout{Addr: 1 << 20, Count: 5, Block: 24, Stride: 16}
	if lower, upper, err := l.Bounds(64); err == nil {
		t.Errorf("%+v: %d to %d", l, lower, upper)
	}
}

// The values of hur_lin_mlt_check: 4-byte integers, d columns of a matrix, lines of 64 bytes.
func TestColumnsOfThePaper(t *testing.T) {
	for _, c := range []struct {
		rows, cols, d int64
		lower, upper  uint64
		exact         [3]uint64 // from addresses 0, 4, 60
	}{
		{2000, 2000, 1, 2000, 4000, [3]uint64{2000, 2000, 2000}}, // b_c = 8000, q = 64
		{2000, 2000, 2, 2000, 4000, [3]uint64{2000, 2000, 4000}},
		{2000, 2000, 5, 2000, 4000, [3]uint64{2000, 2000, 4000}},
		{2000, 2000, 16, 2000, 4000, [3]uint64{2000, 4000, 4000}},
		{2000, 2000, 17, 4000, 6000, [3]uint64{4000, 4000, 4000}},
		{2000, 2000, 50, 8000, 10000, [3]uint64{8000, 8000, 10000}},
		{1999, 1999, 5, 2480, 2625, [3]uint64{2499, 2499, 2499}}, // q = 4
		{2001, 2001, 5, 2500, 2646, [3]uint64{2501, 2501, 2502}},
		{2048, 2048, 5, 2048, 4096, [3]uint64{2048, 2048, 4096}},
	} {
		t.Run(fmt.Sprintf("%v %v", c.rows, c.d), func(t *testing.T) {
			for i, addr := range []uint64{0, 4, 60} {
				l := Layout{addr, c.rows, 4 * c.d, 4 * c.cols}
				lower, upper, err := l.Bounds(64)
				if err != nil || lower != c.lower || upper != c.upper {
					t.Errorf("%+v: bounds %d and %d (%v), want %d and %d", l, lower, upper, err, c.lower, c.upper)
				}
				if got, err := l.Lines(64); err != nil || got != c.exact[i] || got != uint64(len(naive(l, math.MaxInt64, 64))) {
					t.Errorf("%+v: %d lines (%v), want %d", l, got, err, c.exact[i])
				}
			}
		})
	}
	// [hur1999, fig. 3]: l = 10, q = 2, d = 9: one group of 5 rows touches 9 lines.
	for _, apart := range []int64{28, 22} {
		if got, _ := (Layout{0, 5, 9, apart}).Lines(10); got != 9 {
			t.Errorf("a group touches %d lines, want 9", got)
		}
	}
}

// The theorem is of blocks more than two lines apart, with a hole of a line at least.
func TestColumnsOfTheTheorem(t *testing.T) {
	for _, c := range []struct {
		apart, width unit.Bytes
		lower, upper uint64 // of 5 rows and lines of 10; 0 if there is no theorem
	}{
		{28, 18, 13, 14}, // q = 2: 5 + ceil(18/2) and one less
		{28, 19, 0, 0},
		{22, 12, 10, 11}, // 5 + ceil(12/2)
		{20, 1, 0, 0},
	} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			if lower, upper, err := ColumnBounds(5, c.apart, c.width, 10); lower != c.lower || upper != c.upper || (err == nil) != (c.upper > 0) {
				t.Errorf("%d bytes, %d apart: %d to %d (%v), want %d to %d", c.width, c.apart, lower, upper, err, c.lower, c.upper)
			}
		})
	}
}

// A full group of l/q blocks touches l/q + floor((r+d-1)/q) lines, r = base mod q [FACTS 3.2].
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 5000 {
		line := []uint64{8, 16, 24, 64}[r.IntN(4)]
		apart := 2*line + 1 + r.Uint64N(4*line)
		base, width := r.Uint64N(line), 1+r.Uint64N(line)
		q := gcd(apart, line)
		l := Layout{base, int64(line / q), int64(width), int64(apart)}
		if got, _ := l.Lines(unit.Bytes(line)); got != line/q+(base%q+width-1)/q {
			t.Fatalf("%+v, lines of %d: %d", l, line, got)
		}
	}
}

func TestExpectedIsTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for range 2000 {
		line := []int64{8, 16, 24, 64}[r.IntN(4)]
		align := []int64{1, 2, 4, 8}[r.IntN(4)]
		l := Layout{0, r.Int64N(20), r.Int64N(3 * line), (r.Int64N(60) - 30) * align}
		sum := uint64(0)
		for base := int64(0); base < line; base += align {
			l.Addr = 1<<20*uint64(line) + uint64(base)
			n, _ := l.Lines(unit.Bytes(line))
			sum += n
		}
		got, err := l.Expected(unit.Bytes(line), unit.Bytes(align))
		if want := float64(sum) / float64(line/align); err != nil || math.Abs(got-want) > 1e-9*want { // rounding of a sum of ten terms
			t.Fatalf("%+v, lines of %d, multiples of %d: %v (%v), want %v", l, line, align, got, err, want)
		}
	}
	for range 3000 {
		line := []int64{2, 3, 8}[r.IntN(3)]
		l := Layout{0, 1 + r.Int64N(5), 1 + r.Int64N(2*line), r.Int64N(8*line) - 4*line}
		n, sum := 1+r.Int64N(l.Count*l.Block), 0
		for base := range line {
			l.Addr = 1<<20*uint64(line) + uint64(base)
			sum += len(naive(l, n, unit.Bytes(line)))
		}
		got, err := l.First(n).expected(unit.Bytes(line))
		if want := float64(sum) / float64(line); err != nil || math.Abs(got-want) > 1e-9*want { // rounding, as before
			t.Fatalf("%d bytes of %+v, lines of %d: %v (%v), want %v", n, l, line, got, err, want)
		}
	}
	row := Layout{Count: 1, Block: 64}
	if got, _ := row.Expected(64, 1); got != 127.0/64 { // 1.98, where the paper's mean of the bounds is 1.5
		t.Errorf("64 bytes touch %v lines", got)
	}
	if lower, upper := RowBounds(64, 64); lower+upper != 3 {
		t.Errorf("%d to %d", lower, upper)
	}
	if _, err := row.Expected(64, 3); err == nil {
		t.Error("an alignment of 3")
	}
}

// 2^40 blocks, and addresses to the end: closed forms where there are some.
func TestHugeLayouts(t *testing.T) {
	const many = 1 << 40
	for _, c := range []struct {
		l    Layout
		line unit.Bytes
		want uint64
	}{
		{Layout{0, many, 4, 8000}, 64, many},           // every block is 4-aligned
		{Layout{60, many, 5, 8000}, 64, 2 * many},      // every block crosses a line
		{Layout{0, many, 2, 129}, 64, many + many/64},  // one start in 64 is at byte 63
		{Layout{63, many, 2, 129}, 64, many + many/64}, //
		{Layout{1 << 50, many, 2, -129}, 64, many + many/64},
		{Layout{0, many, 64, 64}, 64, many},
		{Layout{0, many, 65, 64}, 64, many + 1},
		{Layout{0, many, 1, 0}, 64, 1},
		{Layout{0, 1 << 62, 1, 4}, 1, 1 << 62},
		{Layout{0, 1 << 32, 1, 1<<32 - 1}, 1 << 40, 1<<24 - 1 + 1},
		{Layout{0, 3, 1, math.MaxInt64}, 1 << 61, 3},
		{Layout{math.MaxUint64 - 63, 1, 64, 0}, 64, 1},
		{Layout{math.MaxUint64, 1, 1, math.MinInt64}, 64, 1},
		{Layout{math.MaxUint64, 2, 1, math.MinInt64}, 64, 2},
		{Layout{5, 0, 64, 64}, 64, 0},
		{Layout{5, 64, 0, 64}, 64, 0},
	} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			if got, err := c.l.Lines(c.line); err != nil || got != c.want {
				t.Errorf("%+v touches %d lines of %d (%v), want %d", c.l, got, c.line, err, c.want)
			}
		})
	}
	for _, l := range []Layout{
		{math.MaxUint64, 1, 2, 0}, {0, 2, 1, -1}, {1 << 63, 3, 1, math.MaxInt64}, {0, math.MaxInt64, 1, math.MaxInt64},
		{0, -1, 1, 1}, {0, 1, -1, 1},
	} {
		if got, err := l.Lines(64); err == nil {
			t.Errorf("%+v touches %d lines", l, got)
		}
	}
	if _, err := (Layout{0, 1, 1, 1}).Lines(0); err == nil {
		t.Error("lines of 0 bytes")
	}
	if _, err := (Layout{0, 3, math.MaxInt64, 1 << 62}).Lines(1); err != nil {
		t.Error(err)
	}
	if _, _, err := ColumnBounds(math.MaxInt64, 1<<40+1, 1<<39, 64); err == nil {
		t.Error("bounds of 2^100 lines")
	}
}

// A huge layout equals the sum of its parts, which are counted with other numbers of
// blocks left over.
func FuzzLinesAddUp(f *testing.F) {
	f.Add(uint64(5), uint64(1)<<40, uint64(100), uint64(7), uint64(12345), uint64(64))
	f.Add(uint64(1)<<62, uint64(1)<<20, uint64(1)<<33, uint64(1)<<34, uint64(17), uint64(1)<<35)
	f.Fuzz(func(t *testing.T, addr, count, block, hole, split, line uint64) {
		count, block, line = 1+count%(1<<60), 1+block%(1<<60), 1+line%(1<<60)
		stride := block + line + hole%(1<<60)
		whole := Layout{addr, int64(count), int64(block), int64(stride)}
		want, err := whole.Lines(unit.Bytes(line))
		if err != nil {
			return
		}
		a, b := whole, whole
		a.Count = int64(split % count)
		b.Count -= a.Count
		b.Addr += uint64(a.Count) * stride
		m, _ := a.Lines(unit.Bytes(line))
		n, _ := b.Lines(unit.Bytes(line))
		if m+n != want {
			t.Fatalf("%+v touches %d lines of %d, its parts %d and %d", whole, want, line, m, n)
		}
	})
}

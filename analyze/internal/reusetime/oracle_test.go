package reusetime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/lines"
	"spoor/traces/testsize"
)

// numbered is a counter with a table of its own.
type numbered struct {
	*counter
	table *lines.Table
	uses  lines.Uses
}

func newNumbered(t *Times) *numbered {
	return &numbered{counter: &counter{times: t}, table: lines.NewTable(), uses: lines.Uses{Places: make([]uint32, lines.Batch)}}
}

func (n *numbered) Touch(used []uint64) error {
	for some := range slices.Chunk(used, lines.Batch) {
		if err := n.table.MakeRoom(); err != nil {
			return err
		}
		n.uses.Places = n.uses.Places[:len(some)]
		n.table.Find(some, n.uses.Places)
		n.uses.Room = n.table.Places()
		n.add(&n.uses)
	}
	return nil
}

// measure counts a stream of lines.
func measure(t testing.TB, stream []uint64, chunk int) *Times {
	t.Helper()
	times := new(Times)
	c := newNumbered(times)
	for part := range slices.Chunk(stream, chunk) {
		if err := c.Touch(part); err != nil {
			t.Fatal(err)
		}
	}
	c.end()
	return times
}

// binned is the histogram of times.
func binned(times []uint64) (h Histogram) {
	for _, t := range times {
		h.add(t)
	}
	return h
}

func TestBins(t *testing.T) {
	for i := range (64-binBits)<<binBits + 1 {
		least, most := binEnd(i-1)+1, binEnd(i)
		if indexOf(least) != i || indexOf(most) != i || most < least {
			t.Fatalf("bin %d is from %d to %d", i, least, most)
		}
		if _, excess := binOf(most); excess != most-least {
			t.Fatalf("in bin %d from %d to %d, the last time is %d over the least", i, least, most, excess)
		}
		if width := most - least + 1; most <= exactTimes && width != 1 || width<<binBits > most {
			if most > exactTimes || width != 1 {
				t.Fatalf("bin %d from %d to %d is too wide", i, least, most)
			}
		}
	}
	for k := range 63 {
		if w := uint64(1) << k; binEnd(indexOf(w)) != w {
			t.Errorf("no bin ends at %d", w)
		}
	}
}

// check holds the counter and the formulas to their definitions.
func check(t testing.TB, stream []uint64, chunk int) {
	t.Helper()
	times := measure(t, stream, chunk)
	reuse, first, last := NaiveTimes(stream)
	for _, h := range []struct {
		name string
		got  Histogram
		want []uint64
	}{{"reuse", times.Reuse, reuse}, {"first", times.First, first}, {"last", times.Last, last}} {
		want := binned(h.want)
		if got, want := slices.Collect(h.got.All()), slices.Collect(want.All()); !slices.Equal(got, want) {
			t.Fatalf("%s times %v, want %v", h.name, got, want)
		}
	}
	if times.Uses != uint64(len(stream)) || times.Lines != uint64(len(first)) {
		t.Fatalf("%d uses of %d lines, want %d of %d", times.Uses, times.Lines, len(stream), len(first))
	}
	p := times.Profile()
	for w := 0; w <= len(stream); w += 1 + w/2 { // the definition is slow
		if w > 0 {
			w = int(min(binEnd(indexOf(uint64(w))), uint64(len(stream)))) // formulas are exact there
		}
		checkWindow(t, p, stream, reuse, w)
	}
	checkShape(t, p)
}

// checkWindow holds sums to integers, which doubles represent: they are equal to the last bit at edges, and
// nearly where they are interpolated between edges.
func checkWindow(t testing.TB, p *Profile, stream, reuse []uint64, w int) {
	t.Helper()
	n := len(stream)
	if n == 0 {
		return
	}
	e := p.interpolate(float64(w))
	rounding := 0.0
	if !slices.ContainsFunc(p.points, func(e point) bool { return e.window == float64(w) }) {
		rounding = 1e-13 * p.Lines * p.Uses
	}
	if got, want := p.Lines*float64(n-w+1)-e.excess, float64(NaiveFootprint(stream, w)); math.Abs(got-want) > rounding {
		t.Fatalf("windows of %d have %v lines together, want %v", w, got, want)
	}
	if want := float64(NaiveFootprint(stream, w)) / float64(n-w+1); math.Abs(p.Footprint(float64(w))-want) > 1e-12*p.Lines {
		t.Fatalf("fp(%d) is %v, want %v", w, p.Footprint(float64(w)), want)
	}
	if want := float64(NaiveWorkingSet(stream, w)); math.Abs(e.working-want) > rounding || math.Abs(p.WorkingSet(float64(w))*float64(n)-want) > 1e-9 {
		t.Fatalf("working sets of %d have %v lines together, want %v", w, e.working, want)
	}
	if w < n {
		want := float64(NaiveFootprint(stream, w+1))/float64(n-w) - float64(NaiveFootprint(stream, w))/float64(n-w+1)
		if got := p.Growth(float64(w)); math.Abs(got-want) > 1e-12*p.Lines {
			t.Fatalf("fp(%d)-fp(%d) is %v, want %v", w+1, w, got, want)
		}
	}
	want := p.Lines
	for _, r := range reuse {
		if r > uint64(w) {
			want++
		}
	}
	if w < n && e.misses != want {
		t.Fatalf("%v uses have a longer reuse time than %d, want %v", e.misses, w, want)
	}
}

// checkShape wants curves between 0 and 1, monotone where the theory says so, and inverses.
func checkShape(t testing.TB, p *Profile) {
	t.Helper()
	before, hotl, aet := -1.0, 1.0, 1.0
	for w := 0.0; w <= p.Uses+1; w += 0.25 {
		f := p.Footprint(w)
		if !(f >= before-1e-9) || f > p.Lines {
			t.Fatalf("fp(%v) = %v after %v", w, f, before)
		}
		before = f
		if back := p.Window(f); p.Uses > 0 && math.Abs(p.Footprint(back)-f) > 1e-9*(1+f) {
			t.Fatalf("fp(%v) is %v, but the window of %v lines is %v", w, f, f, back)
		}
	}
	for c := 0.0; c <= p.Lines+1; c += 0.25 {
		h, a := p.HOTL(c), p.AET(c)
		if !(h >= 0 && h <= hotl+1e-12) || !(a >= 0 && a <= aet+1e-12) {
			t.Fatalf("%v lines: HOTL %v after %v, AET %v after %v", c, h, hotl, a, aet)
		}
		hotl, aet = h, a
		if c >= p.Lines && p.Uses > 0 && (h != p.Lines/p.Uses || a != p.Lines/p.Uses) {
			t.Fatalf("all %v lines: HOTL %v, AET %v, want %v", c, h, a, p.Lines/p.Uses)
		}
	}
}

// naiveAET is the definition from all reuse times, one step of time after the other.
func naiveAET(reuse []uint64, uses, lines int, capacity float64) float64 {
	longer := func(t int) float64 {
		n := lines
		for _, r := range reuse {
			if r > uint64(t) {
				n++
			}
		}
		return float64(n) / float64(uses)
	}
	if capacity >= float64(lines) {
		return longer(uses)
	}
	sum := 0.0
	for t := 0; ; t++ {
		p := longer(t)
		if sum+p > capacity {
			x := (capacity - sum) / p
			return p + x*(longer(t+1)-p)
		}
		sum += p
	}
}

func TestFormulasAreNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 255, 256, 257, 600, 700} {
		for _, lines := range []uint64{1, 2, 5, 100, 5000} {
			if n > 300 && (lines == 2 || testing.Short()) {
				continue
			}
			stream := make([]uint64, n)
			for i := range stream {
				stream[i] = uint64(float64(lines)*r.Float64()*r.Float64()) * 0x9E3779B97F4A7C15
			}
			check(t, stream, 1+r.IntN(400))
		}
	}
	cold := make([]uint64, testsize.Cases(700, 300))
	for i := range cold {
		cold[i] = uint64(i)
	}
	check(t, cold, 256)
}

func TestAETIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, lines := range []uint64{1, 3, 40, 200} {
		t.Run(fmt.Sprint(lines), func(t *testing.T) {
			stream := make([]uint64, 500) // all bins hold one time
			for i := range stream {
				stream[i] = uint64(float64(lines) * r.Float64() * r.Float64())
			}
			reuse, first, _ := NaiveTimes(stream)
			p := measure(t, stream, 100).Profile()
			for c := 0.0; c < float64(lines)+2; c += 0.375 {
				if got, want := p.AET(c), naiveAET(reuse, len(stream), len(first), c); math.Abs(got-want) > 1e-9 {
					t.Errorf("%d lines, cache of %v: %v, want %v", lines, c, got, want)
				}
			}
		})
	}
}

// Between the ends of wide bins, the interpolation is near what exact times say.
func TestInterpolation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	stream := make([]uint64, 30000)
	for i := range stream {
		stream[i] = uint64(20000 * r.Float64() * r.Float64() * r.Float64())
	}
	reuse, first, last := exactTimesOf(stream)
	p := measure(t, stream, 1000).Profile()
	m, n := float64(len(first)), float64(len(stream))
	for w := 1; w < len(stream); w += 97 {
		excess := 0.0
		for _, gaps := range [][]uint64{reuse, first, last} {
			for _, g := range gaps {
				excess += float64(g) - min(float64(g), float64(w))
			}
		}
		want := m - excess/(n-float64(w)+1)
		// A bin is 1/256 of its times wide; most is lost near the end, where few windows are averaged over.
		if got := p.Footprint(float64(w)); got > want+1e-9 || got < want*(1-5e-4) {
			t.Errorf("fp(%d) is %v, want %v", w, got, want)
		}
	}
}

// exactTimesOf is NaiveTimes for longer streams.
func exactTimesOf(stream []uint64) (reuse, first, last []uint64) {
	used := map[uint64]int{}
	for i, line := range stream {
		if was, ok := used[line]; ok {
			reuse = append(reuse, uint64(i-was))
		} else {
			first = append(first, uint64(i+1))
		}
		used[line] = i
	}
	for _, i := range used {
		last = append(last, uint64(len(stream)-i))
	}
	return reuse, first, last
}

func FuzzFormulasAreNaive(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabc"), uint8(3), uint16(40))
	f.Add([]byte{0}, uint8(1), uint16(0))
	f.Add([]byte{0}, uint8(0), uint16(40))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789"), uint8(255), uint16(700))
	f.Fuzz(func(t *testing.T, data []byte, chunk uint8, pad uint16) {
		var stream []uint64
		data = data[:min(len(data), 200)]
		for i, b := range data {
			stream = append(stream, uint64(b)<<(i%50))
			if i == len(data)/2 { // a long stretch of another line makes times that are not in bins of their own
				for range pad % 600 {
					stream = append(stream, math.MaxUint64)
				}
			}
		}
		check(t, stream, int(chunk)+1)
	})
}

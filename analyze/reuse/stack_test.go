package reuse

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/definition"
	"spoor/analyze/internal/lines"
	"spoor/traces/testsize"
)

func check(t testing.TB, lines []uint64, chunk int) {
	t.Helper()
	naive := new(definition.Stack)
	var want []uint64
	var wantCold uint64
	for _, l := range lines {
		d := naive.Touch(l)
		if d == Cold {
			wantCold++
			continue
		}
		for int(d) >= len(want) {
			want = append(want, 0)
		}
		want[d]++
	}
	// Spans of 448 uses, and of four times as many, are joined often.
	for _, c := range []*workers{nil, newWorkers(2, 0), newWorkers(3, 1)} {
		s := newCareful(c)
		for part := range slices.Chunk(lines, chunk) {
			if err := s.Touch(part); err != nil {
				t.Fatal(err)
			}
		}
		got, cold := s.Distances()
		if cold != wantCold || !slices.Equal(got, want) {
			t.Fatalf("workers %v, %d lines in chunks of %d: got cold %d and %v\nwant %d and %v", c != nil, len(lines), chunk, cold, got, wantCold, want)
		}
	}
	for _, c := range []*workers{nil, newWorkers(2, 0)} {
		got, cold := externalDistances(t, c, lines, chunk)
		if cold != wantCold || !slices.Equal(got, want) {
			t.Fatalf("external places, workers %v, %d lines in chunks of %d: got cold %d and %v\nwant %d and %v", c != nil, len(lines), chunk, cold, got, wantCold, want)
		}
	}
}

// newCareful is a stack that looks early at how many lines its pages have.
func newCareful(c *workers) *Stack {
	s := newStack(c)
	s.minPlacesToCheck, s.checkPlacesAt = 64, 64
	return s
}

// externalDistances returns the distances of a stack whose places another table assigns.
func externalDistances(t testing.TB, c *workers, used []uint64, chunk int) (uses []uint64, cold uint64) {
	t.Helper()
	s, table := newStack(c), lines.NewTable()
	places := new(externalTable)
	s.lines = places
	if c == nil { // renumber often
		s.minBlocks = 1
		s.begin(0, newest)
	}
	for part := range slices.Chunk(used, chunk) {
		names := make([]uint64, len(part))
		for i, l := range part {
			place, err := table.Place(l)
			if err != nil {
				t.Fatal(err)
			}
			names[i] = uint64(place)
		}
		places.places = table.Places()
		if err := s.Touch(names); err != nil {
			t.Fatal(err)
		}
	}
	return s.Distances()
}

func TestStackIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		distinct uint64
		stride   uint64
		length   int
	}{{1, 1, 10}, {2, 1, 50}, {4, 1, 100}, {5, 16, 1000}, {30, 1, 70_000}, {300, 1 << 40, 100_000}, {3000, 7, 120_000}, {9000, 1, 60_000}} {
		for _, chunk := range []int{1, batch - 1, batch, batch + 1, 5000} {
			if chunk == 1 && c.length > 1000 {
				continue
			}
			lines := make([]uint64, testsize.Cases(c.length, min(c.length, 20_000)))
			for i := range lines {
				lines[i] = math.MaxUint64 - r.Uint64N(1+r.Uint64N(c.distinct))*c.stride
			}
			check(t, lines, chunk)
		}
	}
}

// Phases of near and far uses take turns, so that the newest lines lose their slots and get them again. Lines of
// a chunk have places before their first use.
func TestNewLinesOfPhases(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, chunk := range []int{batch, 3000} {
		for range 5 {
			var used []uint64
			for next := uint64(0); len(used) < 30_000; {
				switch start := next; r.IntN(3) {
				case 0:
					for range r.IntN(3000) {
						used = append(used, r.Uint64N(start+1))
					}
				case 1: // new lines
					for range r.IntN(1000) {
						used, next = append(used, next), next+1
					}
				default: // new lines, eight by eight
					for i := range r.Uint64N(3000) {
						used, next = append(used, start+i/64*8+i%8), start+i/8+8
					}
				}
			}
			check(t, used, chunk)
		}
	}
}

// A cyclic sweep over n lines has distance n-1 at every use but the first: the worst
// case for every level of the counts, at sizes that the naive list cannot reach.
func TestSweep(t *testing.T) {
	for _, n := range []uint64{448, 1 << 14, 2_000_001}[:testsize.Cases(3, 2)] {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := NewStack()
			lines := make([]uint64, n)
			for i := range lines {
				lines[i] = uint64(i)
			}
			const rounds = 4
			for range rounds {
				if err := s.Touch(lines); err != nil {
					t.Fatal(err)
				}
			}
			got, cold := s.Distances()
			if cold != n || uint64(len(got)) != n || got[n-1] != (rounds-1)*n {
				t.Errorf("%d lines: cold %d, %d distances, %d at the last", n, cold, len(got), got[len(got)-1])
			}
		})
	}
}

// The slots in use do not grow with the stream, only with the lines.
func TestMemoryIsBoundedByLines(t *testing.T) {
	s := NewStack()
	r := rand.New(rand.NewPCG(1, 1))
	lines := make([]uint64, 1<<16)
	const distinct = 1 << 14
	for range 40 {
		for i := range lines {
			lines[i] = r.Uint64N(distinct)
		}
		if err := s.Touch(lines); err != nil {
			t.Fatal(err)
		}
	}
	if most := 2 * distinct * slotsPerLine / blockSlots; len(s.epoch.blocks) > most {
		t.Errorf("%d blocks for %d lines, more than %d", len(s.epoch.blocks), distinct, most)
	}
}

// Distances says what was found so far, and does not end the stack.
func TestDistancesSoFar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	lines := make([]uint64, 5000)
	for _, c := range []*workers{nil, newWorkers(2, 0)} {
		s, naive := newStack(c), new(definition.Stack)
		want := make([]uint64, 300)
		for range 10 {
			for i := range lines {
				lines[i] = r.Uint64N(300)
				if d := naive.Touch(lines[i]); d != Cold {
					want[d]++
				}
			}
			if err := s.Touch(lines); err != nil {
				t.Fatal(err)
			}
			if got, cold := s.Distances(); cold != 300 || !slices.Equal(got, want) {
				t.Fatalf("workers %v: cold %d and %v\nwant 300 and %v", c != nil, cold, got, want)
			}
		}
	}
}

// A stack that has been emptied keeps no lines apart, if that did not pay, and then has fewer than could be.
func TestFewLinesInAnEmptiedStack(t *testing.T) {
	for few := range uint64(newest + 2) {
		s, used := NewStack(), make([]uint64, 100_000)
		for i := range used {
			used[i] = uint64(i) % 1000
		}
		if err := s.Touch(used); err != nil {
			t.Fatal(err)
		}
		if s.reset(lines.Neighbours); s.epoch.topExcluded != 0 {
			t.Fatalf("%d lines apart", s.epoch.topExcluded)
		}
		for i := range used {
			used[i] = uint64(i) % (few + 1)
		}
		if err := s.Touch(used); err != nil {
			t.Fatal(err)
		}
		got, cold := s.Distances()
		if want := uint64(len(used)) - few - 1; cold != few+1 || uint64(len(got)) != few+1 || got[few] != want {
			t.Errorf("%d lines: cold %d and %v, want %d at distance %d", few+1, cold, got, want, few)
		}
	}
}

func FuzzStackIsNaive(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabc"), uint8(3), uint8(1))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, chunk, repeat uint8) {
		var lines []uint64
		for range int(repeat) + 1 {
			for i, b := range data {
				lines = append(lines, uint64(b)<<(i%50))
			}
		}
		check(t, lines[:min(len(lines), 1<<16)], int(chunk)+1)
	})
}

// zipf yields n lines of the given number with popularity falling as rank^-0.9, by the
// inverse of the continuous distribution; lines of neighbouring rank are far apart.
func zipf(n int, lines uint64) []uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]uint64, n)
	top := math.Pow(float64(lines), 0.1) - 1
	for i := range out {
		rank := uint64(math.Pow(1+r.Float64()*top, 10)) - 1
		out[i] = (min(rank, lines-1) * 0x9E3779B1) % lines
	}
	return out
}

func uniform(n int, lines uint64) []uint64 {
	r := rand.New(rand.NewPCG(1, 3))
	out := make([]uint64, n)
	for i := range out {
		out[i] = r.Uint64N(lines)
	}
	return out
}

// matmul is the naive product of two n by n matrices of doubles in 64-byte lines.
func matmul(n uint64) []uint64 {
	size := n*n*8 + 4096
	out := make([]uint64, 0, 3*n*n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				out = append(out, (i*n+k)*8>>6, (size+(k*n+j)*8)>>6, (2*size+(i*n+j)*8)>>6)
			}
		}
	}
	return out
}

// bitReversal sweeps an array in order and in bit-reversed order, as an FFT does.
func bitReversal(logN int) []uint64 {
	out := make([]uint64, 0, 8<<logN)
	for range 4 {
		for i := range uint64(1) << logN {
			j := bits.Reverse64(i) >> (64 - logN)
			out = append(out, i*16>>6, j*16>>6)
		}
	}
	return out
}

func BenchmarkStack(b *testing.B) {
	for _, c := range []struct {
		name  string
		lines func() []uint64
	}{
		{"uniform1M", func() []uint64 { return uniform(20_000_000, 1<<20) }},
		{"sparse1M", func() []uint64 { return sparse(uniform(20_000_000, 1<<20)) }},
		{"zipf4M", func() []uint64 { return zipf(20_000_000, 1<<22) }},
		{"matmul256", func() []uint64 { return matmul(256) }},
		{"bitreversal1M", func() []uint64 { return bitReversal(20) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			lines := c.lines()
			for b.Loop() {
				if err := NewStack().Touch(lines); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(lines))/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
}

// sparse puts every line on a page of its own: the worst case of the table of lines.
func sparse(lines []uint64) []uint64 {
	for i := range lines {
		lines[i] *= 1 << 20
	}
	return lines
}

// Two cores find what one does in epochs so large that they have the largest windows.
func TestLargestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	one, two := newStack(nil), newStack(newWorkers(2, minWindowLevel))
	part := make([]uint64, 10_000)
	for range 120 {
		for i := range part {
			part[i] = r.Uint64N(1 + r.Uint64N(300_000))
		}
		for _, s := range []*Stack{one, two} {
			if err := s.Touch(part); err != nil {
				t.Fatal(err)
			}
		}
	}
	if two.epoch.level != maxWindowLevel {
		t.Errorf("windows are of level %d, not %d", two.epoch.level, maxWindowLevel)
	}
	want, wantCold := one.Distances()
	if got, cold := two.Distances(); cold != wantCold || !slices.Equal(got, want) {
		t.Errorf("cold %d and %d distances, not %d and %d", cold, len(got), wantCold, len(want))
	}
}

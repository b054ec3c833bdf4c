package reusetime

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// naiveRows is the rows of an order by definition, and its uses.
func naiveRows(t *testing.T, m *trace.Memory, p trace.Proc, line unit.Bytes) (out []string, uses []uint64) {
	t.Helper()
	pieces := analysis.Program(m, p)
	if p == trace.Interleaved {
		pieces = analysis.Interleave(m)
	}
	for piece, err := range pieces {
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range piece.Refs.Addr {
			for l := a / uint64(line); piece.Refs.Op[i].Data() && l <= (a+uint64(piece.Refs.Size[i])-1)/uint64(line); l++ {
				uses = append(uses, l)
			}
		}
	}
	reuse, first, last := NaiveTimes(uses)
	for _, k := range []struct {
		name  string
		times []uint64
	}{{"reuse", reuse}, {"first", first}, {"last", last}} {
		h := binned(k.times)
		for b := range h.All() {
			out = append(out, fmt.Sprint(p, line, k.name, b))
		}
	}
	return out, uses
}

// The tables are the definitions, for every order and line size, whatever the batches.
func TestTablesAreNaive(t *testing.T) {
	m := random(3, 250, 2)
	lines := []unit.Bytes{16, 64}
	var want []string
	uses := map[string][]uint64{}
	for p := trace.Interleaved; p < 3; p++ {
		for _, line := range lines {
			rows, u := naiveRows(t, m, p, line)
			want = append(want, rows...)
			uses[fmt.Sprint(p, line)] = u
		}
	}
	for _, n := range []int{0, 1, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := run(t, m.InBatches(n), &Analysis{Lines: lines, Interleaved: true})
			rows, err := (&Results{times: r.Full}).rows()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, p := range rows.proc {
				got = append(got, fmt.Sprint(trace.Proc(p), unit.Bytes(rows.line[i]), rows.time[i], Bin{rows.least[i], rows.most[i], rows.count[i], rows.sum[i]}))
			}
			if !slices.Equal(got, want) {
				t.Errorf("batches of %d: %d rows, want %d", n, len(got), len(want))
			}
			if n == 0 {
				checkWindows(t, r.Tables[1], uses)
			}
		})
	}
}

// checkWindows holds every eighth row of the working_set table to the definitions.
func checkWindows(t *testing.T, table *store.Table, uses map[string][]uint64) {
	t.Helper()
	proc, err1 := store.Data[int32](table, "proc")
	line, err2 := store.Data[int64](table, "line")
	window, err3 := store.Data[uint64](table, "window")
	footprint, err4 := store.Data[float64](table, "footprint")
	size, err5 := store.Data[float64](table, "working_set")
	instr, err6 := store.Data[float64](table, "instructions")
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(window); i += 8 {
		stream, w := uses[fmt.Sprint(trace.Proc(proc[i]), unit.Bytes(line[i]))], int(window[i])
		n := len(stream)
		fp, ws := float64(NaiveFootprint(stream, w))/float64(n-w+1), float64(NaiveWorkingSet(stream, w))/float64(n)
		if math.Abs(footprint[i]-fp) > 1e-9*fp || math.Abs(size[i]-ws) > 1e-9*ws || instr[i] != 500*(float64(w)/float64(n)) {
			t.Errorf("processor %d, lines of %d, window of %d: %v, %v, %v, want %v, %v", proc[i], line[i], w, footprint[i], size[i], instr[i], fp, ws)
		}
	}
}

// Windows are the quarter octaves, each the end of its bin, and the last is all uses.
func TestWindowsAreQuarterOctaves(t *testing.T) {
	for uses := range uint64(exactTimes) {
		if got, want := Windows(uses+1), reuse.QuarterOctaves(uses+1); !slices.EqualFunc(got, want, func(a uint64, b int64) bool { return a == uint64(b) }) {
			t.Fatalf("%d uses: windows %v, want %v", uses+1, got, want)
		}
	}
	const uses = 1<<40 + 1
	got, want := Windows(uses), reuse.QuarterOctaves(uses)
	if len(got) != len(want) || got[len(got)-1] != uses {
		t.Fatalf("windows %v, want about %v", got, want)
	}
	for i, w := range got {
		if q := uint64(want[i]); w < q || w-q > q>>binBits || q&(q-1) == 0 && w != q {
			t.Errorf("a window of %d, want about %d", w, q)
		}
	}
	if len(Windows(0)) > 0 {
		t.Error("windows of no uses")
	}
}

// fp and Denning's working set differ by the windows that the start cuts.
func TestWorkingSetIsFootprintAndStart(t *testing.T) {
	stream := parts()[0].stream[:3000]
	p := measure(t, stream, 1000).Profile()
	cut, n := 0.0, float64(len(stream))
	for w := 1; w <= 512; w++ {
		if want := ((n-float64(w)+1)*p.Footprint(float64(w)) + cut) / n; math.Abs(p.WorkingSet(float64(w))-want) > 1e-9 {
			t.Fatalf("working set of %d uses is %v, want %v", w, p.WorkingSet(float64(w)), want)
		}
		cut += float64(distinct(stream[:w]))
	}
}

// Streams without locality, and none at all.
func TestExtremes(t *testing.T) {
	one, cold := make([]uint64, 5000), make([]uint64, 5000)
	for i := range cold {
		cold[i] = math.MaxUint64 - uint64(i)
	}
	for _, c := range []struct {
		name                 string
		stream               []uint64
		capacity, miss, size float64 // of windows of 100 uses
	}{
		{"nothing", nil, 10, 0, 0},
		{"one line", one, 1, 1.0 / 5000, 1},
		{"cold", cold, 10, 1, 100},
		{"one use", []uint64{7}, 1, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := measure(t, c.stream, 512).Profile()
			if h, a := p.HOTL(c.capacity), p.AET(c.capacity); math.Abs(h-c.miss) > 1e-9 || math.Abs(a-c.miss) > 1e-9 {
				t.Errorf("HOTL %v, AET %v, want %v", h, a, c.miss)
			}
			if f := p.Footprint(100); math.Abs(f-c.size) > 1e-9 {
				t.Errorf("footprint %v, want %v", f, c.size)
			}
			checkShape(t, p)
		})
	}
}

// A bin refuses sums that no times of it have: the excess of count times is count*(width-1) at most.
func TestBinRefusesSumsThatNoTimesHave(t *testing.T) {
	for _, index := range []int{5, 100, 511, 600, 1000, 4000} {
		t.Run(fmt.Sprint(index), func(t *testing.T) {
			width := binEnd(index) - binEnd(index-1)
			for _, count := range []uint64{1, 2, 7, 1000} {
				if err := new(Histogram).append(index, count, count*(width-1)); err != nil {
					t.Errorf("bin to %d, %d times: %v", binEnd(index), count, err)
				}
				if err := new(Histogram).append(index, count, count*(width-1)+1); err == nil {
					t.Errorf("bin to %d, of width %d: %d times with an excess of %d are no error", binEnd(index), width, count, count*(width-1)+1)
				}
			}
		})
	}
}

package footprint

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// named is the table of that name, or nil.
func named(r analysis.Result, name string) *store.Table {
	i := slices.IndexFunc(r.Tables, func(t *store.Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return r.Tables[i]
}

// reuses are the intervals, in windows, after which processes use blocks again.
func (n *naive) reuses() (out []int) {
	for p := range trace.Proc(n.procs) {
		last := map[uint64]int{}
		for i, w := range n.windows {
			for b := range n.sets[w][p] {
				if before, used := last[b]; used {
					out = append(out, i-before)
				}
				last[b] = i
			}
		}
	}
	return out
}

// within is the blocks of every process in so many windows from one on.
func (n *naive) within(from, windows int) (out []blockSet) {
	for p := range trace.Proc(n.procs) {
		all := blockSet{}
		for _, w := range n.windows[from : from+windows] {
			for b := range n.sets[w][p] {
				all[b] = true
			}
		}
		out = append(out, all)
	}
	return out
}

// lost is how many blocks neighbours in groups of k have in a span, and how many of them are lost.
func lost(of []blockSet, k int, s Shape) (blocks, lost float64) {
	members, times := min(k, len(of)), 1.0
	if k > len(of) {
		times = float64(k-1) / float64(len(of)-1)
	}
	for first := 0; first+members <= len(of); first += members {
		for p := first; p < first+members; p++ {
			for b := range of[p] {
				blocks++
				own, others, alone := 0, blockSet{}, true
				for q := first; q < first+members; q++ {
					for c := range of[q] {
						switch {
						case c%uint64(s.Sets) != b%uint64(s.Sets):
						case q == p:
							own++
						case c == b:
							alone = false
						case !of[p][c]:
							others[c] = true
						}
					}
				}
				if alone && own <= s.Ways && float64(own)+times*float64(len(others)) > float64(s.Ways) {
					lost++
				}
			}
		}
	}
	return blocks, lost
}

// perSwitch is the definition of what spans predicts, of traces with fewer spans than are left out.
func (n *naive) perSwitch(k int, s Shape) float64 {
	var shares [spanLevels]float64
	for j := range shares {
		if j > 0 {
			shares[j] = shares[j-1]
		}
		blocks, gone := 0.0, 0.0
		for from := 0; from+1<<j <= len(n.windows); from += 1 << j {
			b, l := lost(n.within(from, 1<<j), k, s)
			blocks, gone = blocks+b, gone+l
		}
		if blocks > 0 {
			shares[j] = gone / blocks
		}
	}
	sum, runs := 0.0, 0
	for _, m := range n.reuses() {
		at := math.Min(math.Log2(float64(m)), spanLevels-1)
		j := int(at)
		part := at - float64(j)
		sum += (1 - part) * shares[j]
		if part > 0 {
			sum += part * shares[j+1]
		}
	}
	before := map[trace.Proc]bool{}
	for _, w := range n.windows {
		for p := range n.sets[w] {
			if before[p] {
				runs++ // others could have run in between
			}
			before[p] = true
		}
	}
	return sum / float64(runs) // none if there is no switch
}

func checkSpans(t testing.TB, r analysis.Result, n *naive) {
	t.Helper()
	table := named(r, "footprint_switches")
	if table == nil {
		if n.procs > 1 && !math.IsNaN(n.perSwitch(2, Shape{1, 1})) {
			t.Error("no table footprint_switches")
		}
		return
	}
	sets, ways, processes := column[int64](t, table, "sets"), column[int64](t, table, "ways"), column[int64](t, table, "processes")
	for i, got := range column[float64](t, table, "per_switch") {
		if processes[i] > 16 {
			continue // as of 16, with so many more
		}
		if want := n.perSwitch(int(processes[i]), Shape{int(sets[i]), int(ways[i])}); !close12(got, want) {
			t.Errorf("%dx%d, %d processes: %v misses of a switch, want %v", sets[i], ways[i], processes[i], got, want)
		}
	}
}

func TestSpansAreNaive(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		m, w := randomTrace(r, 2+r.IntN(4), 1+r.IntN(2), 60), randomWindow(r)
		n := newNaive(t, m, w, 64)
		res, err := run(t, m, &Analysis{Window: w, Blocks: []Blocks{{"cache", 64, []Shape{{8, 1}, {1, 8}, {4, 2}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if checkSpans(t, res, n); t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

// Two processes use one block each in each of 9 windows of one reference, in a direct-mapped cache of 4 sets.
// If the blocks are different and in one set, each process has lost its block to the other in all 8 later
// windows.
func TestSpansByHand(t *testing.T) {
	for _, row := range []struct {
		what         string
		first, other uint64
		want         float64
	}{
		{"one set", 0, 4, 1},
		{"two sets", 0, 5, 0},
		{"one block", 4, 4, 0},
	} {
		t.Run(row.what, func(t *testing.T) {
			m := &trace.Memory{Head: trace.Header{Procs: 2}, RefsOf: make([]trace.Refs, 2)}
			for p, b := range []uint64{row.first, row.other} {
				m.RefsOf[p].Proc = trace.Proc(p)
				for range 9 {
					m.RefsOf[p].Append(1, b*64, 8, trace.Load)
				}
			}
			r, err := run(t, m, &Analysis{Window: Window{Quanta, 1}, Blocks: []Blocks{{"", 64, []Shape{{4, 1}}}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := column[float64](t, named(r, "footprint_switches"), "per_switch")[0]; !close12(got, row.want) {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}

// Against simulation of processes that sweep arrays of their own again and again, aligned or not, a few blocks in a
// window: what the blocks of one window say of these is nothing. A block is used again after 8 windows, the length of
// spans; between 8 and 16 the share that is lost would be taken along the logarithm, wherever it jumps in truth.
func TestSpansAreSimulated(t *testing.T) {
	const procs, windows, each, array = 8, 400, 3, 24
	for _, apart := range []uint64{1 << 12, 37} { // the first is a multiple of the sets
		m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
		for p := range procs {
			m.RefsOf[p].Proc = trace.Proc(p)
			for i := range windows * each {
				m.RefsOf[p].Append(1, (uint64(p)*apart+uint64(i%array))*64, 8, trace.Load)
			}
		}
		r, err := run(t, m, &Analysis{Window: Window{Quanta, each}, Blocks: []Blocks{{"cache", 64, []Shape{{64, 1}, {1, 100}, {16, 4}}}}})
		if err != nil {
			t.Fatal(err)
		}
		table := named(r, "interference")
		errors, processes := column[float64](t, table, "error"), column[int64](t, table, "processes")
		for i, source := range column[string](t, table, "source") {
			// A tenth of the blocks of a window.
			if source == "model_sets" && math.Abs(errors[i]) > 0.1*each {
				t.Errorf("%d blocks apart, %d processes: off by %v blocks", apart, processes[i], errors[i])
			}
		}
	}
}

// Spans of a level that are left out do not change what is expected: others stand for them.
func TestSpansThin(t *testing.T) {
	s := newSpanModel([]Shape{{4, 1}}, 2)
	names := new(lines.Names)
	names.Reach(8)
	for b := range uint32(8) {
		names.Set(b, uint64(b))
	}
	const windows = 20000
	for w := uint64(1); w <= windows; w++ {
		for p := range trace.Proc(2) {
			b := uint32(w%2)*2 + uint32(p)*4 // in sets 0 and 2, by turns
			before := uint64(0)
			if w > 2 {
				before = w - 2
			}
			s.use(p, b, before, w)
		}
		s.count(0, s.endingLevels(w), names)
		s.advance(w)
	}
	if l := s.levels[0]; l.thinning < 3 || math.Abs(l.evictions[0][0].uses/(2*windows)-1) > 0.1 {
		t.Errorf("thinned %d times to %v blocks of %d", l.thinning, l.evictions[0][0].uses, 2*windows)
	}
	if got, want := s.perSwitch(0, 2*windows)[0], 1-2./windows; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v misses of a switch, want %v", got, want)
	}
}

// More processors than spans are looked at for otherwise: what 2048 of them lose to each other is predicted and simulated too.
func TestSpansOfManyProcessors(t *testing.T) {
	const procs = 2 * maxSharers
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		for range 3 { // each uses one block of its own in every window
			m.RefsOf[p].Append(10, uint64(p)*64, 8, trace.Load)
		}
	}
	r, err := run(t, m, &Analysis{Window: Window{Quanta, 10}, Blocks: []Blocks{{"", 64, []Shape{{1, procs / 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	processes, _ := store.Data[int64](named(r, "interference"), "processes")
	source, _ := store.Data[string](named(r, "interference"), "source")
	each, _ := store.Data[float64](named(r, "interference"), "per_switch")
	found := 0
	for i, k := range processes {
		want := float64(k / procs) // all fit, or none
		if k >= procs/2 && (source[i] == "model_sets" || source[i] == "extra_misses") {
			found++
			if math.Abs(each[i]-want) > 1e-12 {
				t.Errorf("%s: %v misses of a switch among %d, want %v", source[i], each[i], k, want)
			}
		}
	}
	if found != 4 {
		t.Errorf("%d rows", found)
	}
}

// What is simulated on several cores is what one finds.
func TestOnSeveralCores(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(5, 5)), 4, 3, testsize.Cases(8, 2)*minParallelUses)
	on := func(cores int) []*store.Table {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		blocks := []Blocks{{"", 64, []Shape{{64, 1}, {16, 4}, {1, 32}}}, {"", 4096, []Shape{{1, 16}}}}
		r, err := run(t, m, &Analysis{Window: Window{References, 2 * minParallelUses}, Blocks: blocks})
		if err != nil {
			t.Fatal(err)
		}
		return r.Tables
	}
	one := on(1)
	for i, four := range on(4) {
		if !reflect.DeepEqual(one[i], four) {
			t.Errorf("%s: on one core %v, on four %v", four.Name, one[i].Columns, four.Columns)
		}
	}
}

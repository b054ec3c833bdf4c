package coherent

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/capacity"
	"spoor/analyze/internal/definition"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// machine is private LRU caches of one capacity as written down: no stack distances and no holes, each cache its
// lines, most recent first.
type machine struct {
	capacity int
	caches   []map[uint64]int // by processor: when a line that is there was used
	clock    int
	known    []map[uint64]bool // by processor: whether a line that was used is not there because of another's store
	counts   []counts
}

type counts struct{ uses, misses, cold, coherence, fills uint64 }

func newMachine(procs, capacity int) *machine {
	m := &machine{capacity: capacity, counts: make([]counts, procs)}
	for range procs {
		m.caches = append(m.caches, map[uint64]int{})
		m.known = append(m.known, map[uint64]bool{})
	}
	return m
}

// op is a load, a store, a prefetch or a flush of a line.
func (m *machine) op(p int, line uint64, op trace.Op) {
	switch op {
	case trace.Flush:
		for _, cache := range m.caches {
			delete(cache, line)
		}
	case trace.Prefetch:
		before := m.counts[p]
		m.use(p, line, false)
		before.fills += m.counts[p].misses - before.misses
		m.counts[p] = before
	default:
		m.use(p, line, op == trace.Store)
	}
}

func (m *machine) use(p int, line uint64, isStore bool) {
	cache, c := m.caches[p], &m.counts[p]
	c.uses++
	m.clock++
	if _, hit := cache[line]; !hit {
		c.misses++
		if removed, used := m.known[p][line]; !used {
			c.cold++
		} else if removed {
			c.coherence++
		}
		if len(cache) == m.capacity {
			oldest := line
			for l, when := range cache {
				if oldest == line || when < cache[oldest] {
					oldest = l
				}
			}
			delete(cache, oldest)
		}
	}
	cache[line], m.known[p][line] = m.clock, false
	if !isStore {
		return
	}
	for q, other := range m.caches {
		if _, has := other[line]; has && q != p {
			delete(other, line)
			m.known[q][line] = true
		}
	}
}

// uses calls yield with the uses of lines in the interleaved order.
func uses(t testing.TB, src trace.Source, line unit.Bytes, yield func(p int, line uint64, op trace.Op)) {
	t.Helper()
	for piece, err := range analysis.Interleave(src) {
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range piece.Refs.Addr {
			if op := piece.Refs.Op[i]; op != trace.Ifetch {
				last := (a + uint64(piece.Refs.Size[i]) - 1) >> line.Shift()
				for l := a >> line.Shift(); ; l++ {
					if yield(int(piece.RefProcs[i]), l, op); l == last {
						break
					}
				}
			}
		}
	}
}

func run(t testing.TB, src trace.Source, lines ...unit.Bytes) analysis.Result {
	t.Helper()
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, &Analysis{Lines: lines, Line: lines[0], Source: "s", Tool: "t"})
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// rows prints some columns of a table.
func rows(t testing.TB, table *store.Table, names ...string) (out []string) {
	t.Helper()
	for _, c := range table.Columns {
		if !slices.Contains(names, c.Name) {
			continue
		}
		for i := range table.Rows() {
			if i == len(out) {
				out = append(out, "")
			}
			switch data := c.Data.(type) {
			case []int32:
				out[i] += fmt.Sprint(data[i], " ")
			case []int64:
				out[i] += fmt.Sprint(data[i], " ")
			case []uint64:
				out[i] += fmt.Sprint(data[i], " ")
			}
		}
	}
	return out
}

// check holds the curve to machines of every capacity that it has, and the distances to stacks with holes.
func check(t testing.TB, src trace.Source, lines ...unit.Bytes) {
	t.Helper()
	procs := src.Header().Procs
	var wantRows, wantCurve []string
	for p := range procs {
		for _, line := range lines {
			wantRows = append(wantRows, naiveRows(t, src, line, p)...)
			wantCurve = append(wantCurve, naiveCurve(t, src, line, p)...)
		}
	}
	r := run(t, src, lines...)
	sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
	if got := rows(t, r.Full, "proc", "line", "distance", "count"); !slices.Equal(sorted(got), sorted(wantRows)) {
		t.Errorf("got %v, want %v", got, wantRows)
	}
	if got := rows(t, r.Tables[1], "proc", "line", "lines", "misses", "cold", "coherence", "refs"); !slices.Equal(sorted(got), sorted(wantCurve)) {
		t.Errorf("got %v, want %v", got, wantCurve)
	}
	checkParams(t, src, r, lines[0])
}

func naiveRows(t testing.TB, src trace.Source, line unit.Bytes, p int) (out []string) {
	t.Helper()
	stack, count := new(definition.Holed), map[int64]int{}
	uses(t, src, line, func(q int, l uint64, op trace.Op) {
		switch {
		case op == trace.Flush:
			stack.Flush(l)
		case q == p && op == trace.Prefetch:
			stack.Use(l)
		case q == p:
			d, lost := stack.Use(l)
			switch {
			case lost == reuse.Flushed:
				d = Flushed
			case lost != reuse.Cold:
				d = Lost
			}
			count[d]++
		case op == trace.Store:
			stack.Remove(l)
		}
	})
	for _, d := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%d %d %d %d ", p, line, d, count[d]))
	}
	return out
}

func naiveCurve(t testing.TB, src trace.Source, line unit.Bytes, p int) (out []string) {
	t.Helper()
	footprint := map[uint64]bool{}
	uses(t, src, line, func(q int, l uint64, op trace.Op) {
		if q == p && op != trace.Flush {
			footprint[l] = true
		}
	})
	for _, size := range capacity.Of(uint64(len(footprint))) {
		m := newMachine(src.Header().Procs, int(size))
		uses(t, src, line, m.op)
		c := m.counts[p]
		if c.uses == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("%d %d %d %d %d %d %d ", p, line, size, c.misses, c.cold, c.coherence, c.uses))
	}
	return out
}

// checkParams holds the rates of all processors to caches without limit.
func checkParams(t testing.TB, src trace.Source, r analysis.Result, line unit.Bytes) {
	t.Helper()
	m := newMachine(src.Header().Procs, math.MaxInt)
	uses(t, src, line, m.op)
	var all counts
	for _, c := range m.counts {
		all.uses, all.cold, all.coherence = all.uses+c.uses, all.cold+c.cold, all.coherence+c.coherence
	}
	var file bytes.Buffer
	params := map[string]struct{ Value float64 }{}
	if err := r.Files[0].Fill(&file); err != nil || toml.Unmarshal(file.Bytes(), &params) != nil {
		t.Fatalf("%v: %s", err, file.Bytes())
	}
	for name, of := range map[string]uint64{"coherence": all.uses, "lost": all.uses - all.cold} {
		if got, is := params[name]; is != (of > 0) || is && got.Value != float64(all.coherence)/float64(of) {
			t.Errorf("%s: %v (%t), want %d of %d", name, got.Value, is, all.coherence, of)
		}
	}
}

// random is a trace of processors that share some lines, and use others alone.
func random(r *rand.Rand, procs, length int, stores bool) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}}
	shared := 1 + r.Uint64N(60)
	for p := range procs {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for range r.IntN(length + 1) {
			op := trace.Ops[r.IntN(len(trace.Ops))]
			if !stores && op == trace.Store {
				op = trace.Load
			}
			addr := r.Uint64N(1+r.Uint64N(shared*32)) + r.Uint64N(2)*uint64(p+1)<<40
			refs.Append(uint32(r.IntN(4)), addr, uint16(1+r.IntN(70)), op)
		}
		m.RefsOf = append(m.RefsOf, refs)
	}
	return m
}

func TestTablesAreEverySizeSimulated(t *testing.T) {
	for seed := range testsize.Cases[uint64](25, 8) {
		r := rand.New(rand.NewPCG(seed, 11))
		check(t, random(r, 1+r.IntN(5), 600, true).InBatches(1+r.IntN(200)), 16, 64)
	}
}

func TestManyProcessors(t *testing.T) {
	check(t, random(rand.New(rand.NewPCG(1, 11)), 70, testsize.Cases(40, 15), true), 32)
}

// Of one processor, and where nobody stores, distances are those of package reuse.
func TestWithoutInvalidationsItIsReuse(t *testing.T) {
	for _, c := range []struct {
		procs  int
		stores bool
	}{{1, true}, {5, false}} {
		m := random(rand.New(rand.NewPCG(2, 11)), c.procs, 20_000, c.stores)
		for p := range m.RefsOf {
			for i, op := range m.RefsOf[p].Op {
				if op.Moves() { // a flush of one processor reaches the others only here
					m.RefsOf[p].Op[i] = trace.Load
				}
			}
		}
		got := run(t, m, 1, 64)
		results, err := analysis.Run(context.Background(), m, analysis.Options{}, &reuse.Analysis{Lines: []unit.Bytes{1, 64}})
		if err != nil {
			t.Fatal(err)
		}
		for i, columns := range [][]string{{"proc", "line", "distance", "count"}, {"proc", "line", "lines", "misses", "refs"}} {
			if got, want := rows(t, got.Tables[i], columns...), rows(t, results[0].Tables[i], columns...); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%d processors: %s: got %d rows, want %d", c.procs, results[0].Tables[i].Name, len(got), len(want))
			}
		}
	}
}

// Edges of the address space, references of several lines, processors that do nothing.
func TestEdges(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 3}, RefsOf: make([]trace.Refs, 3)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
	}
	check(t, m, 64)
	r := run(t, m, 64)
	if len(r.Warnings) != 1 || r.Full.Rows() != 0 {
		t.Errorf("without references: %v, %d rows", r.Warnings, r.Full.Rows())
	}
	for range 3 {
		for _, p := range []int{0, 2} {
			m.RefsOf[p].Append(1, 0, 1, trace.Load)
			m.RefsOf[p].Append(1, math.MaxUint64, 1, trace.Store)
			m.RefsOf[p].Append(0, math.MaxUint64-99, 100, trace.Load)
			m.RefsOf[p].Append(1, 60, 200, trace.Store)
		}
	}
	check(t, m, 1, 64, 1<<40)
}

func FuzzTablesAreEverySizeSimulated(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 128, 129, 1, 0}, uint8(2))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, procs uint8) {
		n := 1 + int(procs%4)
		m := &trace.Memory{Head: trace.Header{Procs: n}, RefsOf: make([]trace.Refs, n)}
		for p := range n {
			m.RefsOf[p].Proc = trace.Proc(p)
		}
		for i, b := range data[:min(len(data), 1<<10)] {
			op := trace.Load
			if b&128 != 0 {
				op = trace.Store
			}
			m.RefsOf[(i+int(b>>5&3))%n].Append(1, uint64(b&31)*64, uint16(8+b&64*2), op)
		}
		check(t, m, 64)
	})
}

// Two processors take turns to store a line; one of them goes through four others besides.
func Example() {
	m := &trace.Memory{Head: trace.Header{Procs: 2}, RefsOf: []trace.Refs{{Proc: 0}, {Proc: 1}}}
	for range 10 {
		m.RefsOf[0].Append(4, 0, 8, trace.Store)
		for i := range uint64(4) {
			m.RefsOf[0].Append(1, 64+i*64, 8, trace.Load)
		}
		m.RefsOf[1].Append(8, 0, 8, trace.Store)
	}
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{64}, Line: 64})
	if err != nil {
		panic(err)
	}
	distance, _ := store.Data[int64](results[0].Full, "distance")
	proc, _ := store.Data[int32](results[0].Full, "proc")
	count, _ := store.Data[uint64](results[0].Full, "count")
	for i := range proc {
		fmt.Println("processor", proc[i], "distance", distance[i], "count", count[i])
	}
	// Output:
	// processor 0 distance -2 count 9
	// processor 0 distance -1 count 5
	// processor 0 distance 4 count 36
	// processor 1 distance -2 count 9
	// processor 1 distance -1 count 1
}

// The distances of a lone processor are exact, even if those that another analysis finds beside are of a sample.
func TestLoneProcessorIsExactBesideASample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for range 20_000 {
		m.RefsOf[0].Append(1, r.Uint64N(3000)*64, 8, trace.Load)
	}
	want := run(t, m, 64)
	sampled := &reuse.Analysis{Lines: []unit.Bytes{64}, Sampling: reuse.Sampling{Rate: 0.05, Seed: 1}}
	for _, beside := range []*reuse.Analysis{sampled, {Lines: []unit.Bytes{64}}} {
		a := &Analysis{Lines: []unit.Bytes{64}, Line: 64, Source: "s", Tool: "t", Reuse: beside}
		results, err := analysis.Run(context.Background(), m, analysis.Options{}, beside, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range results[1].Tables {
			names := []string{"distance", "count", "misses", "cold"}
			if got, want := rows(t, table, names...), rows(t, want.Tables[i], names...); !slices.Equal(got, want) {
				t.Errorf("table %s beside %+v is %v, want %v", table.Name, beside.Sampling, got, want)
			}
		}
	}
}

package reuse

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/definition"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

func run(t testing.TB, src trace.Source, interleaved bool, lines ...unit.Bytes) analysis.Result {
	t.Helper()
	return runIt(t, src, &Analysis{Lines: lines, Interleaved: interleaved})
}

// asker asks for uses of lines beside an analysis of distances.
type asker []unit.Bytes

func (asker) Name() string { return "asker" }

func (asker) Effects() analysis.Effects { return analysis.Effects{} }

func (a asker) NewShard(trace.Header, trace.Proc) analysis.Shard { return &askerShard{a} }

func (asker) Merge([]analysis.Shard) (r analysis.Result, err error) { return r, nil }

type askerShard struct{ asker }

func (s *askerShard) LineSizes() []unit.Bytes { return s.asker }

func (*askerShard) End() error { return nil }

func (s *askerShard) Add(p *analysis.Chunk) error {
	for _, line := range s.asker {
		if p.Refs.Len() == 0 {
			return nil
		}
		if _, err := p.Uses(line); err != nil {
			return err
		}
	}
	return nil
}

func runIt(t testing.TB, src trace.Source, a *Analysis) analysis.Result {
	t.Helper()
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// rows prints a reuse table: "proc,line,distance,count".
func rows(t testing.TB, table *store.Table) []string {
	t.Helper()
	proc, err1 := store.Data[int32](table, "proc")
	line, err2 := store.Data[int64](table, "line")
	distance, err3 := store.Data[int64](table, "distance")
	count, err4 := store.Data[uint64](table, "count")
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		t.Fatal(err1, err2, err3, err4)
	}
	var out []string
	for i := range proc {
		out = append(out, fmt.Sprintf("%d,%d,%d,%d", proc[i], line[i], distance[i], count[i]))
	}
	return out
}

func TestWhatUsesALine(t *testing.T) {
	var r trace.Refs
	r.Append(1, 60, 8, trace.Load)   // crosses: lines 0 and 1, cold
	r.Append(1, 0, 1, trace.Ifetch)  // uses no line
	r.Append(1, 0, 64, trace.Store)  // line 0, one other since
	r.Append(1, 0, 8, trace.Flush)   // line 0 leaves a hole
	r.Append(1, 64, 8, trace.Load)   // line 1, one other since, which is a hole now: it moves down
	r.Append(1, 100, 28, trace.Load) // line 1, none
	r.Append(1, math.MaxUint64, 1, trace.Load)
	r.Append(1, 10, 500, trace.Load) // lines 0 (flushed) to 7: line 1 two, the others cold
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{r}}
	got := rows(t, run(t, m, true, 64).Full)
	// The last line of the last reference is (10+499)>>6 = 7: six cold ones, three before.
	if want := []string{"0,64,-2,1", "0,64,-1,9", "0,64,0,1", "0,64,1,2", "0,64,2,1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The table is the definition, for every order and line size, whatever the batches.
func TestTableIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := &trace.Memory{Head: trace.Header{Procs: 3}}
	for p := range 3 {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for range testsize.Cases(2000, 200) {
			refs.Append(uint32(r.IntN(4)), r.Uint64N(1+r.Uint64N(1<<13)), uint16(1+r.IntN(100)), trace.Ops[r.IntN(len(trace.Ops))])
		}
		m.RefsOf = append(m.RefsOf, refs)
	}
	var want []string
	for _, p := range []trace.Proc{-1, 0, 1, 2} {
		for _, line := range []unit.Bytes{1, 16, 64} {
			want = append(want, naiveRows(t, m, p, line)...)
		}
	}
	for _, n := range []int{0, 1, batch, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := rows(t, run(t, m.InBatches(n), true, 1, 16, 64).Full); !slices.Equal(got, want) {
				t.Errorf("batches of %d: got %d rows, want %d", n, len(got), len(want))
			}
			a := &Analysis{Lines: []unit.Bytes{1, 16, 64}, Interleaved: true}
			results, err := analysis.Run(context.Background(), m.InBatches(n), analysis.Options{}, a, asker{1, 64})
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(t, results[0].Full); !slices.Equal(got, want) {
				t.Errorf("batches of %d, beside one who asks for uses: got %d rows, want %d", n, len(got), len(want))
			}
			for p, s := range a.shards {
				if !s.At(1).external || s.At(16).external || !s.At(64).external {
					t.Errorf("processor %d takes uses that nobody asks for, or not those that somebody does", p)
				}
			}
		})
	}
	if got := rows(t, run(t, m, false, 64).Full); got[0][0] == '-' {
		t.Error("an interleaved order that nobody asked for")
	}
}

func naiveRows(t *testing.T, m *trace.Memory, p trace.Proc, line unit.Bytes) (out []string) {
	t.Helper()
	pieces := analysis.Program(m, p)
	if p == trace.Interleaved {
		pieces = analysis.Interleave(m)
	}
	var naive definition.Holed
	count := map[int64]int{}
	for piece, err := range pieces {
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range piece.Refs.Addr {
			for l := a / uint64(line); l <= (a+uint64(piece.Refs.Size[i])-1)/uint64(line); l++ {
				switch op := piece.Refs.Op[i]; {
				case op == trace.Flush:
					naive.Flush(l)
				case op == trace.Prefetch:
					naive.Use(l)
				case op.Data():
					d, lost := naive.Use(l)
					if lost == Flushed {
						d = Flushed
					}
					count[d]++
				}
			}
		}
	}
	for d := Flushed; len(count) > 0; d++ {
		if n := count[d]; n > 0 {
			out = append(out, fmt.Sprintf("%d,%d,%d,%d", p, line, d, n))
			delete(count, d)
		}
	}
	return out
}

// A cache of C lines misses exactly the uses at distance C and beyond and the cold
// ones: the curve against a simulated LRU cache.
func TestCurveIsSimulatedLRU(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	var refs trace.Refs
	var lines []uint64
	for range 5000 {
		l := r.Uint64N(1 + r.Uint64N(300))
		lines = append(lines, l)
		refs.Append(1, l*64, 8, trace.Load)
	}
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{refs}}
	curve := run(t, m, true, 64).Tables[1]
	sizes, _ := store.Data[int64](curve, "lines")
	misses, _ := store.Data[uint64](curve, "misses")
	if len(sizes) < 15 {
		t.Fatalf("capacities %v", sizes)
	}
	last := uint64(math.MaxUint64)
	for i, c := range sizes {
		var cache []uint64
		var want uint64
		for _, l := range lines {
			at := slices.Index(cache, l)
			if at < 0 {
				want++
				at = min(len(cache), int(c)-1)
				cache = cache[:at]
			} else {
				cache = slices.Delete(cache, at, at+1)
			}
			cache = slices.Insert(cache, 0, l)
		}
		if misses[i] != want || want > last {
			t.Errorf("%d lines: %d misses, want %d, not above %d", c, misses[i], want, last)
		}
		last = want
	}
}

// In a cache of any size, distances that are pooled miss as often as each for itself. Those of samples lie between those of others, and are equal to some.
func TestPooledDistancesMissTogether(t *testing.T) {
	far, near := zipf(40_000, 3000), uniform(20_000, 100)
	capacities := make([]int64, 1<<12)
	for i := range capacities {
		capacities[i] = int64(i)
	}
	var all Distances
	want, cold := make([]uint64, len(capacities)), uint64(0)
	for i, d := range []*Distances{exactly(t, near), sampleOf(t, Sampling{Rate: 0.1}, far, 1000), sampleOf(t, Sampling{Rate: 0.1}, far, 1000), exactly(t, far),
		sampleOf(t, Sampling{Rate: 0.2}, far, 1000)} {
		for c, n := range d.Misses(capacities) {
			want[c] += n
		}
		cold += d.Cold
		all.Add(d)
		if got := all.Misses(capacities); !slices.Equal(got, want) || all.Footprint() != cold {
			t.Errorf("%d pooled: %d lines, want %d; misses %v, want %v", i+1, all.Footprint(), cold, got[:9], want[:9])
		}
	}
}

// What a shard of another order or of other lines has found is refused.
func TestKeptShardsOfOthers(t *testing.T) {
	h := trace.Header{Procs: 2}
	text, err := json.Marshal((&Analysis{Lines: []unit.Bytes{64}}).NewShard(h, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		proc  trace.Proc
		lines []unit.Bytes
		ok    bool
	}{{string(text), 1, []unit.Bytes{64}, true}, {string(text), 0, []unit.Bytes{64}, false}, {string(text), 1, []unit.Bytes{64, 128}, false},
		{string(text), 1, nil, false}, {`{"Proc":1,"Sizes":[null]}`, 1, []unit.Bytes{64}, false}} {
		t.Run(fmt.Sprintf("%v %v %v", c.text, c.proc, c.lines), func(t *testing.T) {
			s := (&Analysis{Lines: c.lines}).NewShard(h, c.proc)
			if err := json.Unmarshal([]byte(c.text), s); (err == nil) != c.ok {
				t.Errorf("%s for processor %d, lines of %v: %v", c.text, c.proc, c.lines, err)
			}
		})
	}
}

func Example() {
	s := NewStack()
	if err := s.Touch([]uint64{1, 2, 3, 1, 1}); err != nil {
		fmt.Println(err)
	}
	uses, cold := s.Distances()
	fmt.Println("cold", cold, "by distance", uses)
	// Output: cold 3 by distance [1 0 1]
}
